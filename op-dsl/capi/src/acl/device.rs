//! `aclInit`, devices and contexts. There is one device, number 0, and it is current on every thread.

use super::codes::*;
use crate::operand::reply;
use crate::refusal::{Checked, guarded, recent, refuse, status};
use crate::registry::{Handle, Registry};
use std::ffi::c_char;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, Ordering};

static INITIALISED: AtomicBool = AtomicBool::new(false);
static CONTEXTS: Registry<()> = Registry::new();

/// Starts the library. The configuration file is not read.
#[unsafe(no_mangle)]
pub extern "C" fn aclInit(_config_path: *const c_char) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || match INITIALISED.swap(true, Ordering::Relaxed) {
        true => refuse(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: called before"),
        false => Ok(()),
    })
}

/// Ends the use of the library, which `aclInit` started.
#[unsafe(no_mangle)]
pub extern "C" fn aclFinalize() -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || match INITIALISED.swap(false, Ordering::Relaxed) {
        true => Ok(()),
        false => refuse(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize: without aclInit"),
    })
}

/// Does nothing: unlike `aclInit` it may be called any number of times.
#[unsafe(no_mangle)]
pub extern "C" fn aclnnInit(_config_path: *const c_char) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || Ok(()))
}

/// Does nothing, because `aclnnInit` starts nothing.
#[unsafe(no_mangle)]
pub extern "C" fn aclnnFinalize() -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || Ok(()))
}

/// Returns the message of this thread's last failure; null if there is none or it was returned before.
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

/// Chooses the device. This only checks the number, because there is one device.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetDevice(device_id: i32) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || known("aclrtSetDevice", device_id))
}

/// Ends the use of the device.
///
/// This only checks the number, so that streams, tensors and memory stay valid until they are destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtResetDevice(device_id: i32) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || known("aclrtResetDevice", device_id))
}

/// Writes the number of this thread's device, which is always 0.
///
/// # Safety
/// `device_id` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDevice(device_id: *mut i32) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || {
        // SAFETY: the caller upholds the `# Safety` contract.
        unsafe { reply(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice: deviceId", device_id, 0) }
    })
}

/// Writes the number of devices, which is always 1.
///
/// # Safety
/// `count` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceCount(count: *mut u32) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || {
        // SAFETY: the caller upholds the `# Safety` contract.
        unsafe { reply(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount: count", count, 1) }
    })
}

/// Writes the run mode, which always says that this program runs on the host.
///
/// # Safety
/// `run_mode` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetRunMode(run_mode: *mut i32) -> i32 {
    const ACL_HOST: i32 = 1;
    status(ACL_ERROR_INTERNAL_ERROR, || {
        // SAFETY: the caller upholds the `# Safety` contract.
        unsafe { reply(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode: runMode", run_mode, ACL_HOST) }
    })
}

/// Creates a context, which has no effect, because there is one device.
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

/// Makes a context current on this thread.
///
/// This only checks the handle, because contexts have no effect.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetCurrentContext(context: Handle) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || match CONTEXTS.get(context) {
        Some(_) => Ok(()),
        None => refuse(ACL_ERROR_INVALID_PARAM, "aclrtSetCurrentContext: not a live context"),
    })
}

/// Destroys a context.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtDestroyContext(context: Handle) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || match CONTEXTS.take(context) {
        Some(_) => Ok(()),
        None => refuse(ACL_ERROR_INVALID_PARAM, "aclrtDestroyContext: not a live context"),
    })
}
