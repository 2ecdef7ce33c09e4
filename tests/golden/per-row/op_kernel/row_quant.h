// RowQuant: the way of a tile through UB.
// SwiGLU of eight bits, with a scale for each token.
// Generated from ascendc_trees::rows::row_quant; do not edit.

#ifndef ROW_QUANT_H
#define ROW_QUANT_H

#include "kernel_operator.h"
#include "row_quant_compute.h"
#include "row_quant_tiling_data.h"
#include "row_quant_tiling_key.h"

namespace RowQuantKernel {

// Buffers of each queue: the next tile comes in while this one is computed.
constexpr uint32_t DEPTH = 2;
// UB addresses and rows in UB start at multiples of this.
constexpr uint32_t BLOCK_BYTES = 32;

template <uint32_t dtype>
struct Element;

template <>
struct Element<ROW_QUANT_HALF> {
    using Type = half;
};

template <>
struct Element<ROW_QUANT_BFLOAT16> {
    using Type = bfloat16_t;
};

template <>
struct Element<ROW_QUANT_FLOAT> {
    using Type = float;
};

template <uint32_t dtype, uint32_t form, bool small>
class RowQuant {
    using T = typename Element<dtype>::Type;
    using Formula = Compute<dtype, form>;

public:
    __aicore__ inline explicit RowQuant(const RowQuantTilingData& tiling)
        : tiling_(tiling), gate_(0)
    {}

