// RowQuant: the formula on one tile.
// SwiGLU of eight bits, with a scale for each token.
// Generated from ascendc_trees::rows::row_quant; do not edit.

// SwiGLU of eight bits, with a scale for each token.
//
// let y = silu(x.gate) * x.value;
// let scale = row_max(abs(y)) / 127.0;
// (y / scale, scale)

#ifndef ROW_QUANT_COMPUTE_H
#define ROW_QUANT_COMPUTE_H

#include "kernel_operator.h"
#include "row_quant_tiling_data.h"
#include "row_quant_tiling_key.h"

namespace RowQuantKernel {

using namespace AscendC;

// Elements that one repeat of a vector instruction covers.
constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t FLOATS = REPEAT_BYTES / sizeof(float);

// Dependent vector calls: the second may start before the first has ended. The compiler sees to it where
// --cce-auto-sync is on; a build where it surely is defines COMPILER_ORDERS_VECTOR_CALLS.
__aicore__ inline void VectorBarrier()
{
#if !defined(COMPILER_ORDERS_VECTOR_CALLS)
    PipeBarrier<PIPE_V>();
#endif
}

{{fragment: kernel/complete.h}}

{{fragment: kernel/row_functions/reduce.h; @levels@ = 32; @max@ = ReduceDataBlock<ReduceType::MAX, float, float>; @maskFirst@ = mask, static_cast<int32_t>(repeats); @sum@ = ReduceDataBlock<ReduceType::SUM, float, float>; @barrier@ = VectorBarrier();}}

// The formula on one tile, by element type and form.
template <uint32_t dtype, uint32_t form>
class Compute;

// 4 stages and the results; 34 vector calls a tile.
template <>
class Compute<ROW_QUANT_HALF, ROW_QUANT_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t X_GATE = 0;
    static constexpr uint32_t X_VALUE = 1;
    static constexpr uint32_t INPUTS = 2;
    static constexpr RoundMode ROUND = RoundMode::CAST_RINT;

