//! `aclOpExecutor`: a call that phase 1 has checked and phase 2 will run.

use super::entry::Entry;
use crate::acl::*;
use crate::element::{Element, Whole};
use crate::operand::Operand;
use crate::refusal::{Checked, refuse, status};
use crate::registry::{Handle, Registry};
use op_dsl_ir::op::Value;
use op_dsl_ir::{DType, Stored};
use std::ffi::c_void;

/// All live executors: those that were neither destroyed nor used up by an execution.
pub static EXECUTORS: Registry<Executor> = Registry::new();

/// A call of an aclnn function, prepared by phase 1 and run by phase 2.
///
/// It is independent of the tensors that it was prepared with, except that it shares the addresses of their memory.
#[derive(Clone, Debug)]
pub struct Executor {
    /// The aclnn function that prepared this executor.
    pub entry: &'static Entry,
    /// Tensors in the order of the function's arguments.
    pub slots: Vec<Slot>,
    /// Value of every attribute of the operator.
    pub attrs: Vec<Value>,
    /// The element type that kernels compute in.
    pub computed: DType,
    /// Size of the workspace that an execution needs, in bytes.
    pub workspace: usize,
    /// True if the executor may run more than once.
    pub repeatable: bool,
}

/// A tensor of a prepared call.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Element type, shape, strides, and offset from `address`.
    pub operand: Operand<Element>,
    /// Start of the tensor's storage.
    pub address: Address,
    /// How kernels access the elements.
    pub way: Way,
}

/// How kernels access the elements of a tensor.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// In place, in the tensor's own memory.
    Direct(Stored),
    /// Through a contiguous copy that is cast to the computed type.
    ///
    /// The fields are the type before the cast and the offset of the copy in the workspace, in bytes.
    Cast(Whole, usize),
}

impl Slot {
    /// Returns the operand that kernels access, and the address that its offset counts from.
    ///
    /// `base` is the start of the tensor's storage; `workspace` that of the workspace, where casts have their copies.
    pub fn given(
        &self,
        base: usize,
        computed: DType,
        workspace: usize,
    ) -> (Operand<Stored>, usize) {
        match self.way {
            Way::Direct(stored) => (self.operand.of(stored), base),
            Way::Cast(_, at) => (self.operand.dense(computed.into()), workspace + at),
        }
    }
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

/// Allows an executor to run any number of times, until it is destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn aclSetAclOpExecutorRepeatable(executor: Handle) -> i32 {
    status(ACLNN_ERR_INNER, || {
        live("aclSetAclOpExecutorRepeatable", executor)?;
        EXECUTORS.update(executor, |e| e.repeatable = true);
        Ok(())
    })
}

/// Destroys an executor, whether it has run or not.
#[unsafe(no_mangle)]
pub extern "C" fn aclDestroyAclOpExecutor(executor: Handle) -> i32 {
    status(ACLNN_ERR_INNER, || {
        live("aclDestroyAclOpExecutor", executor)?;
        EXECUTORS.take(executor);
        Ok(())
    })
}

/// Tensors of an executor to which an index refers; in `All`, inputs come before outputs.
#[derive(Clone, Copy)]
enum Among {
    Inputs,
    Outputs,
    All,
}

/// Sets the address of `tensor` to `addr`, and makes a tensor of the executor share that address.
///
/// The executor's tensor is number `index` of its inputs, of its outputs, or of both, as `among` says.
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
    let Some(tensor) = TENSORS.get(tensor) else {
        return refuse(ACLNN_ERR_PARAM_INVALID, format!("{function}: not a live aclTensor"));
    };
    let found = EXECUTORS.update(executor, |e| {
        let inputs = e.entry.input_count();
        let slot = match among {
            Among::Inputs => e.slots[..inputs].get_mut(index),
            Among::Outputs => e.slots[inputs..].get_mut(index),
            Among::All => e.slots.get_mut(index),
        };
        slot.map(|slot| slot.address = tensor.address.clone()).is_some()
    });
    if found != Some(true) {
        let message = format!("{function}: the executor has no such tensor {index}");
        return refuse(ACLNN_ERR_PARAM_INVALID, message);
    }
    tensor.address.set(addr);
    Ok(())
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident among $Among:ident;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            executor: Handle,
            index: usize,
            tensor: Handle,
            addr: *mut c_void,
        ) -> i32 {
            let at = (Among::$Among, index);
            status(ACLNN_ERR_INNER, || set_address(stringify!($name), executor, at, tensor, addr))
        }
    )*};
}
setters! {
    /// Sets the address of `tensor` to `addr`, and makes input `index` of a repeatable executor use it.
    aclSetInputTensorAddr among Inputs;
    /// Sets the address of `tensor` to `addr`, and makes output `index` of a repeatable executor use it.
    aclSetOutputTensorAddr among Outputs;
    /// Sets the address of `tensor` to `addr`, and makes tensor `index` of a repeatable executor use it.
    ///
    /// The index counts inputs before outputs.
    aclSetTensorAddr among All;
    /// Older name of `aclSetInputTensorAddr`.
    AclSetInputTensorAddr among Inputs;
    /// Older name of `aclSetOutputTensorAddr`.
    AclSetOutputTensorAddr among Outputs;
    /// Older name of `aclSetTensorAddr`.
    AclSetTensorAddr among All;
}
