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
#ifndef OP_API_LEVEL0_GE_GLU_GRAD_V2_H_
#define OP_API_LEVEL0_GE_GLU_GRAD_V2_H_

#include "opdev/op_executor.h"

namespace l0op {
// Puts the kernel on the executor's list. Inputs are contiguous, of one element type and of the
// shapes that the kernel takes. No tensor comes back if one cannot be had.
const aclTensor* GeGluGradV2(
    const aclTensor* dy, const aclTensor* x, const aclTensor* gelu, int64_t dim, int64_t approximate,
    bool activateLeft, aclOpExecutor* executor);
} // namespace l0op

#endif // OP_API_LEVEL0_GE_GLU_GRAD_V2_H_
