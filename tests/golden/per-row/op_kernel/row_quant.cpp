// RowQuant: the kernel's entry.
// SwiGLU of eight bits, with a scale for each token.
// Generated from ascendc_trees::rows::row_quant; do not edit.

#include "row_quant.h"

template <uint32_t dtype, uint32_t form, bool small>
__global__ __aicore__ void row_quant(GM_ADDR x, GM_ADDR y, GM_ADDR scale, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(RowQuantTilingData);
    GET_TILING_DATA_WITH_STRUCT(RowQuantTilingData, tilingData, tiling);
    (void)workspace;  // everything happens in UB
    if (AscendC::GetBlockIdx() >= tilingData.cores) {
        return;
    }
    AscendC::TPipe pipe;
    RowQuantKernel::RowQuant<dtype, form, small> op(tilingData);
    op.Bind(x, y, scale);
    op.Init(pipe);
    op.Process();
}
