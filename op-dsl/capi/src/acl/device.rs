//! `aclInit`, devices and contexts. There is one device, number 0, and every thread has it.

use super::codes::*;
use crate::operand::reply;
use crate::refusal::{Checked, guarded, recent, refuse, status};
use crate::registry::{Handle, Registry};
use std::ffi::c_char;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, Ordering};

static INITIALISED: AtomicBool = AtomicBool::new(false);
static CONTEXTS: Registry<()> = Registry::new();

/// Starts the library. The configuration is not read.
#[unsafe(no_mangle)]
pub extern "C" fn aclInit(_config_path: *const c_char) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || match INITIALISED.swap(true, Ordering::Relaxed) {
        true => refuse(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: called before"),
        false => Ok(()),
    })
}

/// Ends what `aclInit` started.
#[unsafe(no_mangle)]
pub extern "C" fn aclFinalize() -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || match INITIALISED.swap(false, Ordering::Relaxed) {
        true => Ok(()),
        false => refuse(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize: without aclInit"),
    })
}

/// As `aclInit`, as often as one likes.
#[unsafe(no_mangle)]
pub extern "C" fn aclnnInit(_config_path: *const c_char) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || Ok(()))
}

/// The end of `aclnnInit`.
#[unsafe(no_mangle)]
pub extern "C" fn aclnnFinalize() -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || Ok(()))
}

/// The message of this thread's last failure, once; null when there is none.
#[unsafe(no_mangle)]
pub extern "C" fn aclGetRecentErrMsg() -> *const c_char {
    guarded(recent).unwrap_or(null())
}

fn known(function: &str, device: i32) -> Checked<()> {
    match device {
        0 => Ok(()),
        _ => refuse(
            ACL_ERROR_RT_INVALID_DEVICEID,
            format!("{function}: there is no device {device}, only 0"),
        ),
    }
}

/// Chooses the device.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetDevice(device_id: i32) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || known("aclrtSetDevice", device_id))
}

/// Ends the use of the device. Streams, tensors and memory stay until they are destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtResetDevice(device_id: i32) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || known("aclrtResetDevice", device_id))
}

/// The device of this thread.
///
/// # Safety
/// `device_id` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDevice(device_id: *mut i32) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || {
        // SAFETY: as asked of the caller.
        unsafe { reply(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice: deviceId", device_id, 0) }
    })
}

/// How many devices there are.
///
/// # Safety
/// `count` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceCount(count: *mut u32) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || {
        // SAFETY: as asked of the caller.
        unsafe { reply(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount: count", count, 1) }
    })
}

/// Whether this program runs on the host: it does.
///
/// # Safety
/// `run_mode` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetRunMode(run_mode: *mut i32) -> i32 {
    const ACL_HOST: i32 = 1;
    status(ACL_ERROR_INTERNAL_ERROR, || {
        // SAFETY: as asked of the caller.
        unsafe { reply(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode: runMode", run_mode, ACL_HOST) }
    })
}

/// Makes a context, which has no effect of its own.
///
/// # Safety
/// `context` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateContext(context: *mut Handle, device_id: i32) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || {
        known("aclrtCreateContext", device_id)?;
        if context.is_null() {
            return refuse(ACL_ERROR_INVALID_PARAM, "aclrtCreateContext: context is null");
        }
        // SAFETY: not null, and the caller's to write.
        unsafe { context.write(CONTEXTS.insert(())) };
        Ok(())
    })
}

/// Makes a context that of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetCurrentContext(context: Handle) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || match CONTEXTS.get(context) {
        Some(_) => Ok(()),
        None => refuse(ACL_ERROR_INVALID_PARAM, "aclrtSetCurrentContext: not a live context"),
    })
}

/// Ends a context.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtDestroyContext(context: Handle) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || match CONTEXTS.take(context) {
        Some(_) => Ok(()),
        None => refuse(ACL_ERROR_INVALID_PARAM, "aclrtDestroyContext: not a live context"),
    })
}
