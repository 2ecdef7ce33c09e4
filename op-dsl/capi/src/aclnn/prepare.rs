//! Phase 1: arguments -> an executor, or what is wrong with them.

use super::arguments::{Argument, Call};
use super::cast::workspace;
use super::check;
use super::function::{Function, Resolved};
use crate::acl::{ACLNN_ERR_INNER, ACLNN_ERR_PARAM_NULLPTR, EXECUTORS, Executor};
use crate::operand::Operand;
use crate::refusal::{Checked, refuse, status};
use crate::registry::Handle;
use op_dsl_ir::bind::{TensorMeta, bind};
use op_dsl_ir::published::Of;

/// What every `aclnnXxxGetWorkspaceSize` does.
///
/// # Safety
/// Strings end, and each place for an answer is null or may be written.
pub unsafe fn prepare(
    function: &'static Function,
    arguments: &[Argument],
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    status(ACLNN_ERR_INNER, || {
        for (place, name) in
            [(workspace_size.addr(), "workspaceSize"), (executor.addr(), "executor")]
        {
            if place == 0 {
                let message = format!("{}: {name} is null", function.name);
                return refuse(ACLNN_ERR_PARAM_NULLPTR, message);
            }
        }
        let prepared = check(function, arguments)?;
        // SAFETY: neither is null, and both are the caller's to write.
        unsafe {
            workspace_size.write(prepared.workspace);
            executor.write(EXECUTORS.insert(prepared));
        }
        Ok(())
    })
}

fn check(function: &'static Function, arguments: &[Argument]) -> Checked<Executor> {
    let resolved = function.resolve()?;
    let call = Call::read(function, resolved, arguments)?;
    let dtypes = check::dtypes(&call)?;
    check::formats(&call)?;
    check::shapes(&call)?;
    let attrs = call.values()?;
    let operands = check::layouts(&call, &dtypes)?;
    // What is left, such as more elements than there are addresses.
    let metas = metas(resolved, &operands);
    let bound = match bind(resolved.operator.def(), &attrs, &metas) {
        Ok(bound) => bound,
        Err(why) => return call.refuse("", why.what),
    };
    let workspace = workspace(resolved, bound.dtype, &operands);
    Ok(Executor { function, operands, attrs, workspace, repeatable: false })
}

/// Shape and element type of each input of the operator.
fn metas<'a>(resolved: &Resolved, operands: &'a [Operand]) -> Vec<TensorMeta<'a>> {
    let inputs = 0..resolved.operator.def().inputs.len();
    let position = inputs.filter_map(|i| resolved.position(Of::Input(i)));
    position.map(|at| operands[at].meta()).collect()
}
