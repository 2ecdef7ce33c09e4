//! Phase 2: an executor runs on the calling thread, and those that it wakes.

use super::cast::{cast, dense};
use super::function::Function;
use crate::acl::{
    ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR,
    EXECUTORS, Executor, is_stream, within_allocation,
};
use crate::operand::Operand;
use crate::refusal::{Checked, Refusal, refuse, status};
use crate::registry::Handle;
use codegen_cpu::rt::call::Options;
use codegen_cpu::rt::view::{View, ViewMut};
use op_dsl_ir::DType;
use op_dsl_ir::published::{DTypes, Of};
use std::ffi::c_void;
use std::sync::Arc;

/// What every `aclnnXxx` does.
///
/// # Safety
/// The executor's tensors have their memory, the workspace has its bytes, and no other thread
/// uses what is written or writes what is read.
pub unsafe fn execute(
    function: &'static Function,
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    status(ACLNN_ERR_INNER, || {
        let name = function.name;
        let executor = claim(function, executor)?;
        if workspace.is_null() && (workspace_size > 0 || executor.workspace > 0) {
            return refuse(ACLNN_ERR_PARAM_NULLPTR, format!("{name}: workspace is null"));
        }
        if workspace_size < executor.workspace {
            let message = format!(
                "{name}: workspaceSize is {workspace_size}, but {} are needed",
                executor.workspace
            );
            return refuse(ACLNN_ERR_PARAM_INVALID, message);
        }
        if !is_stream(stream) {
            let message = format!("{name}: stream is not a live aclrtStream");
            return refuse(ACLNN_ERR_RUNTIME_ERROR, message);
        }
        // SAFETY: as asked of the caller.
        unsafe { run(function, &executor, workspace.expose_provenance()) }
    })
}

/// The executor, which ends here unless it is repeatable.
fn claim(function: &'static Function, executor: Handle) -> Checked<Arc<Executor>> {
    let name = function.name;
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
    if !std::ptr::eq(found.function, function) {
        let message = format!("{name}: executor was prepared by {}", found.function.name);
        return refuse(ACLNN_ERR_PARAM_INVALID, message);
    }
    // Of two threads with one executor, one takes it.
    if !found.repeatable && EXECUTORS.take(executor).is_none() {
        return gone();
    }
    Ok(found)
}

/// # Safety
/// As [`execute`].
unsafe fn run(function: &Function, executor: &Executor, workspace: usize) -> Checked<()> {
    let resolved = function.resolve()?;
    if executor.operands.iter().any(Operand::is_empty) {
        return Ok(());
    }
    for (operand, param) in executor.operands.iter().zip(resolved.signature.tensors()) {
        memory(operand).map_err(|(code, what)| Refusal {
            code,
            message: format!("{}: {} {what}", function.name, param.name),
        })?;
    }
    let def = resolved.operator.def();
    let wrong =
        |what: String| refuse(ACLNN_ERR_PARAM_INVALID, format!("{}: {what}", function.name));
    let mut inputs: Vec<View<'_>> = Vec::with_capacity(def.inputs.len());
    for at in (0..def.inputs.len()).filter_map(|i| resolved.position(Of::Input(i))) {
        // SAFETY: as asked of the caller.
        match unsafe { executor.operands[at].view() } {
            Ok(view) => inputs.push(view),
            Err(why) => return wrong(why.to_string()),
        }
    }
    let computed = inputs.iter().map(View::dtype).reduce(DType::promote).unwrap_or(DType::F32);
    let mut outputs: Vec<ViewMut<'_>> = Vec::with_capacity(def.outputs.len());
    let mut casts: Vec<(Operand, &Operand)> = Vec::new();
    let mut next = workspace;
    for at in (0..def.outputs.len()).filter_map(|i| resolved.position(Of::Output(i))) {
        let mut target = executor.operands[at];
        if let (DTypes::Cast, Some(mut result)) = (resolved.dtypes, dense(&target, computed)) {
            result.base = next;
            next += result.dense_bytes().next_multiple_of(64);
            casts.push((result, &executor.operands[at]));
            target = result;
        }
        // SAFETY: as asked of the caller; the workspace was found large enough.
        match unsafe { target.view_mut() } {
            Ok(view) => outputs.push(view),
            Err(why) => return wrong(why.to_string()),
        }
    }
    let done = resolved.operator.run(&executor.attrs, &inputs, &mut outputs, &Options::default());
    if let Err(why) = done {
        return wrong(why.to_string());
    }
    for (result, output) in casts {
        // SAFETY: the result is dense and lies in the workspace, the output in its memory.
        unsafe { cast(&result, output) };
    }
    Ok(())
}

/// Whether an operand is somewhere, and ends where its memory does.
fn memory(operand: &Operand) -> Result<(), (i32, String)> {
    let Ok(Some((first, last))) = operand.span() else { return Ok(()) };
    if operand.base == 0 {
        return Err((ACLNN_ERR_PARAM_NULLPTR, "has no memory: its address is null".into()));
    }
    let size = operand.dtype.size();
    let (first, end) = (first as usize * size, (last as usize + 1) * size);
    match within_allocation(operand.base, first, end) {
        true => Ok(()),
        false => {
            let what = format!("reaches bytes {first} to {end} of a smaller allocation");
            Err((ACLNN_ERR_PARAM_INVALID, what))
        }
    }
}
