// RowSoftmax: the formula on one tile.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

// Softmax along the last dimension.
//
// let e = exp(x - row_max(x));
// e / row_sum(e)

#ifndef ROW_SOFTMAX_COMPUTE_H
#define ROW_SOFTMAX_COMPUTE_H

#include "kernel_operator.h"
#include "row_softmax_tiling_data.h"
#include "row_softmax_tiling_key.h"

namespace RowSoftmaxKernel {

using namespace AscendC;

// What one repeat of a vector instruction covers.
constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t FLOATS = REPEAT_BYTES / sizeof(float);

// Dependent vector calls: the second may start before the first has ended. The compiler sees to it where
// --cce-auto-sync is on; a build where it surely is defines COMPILER_ORDERS_VECTOR_CALLS.
// Hardware does on 3510.
__aicore__ inline void VectorBarrier()
{
#if !defined(COMPILER_ORDERS_VECTOR_CALLS) && __NPU_ARCH__ != 3510
    PipeBarrier<PIPE_V>();
#endif
}

// Rows of a tile in UB, each `pitch` elements after the one before.
struct RowTile {
    uint64_t row;
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;
    // Elements in UB, with the gaps between rows.
    uint32_t count;
    // Where a row that does not fit UB is cut: the first element of a chunk, and the number of chunks before it.
    uint64_t first;
    uint32_t chunk;
    // Whether rows are turned: their elements of a column are a line, each `pitch` elements after the one before.
    bool turned;
};

// Temporary buffers, which all stages share.
struct Scratch {
    LocalTensor<float> floats;
    LocalTensor<uint8_t> bits;
    uint32_t capacity;

