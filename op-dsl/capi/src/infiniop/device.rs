//! The current device, and handles to it. There is one device: the CPU.

use super::codes::*;
use crate::operand::reply;
use crate::refusal::{refuse, status};
use crate::registry::{Handle, Registry};

/// All live `infiniopHandle_t`, each with the device that it refers to.
pub static HANDLES: Registry<Device> = Registry::new();

/// The device that an `infiniopHandle_t` refers to.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// Kind of device, as a number of `infiniDevice_t`.
    pub kind: i32,
    /// Number among the devices of its kind.
    pub id: i32,
}

/// Starts infiniop's run-time library; does nothing, because there is nothing to start.
#[unsafe(no_mangle)]
pub extern "C" fn infinirtInit() -> i32 {
    status(INTERNAL_ERROR, || Ok(()))
}

/// Chooses the current device. This only checks the numbers, because the CPU is the only device.
#[unsafe(no_mangle)]
pub extern "C" fn infinirtSetDevice(device: i32, device_id: i32) -> i32 {
    status(INTERNAL_ERROR, || match (device, device_id) {
        (CPU, 0) => Ok(()),
        (CPU, _) => refuse(DEVICE_NOT_FOUND, "infinirtSetDevice: the CPU is device 0"),
        _ => refuse(DEVICE_TYPE_NOT_SUPPORTED, "infinirtSetDevice: only the CPU is supported"),
    })
}

/// Writes type and number of the current device. A null pointer is skipped.
///
/// # Safety
/// Each pointer is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infinirtGetDevice(device_ptr: *mut i32, device_id_ptr: *mut i32) -> i32 {
    status(INTERNAL_ERROR, || {
        for (place, value) in [(device_ptr, CPU), (device_id_ptr, 0)] {
            if !place.is_null() {
                // SAFETY: not null, and the caller's to write.
                unsafe { reply(BAD_PARAM, "infinirtGetDevice", place, value) }?;
            }
        }
        Ok(())
    })
}

/// Creates a handle to the current device.
///
/// # Safety
/// `handle_ptr` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infiniopCreateHandle(handle_ptr: *mut Handle) -> i32 {
    status(INTERNAL_ERROR, || {
        if handle_ptr.is_null() {
            return refuse(NULL_POINTER, "infiniopCreateHandle: handle_ptr is null");
        }
        // SAFETY: not null, and the caller's to write.
        unsafe { handle_ptr.write(HANDLES.insert(Device { kind: CPU, id: 0 })) };
        Ok(())
    })
}

/// Destroys a handle. Descriptors made with it stay valid, because they have a copy of the device.
#[unsafe(no_mangle)]
pub extern "C" fn infiniopDestroyHandle(handle: Handle) -> i32 {
    status(INTERNAL_ERROR, || match HANDLES.take(handle) {
        None if !handle.is_null() => refuse(BAD_PARAM, "infiniopDestroyHandle: not a live handle"),
        _ => Ok(()),
    })
}
