//! Streams. A call is complete when it returns, so that a stream never has pending work.

use super::codes::*;
use crate::refusal::{refuse, status};
use crate::registry::{Handle, Registry};

static STREAMS: Registry<()> = Registry::new();

/// Returns whether the handle is a live stream or null, which is the default stream.
pub fn is_stream(stream: Handle) -> bool {
    stream.is_null() || STREAMS.get(stream).is_some()
}

/// Creates a stream.
///
/// # Safety
/// `stream` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStream(stream: *mut Handle) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || {
        if stream.is_null() {
            return refuse(ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: stream is null");
        }
        // SAFETY: not null, and the caller's to write.
        unsafe { stream.write(STREAMS.insert(())) };
        Ok(())
    })
}

/// Creates a stream as `aclrtCreateStream`; priority and flag have no effect.
///
/// # Safety
/// `stream` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStreamWithConfig(
    stream: *mut Handle,
    _priority: u32,
    _flag: u32,
) -> i32 {
    // SAFETY: the caller upholds the `# Safety` contract.
    unsafe { aclrtCreateStream(stream) }
}

/// Destroys a stream.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtDestroyStream(stream: Handle) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || match STREAMS.take(stream) {
        Some(_) => Ok(()),
        None if stream.is_null() => {
            refuse(ACL_ERROR_INVALID_PARAM, "aclrtDestroyStream: stream is null")
        }
        None => refuse(ACL_ERROR_RT_INVALID_HANDLE, "aclrtDestroyStream: not a live stream"),
    })
}

/// Waits until the stream is idle. That takes no time, because every call is complete when it returns.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSynchronizeStream(stream: Handle) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || match is_stream(stream) {
        true => Ok(()),
        false => refuse(ACL_ERROR_RT_INVALID_HANDLE, "aclrtSynchronizeStream: not a live stream"),
    })
}

/// Waits as `aclrtSynchronizeStream`. That takes no time, so that no timeout can expire.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSynchronizeStreamWithTimeout(stream: Handle, _timeout: i32) -> i32 {
    aclrtSynchronizeStream(stream)
}

/// Waits until all streams are idle.
///
/// That takes no time, because every call is complete when it returns.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSynchronizeDevice() -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || Ok(()))
}