    // Bytes between two buffers of mask bits.
    __aicore__ inline uint32_t Bits() const { return (capacity / 8 + 31) / 32 * 32; }
};

constexpr uint32_t ROW_BLOCK = 32 / sizeof(float);
// Repeats of one call, and the largest stride between them in blocks.
constexpr uint32_t MOST_REPEATS = 255;
// Path of a tiling whose rows are short and turned.
constexpr uint32_t TURNED = 3;
// Path of a tiling whose rows do not fit UB, and the parts of such a row that stay in UB between walks along it.
constexpr uint32_t CHUNKS = 1;
constexpr uint32_t PIECES = 2;
// Blocks of partial results of a row's chunks.
constexpr uint32_t LEVELS = 32;

__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Folds the elements of each row from `kept` on onto those at its start: sums, or the larger of both.
template <bool MAX>
__aicore__ inline void FoldRows(const LocalTensor<float>& x, const RowTile& tile, uint32_t kept, uint32_t count)
{
    const uint32_t more = count - kept;
    const uint32_t step = tile.pitch / ROW_BLOCK;
    if (step > MOST_REPEATS || tile.rows * FLOATS < more) {
        for (uint32_t row = 0; row < tile.rows; ++row) {
            const LocalTensor<float> to = x[row * tile.pitch];
            if constexpr (MAX) {
                Max(to, to, to[kept], static_cast<int32_t>(more));
            } else {
                Add(to, to, to[kept], static_cast<int32_t>(more));
            }
        }
        return;
    }
    const uint8_t stride = static_cast<uint8_t>(step);
    const BinaryRepeatParams strides(1, 1, 1, stride, stride, stride);
    for (uint32_t row = 0; row < tile.rows; row += MOST_REPEATS) {
        const uint8_t repeats = static_cast<uint8_t>(Least(tile.rows - row, MOST_REPEATS));
        for (uint32_t at = 0; at < more; at += FLOATS) {
            const uint64_t lanes = Least(more - at, FLOATS);
            const LocalTensor<float> to = x[row * tile.pitch + at];
            if constexpr (MAX) {
                Max(to, to, to[kept], lanes, repeats, strides);
            } else {
                Add(to, to, to[kept], lanes, repeats, strides);
            }
        }
    }
}

// Reduces the lanes of a mask in blocks of eight rows to one number each.
template <bool MAX>
__aicore__ inline void ReduceBlocks(const LocalTensor<float>& to, const LocalTensor<float>& x, uint64_t lanes,
                                    uint32_t repeats, uint32_t step)
{
    const uint64_t mask[2] = {lanes, 0};
    const int32_t blocks = static_cast<int32_t>(step);
    if constexpr (MAX) {
        ReduceDataBlock<ReduceType::MAX, float, float>(to, x, mask, static_cast<int32_t>(repeats), 1, blocks, 8 * blocks);
    } else {
        ReduceDataBlock<ReduceType::SUM, float, float>(to, x, mask, static_cast<int32_t>(repeats), 1, blocks, 8 * blocks);
    }
}

// Folds halves of each row onto each other down to a block, so that sums are pairwise. Returns the elements that are left.
template <bool MAX>
__aicore__ inline uint32_t FoldToBlock(const LocalTensor<float>& x, const RowTile& tile)
{
    uint32_t count = tile.columns;
    while (count > ROW_BLOCK) {
        const uint32_t kept = (count + 2 * ROW_BLOCK - 1) / (2 * ROW_BLOCK) * ROW_BLOCK;
        VectorBarrier();
        FoldRows<MAX>(x, tile, kept, count);
        count = kept;
    }
    return count;
}

// Reduces turned rows: halves of their lines are folded onto each other. The rows are overwritten.
template <bool MAX>
__aicore__ inline void ReduceLines(const LocalTensor<float>& to, const LocalTensor<float>& x, const RowTile& tile)
{
    uint32_t count = tile.columns;
    while (count > 1) {
        const uint32_t kept = (count + 1) / 2;
        const int32_t more = static_cast<int32_t>((count - kept) * tile.pitch);
        VectorBarrier();
        if constexpr (MAX) {
            Max(x, x, x[kept * tile.pitch], more);
        } else {
            Add(x, x, x[kept * tile.pitch], more);
        }
        count = kept;
    }
    VectorBarrier();
    DataCopy(to, x, tile.pitch);
}

// Reduces each row to one number, which no gap takes part in. The rows are overwritten.
template <bool MAX>
__aicore__ inline void ReduceRows(const LocalTensor<float>& to, const LocalTensor<float>& x, const RowTile& tile)
{
    if (tile.turned) {
        ReduceLines<MAX>(to, x, tile);
        return;
    }
    const uint32_t count = FoldToBlock<MAX>(x, tile);
    VectorBarrier();
    const uint64_t lanes = ((uint64_t{1} << count) - 1) * 0x0101010101010101;
    const uint32_t step = tile.pitch / ROW_BLOCK;
    const uint32_t whole = tile.rows / 8 * 8;
    for (uint32_t row = 0; row < whole; row += 8 * MOST_REPEATS) {
        ReduceBlocks<MAX>(to[row], x[row * tile.pitch], lanes, Least((whole - row) / 8, MOST_REPEATS), step);
    }
    if (whole < tile.rows) {
        const uint64_t rest = (uint64_t{1} << 8 * (tile.rows - whole)) - 1;
        ReduceBlocks<MAX>(to[whole], x[whole * tile.pitch], lanes & rest, 1, step);
    }
}

// Adds a block to another, or takes the larger of both.
template <bool MAX>
__aicore__ inline void CombineBlocks(const LocalTensor<float>& to, const LocalTensor<float>& x)
{
    VectorBarrier();
    if constexpr (MAX) {
        Max(to, to, x, static_cast<int32_t>(ROW_BLOCK));
    } else {
        Add(to, to, x, static_cast<int32_t>(ROW_BLOCK));
    }
}

// Reduces a chunk of a row to a block, and combines it with those of the chunks before. Block k of `partial` is that of 2^k
// chunks, so that sums of chunks are pairwise too. The chunk has whole blocks or ends beyond its first, and is overwritten.
template <bool MAX>
__aicore__ inline void ReduceChunk(const LocalTensor<float>& partial, const LocalTensor<float>& x, const RowTile& tile)
{
    FoldToBlock<MAX>(x, tile);
    uint32_t level = 0;
    for (; (tile.chunk >> level & 1) != 0; ++level) {
        CombineBlocks<MAX>(x, partial[level * ROW_BLOCK]);
    }
    VectorBarrier();
    DataCopy(partial[level * ROW_BLOCK], x, ROW_BLOCK);
}

// Reduces the partial results of all chunks of a row to one number.
template <bool MAX>
__aicore__ inline void ReduceChunks(const LocalTensor<float>& to, const LocalTensor<float>& partial, uint32_t chunks)
{
    uint32_t first = 0;
    while ((chunks >> first & 1) == 0) {
        ++first;
    }
    for (uint32_t level = first + 1; level < LEVELS; ++level) {
        if ((chunks >> level & 1) != 0) {
            CombineBlocks<MAX>(partial[first * ROW_BLOCK], partial[level * ROW_BLOCK]);
        }
    }
    VectorBarrier();
    ReduceBlocks<MAX>(to, partial[first * ROW_BLOCK], UINT8_MAX, 1, 1);
}

// Divides the sums of rows by the length of a row; `by` has room for as many numbers.
__aicore__ inline void DivideByLength(const LocalTensor<float>& sums, const LocalTensor<float>& by, float length,
                                      uint32_t rows)
{
    VectorBarrier();
    Duplicate(by, length, static_cast<int32_t>(rows));
    VectorBarrier();
    Div(sums, sums, by, static_cast<int32_t>(rows));
}

// Repeats one number of each row in all lines of turned rows.
__aicore__ inline void RepeatLine(const LocalTensor<float>& to, const LocalTensor<float>& values, const RowTile& tile)
{
    VectorBarrier();
    DataCopy(to, values, tile.pitch);
    for (uint32_t lines = 1; lines < tile.columns; lines *= 2) {
        VectorBarrier();
        DataCopy(to[lines * tile.pitch], to, Least(lines, tile.columns - lines) * tile.pitch);
    }
}

// Repeats one number of each row along the row; `blocks` has room for a block of each row.
__aicore__ inline void RepeatAlong(const LocalTensor<float>& to, const LocalTensor<float>& values,
                                   const LocalTensor<float>& blocks, const RowTile& tile)
{
    if (tile.turned) {
        RepeatLine(to, values, tile);
        return;
    }
    VectorBarrier();
    for (uint32_t row = 0; row < tile.rows; row += 8 * MOST_REPEATS) {
        const uint32_t repeats = Least((tile.rows - row + 7) / 8, MOST_REPEATS);
        Brcb(blocks[row * ROW_BLOCK], values[row], static_cast<uint8_t>(repeats), BrcbRepeatParams(1, 8));
    }
    VectorBarrier();
    const uint32_t step = tile.pitch / ROW_BLOCK;
    if (step > MOST_REPEATS || tile.rows * FLOATS < tile.pitch) {
        const UnaryRepeatParams along(1, 0, 8, 0);
        for (uint32_t row = 0; row < tile.rows; ++row) {
            const LocalTensor<float> number = blocks[row * ROW_BLOCK];
            const LocalTensor<float> end = to[row * tile.pitch];
            uint32_t at = 0;
            while (tile.pitch - at >= FLOATS) {
                const uint32_t repeats = Least((tile.pitch - at) / FLOATS, MOST_REPEATS);
                Muls(end[at], number, 1.0f, static_cast<uint64_t>(FLOATS), static_cast<uint8_t>(repeats), along);
                at += repeats * FLOATS;
            }
            if (at < tile.pitch) {
                Muls(end[at], number, 1.0f, static_cast<uint64_t>(tile.pitch - at), 1, along);
            }
        }
        return;
    }
    const UnaryRepeatParams across(1, 0, static_cast<uint8_t>(step), 1);
    for (uint32_t row = 0; row < tile.rows; row += MOST_REPEATS) {
        const uint8_t repeats = static_cast<uint8_t>(Least(tile.rows - row, MOST_REPEATS));
        for (uint32_t at = 0; at < tile.pitch; at += FLOATS) {
            const uint64_t lanes = Least(tile.pitch - at, FLOATS);
            Muls(to[row * tile.pitch + at], blocks[row * ROW_BLOCK], 1.0f, lanes, repeats, across);
        }
    }
}

// The formula on one tile, by element type and form.
template <uint32_t dtype, uint32_t form>
class Compute;

#if __NPU_ARCH__ == 2201
// 2 stages and the results; 18 vector calls a tile.
template <>
class Compute<ROW_SOFTMAX_HALF, ROW_SOFTMAX_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t X = 0;
    static constexpr uint32_t INPUTS = 1;
    static constexpr RoundMode ROUND = RoundMode::CAST_RINT;

