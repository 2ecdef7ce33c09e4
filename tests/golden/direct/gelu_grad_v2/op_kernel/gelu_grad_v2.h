// GeluGradV2: the way of a tile through UB.
// The gradient of `GeluV2`.
// Generated from ops_glu_grad::families::gelu::gelu::gelu_v2; do not edit.

#ifndef GELU_GRAD_V2_H
#define GELU_GRAD_V2_H

#include "kernel_operator.h"
#include "gelu_grad_v2_compute.h"
#include "gelu_grad_v2_tiling_data.h"
#include "gelu_grad_v2_tiling_key.h"
#include "gelu_grad_v2_walk.h"

namespace GeluGradV2Kernel {

// Buffers of each queue: the next tile comes in while this one is computed.
constexpr uint32_t DEPTH = 2;
// UB addresses and rows in UB start at multiples of this.
constexpr uint32_t BLOCK_BYTES = 32;

template <uint32_t dtype>
struct Element;

template <>
struct Element<GELU_GRAD_V2_HALF> {
    using Type = half;
};

template <>
struct Element<GELU_GRAD_V2_BFLOAT16> {
    using Type = bfloat16_t;
};

template <>
struct Element<GELU_GRAD_V2_FLOAT> {
    using Type = float;
};

template <uint32_t dtype, uint32_t form, bool small>
class GeluGradV2 {
    using T = typename Element<dtype>::Type;
    using Formula = Compute<dtype, form>;

public:
    __aicore__ inline explicit GeluGradV2(const GeluGradV2TilingData& tiling)
        : tiling_(tiling)
    {}

    __aicore__ inline void Bind(GM_ADDR dy, GM_ADDR x, GM_ADDR z)
    {
        dyGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(dy));
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        zGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(z));
    }

    __aicore__ inline void Init(TPipe& pipe)
    {
        capacity_ = Capacity();
        const uint32_t bytes = capacity_ * sizeof(T);
        pipe.InitBuffer(inQue_, DEPTH, Formula::INPUTS * bytes);
        pipe.InitBuffer(outQue_, DEPTH, OUTPUTS * bytes);
        formula_.Init(pipe, capacity_, tiling_);
    }

    __aicore__ inline void Process()
    {
        Walk walk(tiling_);
        Tile tile;
        while (walk.Next(tile)) {
            CopyIn(tile);
            Calculate(tile);
            CopyOut(tile);
        }
    }

private:
    __aicore__ inline void CopyIn(const Tile& tile)
    {
        LocalTensor<T> in = inQue_.AllocTensor<T>();
        Load(in[Formula::DY * capacity_], dyGm_, tile, tiling_.columns, 0);
        Load(in[Formula::X * capacity_], xGm_, tile, tiling_.columns, 0);
        inQue_.EnQue(in);
    }

    __aicore__ inline void Calculate(const Tile& tile)
    {
        LocalTensor<T> in = inQue_.DeQue<T>();
        LocalTensor<T> out = outQue_.AllocTensor<T>();
        formula_.Run(in[Formula::DY * capacity_],
                     in[Formula::X * capacity_],
                     out[Z * capacity_],
                     tile.count);
        inQue_.FreeTensor(in);
        outQue_.EnQue(out);
    }

    __aicore__ inline void CopyOut(const Tile& tile)
    {
        LocalTensor<T> out = outQue_.DeQue<T>();
        Store(zGm_, out[Z * capacity_], tile, tiling_.columns, 0);
        outQue_.FreeTensor(out);
    }

    {{fragment: kernel/capacity.h}}

    {{fragment: kernel/moves.h}}

    // Slots of the results in a buffer of the output queue.
    static constexpr uint32_t Z = 0;
    static constexpr uint32_t OUTPUTS = 1;

    const GeluGradV2TilingData& tiling_;
    // Elements of the largest tile.
    uint32_t capacity_ = 0;
    GlobalTensor<T> dyGm_;
    GlobalTensor<T> xGm_;
    GlobalTensor<T> zGm_;
    TQue<TPosition::VECIN, 1> inQue_;
    TQue<TPosition::VECOUT, 1> outQue_;
    Formula formula_;
};

}  // namespace GeluGradV2Kernel

#endif  // GELU_GRAD_V2_H
