//! The functions that C calls, one after another: generated from the table of operators by
//! `op_dsl::capi::generate`, do not edit.
#![allow(non_snake_case, clippy::too_many_arguments)]

use crate::OPERATORS;
use op_dsl::capi::Handle;
use op_dsl::capi::aclnn::{self, Argument};
use op_dsl::capi::infiniop;
use std::ffi::{c_char, c_void};

static ACLNN_GE_GLU: aclnn::Entry = aclnn::Entry::new(&OPERATORS, "GeGluV2", "aclnnGeGlu");

/// Phase 1 of `aclnnGeGlu`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeGluGetWorkspaceSize(
    self_: Handle,
    dim: i64,
    approximate: i64,
    out: Handle,
    out_gelu: Handle,
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    let arguments = [
        Argument::Tensor(self_),
        Argument::Int(dim),
        Argument::Int(approximate),
        Argument::Tensor(out),
        Argument::Tensor(out_gelu),
    ];
    // SAFETY: as asked of the caller.
    unsafe { aclnn::prepare(&ACLNN_GE_GLU, &arguments, workspace_size, executor) }
}

/// Phase 2 of `aclnnGeGlu`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeGlu(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { aclnn::execute(&ACLNN_GE_GLU, workspace, workspace_size, executor, stream) }
}

static ACLNN_GE_GLU_V3: aclnn::Entry = aclnn::Entry::new(&OPERATORS, "GeGluV2", "aclnnGeGluV3");

/// Phase 1 of `aclnnGeGluV3`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeGluV3GetWorkspaceSize(
    self_: Handle,
    dim: i64,
    approximate: i64,
    activate_left: u8,
    out: Handle,
    out_gelu: Handle,
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    let arguments = [
        Argument::Tensor(self_),
        Argument::Int(dim),
        Argument::Int(approximate),
        Argument::Bool(activate_left),
        Argument::Tensor(out),
        Argument::Tensor(out_gelu),
    ];
    // SAFETY: as asked of the caller.
    unsafe { aclnn::prepare(&ACLNN_GE_GLU_V3, &arguments, workspace_size, executor) }
}

/// Phase 2 of `aclnnGeGluV3`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeGluV3(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { aclnn::execute(&ACLNN_GE_GLU_V3, workspace, workspace_size, executor, stream) }
}

static ACLNN_GE_GLU_BACKWARD: aclnn::Entry =
    aclnn::Entry::new(&OPERATORS, "GeGluGradV2", "aclnnGeGluBackward");

/// Phase 1 of `aclnnGeGluBackward`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeGluBackwardGetWorkspaceSize(
    grad_output: Handle,
    self_: Handle,
    gelu: Handle,
    dim: i64,
    approximate: i64,
    grad_input: Handle,
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    let arguments = [
        Argument::Tensor(grad_output),
        Argument::Tensor(self_),
        Argument::Tensor(gelu),
        Argument::Int(dim),
        Argument::Int(approximate),
        Argument::Tensor(grad_input),
    ];
    // SAFETY: as asked of the caller.
    unsafe { aclnn::prepare(&ACLNN_GE_GLU_BACKWARD, &arguments, workspace_size, executor) }
}

/// Phase 2 of `aclnnGeGluBackward`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeGluBackward(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { aclnn::execute(&ACLNN_GE_GLU_BACKWARD, workspace, workspace_size, executor, stream) }
}

static ACLNN_GE_GLU_V3_BACKWARD: aclnn::Entry =
    aclnn::Entry::new(&OPERATORS, "GeGluGradV2", "aclnnGeGluV3Backward");

/// Phase 1 of `aclnnGeGluV3Backward`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeGluV3BackwardGetWorkspaceSize(
    grad_output: Handle,
    self_: Handle,
    gelu: Handle,
    dim: i64,
    approximate: i64,
    activate_left: u8,
    grad_input: Handle,
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    let arguments = [
        Argument::Tensor(grad_output),
        Argument::Tensor(self_),
        Argument::Tensor(gelu),
        Argument::Int(dim),
        Argument::Int(approximate),
        Argument::Bool(activate_left),
        Argument::Tensor(grad_input),
    ];
    // SAFETY: as asked of the caller.
    unsafe { aclnn::prepare(&ACLNN_GE_GLU_V3_BACKWARD, &arguments, workspace_size, executor) }
}

/// Phase 2 of `aclnnGeGluV3Backward`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeGluV3Backward(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe {
        aclnn::execute(&ACLNN_GE_GLU_V3_BACKWARD, workspace, workspace_size, executor, stream)
    }
}

static ACLNN_SWI_GLU: aclnn::Entry = aclnn::Entry::new(&OPERATORS, "SwiGlu", "aclnnSwiGlu");

/// Phase 1 of `aclnnSwiGlu`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnSwiGluGetWorkspaceSize(
    x: Handle,
    dim_optional: i64,
    out: Handle,
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    let arguments = [Argument::Tensor(x), Argument::Int(dim_optional), Argument::Tensor(out)];
    // SAFETY: as asked of the caller.
    unsafe { aclnn::prepare(&ACLNN_SWI_GLU, &arguments, workspace_size, executor) }
}

/// Phase 2 of `aclnnSwiGlu`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnSwiGlu(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { aclnn::execute(&ACLNN_SWI_GLU, workspace, workspace_size, executor, stream) }
}

static ACLNN_SWI_GLU_GRAD: aclnn::Entry =
    aclnn::Entry::new(&OPERATORS, "SwiGluGrad", "aclnnSwiGluGrad");

