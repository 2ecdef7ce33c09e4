// RowSoftmax: the way of a tile through UB.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#ifndef ROW_SOFTMAX_H
#define ROW_SOFTMAX_H

#include "kernel_operator.h"
#include "row_softmax_compute.h"
#include "row_softmax_tiling_data.h"
#include "row_softmax_tiling_key.h"

namespace RowSoftmaxKernel {

// Buffers of each queue: the next tile comes in while this one is computed.
constexpr uint32_t DEPTH = 2;
// UB addresses and rows in UB start at multiples of this.
constexpr uint32_t BLOCK_BYTES = 32;

template <uint32_t dtype>
struct Element;

template <>
struct Element<ROW_SOFTMAX_HALF> {
    using Type = half;
};

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
template <>
struct Element<ROW_SOFTMAX_BFLOAT16> {
    using Type = bfloat16_t;
};
#endif

template <>
struct Element<ROW_SOFTMAX_FLOAT> {
    using Type = float;
};

template <uint32_t dtype, uint32_t form, bool small>
class RowSoftmax {
    using T = typename Element<dtype>::Type;
    using Formula = Compute<dtype, form>;

public:
    __aicore__ inline explicit RowSoftmax(const RowSoftmaxTilingData& tiling)
        : tiling_(tiling)
    {}

    __aicore__ inline void Bind(GM_ADDR x, GM_ADDR y)
    {
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
    }

    __aicore__ inline void Init(TPipe& pipe)
    {
        capacity_ = Capacity();
        const uint32_t bytes = capacity_ * sizeof(T);
        pipe.InitBuffer(inQue_, tiling_.buffers, Formula::INPUTS * bytes);
        pipe.InitBuffer(outQue_, tiling_.buffers, OUTPUTS * bytes);
        if constexpr (sizeof(T) != sizeof(float)) {
            pipe.InitBuffer(floats_, (Formula::INPUTS + OUTPUTS) * capacity_ * sizeof(float));
        }
        formula_.Init(pipe, capacity_, tiling_);
    }

    {{fragment: kernel/row_functions/walk.h}}

private:
    __aicore__ inline void CopyIn(const RowTile& tile)
    {
        LocalTensor<T> in = inQue_.AllocTensor<T>();
        Load(in[Formula::X * capacity_], xGm_, tile, false, 0);
        inQue_.EnQue(in);
    }

    __aicore__ inline void Calculate(const RowTile& tile)
    {
        LocalTensor<T> in = inQue_.DeQue<T>();
        LocalTensor<T> out = outQue_.AllocTensor<T>();
        if constexpr (sizeof(T) == sizeof(float)) {
            formula_.Run(in[Formula::X * capacity_], out[Y * capacity_], tile);
        } else {
            const LocalTensor<float> from = floats_.template Get<float>();
            const LocalTensor<float> to = from[Formula::INPUTS * capacity_];
            VectorBarrier();
            for (uint32_t k = 0; k < Formula::INPUTS; ++k) {
                Cast(from[k * capacity_], in[k * capacity_], RoundMode::CAST_NONE, tile.count);
            }
            formula_.Run(from[Formula::X * capacity_], to[Y * capacity_], tile);
            VectorBarrier();
            for (uint32_t k = 0; k < OUTPUTS; ++k) {
                Cast(out[k * capacity_], to[k * capacity_], Formula::ROUND, tile.count);
            }
        }
        inQue_.FreeTensor(in);
        outQue_.EnQue(out);
    }

    __aicore__ inline void CopyOut(const RowTile& tile)
    {
        LocalTensor<T> out = outQue_.DeQue<T>();
        Store(yGm_, out[Y * capacity_], tile, false, 0);
        outQue_.FreeTensor(out);
    }

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
    {{fragment: kernel/row_functions/moves.h; @load@ = DataCopyPad(to[row * tile.pitch], rows, DataCopyExtParams{static_cast<uint16_t>(together), bytes, gap, 0, 0}, DataCopyPadExtParams<T>());; @store@ = DataCopyPad(rows, from[row * tile.pitch], DataCopyExtParams{static_cast<uint16_t>(together), bytes, 0, gap, 0});}}
#elif __NPU_ARCH__ == 2002
    {{fragment: kernel/row_functions/moves.h; @load@ = DataCopy(to[row * tile.pitch], rows, DataCopyParams(static_cast<uint16_t>(together), bytes / BLOCK_BYTES, gap / BLOCK_BYTES, 0));; @store@ = DataCopy(rows, from[row * tile.pitch], DataCopyParams(static_cast<uint16_t>(together), bytes / BLOCK_BYTES, 0, gap / BLOCK_BYTES));}}
#endif

    // Slots of the results in a buffer of the output queue.
    static constexpr uint32_t Y = 0;
    static constexpr uint32_t OUTPUTS = 1;

    const RowSoftmaxTilingData& tiling_;
    // Elements of the largest tile.
    uint32_t capacity_ = 0;
    GlobalTensor<T> xGm_;
    GlobalTensor<T> yGm_;
    TQue<TPosition::VECIN, 1> inQue_;
    TQue<TPosition::VECOUT, 1> outQue_;
    // Streams and results of 16 bits, in float.
    TBuf<TPosition::VECCALC> floats_;
    Formula formula_;
};

}  // namespace RowSoftmaxKernel

#endif  // ROW_SOFTMAX_H
