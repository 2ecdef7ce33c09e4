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

// Elements that one repeat of a vector instruction covers.
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

{{fragment: kernel/row_functions/reduce.h; @levels@ = 32; @max@ = ReduceDataBlock<ReduceType::MAX, float, float>; @maskFirst@ = mask, static_cast<int32_t>(repeats); @sum@ = ReduceDataBlock<ReduceType::SUM, float, float>; @barrier@ = VectorBarrier();}}

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