/// Phase 1 of `aclnnSwiGluGrad`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnSwiGluGradGetWorkspaceSize(
    y_grad: Handle,
    x: Handle,
    dim_optional: i64,
    out: Handle,
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    let arguments = [
        Argument::Tensor(y_grad),
        Argument::Tensor(x),
        Argument::Int(dim_optional),
        Argument::Tensor(out),
    ];
    // SAFETY: as asked of the caller.
    unsafe { aclnn::prepare(&ACLNN_SWI_GLU_GRAD, &arguments, workspace_size, executor) }
}

/// Phase 2 of `aclnnSwiGluGrad`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnSwiGluGrad(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { aclnn::execute(&ACLNN_SWI_GLU_GRAD, workspace, workspace_size, executor, stream) }
}

static ACLNN_GELU_V2: aclnn::Entry = aclnn::Entry::new(&OPERATORS, "GeluV2", "aclnnGeluV2");

/// Phase 1 of `aclnnGeluV2`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeluV2GetWorkspaceSize(
    x: Handle,
    approximate: i64,
    y: Handle,
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    let arguments = [Argument::Tensor(x), Argument::Int(approximate), Argument::Tensor(y)];
    // SAFETY: as asked of the caller.
    unsafe { aclnn::prepare(&ACLNN_GELU_V2, &arguments, workspace_size, executor) }
}

/// Phase 2 of `aclnnGeluV2`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeluV2(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { aclnn::execute(&ACLNN_GELU_V2, workspace, workspace_size, executor, stream) }
}

static ACLNN_GELU_BACKWARD_V2: aclnn::Entry =
    aclnn::Entry::new(&OPERATORS, "GeluGradV2", "aclnnGeluBackwardV2");

/// Phase 1 of `aclnnGeluBackwardV2`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeluBackwardV2GetWorkspaceSize(
    grad_output: Handle,
    self_: Handle,
    approximate: *const c_char,
    grad_input: Handle,
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    let arguments = [
        Argument::Tensor(grad_output),
        Argument::Tensor(self_),
        Argument::Chars(approximate),
        Argument::Tensor(grad_input),
    ];
    // SAFETY: as asked of the caller.
    unsafe { aclnn::prepare(&ACLNN_GELU_BACKWARD_V2, &arguments, workspace_size, executor) }
}

/// Phase 2 of `aclnnGeluBackwardV2`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeluBackwardV2(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { aclnn::execute(&ACLNN_GELU_BACKWARD_V2, workspace, workspace_size, executor, stream) }
}

static ACLNN_GELU: aclnn::Entry = aclnn::Entry::new(&OPERATORS, "Gelu", "aclnnGelu");

/// Phase 1 of `aclnnGelu`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeluGetWorkspaceSize(
    self_: Handle,
    out: Handle,
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    let arguments = [Argument::Tensor(self_), Argument::Tensor(out)];
    // SAFETY: as asked of the caller.
    unsafe { aclnn::prepare(&ACLNN_GELU, &arguments, workspace_size, executor) }
}

/// Phase 2 of `aclnnGelu`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGelu(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { aclnn::execute(&ACLNN_GELU, workspace, workspace_size, executor, stream) }
}

static ACLNN_GELU_BACKWARD: aclnn::Entry =
    aclnn::Entry::new(&OPERATORS, "GeluGrad", "aclnnGeluBackward");

/// Phase 1 of `aclnnGeluBackward`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeluBackwardGetWorkspaceSize(
    grad_output: Handle,
    self_: Handle,
    grad_input: Handle,
    workspace_size: *mut u64,
    executor: *mut Handle,
) -> i32 {
    let arguments =
        [Argument::Tensor(grad_output), Argument::Tensor(self_), Argument::Tensor(grad_input)];
    // SAFETY: as asked of the caller.
    unsafe { aclnn::prepare(&ACLNN_GELU_BACKWARD, &arguments, workspace_size, executor) }
}

/// Phase 2 of `aclnnGeluBackward`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclnnGeluBackward(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: Handle,
    stream: Handle,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { aclnn::execute(&ACLNN_GELU_BACKWARD, workspace, workspace_size, executor, stream) }
}

static GE_LU_BACKWARD: infiniop::Entry =
    infiniop::Entry::new(&OPERATORS, "GeLUBackward", "GeLUBackward");

/// Describes a call of `infiniopGeLUBackward`.
///
/// # Safety
/// As [`infiniop::create`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infiniopCreateGeLUBackwardDescriptor(
    handle: Handle,
    desc_ptr: *mut Handle,
    grad_input_desc: Handle,
    input_desc: Handle,
    grad_output_desc: Handle,
) -> i32 {
    let tensors = [grad_input_desc, input_desc, grad_output_desc];
    // SAFETY: as asked of the caller.
    unsafe { infiniop::create(&GE_LU_BACKWARD, handle, desc_ptr, &tensors) }
}

/// Bytes of workspace that a call of `infiniopGeLUBackward` needs.
///
/// # Safety
/// As [`infiniop::workspace_size`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infiniopGetGeLUBackwardWorkspaceSize(
    desc: Handle,
    size: *mut usize,
) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { infiniop::workspace_size(&GE_LU_BACKWARD, desc, size) }
}

/// Computes.
///
/// # Safety
/// As [`infiniop::run`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infiniopGeLUBackward(
    desc: Handle,
    _workspace: *mut c_void,
    _workspace_size: usize,
    grad_input: *mut c_void,
    input: *const c_void,
    grad_output: *const c_void,
    _stream: *mut c_void,
) -> i32 {
    let addresses = [grad_input.cast_const(), input, grad_output];
    // SAFETY: as asked of the caller.
    unsafe { infiniop::run(&GE_LU_BACKWARD, desc, &addresses) }
}

/// Ends a descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn infiniopDestroyGeLUBackwardDescriptor(desc: Handle) -> i32 {
    infiniop::destroy(&GE_LU_BACKWARD, desc)
}