    // Walks along a row that does not fit UB, before that of the results.
    static constexpr uint32_t WALKS = 1;
    // Streams that several walks read, of which UB holds as much as fits.
    static constexpr uint32_t HELD = 2;
    // Walks that read each stream, as bits, and the slot of a stream that UB holds.
    static constexpr uint32_t WALKS_X_GATE = 3;
    static constexpr uint32_t HELD_X_GATE = 0;
    static constexpr uint32_t WALKS_X_VALUE = 3;
    static constexpr uint32_t HELD_X_VALUE = 1;
    // Walks that read other streams, as bits.
    static constexpr uint32_t STREAMED = 0;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const RowQuantTilingData& tiling)
    {
        scratch_.capacity = capacity;
        rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        const bool cuts = tiling.path == CHUNKS;  // which takes another buffer
        pipe.InitBuffer(columnBuf_, (VALUES + 1) * rows_ * sizeof(float));
        Duplicate(Column(0), 0.0f, static_cast<int32_t>((VALUES + 1) * rows_));
        pipe.InitBuffer(floatBuf_, (cuts ? 5 : 4) * capacity * sizeof(float));
        if (cuts) {
            pipe.InitBuffer(partialBuf_, 2 * LEVELS * ROW_BLOCK * sizeof(float));
        }
        scratch_.floats = Buffer(2);
        pipe.InitBuffer(bitBuf_, 2 * scratch_.Bits());
        scratch_.bits = bitBuf_.Get<uint8_t>();
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                               const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = y;  // until there are results
        VectorBarrier();
        stage0_.Run(xGate, xValue, Buffer(0), scratch_, tile.count);
        VectorBarrier();
        DataCopy(work, Buffer(0), tile.count);
        ReduceRows<true>(Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(Buffer(0), work, scratch_, tile.count);
        ReduceRows<true>(Column(1), work, tile);
        VectorBarrier();
        stage2_.Run(Column(0), Column(1), Column(2), scratch_, tile.rows);
        VectorBarrier();
        stage3_.Run(Column(2), Column(3), scratch_, tile.rows);
        RepeatAlong(Buffer(1), Column(2), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // The terms of a chunk in one of the walks, reduced to partial results.
    template <uint32_t walk>
    __aicore__ inline void ReduceTerms(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                                       const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(4);
        if constexpr (walk == 0) {
            VectorBarrier();
            stage0_.Run(xGate, xValue, Buffer(0), scratch_, tile.count);
            VectorBarrier();
            DataCopy(work, Buffer(0), tile.count);
            ReduceChunk<true>(Partial(0), work, tile);
            VectorBarrier();
            stage1_.Run(Buffer(0), work, scratch_, tile.count);
            ReduceChunk<true>(Partial(1), work, tile);
        }
    }

    // Numbers of a row of so many chunks and elements, at the end of a walk.
    template <uint32_t walk>
    __aicore__ inline void EndWalk(uint32_t chunks, float)
    {
        if constexpr (walk == 0) {
            ReduceChunks<true>(Column(0), Partial(0), chunks);
            ReduceChunks<true>(Column(1), Partial(1), chunks);
            VectorBarrier();
            stage2_.Run(Column(0), Column(1), Column(2), scratch_, 1);
            VectorBarrier();
            stage3_.Run(Column(2), Column(3), scratch_, 1);
        }
    }

    // The results of a chunk.
    __aicore__ inline void ComputeResults(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                                          const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(4);
        VectorBarrier();
        stage0_.Run(xGate, xValue, Buffer(0), scratch_, tile.count);
        RepeatAlong(Buffer(1), Column(2), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // Columns of results with one number per row.
    __aicore__ inline LocalTensor<float> Returned(uint32_t k) { return Column(VALUES - RETURNED + k); }

    __aicore__ inline void Round0(const LocalTensor<float>& result, const LocalTensor<float>& integer, uint32_t count)
    {
        round0_.Run(result, integer, scratch_, count);
    }

private:
    // Numbers of a stage, one of each row of a tile.
    __aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }
    // Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.
    __aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }
    // Partial results of the chunks of a row.
    __aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }

    // Stage 0: the terms of a row_max.
    class Stage0 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                                   const LocalTensor<float>& terms, const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<float> t1 = scratch.floats[1 * scratch.capacity];
            Maxs(t1, xGate, -110.0f, count);
            VectorBarrier();
            Mins(terms, t1, 20.0f, count);
            VectorBarrier();
            Exp(terms, terms, count);  // e^x
            VectorBarrier();
            Adds(t0, terms, 1.0f, count);
            VectorBarrier();
            Div(terms, terms, t0, count);  // s = sigmoid(x)
            VectorBarrier();
            Mul(terms, t1, terms, count);
            VectorBarrier();
            Mul(terms, terms, xValue, count);
        }
    };

    // Stage 1: the terms of a row_max.
    class Stage1 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms0, const LocalTensor<float>& terms, const Scratch&,
                                   uint32_t count)
        {
            Muls(terms, terms0, -1.0f, count);
        }
    };

    // Stage 2: a number of each row.
    class Stage2 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& row0, const LocalTensor<float>& row1,
                                   const LocalTensor<float>& terms, const Scratch&, uint32_t count)
        {
            Max(terms, row0, row1, count);
            VectorBarrier();
            Abs(terms, terms, count);
            VectorBarrier();
            Muls(terms, terms, 0.007874016f, count);
        }
    };

    // Stage 3: a number of each row.
    class Stage3 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& row2, const LocalTensor<float>& number, const Scratch&,
                                   uint32_t count)
        {
            Muls(number, row2, 1.0f, count);
        }
    };

    // The results.
    class Results {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms0, const LocalTensor<float>& row2,
                                   const LocalTensor<float>& y, const Scratch&, uint32_t count)
        {
            Div(y, terms0, row2, count);
        }
    };

    // Rounds results to integers.
    class RoundResults0 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& result, const LocalTensor<float>& integer,
                                   const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<uint8_t> m0 = scratch.bits[0 * scratch.Bits()];
            const LocalTensor<uint8_t> m1 = scratch.bits[1 * scratch.Bits()];
            Complete(result, count);
            count = WholeRepeats<float>(count);
            VectorBarrier();
            Abs(integer, result, count);
            VectorBarrier();
            Compares(m0, integer, 8388608.0f, CMPMODE::LT, count);
            Compares(m1, result, 0.0f, CMPMODE::LT, count);
            VectorBarrier();
            Adds(integer, integer, 8388608.0f, count);
            VectorBarrier();
            Adds(integer, integer, -8388608.0f, count);  // round |x|
            VectorBarrier();
            Muls(t0, integer, -1.0f, count);
            VectorBarrier();
            Select(integer, m1, t0, integer, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
            VectorBarrier();
            Select(integer, m0, integer, result, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // round x
            VectorBarrier();
            Mins(result, integer, 127.0f, count);
            Compares(m0, integer, 0.0f, CMPMODE::GT, count);
            VectorBarrier();
            Select(result, m0, result, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
            Maxs(t0, integer, -128.0f, count);
            VectorBarrier();
            Compares(m0, integer, 0.0f, CMPMODE::LT, count);
            VectorBarrier();
            Select(integer, m0, t0, result, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        }
    };

    static constexpr uint32_t VALUES = 4;
    static constexpr uint32_t RETURNED = 1;

    Scratch scratch_;
    // Rows of the largest tile, in whole repeats.
    uint32_t rows_ = 0;
    TBuf<TPosition::VECCALC> columnBuf_;
    TBuf<TPosition::VECCALC> floatBuf_;
    TBuf<TPosition::VECCALC> partialBuf_;
    TBuf<TPosition::VECCALC> bitBuf_;
    Stage0 stage0_;
    Stage1 stage1_;
    Stage2 stage2_;
    Stage3 stage3_;
    Results results_;
    RoundResults0 round0_;
};

// 4 stages and the results; 34 vector calls a tile.
template <>
class Compute<ROW_QUANT_BFLOAT16, ROW_QUANT_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t X_GATE = 0;
    static constexpr uint32_t X_VALUE = 1;
    static constexpr uint32_t INPUTS = 2;
    static constexpr RoundMode ROUND = RoundMode::CAST_RINT;

    // Walks along a row that does not fit UB, before that of the results.
    static constexpr uint32_t WALKS = 1;
    // Streams that several walks read, of which UB holds as much as fits.
    static constexpr uint32_t HELD = 2;
    // Walks that read each stream, as bits, and the slot of a stream that UB holds.
    static constexpr uint32_t WALKS_X_GATE = 3;
    static constexpr uint32_t HELD_X_GATE = 0;
    static constexpr uint32_t WALKS_X_VALUE = 3;
    static constexpr uint32_t HELD_X_VALUE = 1;
    // Walks that read other streams, as bits.
    static constexpr uint32_t STREAMED = 0;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const RowQuantTilingData& tiling)
    {
        scratch_.capacity = capacity;
        rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        const bool cuts = tiling.path == CHUNKS;  // which takes another buffer
        pipe.InitBuffer(columnBuf_, (VALUES + 1) * rows_ * sizeof(float));
        Duplicate(Column(0), 0.0f, static_cast<int32_t>((VALUES + 1) * rows_));
        pipe.InitBuffer(floatBuf_, (cuts ? 5 : 4) * capacity * sizeof(float));
        if (cuts) {
            pipe.InitBuffer(partialBuf_, 2 * LEVELS * ROW_BLOCK * sizeof(float));
        }
        scratch_.floats = Buffer(2);
        pipe.InitBuffer(bitBuf_, 2 * scratch_.Bits());
        scratch_.bits = bitBuf_.Get<uint8_t>();
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                               const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = y;  // until there are results
        VectorBarrier();
        stage0_.Run(xGate, xValue, Buffer(0), scratch_, tile.count);
        VectorBarrier();
        DataCopy(work, Buffer(0), tile.count);
        ReduceRows<true>(Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(Buffer(0), work, scratch_, tile.count);
        ReduceRows<true>(Column(1), work, tile);
        VectorBarrier();
        stage2_.Run(Column(0), Column(1), Column(2), scratch_, tile.rows);
        VectorBarrier();
        stage3_.Run(Column(2), Column(3), scratch_, tile.rows);
        RepeatAlong(Buffer(1), Column(2), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // The terms of a chunk in one of the walks, reduced to partial results.
    template <uint32_t walk>
    __aicore__ inline void ReduceTerms(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                                       const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(4);
        if constexpr (walk == 0) {
            VectorBarrier();
            stage0_.Run(xGate, xValue, Buffer(0), scratch_, tile.count);
            VectorBarrier();
            DataCopy(work, Buffer(0), tile.count);
            ReduceChunk<true>(Partial(0), work, tile);
            VectorBarrier();
            stage1_.Run(Buffer(0), work, scratch_, tile.count);
            ReduceChunk<true>(Partial(1), work, tile);
        }
    }

    // Numbers of a row of so many chunks and elements, at the end of a walk.
    template <uint32_t walk>
    __aicore__ inline void EndWalk(uint32_t chunks, float)
    {
        if constexpr (walk == 0) {
            ReduceChunks<true>(Column(0), Partial(0), chunks);
            ReduceChunks<true>(Column(1), Partial(1), chunks);
            VectorBarrier();
            stage2_.Run(Column(0), Column(1), Column(2), scratch_, 1);
            VectorBarrier();
            stage3_.Run(Column(2), Column(3), scratch_, 1);
        }
    }

    // The results of a chunk.
    __aicore__ inline void ComputeResults(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                                          const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(4);
        VectorBarrier();
        stage0_.Run(xGate, xValue, Buffer(0), scratch_, tile.count);
        RepeatAlong(Buffer(1), Column(2), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // Columns of results with one number per row.
    __aicore__ inline LocalTensor<float> Returned(uint32_t k) { return Column(VALUES - RETURNED + k); }

    __aicore__ inline void Round0(const LocalTensor<float>& result, const LocalTensor<float>& integer, uint32_t count)
    {
        round0_.Run(result, integer, scratch_, count);
    }

private:
    // Numbers of a stage, one of each row of a tile.
    __aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }
    // Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.
    __aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }
    // Partial results of the chunks of a row.
    __aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }

    // Stage 0: the terms of a row_max.
    class Stage0 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                                   const LocalTensor<float>& terms, const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<float> t1 = scratch.floats[1 * scratch.capacity];
            Maxs(t1, xGate, -110.0f, count);
            VectorBarrier();
            Mins(terms, t1, 20.0f, count);
            VectorBarrier();
            Exp(terms, terms, count);  // e^x
            VectorBarrier();
            Adds(t0, terms, 1.0f, count);
            VectorBarrier();
            Div(terms, terms, t0, count);  // s = sigmoid(x)
            VectorBarrier();
            Mul(terms, t1, terms, count);
            VectorBarrier();
            Mul(terms, terms, xValue, count);
        }
    };

    // Stage 1: the terms of a row_max.
    class Stage1 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms0, const LocalTensor<float>& terms, const Scratch&,
                                   uint32_t count)
        {
            Muls(terms, terms0, -1.0f, count);
        }
    };

    // Stage 2: a number of each row.
    class Stage2 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& row0, const LocalTensor<float>& row1,
                                   const LocalTensor<float>& terms, const Scratch&, uint32_t count)
        {
            Max(terms, row0, row1, count);
            VectorBarrier();
            Abs(terms, terms, count);
            VectorBarrier();
            Muls(terms, terms, 0.007874016f, count);
        }
    };

    // Stage 3: a number of each row.
    class Stage3 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& row2, const LocalTensor<float>& number, const Scratch&,
                                   uint32_t count)
        {
            Muls(number, row2, 1.0f, count);
        }
    };

    // The results.
    class Results {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms0, const LocalTensor<float>& row2,
                                   const LocalTensor<float>& y, const Scratch&, uint32_t count)
        {
            Div(y, terms0, row2, count);
        }
    };

    // Rounds results to integers.
    class RoundResults0 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& result, const LocalTensor<float>& integer,
                                   const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<uint8_t> m0 = scratch.bits[0 * scratch.Bits()];
            const LocalTensor<uint8_t> m1 = scratch.bits[1 * scratch.Bits()];
            Complete(result, count);
            count = WholeRepeats<float>(count);
            VectorBarrier();
            Abs(integer, result, count);
            VectorBarrier();
            Compares(m0, integer, 8388608.0f, CMPMODE::LT, count);
            Compares(m1, result, 0.0f, CMPMODE::LT, count);
            VectorBarrier();
            Adds(integer, integer, 8388608.0f, count);
            VectorBarrier();
            Adds(integer, integer, -8388608.0f, count);  // round |x|
            VectorBarrier();
            Muls(t0, integer, -1.0f, count);
            VectorBarrier();
            Select(integer, m1, t0, integer, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
            VectorBarrier();
            Select(integer, m0, integer, result, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // round x
            VectorBarrier();
            Mins(result, integer, 127.0f, count);
            Compares(m0, integer, 0.0f, CMPMODE::GT, count);
            VectorBarrier();
            Select(result, m0, result, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
            Maxs(t0, integer, -128.0f, count);
            VectorBarrier();
            Compares(m0, integer, 0.0f, CMPMODE::LT, count);
            VectorBarrier();
            Select(integer, m0, t0, result, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        }
    };

    static constexpr uint32_t VALUES = 4;
    static constexpr uint32_t RETURNED = 1;

    Scratch scratch_;
    // Rows of the largest tile, in whole repeats.
    uint32_t rows_ = 0;
    TBuf<TPosition::VECCALC> columnBuf_;
    TBuf<TPosition::VECCALC> floatBuf_;
    TBuf<TPosition::VECCALC> partialBuf_;
    TBuf<TPosition::VECCALC> bitBuf_;
    Stage0 stage0_;
    Stage1 stage1_;
    Stage2 stage2_;
    Stage3 stage3_;
    Results results_;
    RoundResults0 round0_;
};

// 4 stages and the results; 31 vector calls a tile.
template <>
class Compute<ROW_QUANT_FLOAT, ROW_QUANT_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t X_GATE = 0;
    static constexpr uint32_t X_VALUE = 1;
    static constexpr uint32_t INPUTS = 2;
    static constexpr RoundMode ROUND = RoundMode::CAST_RINT;

    // Walks along a row that does not fit UB, before that of the results.
    static constexpr uint32_t WALKS = 1;
    // Streams that several walks read, of which UB holds as much as fits.
    static constexpr uint32_t HELD = 2;
    // Walks that read each stream, as bits, and the slot of a stream that UB holds.
    static constexpr uint32_t WALKS_X_GATE = 3;
    static constexpr uint32_t HELD_X_GATE = 0;
    static constexpr uint32_t WALKS_X_VALUE = 3;
    static constexpr uint32_t HELD_X_VALUE = 1;
    // Walks that read other streams, as bits.
    static constexpr uint32_t STREAMED = 0;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const RowQuantTilingData& tiling)
    {
        scratch_.capacity = capacity;
        rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;
        const bool cuts = tiling.path == CHUNKS;  // which takes another buffer
        pipe.InitBuffer(columnBuf_, (VALUES + 1) * rows_ * sizeof(float));
        Duplicate(Column(0), 0.0f, static_cast<int32_t>((VALUES + 1) * rows_));
        pipe.InitBuffer(floatBuf_, (cuts ? 5 : 4) * capacity * sizeof(float));
        if (cuts) {
            pipe.InitBuffer(partialBuf_, 2 * LEVELS * ROW_BLOCK * sizeof(float));
        }
        scratch_.floats = Buffer(2);
        pipe.InitBuffer(bitBuf_, 2 * scratch_.Bits());
        scratch_.bits = bitBuf_.Get<uint8_t>();
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                               const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = y;  // until there are results
        VectorBarrier();
        stage0_.Run(xGate, xValue, Buffer(0), scratch_, tile.count);
        VectorBarrier();
        DataCopy(work, Buffer(0), tile.count);
        ReduceRows<true>(Column(0), work, tile);
        VectorBarrier();
        stage1_.Run(Buffer(0), work, scratch_, tile.count);
        ReduceRows<true>(Column(1), work, tile);
        VectorBarrier();
        stage2_.Run(Column(0), Column(1), Column(2), scratch_, tile.rows);
        VectorBarrier();
        stage3_.Run(Column(2), Column(3), scratch_, tile.rows);
        RepeatAlong(Buffer(1), Column(2), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // The terms of a chunk in one of the walks, reduced to partial results.
    template <uint32_t walk>
    __aicore__ inline void ReduceTerms(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                                       const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(4);
        if constexpr (walk == 0) {
            VectorBarrier();
            stage0_.Run(xGate, xValue, Buffer(0), scratch_, tile.count);
            VectorBarrier();
            DataCopy(work, Buffer(0), tile.count);
            ReduceChunk<true>(Partial(0), work, tile);
            VectorBarrier();
            stage1_.Run(Buffer(0), work, scratch_, tile.count);
            ReduceChunk<true>(Partial(1), work, tile);
        }
    }

    // Numbers of a row of so many chunks and elements, at the end of a walk.
    template <uint32_t walk>
    __aicore__ inline void EndWalk(uint32_t chunks, float)
    {
        if constexpr (walk == 0) {
            ReduceChunks<true>(Column(0), Partial(0), chunks);
            ReduceChunks<true>(Column(1), Partial(1), chunks);
            VectorBarrier();
            stage2_.Run(Column(0), Column(1), Column(2), scratch_, 1);
            VectorBarrier();
            stage3_.Run(Column(2), Column(3), scratch_, 1);
        }
    }

    // The results of a chunk.
    __aicore__ inline void ComputeResults(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                                          const LocalTensor<float>& y, const RowTile& tile)
    {
        const LocalTensor<float> work = Buffer(4);
        VectorBarrier();
        stage0_.Run(xGate, xValue, Buffer(0), scratch_, tile.count);
        RepeatAlong(Buffer(1), Column(2), work, tile);
        VectorBarrier();
        results_.Run(Buffer(0), Buffer(1), y, scratch_, tile.count);
    }

    // Columns of results with one number per row.
    __aicore__ inline LocalTensor<float> Returned(uint32_t k) { return Column(VALUES - RETURNED + k); }

    __aicore__ inline void Round0(const LocalTensor<float>& result, const LocalTensor<float>& integer, uint32_t count)
    {
        round0_.Run(result, integer, scratch_, count);
    }

private:
    // Numbers of a stage, one of each row of a tile.
    __aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }
    // Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.
    __aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }
    // Partial results of the chunks of a row.
    __aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }

    // Stage 0: the terms of a row_max.
    class Stage0 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& xGate, const LocalTensor<float>& xValue,
                                   const LocalTensor<float>& terms, const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<float> t1 = scratch.floats[1 * scratch.capacity];
            Maxs(t1, xGate, -110.0f, count);
            VectorBarrier();
            Mins(terms, t1, 20.0f, count);
            VectorBarrier();
            Exp(terms, terms, count);  // e^x
            VectorBarrier();
            Adds(t0, terms, 1.0f, count);
            VectorBarrier();
            Div(terms, terms, t0, count);  // s = sigmoid(x)
            VectorBarrier();
            Mul(terms, t1, terms, count);
            VectorBarrier();
            Mul(terms, terms, xValue, count);
        }
    };

    // Stage 1: the terms of a row_max.
    class Stage1 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms0, const LocalTensor<float>& terms, const Scratch&,
                                   uint32_t count)
        {
            Muls(terms, terms0, -1.0f, count);
        }
    };

    // Stage 2: a number of each row.
    class Stage2 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& row0, const LocalTensor<float>& row1,
                                   const LocalTensor<float>& terms, const Scratch&, uint32_t count)
        {
            Max(terms, row0, row1, count);
            VectorBarrier();
            Abs(terms, terms, count);
            VectorBarrier();
            Muls(terms, terms, 0.007874016f, count);
        }
    };

    // Stage 3: a number of each row.
    class Stage3 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& row2, const LocalTensor<float>& number, const Scratch&,
                                   uint32_t count)
        {
            Muls(number, row2, 1.0f, count);
        }
    };

    // The results.
    class Results {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& terms0, const LocalTensor<float>& row2,
                                   const LocalTensor<float>& y, const Scratch&, uint32_t count)
        {
            Div(y, terms0, row2, count);
        }
    };

    // Rounds results to integers.
    class RoundResults0 {
    public:
        __aicore__ inline void Run(const LocalTensor<float>& result, const LocalTensor<float>& integer,
                                   const Scratch& scratch, uint32_t count)
        {
            const LocalTensor<float> t0 = scratch.floats[0 * scratch.capacity];
            const LocalTensor<uint8_t> m0 = scratch.bits[0 * scratch.Bits()];
            const LocalTensor<uint8_t> m1 = scratch.bits[1 * scratch.Bits()];
            Complete(result, count);
            count = WholeRepeats<float>(count);
            VectorBarrier();
            Abs(integer, result, count);
            VectorBarrier();
            Compares(m0, integer, 8388608.0f, CMPMODE::LT, count);
            Compares(m1, result, 0.0f, CMPMODE::LT, count);
            VectorBarrier();
            Adds(integer, integer, 8388608.0f, count);
            VectorBarrier();
            Adds(integer, integer, -8388608.0f, count);  // round |x|
            VectorBarrier();
            Muls(t0, integer, -1.0f, count);
            VectorBarrier();
            Select(integer, m1, t0, integer, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
            VectorBarrier();
            Select(integer, m0, integer, result, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // round x
            VectorBarrier();
            Mins(result, integer, 127.0f, count);
            Compares(m0, integer, 0.0f, CMPMODE::GT, count);
            VectorBarrier();
            Select(result, m0, result, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
            Maxs(t0, integer, -128.0f, count);
            VectorBarrier();
            Compares(m0, integer, 0.0f, CMPMODE::LT, count);
            VectorBarrier();
            Select(integer, m0, t0, result, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        }
    };

    static constexpr uint32_t VALUES = 4;
    static constexpr uint32_t RETURNED = 1;

    Scratch scratch_;
    // Rows of the largest tile, in whole repeats.
    uint32_t rows_ = 0;
    TBuf<TPosition::VECCALC> columnBuf_;
    TBuf<TPosition::VECCALC> floatBuf_;
    TBuf<TPosition::VECCALC> partialBuf_;
    TBuf<TPosition::VECCALC> bitBuf_;
    Stage0 stage0_;
    Stage1 stage1_;
    Stage2 stage2_;
    Stage3 stage3_;
    Results results_;
    RoundResults0 round0_;
};

}  // namespace RowQuantKernel

#endif  // ROW_QUANT_COMPUTE_H
