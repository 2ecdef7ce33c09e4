// RowSoftmax: the kernel's entry.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#include "row_softmax.h"

template <uint32_t dtype, uint32_t form, bool small>
__global__ __aicore__ void row_softmax(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(RowSoftmaxTilingData);
    GET_TILING_DATA_WITH_STRUCT(RowSoftmaxTilingData, tilingData, tiling);
    (void)workspace;  // everything happens in UB
    if (AscendC::GetBlockIdx() >= tilingData.cores) {
        return;
    }
    AscendC::TPipe pipe;
    RowSoftmaxKernel::RowSoftmax<dtype, form, small> op(tilingData);
    op.Bind(x, y);
    op.Init(pipe);
    op.Process();
}
