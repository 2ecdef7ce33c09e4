// GeGluGradV2: the way of a tile through UB.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#ifndef GE_GLU_GRAD_V2_H
#define GE_GLU_GRAD_V2_H

#include "kernel_operator.h"
#include "ge_glu_grad_v2_compute.h"
#include "ge_glu_grad_v2_tiling_data.h"
#include "ge_glu_grad_v2_tiling_key.h"
#include "ge_glu_grad_v2_walk.h"

namespace GeGluGradV2Kernel {

// Buffers of each queue: the next tile comes in while this one is computed.
constexpr uint32_t DEPTH = 2;
// UB addresses and rows in UB start at multiples of this.
constexpr uint32_t BLOCK_BYTES = 32;

template <uint32_t dtype>
struct Element;

template <>
struct Element<GE_GLU_GRAD_V2_HALF> {
    using Type = half;
};

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
template <>
struct Element<GE_GLU_GRAD_V2_BFLOAT16> {
    using Type = bfloat16_t;
};
#endif

template <>
struct Element<GE_GLU_GRAD_V2_FLOAT> {
    using Type = float;
};

template <uint32_t dtype, uint32_t form, bool small>
class GeGluGradV2 {
    using T = typename Element<dtype>::Type;
    using Formula = Compute<dtype, form>;

public:
    __aicore__ inline explicit GeGluGradV2(const GeGluGradV2TilingData& tiling)
        : tiling_(tiling), gate_(tiling.gateFirst != 0 ? 0 : tiling.columns), value_(tiling.columns - gate_)
    {}

    __aicore__ inline void Bind(GM_ADDR dy, GM_ADDR x, GM_ADDR gelu, GM_ADDR dx)
    {
        dyGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(dy));
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        geluGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gelu));
        dxGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(dx));
    }

    __aicore__ inline void Init(TPipe& pipe)
    {
        capacity_ = Capacity();
        const uint32_t bytes = capacity_ * sizeof(T);
        pipe.InitBuffer(inQue_, DEPTH, Formula::INPUTS * bytes);
        pipe.InitBuffer(outQue_, DEPTH, OUTPUTS * bytes);
        if constexpr (small) {
            pipe.InitBuffer(xParts_, 2 * bytes);
            pipe.InitBuffer(dxParts_, 2 * bytes);
            Duplicate(xParts_.template Get<T>(), static_cast<T>(0.0f), 2 * capacity_);
            VectorBarrier();
#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
            pipe.InitBuffer(apart_, capacity_ * sizeof(uint32_t));
            pipe.InitBuffer(together_, 2 * capacity_ * sizeof(uint32_t));
            MakeOffsets();
#elif __NPU_ARCH__ == 2002
            turns_ = tiling_.tileRows % (LANES * LeastRows()) == 0;
            if (turns_) {
                pipe.InitBuffer(turned_, 2 * bytes);
                Duplicate(dxParts_.template Get<T>(), static_cast<T>(0.0f), 2 * capacity_);
                VectorBarrier();
            } else {
                pipe.InitBuffer(apart_, capacity_ * sizeof(uint32_t));
                pipe.InitBuffer(together_, 2 * capacity_ * sizeof(uint32_t));
                MakeOffsets();
            }
#endif
        }
        formula_.Init(pipe, capacity_, tiling_);
    }

    __aicore__ inline void Process()
    {
        Walk walk(tiling_);
        Tile tile;
        while (walk.Next(tile)) {
#if __NPU_ARCH__ == 2002
            if (!ORDERED) {
                tile.count = (tile.count + BLOCK - 1) / BLOCK * BLOCK;
            }
#endif
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
        Load(in[Formula::GELU * capacity_], geluGm_, tile, tiling_.columns, 0);
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
            const LocalTensor<T> xParts = xParts_.template Get<T>();
            const LocalTensor<T> dxParts = dxParts_.template Get<T>();
            Apart(xParts, in[Formula::X_GATE * capacity_], tile);
            formula_.Run(in[Formula::DY * capacity_],
                         xParts[gate_ == 0 ? 0 : capacity_],
                         xParts[gate_ == 0 ? capacity_ : 0],
                         in[Formula::GELU * capacity_],
                         dxParts[gate_ == 0 ? 0 : capacity_],
                         dxParts[gate_ == 0 ? capacity_ : 0],
                         tile.count);
            Together(out[DX_GATE * capacity_], dxParts, tile);
        } else {
            formula_.Run(in[Formula::DY * capacity_],
                         in[Formula::X_GATE * capacity_],
                         in[Formula::X_VALUE * capacity_],
                         in[Formula::GELU * capacity_],
                         out[DX_GATE * capacity_],
                         out[DX_VALUE * capacity_],
                         tile.count);
        }
        inQue_.FreeTensor(in);
        outQue_.EnQue(out);
    }

    __aicore__ inline void CopyOut(const Tile& tile)
    {
        LocalTensor<T> out = outQue_.DeQue<T>();
        if constexpr (small) {
            Store(dxGm_, out[DX_GATE * capacity_], tile, 2 * tiling_.columns, 0);
        } else {
            Store(dxGm_, out[DX_GATE * capacity_], tile, 2 * tiling_.columns, gate_);
            Store(dxGm_, out[DX_VALUE * capacity_], tile, 2 * tiling_.columns, value_);
        }
        outQue_.FreeTensor(out);
    }

    {{fragment: kernel/capacity.h}}

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
    {{fragment: kernel/moves.h}}
