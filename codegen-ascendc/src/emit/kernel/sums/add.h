// Sums are unevaluated sums of two `float`: what the first loses by rounding is in the second.
__aicore__ inline LocalTensor<float> High(uint32_t sum) { return sums_.template Get<float>()[2 * sum * capacity_]; }
__aicore__ inline LocalTensor<float> Low(uint32_t sum) { return sums_.template Get<float>()[(2 * sum + 1) * capacity_]; }
__aicore__ inline LocalTensor<float> Work(uint32_t k) { return work_.template Get<float>()[k * capacity_]; }

__aicore__ inline void Clear(uint32_t sum)
{
    @barrier@
    Duplicate(High(sum), 0.0f, static_cast<int32_t>(2 * capacity_));
    @barrier@
}

__aicore__ inline void AddTo(uint32_t sum, const LocalTensor<float>& x, uint32_t count)
{
    AddTo(High(sum), Low(sum), x, count);
}

// Adds numbers to a sum, element by element, without a loss (Knuth's TwoSum).
__aicore__ inline void AddTo(const LocalTensor<float>& high, const LocalTensor<float>& low, const LocalTensor<float>& x,
                             uint32_t count)
{
    const LocalTensor<float> a = Work(0);
    const LocalTensor<float> b = Work(1);
    @barrier@
    Add(a, high, x, count);
    @barrier@
    Sub(b, a, high, count);
    @barrier@
    Sub(a, a, b, count);
    @barrier@
    Sub(a, high, a, count);
    Sub(b, x, b, count);
    @barrier@
    Add(a, a, b, count);
    Add(high, high, x, count);
    @barrier@
    Add(low, low, a, count);
}

// Adds the terms of a tile. Sums of all elements take each row apart where there are gaps between rows.
__aicore__ inline void AddTile(uint32_t sum, const LocalTensor<T>& terms, const Tile& tile, uint32_t mode)
{
    if (mode == WHOLE) {
        return;
    }
    LocalTensor<float> x;
    if constexpr (sizeof(T) == sizeof(float)) {
        x = terms.template ReinterpretCast<float>();
    } else {
        x = Work(2);
        @barrier@
        Cast(x, terms, RoundMode::CAST_NONE, tile.count);
    }
    const bool gaps = mode == ONE && tile.rows > 1 && tile.columns != tile.pitch;
    const uint32_t rows = gaps ? tile.rows : 1;
    for (uint32_t row = 0; row < rows; ++row) {
        AddTo(sum, x[row * tile.pitch], gaps ? tile.columns : tile.rows == 1 ? tile.columns : tile.count);
    }
}

// Adds the second part of a sum's elements to the first, which has `kept` elements of `count`.
__aicore__ inline void Fold(uint32_t sum, uint32_t kept, uint32_t count)
{
    AddTo(sum, High(sum)[kept], count - kept);
    @barrier@
    Add(Low(sum), Low(sum), Low(sum)[kept], count - kept);
}

__aicore__ inline void FoldRows(uint32_t sum, uint32_t rows, uint32_t pitch)
{
    while (rows > 1) {
        const uint32_t kept = (rows + 1) / 2;
        Fold(sum, kept * pitch, rows * pitch);
        rows = kept;
    }
}

// Adds the columns of each element. Second halves of the work buffers hold the results, which may lie among the columns.
__aicore__ inline void FoldColumns(uint32_t sum, uint32_t count)
{
    const uint32_t half = capacity_ / 2;
    const LocalTensor<float> high = Work(0)[half];
    const LocalTensor<float> low = Work(1)[half];
    const LocalTensor<float> x = Work(2);
    const LocalTensor<int32_t> first = Work(2)[half].template ReinterpretCast<int32_t>();
    const LocalTensor<uint32_t> from = first.template ReinterpretCast<uint32_t>();
    const uint32_t next = (tiling_.joined > 1 ? count : 1) * sizeof(float);
    Count(first, 0, static_cast<int32_t>((tiling_.joined > 1 ? 1 : tiling_.times) * sizeof(float)), count);
    Gather(high, High(sum), from, 0, count);
    Gather(low, Low(sum), from, 0, count);
    for (uint32_t k = 1; k < tiling_.times; ++k) {
        @barrier@
        Gather(x, High(sum), from, k * next, count);
        AddTo(high, low, x, count);
        @barrier@
        Gather(x, Low(sum), from, k * next, count);
        @barrier@
        Add(low, low, x, count);
    }
    @barrier@
    Adds(High(sum), high, 0.0f, count);
    Adds(Low(sum), low, 0.0f, count);
    @barrier@
}

