// GeGluGradV2
//
// The gradient of `GeGluV2`.
//
// GeGLU: `y = B * gelu(A)`, where `A` is the half of `x` along `dim` that `activate_left`
// picks, and `B` the other. `gelu(A)` is kept for the gradient, which is
// `dA = dy * B * gelu'(A)`, `dB = dy * gelu(A)`.
//
// Source: aclnnGeGluV3 and aclnnGeGluV3Backward of CANN (ops-nn/activation).
//
// #[saved]
// let gelu = gelu(x.gate, approximate);
// x.value * gelu
//
// fn gelu(x: Elem, approximate: Approximate) -> Elem {
//     match approximate {
//         Approximate::None => 0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2)),
//         Approximate::Tanh => {
//             let u = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (x + 0.044715 * x.powi(3));
//             0.5 * x * (1.0 + tanh(u))
//         }
//     }
// }
//
// generated from ops_glu_grad::families::glu::glu::ge_glu, do not edit
#ifndef OP_API_ACLNN_GEGLU_BACKWARD_H_
#define OP_API_ACLNN_GEGLU_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1: checks the arguments, and answers with the bytes of workspace and an executor.
// activate_left is false.
__attribute__((visibility("default")))
aclnnStatus aclnnGeGluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim, int64_t approximate,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: launches what phase 1 prepared.
__attribute__((visibility("default")))
aclnnStatus aclnnGeGluBackward(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

// Phase 1: checks the arguments, and answers with the bytes of workspace and an executor.
__attribute__((visibility("default")))
aclnnStatus aclnnGeGluV3BackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim, int64_t approximate,
    bool activateLeft, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: launches what phase 1 prepared.
__attribute__((visibility("default")))
aclnnStatus aclnnGeGluV3Backward(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif // OP_API_ACLNN_GEGLU_BACKWARD_H_
