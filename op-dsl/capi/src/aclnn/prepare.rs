//! Phase 1: turns arguments into an executor, or says what is wrong with them.

use super::arguments::{Argument, Call};
use super::check::{self, Types};
use super::entry::Entry;
use super::executor::{EXECUTORS, Executor, Slot, Way};
use crate::acl::{ACLNN_ERR_INNER, ACLNN_ERR_PARAM_NULLPTR};
use crate::element::Element;
use crate::refusal::{Checked, refuse, status};
use crate::registry::Handle;

/// Alignment in bytes of tensors in the workspace: a cache line.
const ALIGN: usize = 64;

/// Implements every function `aclnnXxxGetWorkspaceSize`, phase 1 of a call.
///
/// It checks the arguments and prepares an executor.
///
/// # Safety
/// Strings are NUL-terminated, and each place for a result is null or may be written.
pub unsafe fn prepare(
    entry: &'static Entry,
    arguments: &[Argument],
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    status(ACLNN_ERR_INNER, || {
        for (place, name) in
            [(workspace_size.addr(), "workspaceSize"), (executor.addr(), "executor")]
        {
            if place == 0 {
                let message = format!("{}: {name} is null", entry.name);
                return refuse(ACLNN_ERR_PARAM_NULLPTR, message);
            }
        }
        let prepared = check(entry, arguments)?;
        // SAFETY: neither is null, and both are the caller's to write.
        unsafe {
            workspace_size.write(prepared.workspace as u64);
            executor.write(EXECUTORS.insert(prepared));
        }
        Ok(())
    })
}

fn check(entry: &'static Entry, arguments: &[Argument]) -> Checked<Executor> {
    let call = Call::read(entry, entry.resolve()?, arguments)?;
    let (attrs, allowed) = call.values();
    let Types { elements, computed } = check::types(&call)?;
    check::formats(&call)?;
    let shapes = check::shapes(&call, &attrs, computed)?;
    allowed?;
    let operands = check::layouts(&call, &elements, &shapes)?;
    let (mut workspace, mut slots) = (0usize, Vec::with_capacity(operands.len()));
    for (given, operand) in call.tensors.iter().zip(operands) {
        let way = match operand.element {
            Element::Float(dtype) => Way::Direct(dtype.into()),
            Element::Other(stored) => Way::Direct(stored),
            Element::Whole(whole) => {
                let at = workspace;
                let bytes = operand.dense(computed).dense_bytes().next_multiple_of(ALIGN);
                let Some(end) = at.checked_add(bytes) else {
                    return call
                        .refuse(given.name, "needs more workspace than there are addresses");
                };
                workspace = end;
                Way::Cast(whole, at)
            }
        };
        slots.push(Slot { operand, address: given.tensor.address.clone(), way });
    }
    Ok(Executor { entry, slots, attrs, computed, workspace, repeatable: false })
}
