//! `aclOpExecutor`: a call that phase 1 has checked and phase 2 will make.

use super::codes::*;
use super::tensor::TENSORS;
use crate::aclnn::Function;
use crate::operand::Operand;
use crate::refusal::{Checked, refuse, status};
use crate::registry::{Handle, Registry};
use op_dsl_ir::op::Value;
use std::ffi::c_void;

/// All executors that can still run.
pub static EXECUTORS: Registry<Executor> = Registry::new();

/// A call, independent of the tensors that it was made from.
#[derive(Clone, Debug)]
pub struct Executor {
    /// The function that prepared it.
    pub function: &'static Function,
    /// Tensors in the order of the function's arguments.
    pub operands: Vec<Operand>,
    /// Every attribute of the operator.
    pub attrs: Vec<Value>,
    /// Bytes that it needs.
    pub workspace: u64,
    /// Whether it runs more than once.
    pub repeatable: bool,
}

fn live(function: &str, executor: Handle) -> Checked<()> {
    match EXECUTORS.get(executor) {
        Some(_) => Ok(()),
        None if executor.is_null() => {
            refuse(ACLNN_ERR_INNER_NULLPTR, format!("{function}: executor is null"))
        }
        None => refuse(ACLNN_ERR_INNER, format!("{function}: not a live aclOpExecutor")),
    }
}

/// Lets an executor run any number of times, until it is destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn aclSetAclOpExecutorRepeatable(executor: Handle) -> i32 {
    status(ACLNN_ERR_INNER, || {
        live("aclSetAclOpExecutorRepeatable", executor)?;
        EXECUTORS.update(executor, |e| e.repeatable = true);
        Ok(())
    })
}

/// Ends an executor, run or not.
#[unsafe(no_mangle)]
pub extern "C" fn aclDestroyAclOpExecutor(executor: Handle) -> i32 {
    status(ACLNN_ERR_INNER, || {
        live("aclDestroyAclOpExecutor", executor)?;
        EXECUTORS.take(executor);
        Ok(())
    })
}

/// Which tensors of an executor an index counts.
#[derive(Clone, Copy)]
enum Among {
    Inputs,
    Outputs,
    All,
}

/// Moves a tensor, and the executor's operand with the index, to other memory.
fn set_address(
    function: &str,
    executor: Handle,
    (among, index): (Among, usize),
    tensor: Handle,
    addr: *mut c_void,
) -> Checked<()> {
    if tensor.is_null() {
        return refuse(ACLNN_ERR_INNER_NULLPTR, format!("{function}: tensor is null"));
    }
    live(function, executor)?;
    let data = addr.expose_provenance();
    let moved = EXECUTORS.update(executor, |e| {
        let inputs = e.function.input_count();
        let operand = match among {
            Among::Inputs => e.operands[..inputs].get_mut(index),
            Among::Outputs => e.operands[inputs..].get_mut(index),
            Among::All => e.operands.get_mut(index),
        };
        operand.map(|o| o.base = data).is_some()
    });
    if moved != Some(true) {
        let message = format!("{function}: the executor has no such tensor {index}");
        return refuse(ACLNN_ERR_PARAM_INVALID, message);
    }
    match TENSORS.update(tensor, |t| t.data = data) {
        Some(()) => Ok(()),
        None => refuse(ACLNN_ERR_PARAM_INVALID, format!("{function}: not a live aclTensor")),
    }
}

/// Moves an input of a repeatable executor.
#[unsafe(no_mangle)]
pub extern "C" fn aclSetInputTensorAddr(
    executor: Handle,
    index: usize,
    tensor: Handle,
    addr: *mut c_void,
) -> i32 {
    let at = (Among::Inputs, index);
    status(ACLNN_ERR_INNER, || set_address("aclSetInputTensorAddr", executor, at, tensor, addr))
}

/// Moves an output of a repeatable executor.
#[unsafe(no_mangle)]
pub extern "C" fn aclSetOutputTensorAddr(
    executor: Handle,
    index: usize,
    tensor: Handle,
    addr: *mut c_void,
) -> i32 {
    let at = (Among::Outputs, index);
    status(ACLNN_ERR_INNER, || set_address("aclSetOutputTensorAddr", executor, at, tensor, addr))
}

/// Moves a tensor of a repeatable executor, inputs counted before outputs.
#[unsafe(no_mangle)]
pub extern "C" fn aclSetTensorAddr(
    executor: Handle,
    index: usize,
    tensor: Handle,
    addr: *mut c_void,
) -> i32 {
    let at = (Among::All, index);
    status(ACLNN_ERR_INNER, || set_address("aclSetTensorAddr", executor, at, tensor, addr))
}
