// SwiGluGrad: the kernel's entry.
// The gradient of `SwiGlu`.
// Generated from ops_glu_grad::families::glu::glu::swi_glu; do not edit.

#include "swi_glu_grad.h"

template <uint32_t dtype, uint32_t form, bool small>
__global__ __aicore__ void swi_glu_grad(GM_ADDR yGrad, GM_ADDR x, GM_ADDR xGrad, GM_ADDR workspace,
                                        GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(SwiGluGradTilingData);
    GET_TILING_DATA_WITH_STRUCT(SwiGluGradTilingData, tilingData, tiling);
    (void)workspace;  // everything happens in UB
    if (AscendC::GetBlockIdx() >= tilingData.cores) {
        return;
    }
    AscendC::TPipe pipe;
    SwiGluGradKernel::SwiGluGrad<dtype, form, small> op(tilingData);
    op.Bind(yGrad, x, xGrad);
    op.Init(pipe);
    op.Process();
}