#elif __NPU_ARCH__ == 2002
    {{fragment: kernel/moves_aligned.h; @ordered@ = small; @flush@ = DataCacheCleanAndInvalid<T, CacheLine::ENTIRE_DATA_CACHE>(to);}}
#endif

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
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
            VectorBarrier();
        }
    }

    // The parts of whole rows: the first where `parts` begins, the second `capacity_` further on.
    __aicore__ inline void Apart(const LocalTensor<T>& parts, const LocalTensor<T>& rows, const Tile& tile)
    {
        const LocalTensor<uint32_t> apart = apart_.Get<uint32_t>();
        Gather(parts, rows, apart, 0, tile.count);
        Gather(parts[capacity_], rows, apart, static_cast<uint32_t>(tiling_.columns * sizeof(T)), tile.count);
        VectorBarrier();
    }

    // The same, the other way.
    __aicore__ inline void Together(const LocalTensor<T>& rows, const LocalTensor<T>& parts, const Tile& tile)
    {
        VectorBarrier();
        Gather(rows, parts, together_.Get<uint32_t>(), 0, 2 * tile.count);
        VectorBarrier();
    }

#elif __NPU_ARCH__ == 2002
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
            VectorBarrier();
        }
    }

    {{fragment: kernel/turn.h}}

    // The parts of whole rows: the first where `parts` begins, the second `capacity_` further on.
    __aicore__ inline void Apart(const LocalTensor<T>& parts, const LocalTensor<T>& rows, const Tile& tile)
    {
        if (turns_) {
            TurnApart(parts, rows, tile);
        } else {
            const LocalTensor<uint32_t> apart = apart_.Get<uint32_t>();
            Gather(parts, rows, apart, 0, tile.count);
            Gather(parts[capacity_], rows, apart, static_cast<uint32_t>(tiling_.columns * sizeof(T)), tile.count);
            VectorBarrier();
        }
    }

    // The same, the other way.
    __aicore__ inline void Together(const LocalTensor<T>& rows, const LocalTensor<T>& parts, const Tile& tile)
    {
        if (turns_) {
            TurnTogether(rows, parts, tile);
        } else {
            VectorBarrier();
            Gather(rows, parts, together_.Get<uint32_t>(), 0, 2 * tile.count);
            VectorBarrier();
        }
    }

#endif
    // Slots of the results in a buffer of the output queue.
    static constexpr uint32_t DX_GATE = 0;
    static constexpr uint32_t DX_VALUE = 1;
    static constexpr uint32_t OUTPUTS = 2;

    const GeGluGradV2TilingData& tiling_;
    // Where the parts start in a row of a tensor that has both.
    const uint64_t gate_;
    const uint64_t value_;
    // Elements of the largest tile.
    uint32_t capacity_ = 0;
    GlobalTensor<T> dyGm_;
    GlobalTensor<T> xGm_;
    GlobalTensor<T> geluGm_;
    GlobalTensor<T> dxGm_;
    TQue<TPosition::VECIN, 1> inQue_;
    TQue<TPosition::VECOUT, 1> outQue_;
    // Small rows only: the two parts side by side, and what it takes to get there.
    TBuf<TPosition::VECCALC> xParts_;
    TBuf<TPosition::VECCALC> dxParts_;
#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
    TBuf<TPosition::VECCALC> apart_;
    TBuf<TPosition::VECCALC> together_;
#elif __NPU_ARCH__ == 2002
    TBuf<TPosition::VECCALC> apart_;
    TBuf<TPosition::VECCALC> together_;
    TBuf<TPosition::VECCALC> turned_;
    // Whether a tile has enough rows to be turned.
    bool turns_ = false;
#endif
    Formula formula_;
};

}  // namespace GeGluGradV2Kernel

#endif  // GE_GLU_GRAD_V2_H