    // Walks along a row that does not fit UB, before that of the results.
    static constexpr uint32_t WALKS = 2;
    // Streams that several walks read, of which UB holds as much as fits.
    static constexpr uint32_t HELD = 1;
    // Walks that read each stream, as bits, and the slot of a stream that UB holds.
    static constexpr uint32_t WALKS_X = 7;
    static constexpr uint32_t HELD_X = 0;
    // Walks that read other streams, as bits.
    static constexpr uint32_t STREAMED = 0;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const RowSoftmaxTilingData& tiling)
    {
        scratch_.capacity = capacity;
        rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        const bool cuts = tiling.path == CHUNKS;  // which takes another buffer
        pipe.InitBuffer(columnBuf_, (VALUES + 1) * rows_ * sizeof(float));
        Duplicate(Column(0), 0.0f, static_cast<int32_t>((VALUES + 1) * rows_));
        pipe.InitBuffer(floatBuf_, (cuts ? 7 : 6) * capacity * sizeof(float));
        if (cuts) {
            pipe.InitBuffer(partialBuf_, 2 * LEVELS * ROW_BLOCK * sizeof(float));
        }
        scratch_.floats = Buffer(2);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = y;  // until there are results
        VectorBarrier();
        DataCopy(work, x, tile.count);
        ReduceRows<true>(Column(0), work, tile);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        VectorBarrier();
        DataCopy(work, Buffer(0), tile.count);
        ReduceRows<false>(Column(1), work, tile);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // The terms of a chunk in one of the walks, reduced to partial results.
    template <uint32_t walk>
    __aicore__ inline void ReduceTerms(const LocalTensor<float>& x, const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        if constexpr (walk == 0) {
            VectorBarrier();
            DataCopy(work, x, tile.count);
            ReduceChunk<true>(Partial(0), work, tile);
        } else if constexpr (walk == 1) {
            RepeatAlong(Buffer(1), Column(0), work, tile);
            VectorBarrier();
            stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
            VectorBarrier();
            DataCopy(work, Buffer(0), tile.count);
            ReduceChunk<false>(Partial(1), work, tile);
        }
    }

    // Numbers of a row of so many chunks and elements, at the end of a walk.
    template <uint32_t walk>
    __aicore__ inline void EndWalk(uint32_t chunks, float)
    {
        if constexpr (walk == 0) {
            ReduceChunks<true>(Column(0), Partial(0), chunks);
        } else if constexpr (walk == 1) {
            ReduceChunks<false>(Column(1), Partial(1), chunks);
        }
    }

    // The results of a chunk.
    __aicore__ inline void ComputeResults(const LocalTensor<float>& x, const LocalTensor<float>& y,
                                          const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

private:
    // Numbers of a stage, one of each row of a tile.
    __aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }
    // Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.
    __aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }
    // Partial results of the chunks of a row.
    __aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }

    // Stage 1: the terms of a row_sum.
    class Stage1 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& row0,
                                   const LocalTensor<float>& terms, const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<float> t1 = scratch.floats[1 * scratch.capacity];
            const LocalTensor<float> t2 = scratch.floats[2 * scratch.capacity];
            const LocalTensor<float> t3 = scratch.floats[3 * scratch.capacity];
            VectorBarrier();
            Maxs(t2, x, -3.4028235e38f, count);
            VectorBarrier();
            Sub(terms, t2, row0, count);
            VectorBarrier();
            Maxs(terms, terms, -3.4028235e38f, count);
            VectorBarrier();
            Mins(terms, terms, 3.4028235e38f, count);
            VectorBarrier();
            Sub(t0, terms, t2, count);
            VectorBarrier();
            Sub(t1, terms, t0, count);
            VectorBarrier();
            Sub(t2, t2, t1, count);
            Add(t3, row0, t0, count);
            VectorBarrier();
            Sub(t2, t2, t3, count);
            VectorBarrier();
            Maxs(t2, t2, -0.5f, count);
            VectorBarrier();
            Adds(t2, t2, 1.0f, count);
            Exp(terms, terms, count);
            VectorBarrier();
            Mul(terms, terms, t2, count);
        }
    };

    // The results.
    class Results {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms1, const LocalTensor<float>& row1,
                                   const LocalTensor<float>& y, const Scratch&, uint32_t count)
        {
            Div(y, terms1, row1, count);
        }
    };

    static constexpr uint32_t VALUES = 2;

    Scratch scratch_;
    // Rows of the largest tile, in whole repeats.
    uint32_t rows_ = 0;
    TBuf<TPosition::VECCALC> columnBuf_;
    TBuf<TPosition::VECCALC> floatBuf_;
    TBuf<TPosition::VECCALC> partialBuf_;
    Stage1 stage1_;
    Results results_;
};
#elif __NPU_ARCH__ == 2002
// 2 stages and the results; 18 vector calls a tile.
template <>
class Compute<ROW_SOFTMAX_HALF, ROW_SOFTMAX_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t X = 0;
    static constexpr uint32_t INPUTS = 1;
    static constexpr RoundMode ROUND = RoundMode::CAST_NONE;

    // Walks along a row that does not fit UB, before that of the results.
    static constexpr uint32_t WALKS = 2;
    // Streams that several walks read, of which UB holds as much as fits.
    static constexpr uint32_t HELD = 1;
    // Walks that read each stream, as bits, and the slot of a stream that UB holds.
    static constexpr uint32_t WALKS_X = 7;
    static constexpr uint32_t HELD_X = 0;
    // Walks that read other streams, as bits.
    static constexpr uint32_t STREAMED = 0;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const RowSoftmaxTilingData& tiling)
    {
        scratch_.capacity = capacity;
        rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        const bool cuts = tiling.path == CHUNKS;  // which takes another buffer
        pipe.InitBuffer(columnBuf_, (VALUES + 1) * rows_ * sizeof(float));
        Duplicate(Column(0), 0.0f, static_cast<int32_t>((VALUES + 1) * rows_));
        pipe.InitBuffer(floatBuf_, (cuts ? 7 : 6) * capacity * sizeof(float));
        if (cuts) {
            pipe.InitBuffer(partialBuf_, 2 * LEVELS * ROW_BLOCK * sizeof(float));
        }
        scratch_.floats = Buffer(2);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = y;  // until there are results
        VectorBarrier();
        DataCopy(work, x, tile.count);
        ReduceRows<true>(Column(0), work, tile);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        VectorBarrier();
        DataCopy(work, Buffer(0), tile.count);
        ReduceRows<false>(Column(1), work, tile);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // The terms of a chunk in one of the walks, reduced to partial results.
    template <uint32_t walk>
    __aicore__ inline void ReduceTerms(const LocalTensor<float>& x, const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        if constexpr (walk == 0) {
            VectorBarrier();
            DataCopy(work, x, tile.count);
            ReduceChunk<true>(Partial(0), work, tile);
        } else if constexpr (walk == 1) {
            RepeatAlong(Buffer(1), Column(0), work, tile);
            VectorBarrier();
            stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
            VectorBarrier();
            DataCopy(work, Buffer(0), tile.count);
            ReduceChunk<false>(Partial(1), work, tile);
        }
    }

    // Numbers of a row of so many chunks and elements, at the end of a walk.
    template <uint32_t walk>
    __aicore__ inline void EndWalk(uint32_t chunks, float)
    {
        if constexpr (walk == 0) {
            ReduceChunks<true>(Column(0), Partial(0), chunks);
        } else if constexpr (walk == 1) {
            ReduceChunks<false>(Column(1), Partial(1), chunks);
        }
    }

    // The results of a chunk.
    __aicore__ inline void ComputeResults(const LocalTensor<float>& x, const LocalTensor<float>& y,
                                          const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

private:
    // Numbers of a stage, one of each row of a tile.
    __aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }
    // Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.
    __aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }
    // Partial results of the chunks of a row.
    __aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }

    // Stage 1: the terms of a row_sum.
    class Stage1 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& row0,
                                   const LocalTensor<float>& terms, const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<float> t1 = scratch.floats[1 * scratch.capacity];
            const LocalTensor<float> t2 = scratch.floats[2 * scratch.capacity];
            const LocalTensor<float> t3 = scratch.floats[3 * scratch.capacity];
            VectorBarrier();
            Maxs(t2, x, -3.4028235e38f, count);
            VectorBarrier();
            Sub(terms, t2, row0, count);
            VectorBarrier();
            Maxs(terms, terms, -3.4028235e38f, count);
            VectorBarrier();
            Mins(terms, terms, 3.4028235e38f, count);
            VectorBarrier();
            Sub(t0, terms, t2, count);
            VectorBarrier();
            Sub(t1, terms, t0, count);
            VectorBarrier();
            Sub(t2, t2, t1, count);
            Add(t3, row0, t0, count);
            VectorBarrier();
            Sub(t2, t2, t3, count);
            VectorBarrier();
            Maxs(t2, t2, -0.5f, count);
            VectorBarrier();
            Adds(t2, t2, 1.0f, count);
            Exp(terms, terms, count);
            VectorBarrier();
            Mul(terms, terms, t2, count);
        }
    };

    // The results.
    class Results {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms1, const LocalTensor<float>& row1,
                                   const LocalTensor<float>& y, const Scratch&, uint32_t count)
        {
            Div(y, terms1, row1, count);
        }
    };

    static constexpr uint32_t VALUES = 2;

    Scratch scratch_;
    // Rows of the largest tile, in whole repeats.
    uint32_t rows_ = 0;
    TBuf<TPosition::VECCALC> columnBuf_;
    TBuf<TPosition::VECCALC> floatBuf_;
    TBuf<TPosition::VECCALC> partialBuf_;
    Stage1 stage1_;
    Results results_;
};
#elif __NPU_ARCH__ == 3510
// 2 stages and the results; 18 vector calls a tile.
template <>
class Compute<ROW_SOFTMAX_HALF, ROW_SOFTMAX_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t X = 0;
    static constexpr uint32_t INPUTS = 1;
    static constexpr RoundMode ROUND = RoundMode::CAST_RINT;

    // Walks along a row that does not fit UB, before that of the results.
    static constexpr uint32_t WALKS = 2;
    // Streams that several walks read, of which UB holds as much as fits.
    static constexpr uint32_t HELD = 1;
    // Walks that read each stream, as bits, and the slot of a stream that UB holds.
    static constexpr uint32_t WALKS_X = 7;
    static constexpr uint32_t HELD_X = 0;
    // Walks that read other streams, as bits.
    static constexpr uint32_t STREAMED = 0;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const RowSoftmaxTilingData& tiling)
    {
        scratch_.capacity = capacity;
        rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        const bool cuts = tiling.path == CHUNKS;  // which takes another buffer
        pipe.InitBuffer(columnBuf_, (VALUES + 1) * rows_ * sizeof(float));
        Duplicate(Column(0), 0.0f, static_cast<int32_t>((VALUES + 1) * rows_));
        pipe.InitBuffer(floatBuf_, (cuts ? 7 : 6) * capacity * sizeof(float));
        if (cuts) {
            pipe.InitBuffer(partialBuf_, 2 * LEVELS * ROW_BLOCK * sizeof(float));
        }
        scratch_.floats = Buffer(2);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = y;  // until there are results
        VectorBarrier();
        DataCopy(work, x, tile.count);
        ReduceRows<true>(Column(0), work, tile);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        VectorBarrier();
        DataCopy(work, Buffer(0), tile.count);
        ReduceRows<false>(Column(1), work, tile);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // The terms of a chunk in one of the walks, reduced to partial results.
    template <uint32_t walk>
    __aicore__ inline void ReduceTerms(const LocalTensor<float>& x, const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        if constexpr (walk == 0) {
            VectorBarrier();
            DataCopy(work, x, tile.count);
            ReduceChunk<true>(Partial(0), work, tile);
        } else if constexpr (walk == 1) {
            RepeatAlong(Buffer(1), Column(0), work, tile);
            VectorBarrier();
            stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
            VectorBarrier();
            DataCopy(work, Buffer(0), tile.count);
            ReduceChunk<false>(Partial(1), work, tile);
        }
    }

    // Numbers of a row of so many chunks and elements, at the end of a walk.
    template <uint32_t walk>
    __aicore__ inline void EndWalk(uint32_t chunks, float)
    {
        if constexpr (walk == 0) {
            ReduceChunks<true>(Column(0), Partial(0), chunks);
        } else if constexpr (walk == 1) {
            ReduceChunks<false>(Column(1), Partial(1), chunks);
        }
    }

    // The results of a chunk.
    __aicore__ inline void ComputeResults(const LocalTensor<float>& x, const LocalTensor<float>& y,
                                          const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

private:
    // Numbers of a stage, one of each row of a tile.
    __aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }
    // Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.
    __aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }
    // Partial results of the chunks of a row.
    __aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }

    // Stage 1: the terms of a row_sum.
    class Stage1 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& row0,
                                   const LocalTensor<float>& terms, const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<float> t1 = scratch.floats[1 * scratch.capacity];
            const LocalTensor<float> t2 = scratch.floats[2 * scratch.capacity];
            const LocalTensor<float> t3 = scratch.floats[3 * scratch.capacity];
            Maxs(t2, x, -3.4028235e38f, count);
            Sub(terms, t2, row0, count);
            Maxs(terms, terms, -3.4028235e38f, count);
            Mins(terms, terms, 3.4028235e38f, count);
            Sub(t0, terms, t2, count);
            Sub(t1, terms, t0, count);
            Sub(t2, t2, t1, count);
            Add(t3, row0, t0, count);
            Sub(t2, t2, t3, count);
            Maxs(t2, t2, -0.5f, count);
            Adds(t2, t2, 1.0f, count);
            Exp(terms, terms, count);
            Mul(terms, terms, t2, count);
        }
    };

    // The results.
    class Results {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms1, const LocalTensor<float>& row1,
                                   const LocalTensor<float>& y, const Scratch&, uint32_t count)
        {
            Div(y, terms1, row1, count);
        }
    };

    static constexpr uint32_t VALUES = 2;

    Scratch scratch_;
    // Rows of the largest tile, in whole repeats.
    uint32_t rows_ = 0;
    TBuf<TPosition::VECCALC> columnBuf_;
    TBuf<TPosition::VECCALC> floatBuf_;
    TBuf<TPosition::VECCALC> partialBuf_;
    Stage1 stage1_;
    Results results_;
};
#endif

