//! Phase 2: runs an executor on the calling thread and the pool's threads.

use super::cast::cast;
use super::entry::Entry;
use super::executor::{EXECUTORS, Executor, Way};
use crate::acl::{
    ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR,
    is_stream, within_allocation,
};
use crate::element::Element;
use crate::operand::Operand;
use crate::refusal::{Checked, Refusal, refuse, status};
use crate::registry::Handle;
use codegen_cpu::rt::call::Options;
use codegen_cpu::rt::error::ViewError;
use codegen_cpu::rt::view::{View, ViewMut};
use op_dsl_ir::Stored;
use op_dsl_ir::published::SignaturePart;
use std::ffi::c_void;
use std::sync::Arc;

/// Implements every function `aclnnXxx`, phase 2 of a call: runs a prepared executor.
///
/// # Safety
/// The executor's tensors have their memory, the workspace has the stated number of bytes, no other thread uses memory
/// that is written, and none writes memory that is read.
pub unsafe fn execute(
    entry: &'static Entry,
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    status(ACLNN_ERR_INNER, || {
        let name = entry.name;
        let executor = claim(entry, executor)?;
        if workspace.is_null() && (workspace_size > 0 || executor.workspace > 0) {
            return refuse(ACLNN_ERR_PARAM_NULLPTR, format!("{name}: workspace is null"));
        }
        let needed = executor.workspace;
        if workspace_size < needed as u64 {
            let message =
                format!("{name}: workspaceSize is {workspace_size}, but {needed} are needed");
            return refuse(ACLNN_ERR_PARAM_INVALID, message);
        }
        if !within_allocation(workspace.addr(), 0, needed) {
            let message = format!("{name}: workspace is smaller than the {needed} bytes needed");
            return refuse(ACLNN_ERR_PARAM_INVALID, message);
        }
        if !is_stream(stream) {
            let message = format!("{name}: stream is not a live aclrtStream");
            return refuse(ACLNN_ERR_RUNTIME_ERROR, message);
        }
        // SAFETY: the caller upholds the `# Safety` contract.
        unsafe { run(entry, &executor, workspace.expose_provenance()) }
    })
}

/// Returns the executor of a handle; an error unless the function `entry` prepared it.
///
/// The executor is removed from the registry unless it is repeatable.
fn claim(entry: &'static Entry, executor: Handle) -> Checked<Arc<Executor>> {
    let name = entry.name;
    let gone = || {
        let message = format!(
            "{name}: executor is not a live aclOpExecutor; one that is not repeatable ends with \
             its first execution"
        );
        refuse(ACLNN_ERR_PARAM_INVALID, message)
    };
    if executor.is_null() {
        return refuse(ACLNN_ERR_PARAM_NULLPTR, format!("{name}: executor is null"));
    }
    let Some(found) = EXECUTORS.get(executor) else { return gone() };
    if !std::ptr::eq(found.entry, entry) {
        let message = format!("{name}: executor was prepared by {}", found.entry.name);
        return refuse(ACLNN_ERR_PARAM_INVALID, message);
    }
    // If two threads use one executor, only one of them can take it.
    if !found.repeatable && EXECUTORS.take(executor).is_none() {
        return gone();
    }
    Ok(found)
}

/// Casts integer inputs into the workspace, and runs the operator of a prepared call.
///
/// # Safety
/// As [`execute`].
unsafe fn run(entry: &Entry, executor: &Executor, workspace: usize) -> Checked<()> {
    let resolved = entry.resolve()?;
    let Executor { slots, computed, .. } = executor;
    if slots.iter().any(|slot| slot.operand.is_empty()) {
        return Ok(());
    }
    // Each address is read once, because another thread may move a tensor.
    let bases: Vec<usize> = slots.iter().map(|slot| slot.address.get()).collect();
    for ((slot, &base), param) in slots.iter().zip(&bases).zip(resolved.signature.tensors()) {
        memory(&slot.operand, base).map_err(|(code, what)| Refusal {
            code,
            message: format!("{}: {} {what}", entry.name, param.name),
        })?;
    }
    let given = |at: usize| slots[at].given(bases[at], *computed, workspace);
    let invalid = |message: String| refuse(ACLNN_ERR_PARAM_INVALID, message);
    let no_view = |why: ViewError| invalid(format!("{}: {why}", entry.name));
    let def = resolved.operator.def();
    let read = || (0..def.inputs.len()).map(|i| resolved.position(SignaturePart::Input(i)));
    let written =
        || (0..def.outputs.len()).filter_map(|i| resolved.position(SignaturePart::Output(i)));
    for at in read().flatten() {
        if let Way::Cast(whole, start) = slots[at].way {
            let (from, to) = (slots[at].operand.of(whole), slots[at].operand.dense(*computed));
            // SAFETY: the input has its memory, and the workspace was found to be large enough.
            unsafe { cast(&from, bases[at], &to, workspace + start) };
        }
    }
    let mut inputs: Vec<View<'_>> = Vec::with_capacity(def.inputs.len());
    for argument in read() {
        let view = argument.map(given).map(|(operand, base)| {
            // SAFETY: the caller upholds the `# Safety` contract.
            unsafe { operand.view(base) }
        });
        match view.unwrap_or(Ok(View::ABSENT)) {
            Ok(view) => inputs.push(view),
            Err(why) => return no_view(why),
        }
    }
    let mut outputs: Vec<ViewMut<'_>> = Vec::with_capacity(def.outputs.len());
    for (operand, base) in written().map(given) {
        // SAFETY: the caller upholds the `# Safety` contract.
        match unsafe { operand.view_mut(base) } {
            Ok(view) => outputs.push(view),
            Err(why) => return no_view(why),
        }
    }
    let options = Options { cast: resolved.dtypes.cast, ..Options::default() };
    match resolved.operator.run(&executor.attrs, &inputs, &mut outputs, &options) {
        Ok(()) => Ok(()),
        Err(why) => invalid(why.to_string()),
    }
}

/// Checks that an operand has memory at `base`, and that the memory covers its elements.
///
/// The error is a status and a message, to which the caller adds the argument's name in front.
fn memory(operand: &Operand<Element>, base: usize) -> Result<(), (i32, String)> {
    let Ok(Some((first, last))) = operand.span() else { return Ok(()) };
    if operand.element == Element::Other(Stored::Nothing) {
        return Ok(());
    }
    if base == 0 {
        return Err((ACLNN_ERR_PARAM_NULLPTR, "has no memory: its address is null".into()));
    }
    let (first, end) = operand.element.bytes(first as usize, last as usize);
    match within_allocation(base, first, end) {
        true => Ok(()),
        false => {
            let what = format!("reaches bytes {first} to {end} of a smaller allocation");
            Err((ACLNN_ERR_PARAM_INVALID, what))
        }
    }
}
