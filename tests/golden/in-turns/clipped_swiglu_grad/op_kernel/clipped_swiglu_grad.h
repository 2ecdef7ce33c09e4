// ClippedSwigluGrad: the way of a tile through UB.
// The gradient of `ClippedSwiglu`.
// Generated from ops_glu_grad::families::gated::gated::clipped_swiglu; do not edit.

#ifndef CLIPPED_SWIGLU_GRAD_H
#define CLIPPED_SWIGLU_GRAD_H

#include "kernel_operator.h"
#include "clipped_swiglu_grad_compute.h"
#include "clipped_swiglu_grad_tiling_data.h"
#include "clipped_swiglu_grad_tiling_key.h"
#include "clipped_swiglu_grad_walk.h"

namespace ClippedSwigluGradKernel {

// Buffers of each queue: the next tile comes in while this one is computed.
constexpr uint32_t DEPTH = 2;
// UB addresses and rows in UB start at multiples of this.
constexpr uint32_t BLOCK_BYTES = 32;

template <uint32_t dtype>
struct Element;

template <>
struct Element<CLIPPED_SWIGLU_GRAD_HALF> {
    using Type = half;
};

template <>
struct Element<CLIPPED_SWIGLU_GRAD_BFLOAT16> {
    using Type = bfloat16_t;
};

template <>
struct Element<CLIPPED_SWIGLU_GRAD_FLOAT> {
    using Type = float;
};

template <uint32_t dtype, uint32_t form, bool small>
class ClippedSwigluGrad {
    using T = typename Element<dtype>::Type;
    using Formula = Compute<dtype, form>;

public:
    __aicore__ inline explicit ClippedSwigluGrad(const ClippedSwigluGradTilingData& tiling)
        : tiling_(tiling), gate_(0), value_(tiling.columns - gate_)
    {}

    __aicore__ inline void Bind(GM_ADDR gradY, GM_ADDR x, GM_ADDR groupIndex, GM_ADDR gradX)
    {
        gradYGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gradY));
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        groupIndexGm_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(groupIndex));
        gradXGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gradX));
    }

    __aicore__ inline void Init(TPipe& pipe)
    {
        capacity_ = Capacity();
        const uint32_t bytes = capacity_ * sizeof(T);
        pipe.InitBuffer(inQue_, DEPTH, Formula::INPUTS * bytes);
        pipe.InitBuffer(outQue_, DEPTH, OUTPUTS * bytes);
        if constexpr (small) {
            if (!TakesPairs()) {
                pipe.InitBuffer(xParts_, 2 * bytes);
                pipe.InitBuffer(gradXParts_, 2 * bytes);
                pipe.InitBuffer(apart_, capacity_ * sizeof(uint32_t));
                pipe.InitBuffer(together_, 2 * capacity_ * sizeof(uint32_t));
                MakeOffsets();
            }
        }
        formula_.Init(pipe, capacity_, tiling_);
        computed_ = ComputedRows();
    }

    __aicore__ inline void Process()
    {
        Walk walk(tiling_);
        Tile tile;
        while (walk.Next(tile)) {
            if (tile.row < computed_) {
                CopyIn(tile);
                Calculate(tile);
            } else {
                Clear();
            }
            CopyOut(tile);
        }
    }

