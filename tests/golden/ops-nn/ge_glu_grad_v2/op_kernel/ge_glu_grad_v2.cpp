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

#include "ge_glu_grad_v2.h"

template <uint32_t dtype, uint32_t form, bool small>
__global__ __aicore__ void ge_glu_grad_v2(GM_ADDR dy, GM_ADDR x, GM_ADDR gelu, GM_ADDR dx, GM_ADDR workspace,
                                          GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(GeGluGradV2TilingData);
    GET_TILING_DATA_WITH_STRUCT(GeGluGradV2TilingData, tilingData, tiling);
    (void)workspace;  // everything happens in UB
    if (AscendC::GetBlockIdx() >= tilingData.cores) {
        return;
    }
    AscendC::TPipe pipe;
    GeGluGradV2Kernel::GeGluGradV2<dtype, form, small> op(tilingData);
    op.Bind(dy, x, gelu, dx);
    op.Init(pipe);
    op.Process();
}