    __aicore__ inline void Bind(GM_ADDR x, GM_ADDR y, GM_ADDR scale)
    {
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(y));
        scaleGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(scale));
    }

    __aicore__ inline void Init(TPipe& pipe)
    {
        capacity_ = Capacity();
        const uint32_t bytes = capacity_ * sizeof(T);
        pipe.InitBuffer(inQue_, tiling_.buffers, Formula::INPUTS * bytes);
        pipe.InitBuffer(outQue_, tiling_.buffers, OUTPUTS * bytes);
        pipe.InitBuffer(integers_, 2 * capacity_ * sizeof(float));
        numbers_ = (tiling_.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        pipe.InitBuffer(numbersOutQue_, DEPTH, 1 * numbers_ * sizeof(float));
        if constexpr (sizeof(T) != sizeof(float)) {
            pipe.InitBuffer(floats_, (Formula::INPUTS + OUTPUTS) * capacity_ * sizeof(float));
        }
        if (tiling_.held > 0) {
            pipe.InitBuffer(heldQue_, PIECES, Formula::HELD * tiling_.held * sizeof(T));
        }
        formula_.Init(pipe, capacity_, tiling_);
    }

    __aicore__ inline void Process()
    {
        const uint64_t core = static_cast<uint64_t>(GetBlockIdx());
        const uint64_t last = ((core + 1) * tiling_.share + Longer(core + 1)) * tiling_.unitRows;
        const uint64_t end = last < tiling_.rows ? last : tiling_.rows;
        RowTile tile{};
        tile.row = (core * tiling_.share + Longer(core)) * tiling_.unitRows;
        if (tiling_.path == CHUNKS) {
            tile.rows = 1;
            for (; tile.row < end; ++tile.row) {
                WalkFrom<0>(tile);
                WriteNumbers(tile);
            }
            return;
        }
        tile.columns = static_cast<uint32_t>(tiling_.columns);
        tile.pitch = tiling_.pitch;
        tile.turned = tiling_.path == TURNED;
        for (; tile.row < end; tile.row += tile.rows) {
            const uint64_t left = end - tile.row;
            tile.rows = left < tiling_.tileRows ? static_cast<uint32_t>(left) : tiling_.tileRows;
            tile.count = (tile.turned ? tile.columns : tile.rows) * tile.pitch;
            const RowTile copied = Copied(tile);
            CopyIn(copied);
            Calculate(tile);
            WriteNumbers(tile);
            CopyOut(copied);
        }
    }

    // Copies move turned rows without gaps between them, as if they were one row.
    __aicore__ inline RowTile Copied(const RowTile& tile) const
    {
        RowTile copied = tile;
        if (tile.turned) {
            copied.columns = tile.rows * tile.columns;
            copied.rows = 1;
        }
        return copied;
    }

private:
    __aicore__ inline void CopyIn(const RowTile& tile)
    {
        LocalTensor<T> in = inQue_.AllocTensor<T>();
        Load(in[Formula::X_GATE * capacity_], xGm_, tile, true, gate_);
        Load(in[Formula::X_VALUE * capacity_], xGm_, tile, true, 1 - gate_);
        inQue_.EnQue(in);
    }

    __aicore__ inline void Calculate(const RowTile& tile)
    {
        LocalTensor<T> in = inQue_.DeQue<T>();
        LocalTensor<T> out = outQue_.AllocTensor<T>();
        ClearGaps(in, tile);
        if constexpr (sizeof(T) == sizeof(float)) {
            formula_.Run(in[Formula::X_GATE * capacity_], in[Formula::X_VALUE * capacity_], Integers(0), tile);
        } else {
            const LocalTensor<float> from = floats_.template Get<float>();
            VectorBarrier();
            for (uint32_t k = 0; k < Formula::INPUTS; ++k) {
                Cast(from[k * capacity_], in[k * capacity_], RoundMode::CAST_NONE, tile.count);
            }
            formula_.Run(from[Formula::X_GATE * capacity_], from[Formula::X_VALUE * capacity_], Integers(0), tile);
        }
        RoundToIntegers(out, tile);
        inQue_.FreeTensor(in);
        outQue_.EnQue(out);
    }

    __aicore__ inline void CopyOut(const RowTile& tile)
    {
        LocalTensor<T> out = outQue_.DeQue<T>();
        Store(yGm_, out[Y * capacity_].template ReinterpretCast<int8_t>(), tile, false, 0);
        outQue_.FreeTensor(out);
    }

    // Numbers of the rows of a tile, one of each, from a buffer of `float`.
    template <typename U>
    __aicore__ inline void StoreNumbers(GlobalTensor<U>& to, const LocalTensor<float>& from, const RowTile& tile) const
    {
        const uint32_t bytes = tile.rows * sizeof(U);
        DataCopyPad(to[tile.row], from.template ReinterpretCast<U>(), DataCopyExtParams{1, bytes, 0, 0, 0});
    }

    // Writes the columns of results with one number per row.
    __aicore__ inline void WriteNumbers(const RowTile& tile)
    {
        LocalTensor<float> numbers = numbersOutQue_.AllocTensor<float>();
        VectorBarrier();
        Muls(numbers[0 * numbers_], formula_.Returned(0), 1.0f, static_cast<int32_t>(tile.rows));
        numbersOutQue_.EnQue(numbers);
        numbers = numbersOutQue_.DeQue<float>();
        StoreNumbers(scaleGm_, numbers[0 * numbers_], tile);
        numbersOutQue_.FreeTensor(numbers);
    }

    // Writes zeros to what copies leave out between rows, which start at blocks of bytes and are computed with these gaps.
    __aicore__ inline void ClearGaps(const LocalTensor<T>& in, const RowTile& tile)
    {
        const uint32_t used = (tile.columns * sizeof(T) + BLOCK_BYTES - 1) / BLOCK_BYTES;
        const uint32_t step = tile.pitch * sizeof(T) / BLOCK_BYTES;
        if (used == step) {
            return;
        }
        const bool isLong = step > MOST_REPEATS;
        const uint32_t most = isLong ? 1 : MOST_REPEATS;
        const uint8_t stride = static_cast<uint8_t>(isLong ? 1 : step);
        const uint64_t lanes = (step - used) * ROW_BLOCK;
        for (uint32_t k = 0; k < Formula::INPUTS; ++k) {
            const LocalTensor<float> stream = in[k * capacity_].template ReinterpretCast<float>();
            for (uint32_t row = 0; row < tile.rows; row += most) {
                const uint8_t repeats = static_cast<uint8_t>(Least(tile.rows - row, most));
                Duplicate(stream[(row * step + used) * ROW_BLOCK], 0.0f, lanes, repeats, 1, stride);
            }
        }
    }

    // Results that are rounded to integers, in `float`; the last one while another is rounded.
    __aicore__ inline LocalTensor<float> Integers(uint32_t k) { return integers_.Get<float>()[k * capacity_]; }

    // Rounds results of a tile to integers, and puts them into a buffer of the output queue.
    __aicore__ inline void RoundToIntegers(const LocalTensor<T>& out, const RowTile& tile)
    {
        VectorBarrier();
        formula_.Round0(Integers(0), Integers(1), tile.count);
        VectorBarrier();
        Cast(Integers(0).template ReinterpretCast<half>(), Integers(1), RoundMode::CAST_NONE, tile.count);
        VectorBarrier();
        Cast(out[Y * capacity_].template ReinterpretCast<int8_t>(), Integers(0).template ReinterpretCast<half>(), RoundMode::CAST_RINT, tile.count);
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
        if constexpr (Formula::HELD_X_GATE < Formula::HELD) {
            Load(piece[Formula::HELD_X_GATE * tiling_.held], xGm_, tile, true, gate_);
        }
        if constexpr (Formula::HELD_X_VALUE < Formula::HELD) {
            Load(piece[Formula::HELD_X_VALUE * tiling_.held], xGm_, tile, true, 1 - gate_);
        }
        heldQue_.EnQue(piece);
        held_[tile.first / tiling_.held] = heldQue_.DeQue<T>();
    }

    template <uint32_t walk>
    __aicore__ inline void CopyInChunk(const RowTile& tile)
    {
        LocalTensor<T> in = inQue_.AllocTensor<T>();
        if (Loads<walk>(tile, Formula::WALKS_X_GATE, Formula::HELD_X_GATE)) {
            Load(in[Formula::X_GATE * capacity_], xGm_, tile, true, gate_);
        }
        if (Loads<walk>(tile, Formula::WALKS_X_VALUE, Formula::HELD_X_VALUE)) {
            Load(in[Formula::X_VALUE * capacity_], xGm_, tile, true, 1 - gate_);
        }
        inQue_.EnQue(in);
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
            formula_.template ReduceTerms<walk>(Stream<walk>(in, tile, Formula::X_GATE, Formula::WALKS_X_GATE, Formula::HELD_X_GATE),
                                                Stream<walk>(in, tile, Formula::X_VALUE, Formula::WALKS_X_VALUE, Formula::HELD_X_VALUE),
                                                tile);
        } else {
            LocalTensor<T> out = outQue_.AllocTensor<T>();
            formula_.ComputeResults(Stream<walk>(in, tile, Formula::X_GATE, Formula::WALKS_X_GATE, Formula::HELD_X_GATE),
                                    Stream<walk>(in, tile, Formula::X_VALUE, Formula::WALKS_X_VALUE, Formula::HELD_X_VALUE),
                                    Integers(0), tile);
            RoundToIntegers(out, tile);
            outQue_.EnQue(out);
        }
        if (Loads<walk>(tile)) {
            inQue_.FreeTensor(in);
        }
    }

    // Where a row of a part begins; tensors without parts have one.
    __aicore__ inline uint64_t FirstOf(uint64_t row, bool gated, uint32_t part) const
    {
        const uint64_t group = tiling_.group;
        const uint64_t place = gated ? (row / group * 2 + part) * group + row % group : row;
        return place * tiling_.columns;
    }

    // Rows that one copy moves: rows of a part lie apart by other rows of the tensor if a row of it has both parts.
    __aicore__ inline uint32_t Together(const RowTile& tile, bool gated) const
    {
        return gated && tiling_.group > 1 ? 1 : tile.rows;
    }

    __aicore__ inline void Load(const LocalTensor<T>& to, const GlobalTensor<T>& from, const RowTile& tile, bool gated,
                                uint32_t part) const
    {
        const uint32_t together = Together(tile, gated);
        for (uint32_t row = 0; row < tile.rows; row += together) {
            const GlobalTensor<T> rows = from[FirstOf(tile.row + row, gated, part) + tile.first];
            const uint32_t bytes = tile.columns * sizeof(T);
            const uint32_t gap = gated && together > 1 ? bytes : 0;
            const uint32_t skip = Skipped<T>(tile, together, bytes);
            DataCopyPad(to[row * tile.pitch], rows, DataCopyExtParams{static_cast<uint16_t>(together), bytes, gap, skip, 0},
                        DataCopyPadExtParams<T>());
        }
    }

    // Blocks of UB between rows, which start at blocks of bytes too.
    template <typename U>
    __aicore__ inline static uint32_t Skipped(const RowTile& tile, uint32_t together, uint32_t bytes)
    {
        const uint32_t blocks = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
        return together > 1 ? tile.pitch * static_cast<uint32_t>(sizeof(U)) / BLOCK_BYTES - blocks : 0;
    }

    // The same as Load, the other way.
    template <typename U>
    __aicore__ inline void Store(const GlobalTensor<U>& to, const LocalTensor<U>& from, const RowTile& tile, bool gated,
                                 uint32_t part) const
    {
        const uint32_t together = Together(tile, gated);
        for (uint32_t row = 0; row < tile.rows; row += together) {
            const GlobalTensor<U> rows = to[FirstOf(tile.row + row, gated, part) + tile.first];
            const uint32_t bytes = tile.columns * sizeof(U);
            const uint32_t gap = gated && together > 1 ? bytes : 0;
            const uint32_t skip = Skipped<U>(tile, together, bytes);
            DataCopyPad(rows, from[row * tile.pitch], DataCopyExtParams{static_cast<uint16_t>(together), bytes, skip, gap, 0});
        }
    }

    // Elements of the largest tile, in whole repeats.
    __aicore__ inline uint32_t Capacity() const
    {
        constexpr uint32_t STEP = REPEAT_BYTES / sizeof(T);
        const uint32_t row = tiling_.path == TURNED ? static_cast<uint32_t>(tiling_.columns) : tiling_.pitch;
        return (tiling_.tileRows * row + STEP - 1) / STEP * STEP;
    }

    // How many of the cores before this one have a row more.
    __aicore__ inline uint64_t Longer(uint64_t core) const { return core < tiling_.big ? core : tiling_.big; }

    // Slots of the results in a buffer of the output queue.
    static constexpr uint32_t Y = 0;
    static constexpr uint32_t OUTPUTS = 1;

    const RowQuantTilingData& tiling_;
    // Which part of a gated tensor is the gate.
    const uint32_t gate_;
    // Elements of the largest tile.
    uint32_t capacity_ = 0;
    GlobalTensor<T> xGm_;
    GlobalTensor<int8_t> yGm_;
    GlobalTensor<float> scaleGm_;
    TQue<TPosition::VECIN, 1> inQue_;
    TQue<TPosition::VECOUT, 1> outQue_;
    // Numbers of rows, and room for those of the largest tile.
    uint32_t numbers_ = 0;
    TQue<TPosition::VECOUT, 1> numbersOutQue_;
    TBuf<TPosition::VECCALC> integers_;
    // Parts of a row that UB holds between walks along it.
    TQue<TPosition::VECIN, 1> heldQue_;
    LocalTensor<T> held_[PIECES];
    // Streams and results of 16 bits, in float.
    TBuf<TPosition::VECCALC> floats_;
    Formula formula_;
};

}  // namespace RowQuantKernel

#endif  // ROW_QUANT_H