// One number of so many, the first element of two work buffers. The last block is added by scalar code.
__aicore__ inline void FoldAll(uint32_t sum, uint32_t count)
{
    constexpr uint32_t BLOCK = BLOCK_BYTES / sizeof(float);
    while (count > BLOCK) {
        const uint32_t kept = ((count + 1) / 2 + BLOCK - 1) / BLOCK * BLOCK;
        Fold(sum, kept, count);
        count = kept;
    }
    PipeBarrier<PIPE_ALL>();
    float high = 0.0f;
    float low = 0.0f;
    for (uint32_t i = 0; i < count; ++i) {
        const float x = High(sum).GetValue(i);
        const float all = high + x;
        const float part = all - high;
        low += ((high - (all - part)) + (x - part)) + Low(sum).GetValue(i);
        high = all;
    }
    Work(0).SetValue(0, high);
    Work(1).SetValue(0, low);
    PipeBarrier<PIPE_ALL>();
}

// Partial sums in the workspace: for each sum the first parts of all slots, then the second.
__aicore__ inline uint64_t Place(uint32_t sum, uint64_t slot, uint64_t width, uint64_t column) const
{
    return 2 * sum * tiling_.plane + slot * width + column;
}

__aicore__ inline void StorePartial(const LocalTensor<float>& high, const LocalTensor<float>& low, uint64_t at,
                                    uint32_t count)
{
    const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(partialGm_[at], high, copy);
    DataCopyPad(partialGm_[at + tiling_.plane], low, copy);
    PipeBarrier<PIPE_ALL>();
}

// The sum of a unit's rows: a result if the unit has all rows, else a partial sum.
__aicore__ inline void StoreUnit(uint32_t sum, const GlobalTensor<T>& to, const Tile& tile, uint32_t part, uint64_t slot)
{
    FoldRows(sum, tile.rows, tile.pitch);
    if (tiling_.vector == 0) {
        FoldAll(sum, tile.columns);
        StorePartial(Work(0), Work(1), Place(sum, slot, tiling_.kept, tile.group), 1);
        return;
    }
    const uint32_t count = tile.columns / tiling_.times;
    const uint64_t column = tile.column / tiling_.times;
    if (tiling_.times > 1) {
        FoldColumns(sum, count);
    }
    if (tiling_.chunks == 1) {
        Finish(sum, to[part * tiling_.kept + column], count);
    } else {
        StorePartial(High(sum), Low(sum), Place(sum, slot, tiling_.kept, column), count);
    }
}

// Adds the partial sums of all slots, in their order, and writes the result.
__aicore__ inline void AddSlots(uint32_t sum, const GlobalTensor<T>& to, uint64_t slots, uint64_t width, uint64_t column,
                                uint32_t columns)
{
    const uint32_t pitch = PitchOf<float>(columns);
    const uint32_t most = width > MOST_WIDTH ? 1 : AtMost(capacity_ / pitch, MOST_ROWS);
    const LocalTensor<float> x = Work(2);
    PipeBarrier<PIPE_ALL>();
    Clear(sum);
    for (uint64_t slot = 0; slot < slots; slot += most) {
        const uint32_t rows = AtMost(slots - slot, most);
        const uint32_t gap = rows == 1 ? 0 : static_cast<uint32_t>((width - columns) * sizeof(float));
        const DataCopyExtParams copy{static_cast<uint16_t>(rows), static_cast<uint32_t>(columns * sizeof(float)), gap, 0, 0};
        const uint64_t at = Place(sum, slot, width, column);
        DataCopyPad(x, partialGm_[at], copy, DataCopyPadExtParams<float>());
        PipeBarrier<PIPE_ALL>();
        AddTo(sum, x, rows * pitch);
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(x, partialGm_[at + tiling_.plane], copy, DataCopyPadExtParams<float>());
        PipeBarrier<PIPE_ALL>();
        Add(Low(sum), Low(sum), x, rows * pitch);
        PipeBarrier<PIPE_ALL>();
    }
    FoldRows(sum, AtMost(slots, most), pitch);
    Finish(sum, to, columns);
}

// Rounds sums once and writes them. The second number of an infinite sum is NaN, and left out.
__aicore__ inline void Finish(uint32_t sum, const GlobalTensor<T>& to, uint32_t count)
{
    const uint32_t whole = (count + FLOATS - 1) / FLOATS * FLOATS;
    const LocalTensor<uint8_t> is = finite_.template Get<uint8_t>();
    @barrier@
    Compare(is, Low(sum), Low(sum), CMPMODE::EQ, whole);
    @barrier@
    Select(Low(sum), is, Low(sum), 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, whole);
    @barrier@
    Add(High(sum), High(sum), Low(sum), count);
    LocalTensor<T> result;
    if constexpr (sizeof(T) == sizeof(float)) {
        result = High(sum).template ReinterpretCast<T>();
    } else {
        @barrier@
        result = Work(2).template ReinterpretCast<T>();
        Cast(result, High(sum), RoundMode::CAST_RINT, count);
    }
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(to, result, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});
    PipeBarrier<PIPE_ALL>();
}
