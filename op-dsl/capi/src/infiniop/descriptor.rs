//! Operator descriptors: everything that a call needs except the addresses.

use super::codes::*;
use super::device::Device;
use super::entry::Entry;
use crate::operand::{Operand, reply};
use crate::refusal::{Checked, refuse, status};
use crate::registry::{Handle, Registry};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::Stored;
use std::sync::Arc;

/// All live operator descriptors.
pub static DESCRIPTORS: Registry<OperatorDescriptor> = Registry::new();

/// Descriptor of an operator's call: the operator, and its tensors' layouts without addresses.
#[derive(Debug)]
pub struct OperatorDescriptor {
    /// The infiniop operator that the descriptor was created for.
    pub entry: &'static Entry,
    /// The implementation of the operator.
    pub operator: &'static Operator,
    /// Device that the operator runs on.
    pub device: Device,
    /// Layouts of the outputs, then of the inputs.
    pub operands: Vec<Operand<Stored>>,
}

/// Returns the operator descriptor of a handle.
///
/// It is an error if the descriptor was destroyed or belongs to an operator other than `entry`.
pub fn live(entry: &'static Entry, desc: Handle) -> Checked<Arc<OperatorDescriptor>> {
    match DESCRIPTORS.get(desc) {
        Some(descriptor) if std::ptr::eq(descriptor.entry, entry) => Ok(descriptor),
        _ => refuse(BAD_PARAM, format!("desc is not a live {} descriptor", entry.name)),
    }
}

/// Writes to `place` the property `of` of the device that a descriptor's operator runs on.
///
/// # Safety
/// `place` is null or may be written.
unsafe fn tell(function: &str, desc: Handle, place: *mut i32, of: fn(&Device) -> i32) -> i32 {
    status(INTERNAL_ERROR, || {
        let Some(descriptor) = DESCRIPTORS.get(desc) else {
            return refuse(BAD_PARAM, format!("{function}: not a live operator descriptor"));
        };
        let name = format!("{function}: the place for the answer");
        // SAFETY: the caller upholds the `# Safety` contract.
        unsafe { reply(BAD_PARAM, &name, place, of(&descriptor.device)) }
    })
}

/// Writes the kind of device that an operator runs on.
///
/// # Safety
/// `device_type` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infiniopGetDescriptorDeviceType(
    desc_ptr: Handle,
    device_type: *mut i32,
) -> i32 {
    // SAFETY: the caller upholds the `# Safety` contract.
    unsafe { tell("infiniopGetDescriptorDeviceType", desc_ptr, device_type, |d| d.kind) }
}

/// Writes the number of the device that an operator runs on, among those of its kind.
///
/// # Safety
/// `device_id` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infiniopGetDescriptorDeviceId(
    desc_ptr: Handle,
    device_id: *mut i32,
) -> i32 {
    // SAFETY: the caller upholds the `# Safety` contract.
    unsafe { tell("infiniopGetDescriptorDeviceId", desc_ptr, device_id, |d| d.id) }
}