private:
    __aicore__ inline void CopyIn(const Tile& tile)
    {
        LocalTensor<T> in = inQue_.AllocTensor<T>();
        Load(in[Formula::GRAD_Y * capacity_], gradYGm_, tile, tiling_.columns, 0);
        if constexpr (small) {
            Load(in[Formula::X_GATE * capacity_], xGm_, tile, 2 * tiling_.columns, 0);
        } else {
            Load(in[Formula::X_GATE * capacity_], xGm_, tile, 2 * tiling_.columns, gate_);
            Load(in[Formula::X_VALUE * capacity_], xGm_, tile, 2 * tiling_.columns, value_);
        }
        inQue_.EnQue(in);
    }

    __aicore__ inline void Calculate(const Tile& tile)
    {
        LocalTensor<T> in = inQue_.DeQue<T>();
        LocalTensor<T> out = outQue_.AllocTensor<T>();
        if constexpr (small) {
            if constexpr (Formula::PAIRS) {
                if (TakesPairs()) {
                    formula_.RunPairs(in[Formula::GRAD_Y * capacity_], in[Formula::X_GATE * capacity_],
                                      out[GRAD_X_GATE * capacity_], tile.count);
                }
            }
            if (!TakesPairs()) {
                const LocalTensor<T> xParts = xParts_.template Get<T>();
                const LocalTensor<T> gradXParts = gradXParts_.template Get<T>();
                Apart(xParts, in[Formula::X_GATE * capacity_], tile);
                formula_.Run(in[Formula::GRAD_Y * capacity_],
                             xParts[gate_ == 0 ? 0 : capacity_],
                             xParts[gate_ == 0 ? capacity_ : 0],
                             gradXParts[gate_ == 0 ? 0 : capacity_],
                             gradXParts[gate_ == 0 ? capacity_ : 0],
                             tile.count);
                Together(out[GRAD_X_GATE * capacity_], gradXParts, tile);
            }
        } else {
            formula_.Run(in[Formula::GRAD_Y * capacity_],
                         in[Formula::X_GATE * capacity_],
                         in[Formula::X_VALUE * capacity_],
                         out[GRAD_X_GATE * capacity_],
                         out[GRAD_X_VALUE * capacity_],
                         tile.count);
        }
        inQue_.FreeTensor(in);
        if (computed_ - tile.row < tile.rows) {
            ClearRows(out, tile);
        }
        outQue_.EnQue(out);
    }

    __aicore__ inline void CopyOut(const Tile& tile)
    {
        LocalTensor<T> out = outQue_.DeQue<T>();
        if constexpr (small) {
            Store(gradXGm_, out[GRAD_X_GATE * capacity_], tile, 2 * tiling_.columns, 0);
        } else {
            Store(gradXGm_, out[GRAD_X_GATE * capacity_], tile, 2 * tiling_.columns, gate_);
            Store(gradXGm_, out[GRAD_X_VALUE * capacity_], tile, 2 * tiling_.columns, value_);
        }
        outQue_.FreeTensor(out);
    }

    {{fragment: kernel/counts/computed.h; @counts@ = groupIndex}}

    {{fragment: kernel/counts/clear.h}}

    // Clears the rows of a tile that are not computed.
    __aicore__ inline void ClearRows(const LocalTensor<T>& out, const Tile& tile) const
    {
        const uint32_t first = static_cast<uint32_t>(computed_ - tile.row) * tiling_.pitch;
        const uint32_t end = tile.rows * tiling_.pitch;
        if constexpr (small) {
            ClearElements(out[GRAD_X_GATE * capacity_], 2 * first, 2 * end);
        } else {
            ClearElements(out[GRAD_X_GATE * capacity_], first, end);
            ClearElements(out[GRAD_X_VALUE * capacity_], first, end);
        }
    }

    {{fragment: kernel/counts/clear_elements.h}}

    {{fragment: kernel/capacity.h}}

    {{fragment: kernel/moves.h}}

    // Whether rows are of two elements, which the formula takes as they are.
    __aicore__ inline bool TakesPairs() const { return Formula::PAIRS && tiling_.columns == 1; }

    // Rows after which a table of offsets starts at a block of UB again, for any number of columns.
    static constexpr uint32_t PERIOD = 8;

    // Where each element comes from: a part's among rows of both, a row's among both parts.
    __aicore__ inline void MakeOffsets()
    {
        const uint32_t columns = static_cast<uint32_t>(tiling_.columns);
        const uint32_t rows = tiling_.tileRows < PERIOD ? tiling_.tileRows : PERIOD;
        const LocalTensor<int32_t> apart = apart_.Get<int32_t>();
        const LocalTensor<int32_t> together = together_.Get<int32_t>();
        for (uint32_t row = 0; row < rows; ++row) {
            for (uint32_t column = 0; column < columns; ++column) {
                const uint32_t at = row * columns + column;
                apart.SetValue(at, static_cast<int32_t>((at + row * columns) * sizeof(T)));
                together.SetValue(at + row * columns, static_cast<int32_t>(at * sizeof(T)));
                together.SetValue(at + (row + 1) * columns, static_cast<int32_t>((at + capacity_) * sizeof(T)));
            }
        }
        const event_t written = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));
        SetFlag<HardEvent::S_V>(written);
        WaitFlag<HardEvent::S_V>(written);
        Continue(apart, rows * columns, tiling_.tileRows * columns, 2 * rows * columns);
        Continue(together, 2 * rows * columns, 2 * tiling_.tileRows * columns, rows * columns);
    }

    // Fills a table from its first `have` elements, whose successors lie `shift` elements further on.
    __aicore__ inline static void Continue(const LocalTensor<int32_t>& table, uint32_t have, uint32_t all,
                                           uint32_t shift)
    {
        for (; have < all; have *= 2, shift *= 2) {
            const uint32_t more = have < all - have ? have : all - have;
            Adds(table[have], table, static_cast<int32_t>(shift * sizeof(T)), more);
        }
    }

    // The parts of whole rows: the first where `parts` begins, the second `capacity_` further on.
    __aicore__ inline void Apart(const LocalTensor<T>& parts, const LocalTensor<T>& rows, const Tile& tile)
    {
        const LocalTensor<uint32_t> apart = apart_.Get<uint32_t>();
        Gather(parts, rows, apart, 0, tile.count);
        Gather(parts[capacity_], rows, apart, static_cast<uint32_t>(tiling_.columns * sizeof(T)), tile.count);
    }

    // The same, the other way.
    __aicore__ inline void Together(const LocalTensor<T>& rows, const LocalTensor<T>& parts, const Tile& tile)
    {
        Gather(rows, parts, together_.Get<uint32_t>(), 0, 2 * tile.count);
    }

    // Slots of the results in a buffer of the output queue.
    static constexpr uint32_t GRAD_X_GATE = 0;
    static constexpr uint32_t GRAD_X_VALUE = 1;
    static constexpr uint32_t OUTPUTS = 2;

    const ClippedSwigluGradTilingData& tiling_;
    // Where the parts start in a row of a tensor that has both.
    const uint64_t gate_;
    const uint64_t value_;
    // Elements of the largest tile.
    uint32_t capacity_ = 0;
    GlobalTensor<T> gradYGm_;
    GlobalTensor<T> xGm_;
    GlobalTensor<int64_t> groupIndexGm_;
    GlobalTensor<T> gradXGm_;
    TQue<TPosition::VECIN, 1> inQue_;
    TQue<TPosition::VECOUT, 1> outQue_;
    // Rows of the matrix that are computed; the others are zeros.
    uint64_t computed_ = 0;
    // Small rows only: the two parts side by side, and what it takes to get there.
    TBuf<TPosition::VECCALC> xParts_;
    TBuf<TPosition::VECCALC> gradXParts_;
    TBuf<TPosition::VECCALC> apart_;
    TBuf<TPosition::VECCALC> together_;
    Formula formula_;
};

}  // namespace ClippedSwigluGradKernel

#endif  // CLIPPED_SWIGLU_GRAD_H