#if __NPU_ARCH__ == 2201
// 2 stages and the results; 18 vector calls a tile.
template <>
class Compute<ROW_SOFTMAX_BFLOAT16, ROW_SOFTMAX_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t X = 0;
    static constexpr uint32_t INPUTS = 1;
    static constexpr RoundMode ROUND = RoundMode::CAST_RINT;

    // Walks along a row that does not fit UB, before that of the results.
    static constexpr uint32_t WALKS = 2;
    // Streams that several walks read, of which UB holds as much as fits.
    static constexpr uint32_t HELD = 1;
    // Walks that read each stream, as bits, and the slot of a stream that UB holds.
    static constexpr uint32_t WALKS_X = 7;
    static constexpr uint32_t HELD_X = 0;
    // Walks that read other streams, as bits.
    static constexpr uint32_t STREAMED = 0;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const RowSoftmaxTilingData& tiling)
    {
        scratch_.capacity = capacity;
        rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        const bool cuts = tiling.path == CHUNKS;  // which takes another buffer
        pipe.InitBuffer(columnBuf_, (VALUES + 1) * rows_ * sizeof(float));
        Duplicate(Column(0), 0.0f, static_cast<int32_t>((VALUES + 1) * rows_));
        pipe.InitBuffer(floatBuf_, (cuts ? 7 : 6) * capacity * sizeof(float));
        if (cuts) {
            pipe.InitBuffer(partialBuf_, 2 * LEVELS * ROW_BLOCK * sizeof(float));
        }
        scratch_.floats = Buffer(2);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = y;  // until there are results
        VectorBarrier();
        DataCopy(work, x, tile.count);
        ReduceRows<true>(Column(0), work, tile);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        VectorBarrier();
        DataCopy(work, Buffer(0), tile.count);
        ReduceRows<false>(Column(1), work, tile);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // The terms of a chunk in one of the walks, reduced to partial results.
    template <uint32_t walk>
    __aicore__ inline void ReduceTerms(const LocalTensor<float>& x, const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        if constexpr (walk == 0) {
            VectorBarrier();
            DataCopy(work, x, tile.count);
            ReduceChunk<true>(Partial(0), work, tile);
        } else if constexpr (walk == 1) {
            RepeatAlong(Buffer(1), Column(0), work, tile);
            VectorBarrier();
            stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
            VectorBarrier();
            DataCopy(work, Buffer(0), tile.count);
            ReduceChunk<false>(Partial(1), work, tile);
        }
    }

    // Numbers of a row of so many chunks and elements, at the end of a walk.
    template <uint32_t walk>
    __aicore__ inline void EndWalk(uint32_t chunks, float)
    {
        if constexpr (walk == 0) {
            ReduceChunks<true>(Column(0), Partial(0), chunks);
        } else if constexpr (walk == 1) {
            ReduceChunks<false>(Column(1), Partial(1), chunks);
        }
    }

    // The results of a chunk.
    __aicore__ inline void ComputeResults(const LocalTensor<float>& x, const LocalTensor<float>& y,
                                          const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

private:
    // Numbers of a stage, one of each row of a tile.
    __aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }
    // Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.
    __aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }
    // Partial results of the chunks of a row.
    __aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }

    // Stage 1: the terms of a row_sum.
    class Stage1 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& row0,
                                   const LocalTensor<float>& terms, const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<float> t1 = scratch.floats[1 * scratch.capacity];
            const LocalTensor<float> t2 = scratch.floats[2 * scratch.capacity];
            const LocalTensor<float> t3 = scratch.floats[3 * scratch.capacity];
            VectorBarrier();
            Maxs(t2, x, -3.4028235e38f, count);
            VectorBarrier();
            Sub(terms, t2, row0, count);
            VectorBarrier();
            Maxs(terms, terms, -3.4028235e38f, count);
            VectorBarrier();
            Mins(terms, terms, 3.4028235e38f, count);
            VectorBarrier();
            Sub(t0, terms, t2, count);
            VectorBarrier();
            Sub(t1, terms, t0, count);
            VectorBarrier();
            Sub(t2, t2, t1, count);
            Add(t3, row0, t0, count);
            VectorBarrier();
            Sub(t2, t2, t3, count);
            VectorBarrier();
            Maxs(t2, t2, -0.5f, count);
            VectorBarrier();
            Adds(t2, t2, 1.0f, count);
            Exp(terms, terms, count);
            VectorBarrier();
            Mul(terms, terms, t2, count);
        }
    };

    // The results.
    class Results {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms1, const LocalTensor<float>& row1,
                                   const LocalTensor<float>& y, const Scratch&, uint32_t count)
        {
            Div(y, terms1, row1, count);
        }
    };

    static constexpr uint32_t VALUES = 2;

    Scratch scratch_;
    // Rows of the largest tile, in whole repeats.
    uint32_t rows_ = 0;
    TBuf<TPosition::VECCALC> columnBuf_;
    TBuf<TPosition::VECCALC> floatBuf_;
    TBuf<TPosition::VECCALC> partialBuf_;
    Stage1 stage1_;
    Results results_;
};
#elif __NPU_ARCH__ == 3510
// 2 stages and the results; 18 vector calls a tile.
template <>
class Compute<ROW_SOFTMAX_BFLOAT16, ROW_SOFTMAX_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t X = 0;
    static constexpr uint32_t INPUTS = 1;
    static constexpr RoundMode ROUND = RoundMode::CAST_RINT;

    // Walks along a row that does not fit UB, before that of the results.
    static constexpr uint32_t WALKS = 2;
    // Streams that several walks read, of which UB holds as much as fits.
    static constexpr uint32_t HELD = 1;
    // Walks that read each stream, as bits, and the slot of a stream that UB holds.
    static constexpr uint32_t WALKS_X = 7;
    static constexpr uint32_t HELD_X = 0;
    // Walks that read other streams, as bits.
    static constexpr uint32_t STREAMED = 0;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const RowSoftmaxTilingData& tiling)
    {
        scratch_.capacity = capacity;
        rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        const bool cuts = tiling.path == CHUNKS;  // which takes another buffer
        pipe.InitBuffer(columnBuf_, (VALUES + 1) * rows_ * sizeof(float));
        Duplicate(Column(0), 0.0f, static_cast<int32_t>((VALUES + 1) * rows_));
        pipe.InitBuffer(floatBuf_, (cuts ? 7 : 6) * capacity * sizeof(float));
        if (cuts) {
            pipe.InitBuffer(partialBuf_, 2 * LEVELS * ROW_BLOCK * sizeof(float));
        }
        scratch_.floats = Buffer(2);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = y;  // until there are results
        VectorBarrier();
        DataCopy(work, x, tile.count);
        ReduceRows<true>(Column(0), work, tile);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        VectorBarrier();
        DataCopy(work, Buffer(0), tile.count);
        ReduceRows<false>(Column(1), work, tile);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // The terms of a chunk in one of the walks, reduced to partial results.
    template <uint32_t walk>
    __aicore__ inline void ReduceTerms(const LocalTensor<float>& x, const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        if constexpr (walk == 0) {
            VectorBarrier();
            DataCopy(work, x, tile.count);
            ReduceChunk<true>(Partial(0), work, tile);
        } else if constexpr (walk == 1) {
            RepeatAlong(Buffer(1), Column(0), work, tile);
            VectorBarrier();
            stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
            VectorBarrier();
            DataCopy(work, Buffer(0), tile.count);
            ReduceChunk<false>(Partial(1), work, tile);
        }
    }

    // Numbers of a row of so many chunks and elements, at the end of a walk.
    template <uint32_t walk>
    __aicore__ inline void EndWalk(uint32_t chunks, float)
    {
        if constexpr (walk == 0) {
            ReduceChunks<true>(Column(0), Partial(0), chunks);
        } else if constexpr (walk == 1) {
            ReduceChunks<false>(Column(1), Partial(1), chunks);
        }
    }

    // The results of a chunk.
    __aicore__ inline void ComputeResults(const LocalTensor<float>& x, const LocalTensor<float>& y,
                                          const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

private:
    // Numbers of a stage, one of each row of a tile.
    __aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }
    // Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.
    __aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }
    // Partial results of the chunks of a row.
    __aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }

    // Stage 1: the terms of a row_sum.
    class Stage1 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& row0,
                                   const LocalTensor<float>& terms, const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<float> t1 = scratch.floats[1 * scratch.capacity];
            const LocalTensor<float> t2 = scratch.floats[2 * scratch.capacity];
            const LocalTensor<float> t3 = scratch.floats[3 * scratch.capacity];
            Maxs(t2, x, -3.4028235e38f, count);
            Sub(terms, t2, row0, count);
            Maxs(terms, terms, -3.4028235e38f, count);
            Mins(terms, terms, 3.4028235e38f, count);
            Sub(t0, terms, t2, count);
            Sub(t1, terms, t0, count);
            Sub(t2, t2, t1, count);
            Add(t3, row0, t0, count);
            Sub(t2, t2, t3, count);
            Maxs(t2, t2, -0.5f, count);
            Adds(t2, t2, 1.0f, count);
            Exp(terms, terms, count);
            Mul(terms, terms, t2, count);
        }
    };

    // The results.
    class Results {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms1, const LocalTensor<float>& row1,
                                   const LocalTensor<float>& y, const Scratch&, uint32_t count)
        {
            Div(y, terms1, row1, count);
        }
    };

    static constexpr uint32_t VALUES = 2;

    Scratch scratch_;
    // Rows of the largest tile, in whole repeats.
    uint32_t rows_ = 0;
    TBuf<TPosition::VECCALC> columnBuf_;
    TBuf<TPosition::VECCALC> floatBuf_;
    TBuf<TPosition::VECCALC> partialBuf_;
    Stage1 stage1_;
    Results results_;
};
#endif

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 2002
// 2 stages and the results; 16 vector calls a tile.
template <>
class Compute<ROW_SOFTMAX_FLOAT, ROW_SOFTMAX_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t X = 0;
    static constexpr uint32_t INPUTS = 1;
    static constexpr RoundMode ROUND = RoundMode::CAST_RINT;

    // Walks along a row that does not fit UB, before that of the results.
    static constexpr uint32_t WALKS = 2;
    // Streams that several walks read, of which UB holds as much as fits.
    static constexpr uint32_t HELD = 1;
    // Walks that read each stream, as bits, and the slot of a stream that UB holds.
    static constexpr uint32_t WALKS_X = 7;
    static constexpr uint32_t HELD_X = 0;
    // Walks that read other streams, as bits.
    static constexpr uint32_t STREAMED = 0;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const RowSoftmaxTilingData& tiling)
    {
        scratch_.capacity = capacity;
        rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        const bool cuts = tiling.path == CHUNKS;  // which takes another buffer
        pipe.InitBuffer(columnBuf_, (VALUES + 1) * rows_ * sizeof(float));
        Duplicate(Column(0), 0.0f, static_cast<int32_t>((VALUES + 1) * rows_));
        pipe.InitBuffer(floatBuf_, (cuts ? 7 : 6) * capacity * sizeof(float));
        if (cuts) {
            pipe.InitBuffer(partialBuf_, 2 * LEVELS * ROW_BLOCK * sizeof(float));
        }
        scratch_.floats = Buffer(2);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = y;  // until there are results
        VectorBarrier();
        DataCopy(work, x, tile.count);
        ReduceRows<true>(Column(0), work, tile);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        VectorBarrier();
        DataCopy(work, Buffer(0), tile.count);
        ReduceRows<false>(Column(1), work, tile);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // The terms of a chunk in one of the walks, reduced to partial results.
    template <uint32_t walk>
    __aicore__ inline void ReduceTerms(const LocalTensor<float>& x, const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        if constexpr (walk == 0) {
            VectorBarrier();
            DataCopy(work, x, tile.count);
            ReduceChunk<true>(Partial(0), work, tile);
        } else if constexpr (walk == 1) {
            RepeatAlong(Buffer(1), Column(0), work, tile);
            VectorBarrier();
            stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
            VectorBarrier();
            DataCopy(work, Buffer(0), tile.count);
            ReduceChunk<false>(Partial(1), work, tile);
        }
    }

    // Numbers of a row of so many chunks and elements, at the end of a walk.
    template <uint32_t walk>
    __aicore__ inline void EndWalk(uint32_t chunks, float)
    {
        if constexpr (walk == 0) {
            ReduceChunks<true>(Column(0), Partial(0), chunks);
        } else if constexpr (walk == 1) {
            ReduceChunks<false>(Column(1), Partial(1), chunks);
        }
    }

    // The results of a chunk.
    __aicore__ inline void ComputeResults(const LocalTensor<float>& x, const LocalTensor<float>& y,
                                          const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

private:
    // Numbers of a stage, one of each row of a tile.
    __aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }
    // Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.
    __aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }
    // Partial results of the chunks of a row.
    __aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }

    // Stage 1: the terms of a row_sum.
    class Stage1 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& row0,
                                   const LocalTensor<float>& terms, const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<float> t1 = scratch.floats[1 * scratch.capacity];
            const LocalTensor<float> t2 = scratch.floats[2 * scratch.capacity];
            const LocalTensor<float> t3 = scratch.floats[3 * scratch.capacity];
            VectorBarrier();
            Maxs(t2, x, -3.4028235e38f, count);
            VectorBarrier();
            Sub(terms, t2, row0, count);
            VectorBarrier();
            Maxs(terms, terms, -3.4028235e38f, count);
            VectorBarrier();
            Mins(terms, terms, 3.4028235e38f, count);
            VectorBarrier();
            Sub(t0, terms, t2, count);
            VectorBarrier();
            Sub(t1, terms, t0, count);
            VectorBarrier();
            Sub(t2, t2, t1, count);
            Add(t3, row0, t0, count);
            VectorBarrier();
            Sub(t2, t2, t3, count);
            VectorBarrier();
            Maxs(t2, t2, -0.5f, count);
            VectorBarrier();
            Adds(t2, t2, 1.0f, count);
            Exp(terms, terms, count);
            VectorBarrier();
            Mul(terms, terms, t2, count);
        }
    };

    // The results.
    class Results {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms1, const LocalTensor<float>& row1,
                                   const LocalTensor<float>& y, const Scratch&, uint32_t count)
        {
            Div(y, terms1, row1, count);
        }
    };

    static constexpr uint32_t VALUES = 2;

    Scratch scratch_;
    // Rows of the largest tile, in whole repeats.
    uint32_t rows_ = 0;
    TBuf<TPosition::VECCALC> columnBuf_;
    TBuf<TPosition::VECCALC> floatBuf_;
    TBuf<TPosition::VECCALC> partialBuf_;
    Stage1 stage1_;
    Results results_;
};
#elif __NPU_ARCH__ == 3510
// 2 stages and the results; 16 vector calls a tile.
template <>
class Compute<ROW_SOFTMAX_FLOAT, ROW_SOFTMAX_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t X = 0;
    static constexpr uint32_t INPUTS = 1;
    static constexpr RoundMode ROUND = RoundMode::CAST_RINT;

    // Walks along a row that does not fit UB, before that of the results.
    static constexpr uint32_t WALKS = 2;
    // Streams that several walks read, of which UB holds as much as fits.
    static constexpr uint32_t HELD = 1;
    // Walks that read each stream, as bits, and the slot of a stream that UB holds.
    static constexpr uint32_t WALKS_X = 7;
    static constexpr uint32_t HELD_X = 0;
    // Walks that read other streams, as bits.
    static constexpr uint32_t STREAMED = 0;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const RowSoftmaxTilingData& tiling)
    {
        scratch_.capacity = capacity;
        rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        const bool cuts = tiling.path == CHUNKS;  // which takes another buffer
        pipe.InitBuffer(columnBuf_, (VALUES + 1) * rows_ * sizeof(float));
        Duplicate(Column(0), 0.0f, static_cast<int32_t>((VALUES + 1) * rows_));
        pipe.InitBuffer(floatBuf_, (cuts ? 7 : 6) * capacity * sizeof(float));
        if (cuts) {
            pipe.InitBuffer(partialBuf_, 2 * LEVELS * ROW_BLOCK * sizeof(float));
        }
        scratch_.floats = Buffer(2);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = y;  // until there are results
        VectorBarrier();
        DataCopy(work, x, tile.count);
        ReduceRows<true>(Column(0), work, tile);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        VectorBarrier();
        DataCopy(work, Buffer(0), tile.count);
        ReduceRows<false>(Column(1), work, tile);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // The terms of a chunk in one of the walks, reduced to partial results.
    template <uint32_t walk>
    __aicore__ inline void ReduceTerms(const LocalTensor<float>& x, const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        if constexpr (walk == 0) {
            VectorBarrier();
            DataCopy(work, x, tile.count);
            ReduceChunk<true>(Partial(0), work, tile);
        } else if constexpr (walk == 1) {
            RepeatAlong(Buffer(1), Column(0), work, tile);
            VectorBarrier();
            stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
            VectorBarrier();
            DataCopy(work, Buffer(0), tile.count);
            ReduceChunk<false>(Partial(1), work, tile);
        }
    }

    // Numbers of a row of so many chunks and elements, at the end of a walk.
    template <uint32_t walk>
    __aicore__ inline void EndWalk(uint32_t chunks, float)
    {
        if constexpr (walk == 0) {
            ReduceChunks<true>(Column(0), Partial(0), chunks);
        } else if constexpr (walk == 1) {
            ReduceChunks<false>(Column(1), Partial(1), chunks);
        }
    }

    // The results of a chunk.
    __aicore__ inline void ComputeResults(const LocalTensor<float>& x, const LocalTensor<float>& y,
                                          const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(6);
        RepeatAlong(Buffer(1), Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(x, Buffer(1), Buffer(0), scratch_, tile.count);
        RepeatAlong(Buffer(1), Column(1), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

private:
    // Numbers of a stage, one of each row of a tile.
    __aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }
    // Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.
    __aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }
    // Partial results of the chunks of a row.
    __aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }

    // Stage 1: the terms of a row_sum.
    class Stage1 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& x, const LocalTensor<float>& row0,
                                   const LocalTensor<float>& terms, const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<float> t1 = scratch.floats[1 * scratch.capacity];
            const LocalTensor<float> t2 = scratch.floats[2 * scratch.capacity];
            const LocalTensor<float> t3 = scratch.floats[3 * scratch.capacity];
            Maxs(t2, x, -3.4028235e38f, count);
            Sub(terms, t2, row0, count);
            Maxs(terms, terms, -3.4028235e38f, count);
            Mins(terms, terms, 3.4028235e38f, count);
            Sub(t0, terms, t2, count);
            Sub(t1, terms, t0, count);
            Sub(t2, t2, t1, count);
            Add(t3, row0, t0, count);
            Sub(t2, t2, t3, count);
            Maxs(t2, t2, -0.5f, count);
            Adds(t2, t2, 1.0f, count);
            Exp(terms, terms, count);
            Mul(terms, terms, t2, count);
        }
    };

    // The results.
    class Results {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms1, const LocalTensor<float>& row1,
                                   const LocalTensor<float>& y, const Scratch&, uint32_t count)
        {
            Div(y, terms1, row1, count);
        }
    };

    static constexpr uint32_t VALUES = 2;

    Scratch scratch_;
    // Rows of the largest tile, in whole repeats.
    uint32_t rows_ = 0;
    TBuf<TPosition::VECCALC> columnBuf_;
    TBuf<TPosition::VECCALC> floatBuf_;
    TBuf<TPosition::VECCALC> partialBuf_;
    Stage1 stage1_;
    Results results_;
};
#endif

}  // namespace RowSoftmaxKernel

#endif  // ROW_SOFTMAX_COMPUTE_H
