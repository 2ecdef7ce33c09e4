//! The functions that C calls: generated from the table of operators by
//! `op_dsl::capi::generate`, do not edit.
#![allow(non_snake_case, clippy::too_many_arguments)]

use crate::OPERATORS;
use op_dsl::capi::Handle;
use op_dsl::capi::infiniop;
use std::ffi::c_void;

op_dsl::capi::aclnn_functions! {
    "GeGluV2" aclnnGeGluGetWorkspaceSize
        aclnnGeGlu(self_: Tensor, dim: Int, approximate: Int, out: Tensor, out_gelu: Tensor);
    "GeGluV2" aclnnGeGluV3GetWorkspaceSize
        aclnnGeGluV3(self_: Tensor, dim: Int, approximate: Int, activate_left: Bool, out: Tensor, out_gelu: Tensor);
    "GeGluGradV2" aclnnGeGluBackwardGetWorkspaceSize
        aclnnGeGluBackward(grad_output: Tensor, self_: Tensor, gelu: Tensor, dim: Int, approximate: Int, grad_input: Tensor);
    "GeGluGradV2" aclnnGeGluV3BackwardGetWorkspaceSize
        aclnnGeGluV3Backward(grad_output: Tensor, self_: Tensor, gelu: Tensor, dim: Int, approximate: Int, activate_left: Bool, grad_input: Tensor);
    "SwiGlu" aclnnSwiGluGetWorkspaceSize
        aclnnSwiGlu(x: Tensor, dim_optional: Int, out: Tensor);
    "SwiGluGrad" aclnnSwiGluGradGetWorkspaceSize
        aclnnSwiGluGrad(y_grad: Tensor, x: Tensor, dim_optional: Int, out: Tensor);
    "GeluV2" aclnnGeluV2GetWorkspaceSize
        aclnnGeluV2(x: Tensor, approximate: Int, y: Tensor);
    "GeluGradV2" aclnnGeluBackwardV2GetWorkspaceSize
        aclnnGeluBackwardV2(grad_output: Tensor, self_: Tensor, approximate: Chars, grad_input: Tensor);
    "Gelu" aclnnGeluGetWorkspaceSize
        aclnnGelu(self_: Tensor, out: Tensor);
    "GeluGrad" aclnnGeluBackwardGetWorkspaceSize
        aclnnGeluBackward(grad_output: Tensor, self_: Tensor, grad_input: Tensor);
    "HardSwishGrad" aclnnHardswishBackwardGetWorkspaceSize
        aclnnHardswishBackward(grad_output: Tensor, self_: Tensor, out: Tensor);
    "HardSwishGradV2" aclnnHardswishBackwardV2GetWorkspaceSize
        aclnnHardswishBackwardV2(grad_output: Tensor, self_: Tensor, out: Tensor);
    "SeluGrad" aclnnSeluBackwardGetWorkspaceSize
        aclnnSeluBackward(grad_output: Tensor, result: Tensor, grad_input: Tensor);
    "SigmoidGrad" aclnnSigmoidBackwardGetWorkspaceSize
        aclnnSigmoidBackward(grad_output: Tensor, output: Tensor, grad_input: Tensor);
    "SiluGrad" aclnnSiluBackwardGetWorkspaceSize
        aclnnSiluBackward(grad_output: Tensor, self_: Tensor, grad_input: Tensor);
    "FastGeluGrad" aclnnFastGeluBackwardGetWorkspaceSize
        aclnnFastGeluBackward(grad_output: Tensor, self_: Tensor, grad_input: Tensor);
    "MishGrad" aclnnMishBackwardGetWorkspaceSize
        aclnnMishBackward(grad_output: Tensor, self_: Tensor, grad_input: Tensor);
    "GLUGrad" aclnnGluBackwardGetWorkspaceSize
        aclnnGluBackward(grad_out: Tensor, self_: Tensor, dim: Int, out: Tensor);
    "SituGluGrad" aclnnSituGluGradGetWorkspaceSize
        aclnnSituGluGrad(grad_y: Tensor, x: Tensor, dim: Int, beta: Double, linear_beta: Double, activate_left: Bool, out: Tensor);
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
