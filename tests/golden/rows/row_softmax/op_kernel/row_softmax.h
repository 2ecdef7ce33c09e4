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
        if (tiling_.held > 0) {
            pipe.InitBuffer(heldQue_, PIECES, Formula::HELD * tiling_.held * sizeof(T));
        }
        if (tiling_.path == TURNED) {
            pipe.InitBuffer(turned_, (Formula::INPUTS + OUTPUTS) * capacity_ * sizeof(float));
            pipe.InitBuffer(lines_, capacity_ * sizeof(uint32_t));
            pipe.InitBuffer(rows_, capacity_ * sizeof(uint32_t));
            // Calls read whole lines, also where there are fewer rows.
            Duplicate(turned_.Get<float>(), 0.0f, static_cast<int32_t>(Formula::INPUTS * capacity_));
            FillPlaces();
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
        if (tile.turned) {
            CalculateTurned(in, out, tile);
            inQue_.FreeTensor(in);
            outQue_.EnQue(out);
            return;
        }
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

    // Walks along a row that does not fit UB, from walk number `walk` on; the last one computes the results.
    template <uint32_t walk>
    __aicore__ inline void WalkFrom(RowTile tile)
    {
        constexpr uint32_t BLOCK = BLOCK_BYTES / sizeof(T);
        constexpr bool isLast = walk == Formula::WALKS;
        tile.rows = 1;
        tile.chunk = 0;
        for (tile.first = 0; tile.first < tiling_.columns; tile.first += tiling_.pitch) {
            tile.columns = Left(tile, tiling_.pitch);
            tile.pitch = (tile.columns + BLOCK - 1) / BLOCK * BLOCK;
            tile.count = tile.pitch;
            if (walk == 0 && IsHeld(tile) && tile.first % tiling_.held == 0) {
                Hold(tile);
            }
            if (Loads<walk>(tile)) {
                CopyInChunk<walk>(tile);
            }
            CalculateChunk<walk>(tile);
            if constexpr (isLast) {
                CopyOut(tile);
                ReleaseBehind(tile);
            }
            ++tile.chunk;
        }
        if constexpr (!isLast) {
            formula_.template EndWalk<walk>(tile.chunk, static_cast<float>(tiling_.columns));
            WalkFrom<walk + 1>(tile);
        }
    }

    // Elements from the first of a tile on, up to the end of the row or `most`.
    __aicore__ inline uint32_t Left(const RowTile& tile, uint32_t most) const
    {
        const uint64_t left = tiling_.columns - tile.first;
        return left < most ? static_cast<uint32_t>(left) : most;
    }

    // Whether UB holds the streams of a chunk that several walks read.
    __aicore__ inline bool IsHeld(const RowTile& tile) const { return tile.first < uint64_t{PIECES} * tiling_.held; }

    // Frees a part of the row that UB holds behind its last chunk.
    __aicore__ inline void ReleaseBehind(const RowTile& tile)
    {
        const uint64_t end = tile.first + tiling_.pitch;
        if (IsHeld(tile) && (end % tiling_.held == 0 || end >= tiling_.columns)) {
            heldQue_.FreeTensor(held_[tile.first / tiling_.held]);
        }
    }

    // Whether a walk reads something of a chunk that UB does not hold.
    template <uint32_t walk>
    __aicore__ inline bool Loads(const RowTile& tile) const
    {
        return (Formula::STREAMED >> walk & 1) != 0 || !IsHeld(tile);
    }

    // The same of one stream, by the walks that read it and its slot among the streams that UB holds.
    template <uint32_t walk>
    __aicore__ inline bool Loads(const RowTile& tile, uint32_t walks, uint32_t held) const
    {
        return (walks >> walk & 1) != 0 && (held >= Formula::HELD || !IsHeld(tile));
    }

    // A stream of a chunk in `float`, which `in` has in a slot unless UB holds it.
    template <uint32_t walk>
    __aicore__ inline LocalTensor<float> Stream(const LocalTensor<T>& in, const RowTile& tile, uint32_t slot, uint32_t walks,
                                                uint32_t held)
    {
        LocalTensor<T> stream = in;
        if (Loads<walk>(tile, walks, held)) {
            stream = in[slot * capacity_];
        } else if (held < Formula::HELD && IsHeld(tile)) {
            stream = held_[tile.first / tiling_.held][held * tiling_.held + tile.first % tiling_.held];
        }
        if constexpr (sizeof(T) == sizeof(float)) {
            return stream;
        } else {
            const LocalTensor<float> converted = floats_.template Get<float>()[slot * capacity_];
            if ((walks >> walk & 1) != 0) {
                Cast(converted, stream, RoundMode::CAST_NONE, tile.count);
            }
            return converted;
        }
    }

    // Brings in the part of a row that UB holds from a chunk on.
    __aicore__ inline void Hold(RowTile tile)
    {
        tile.columns = Left(tile, tiling_.held);
        LocalTensor<T> piece = heldQue_.AllocTensor<T>();
        if constexpr (Formula::HELD_X < Formula::HELD) {
            Load(piece[Formula::HELD_X * tiling_.held], xGm_, tile, false, 0);
        }
        heldQue_.EnQue(piece);
        held_[tile.first / tiling_.held] = heldQue_.DeQue<T>();
    }

    template <uint32_t walk>
    __aicore__ inline void CopyInChunk(const RowTile& tile)
    {
        LocalTensor<T> in = inQue_.AllocTensor<T>();
        if (Loads<walk>(tile, Formula::WALKS_X, Formula::HELD_X)) {
            Load(in[Formula::X * capacity_], xGm_, tile, false, 0);
        }
        inQue_.EnQue(in);
    }

    // Where a result of a chunk is computed, in `float`.
    __aicore__ inline LocalTensor<float> Result(const LocalTensor<T>& out, uint32_t slot)
    {
        if constexpr (sizeof(T) == sizeof(float)) {
            return out[slot * capacity_];
        } else {
            return floats_.template Get<float>()[(Formula::INPUTS + slot) * capacity_];
        }
    }

    template <uint32_t walk>
    __aicore__ inline void CalculateChunk(const RowTile& tile)
    {
        LocalTensor<T> in;
        if (Loads<walk>(tile)) {
            in = inQue_.DeQue<T>();
        }
        VectorBarrier();
        if constexpr (walk < Formula::WALKS) {
            formula_.template ReduceTerms<walk>(Stream<walk>(in, tile, Formula::X, Formula::WALKS_X, Formula::HELD_X),
                                                tile);
        } else {
            LocalTensor<T> out = outQue_.AllocTensor<T>();
            formula_.ComputeResults(Stream<walk>(in, tile, Formula::X, Formula::WALKS_X, Formula::HELD_X), Result(out, Y),
                                    tile);
            VectorBarrier();
            if constexpr (sizeof(T) != sizeof(float)) {
                for (uint32_t k = 0; k < OUTPUTS; ++k) {
                    Cast(out[k * capacity_], Result(out, k), Formula::ROUND, tile.count);
                }
            }
            outQue_.EnQue(out);
        }
        if (Loads<walk>(tile)) {
            inQue_.FreeTensor(in);
        }
    }

    {{fragment: kernel/row_functions/turned.h; @written@ = const event_t written = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V)); SetFlag<HardEvent::S_V>(written); WaitFlag<HardEvent::S_V>(written);}}

    // Fills a table from its first `have` elements, whose successors lie `shift` elements further on.
    __aicore__ inline static void Continue(const LocalTensor<int32_t>& table, uint32_t have, uint32_t all,
                                           uint32_t shift)
    {
        for (; have < all; have *= 2, shift *= 2) {
            const uint32_t more = have < all - have ? have : all - have;
            Adds(table[have], table, static_cast<int32_t>(shift * sizeof(float)), more);
            VectorBarrier();
        }
    }

    __aicore__ inline void CalculateTurned(const LocalTensor<T>& in, const LocalTensor<T>& out,
                                           const RowTile& tile)
    {
        const uint32_t count = tile.rows * tile.columns;
        const LocalTensor<float> turned = turned_.Get<float>();
        const LocalTensor<float> results = turned[Formula::INPUTS * capacity_];
        const LocalTensor<uint32_t> rows = rows_.Get<uint32_t>();
        VectorBarrier();
        for (uint32_t k = 0; k < Formula::INPUTS; ++k) {
            if constexpr (sizeof(T) == sizeof(float)) {
                Turn(turned[k * capacity_], in[k * capacity_], tile);
            } else {
                const LocalTensor<float> packed = floats_.template Get<float>();
                Cast(packed[k * capacity_], in[k * capacity_], RoundMode::CAST_NONE, count);
                VectorBarrier();
                Turn(turned[k * capacity_], packed[k * capacity_], tile);
            }
        }
        formula_.Run(turned[Formula::X * capacity_], results[Y * capacity_], tile);
        VectorBarrier();
        for (uint32_t k = 0; k < OUTPUTS; ++k) {
            if constexpr (sizeof(T) == sizeof(float)) {
                Gather(out[k * capacity_], results[k * capacity_], rows, 0, count);
            } else {
                const LocalTensor<float> packed = floats_.template Get<float>();
                Gather(packed[k * capacity_], results[k * capacity_], rows, 0, count);
                VectorBarrier();
                Cast(out[k * capacity_], packed[k * capacity_], Formula::ROUND, count);
            }
        }
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
    // Parts of a row that UB holds between walks along it.
    TQue<TPosition::VECIN, 1> heldQue_;
    LocalTensor<T> held_[PIECES];
    // Turned rows and results, and the offsets by which they are gathered.
    TBuf<TPosition::VECCALC> turned_;
    TBuf<TPosition::VECCALC> lines_;
    TBuf<TPosition::VECCALC> rows_;
    // Streams and results of 16 bits, in float.
    TBuf<TPosition::VECCALC> floats_;
    Formula formula_;
};

}  // namespace RowSoftmaxKernel

#endif  // ROW_SOFTMAX_H
