//! Statuses with messages, and the guard around every call from C.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;

/// Reason why a call failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Status that C receives.
    pub code: i32,
    /// Message with the function, the argument, and what is wrong with it.
    pub message: String,
}

/// Result of a call from C: a value, or the reason why it failed.
pub type Checked<T> = Result<T, Refusal>;

/// Returns the error with this status and message.
pub fn refuse<T>(code: i32, message: impl Into<String>) -> Checked<T> {
    Err(Refusal { code, message: message.into() })
}

/// Runs `call` and returns its status for C: 0 for success, else the code of its error.
///
/// The message of an error is kept for [`recent`]. A panic becomes the status `internal`, since none may unwind into C.
pub fn status(internal: i32, call: impl FnOnce() -> Checked<()>) -> i32 {
    guarded(|| call().map_or_else(answer, |()| 0)).unwrap_or(internal)
}

/// Runs `call` and returns the pointer that it yields, for C; null if it fails or panics.
///
/// The message of an error is kept for [`recent`].
pub fn pointer<T>(call: impl FnOnce() -> Checked<*mut T>) -> *mut T {
    guarded(|| {
        call().unwrap_or_else(|refusal| {
            answer(refusal);
            std::ptr::null_mut()
        })
    })
    .unwrap_or(std::ptr::null_mut())
}

/// Returns the result of a call, or `None` if it panics.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

#[cold]
fn answer(refusal: Refusal) -> i32 {
    let text = CString::new(refusal.message.replace('\0', " ")).unwrap_or_default();
    on_recent(|recent| recent.unread = Some(text));
    refusal.code
}

/// Messages of errors on one thread: the last message, and the message that C has a pointer to.
struct Recent {
    unread: Option<CString>,
    /// The message that was returned last, kept alive because C has a pointer to it until the next request.
    read: CString,
}

thread_local! {
    static RECENT: RefCell<Recent> =
        RefCell::new(Recent { unread: None, read: CString::default() });
}

/// Applies `f` to this thread's error messages and returns the result.
///
/// Returns `None` without calling `f` if the messages were destroyed already, which a destructor of a static or
/// thread-local object may find at the end of a thread.
fn on_recent<T>(f: impl FnOnce(&mut Recent) -> T) -> Option<T> {
    RECENT.try_with(|recent| f(&mut recent.borrow_mut())).ok()
}

/// Returns the message of this thread's last error; null if there is none or it was returned before.
pub fn recent() -> *const c_char {
    let taken = on_recent(|recent| {
        recent.read = recent.unread.take()?;
        Some(recent.read.as_ptr())
    });
    taken.flatten().unwrap_or(null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn a_message_is_read_once() {
        assert_eq!(status(1, || Ok(())), 0);
        assert!(recent().is_null());
        assert_eq!(status(1, || refuse(7, "why\0not")), 7);
        let message = recent();
        // SAFETY: no message was requested since.
        assert_eq!(unsafe { CStr::from_ptr(message) }.to_str(), Ok("why not"));
        assert!(recent().is_null());
    }

    #[test]
    fn panics_are_a_status() {
        assert_eq!(status(500_000, || panic!("on purpose")), 500_000);
        assert!(pointer::<u8>(|| panic!("on purpose")).is_null());
    }
}
