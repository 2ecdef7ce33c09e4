// GeGluGradV2: the kernel's entry.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

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
