__aicore__ inline void Process()
{
    const uint64_t core = static_cast<uint64_t>(GetBlockIdx());
    const uint64_t first = core * tiling_.share + AtMost(core, tiling_.big);
    const uint64_t end = first + tiling_.share + (core < tiling_.big ? 1 : 0);
    ClearSums(ONE);
    for (uint64_t item = first; item < end; ++item) {
        ComputeUnit(item, item == first);
    }
    if (tiling_.meets == 0) {
        return;
    }
    StoreOnes(core);
    SyncAll();
    AddKept(core);
    AddOnes(core);
}

__aicore__ inline static uint32_t AtMost(uint64_t left, uint64_t most)
{
    return static_cast<uint32_t>(left < most ? left : most);
}

// Elements between rows in UB: copies begin each at a block.
template <typename U>
__aicore__ inline static uint32_t PitchOf(uint32_t columns)
{
    constexpr uint32_t BLOCK = BLOCK_BYTES / sizeof(U);
    return (columns + BLOCK - 1) / BLOCK * BLOCK;
}

// One unit of work: some rows of a piece of a group, tile by tile.
__aicore__ inline void ComputeUnit(uint64_t item, bool first)
{
    const uint64_t chunk = item % tiling_.chunks;
    const uint64_t piece = item / tiling_.chunks;
    const uint64_t least = tiling_.rows / tiling_.chunks;
    const uint64_t longer = tiling_.rows % tiling_.chunks;
    Tile tile;
    tile.group = piece / tiling_.pieces;
    tile.column = piece % tiling_.pieces * tiling_.tileColumns;
    tile.columns = AtMost(tiling_.columns - tile.column, tiling_.tileColumns);
    tile.pitch = PitchOf<T>(tile.columns);
    tile.row = chunk * least + AtMost(chunk, longer);
    const uint64_t rows = least + (chunk < longer ? 1 : 0);
    const uint64_t end = tile.row + rows;
    if (first || chunk == 0) {
        Spread(tile);
    }
    ClearSums(KEPT);
    while (tile.row < end) {
        tile.rows = AtMost(end - tile.row, tiling_.tileRows);
        ComputeTile(tile);
        tile.row += tile.rows;
    }
    if (tiling_.rest != 0 && chunk + 1 == tiling_.chunks) {
        Tile rest = tile;
        rest.rows = 1;
        rest.columns = tiling_.rest;
        rest.pitch = PitchOf<T>(rest.columns);
        ComputeTile(rest);
    }
    tile.rows = AtMost(rows, tiling_.tileRows);
    StoreKept(tile, tiling_.vector != 0 ? chunk : chunk * tiling_.pieces + piece % tiling_.pieces);
}

__aicore__ inline void ComputeTile(Tile& tile)
{
    tile.count = tile.rows * tile.pitch;
    CopyIn(tile);
    Calculate(tile);
    CopyOut(tile);
}

// How the rows of a tile lie in a tensor that has all elements.
__aicore__ inline DataCopyExtParams RowsOf(const Tile& tile, uint64_t width, bool in) const
{
    const uint32_t bytes = tile.columns * sizeof(T);
    const uint32_t gap = tile.rows == 1 ? 0 : static_cast<uint32_t>((width - tile.columns) * sizeof(T));
    return {static_cast<uint16_t>(tile.rows), bytes, in ? gap : 0, in ? 0 : gap, 0};
}

// Where the elements of a tile begin in a tensor that has all elements. A gated tensor has those of both parts.
__aicore__ inline uint64_t FirstOf(const Tile& tile, bool gated, uint32_t part) const
{
    if (gated) {
        return tile.row * tiling_.gatedRow + tile.group * tiling_.gatedGroup + part * tiling_.gatedPart + tile.column;
    }
    return tile.row * tiling_.wholeRow + tile.group * tiling_.wholeGroup + tile.column;
}

__aicore__ inline void Load(const LocalTensor<T>& to, const GlobalTensor<T>& from, const Tile& tile, bool gated,
                            uint32_t part) const
{
    const DataCopyExtParams copy = RowsOf(tile, gated ? tiling_.gatedRow : tiling_.wholeRow, true);
    DataCopyPad(to, from[FirstOf(tile, gated, part)], copy, DataCopyPadExtParams<T>());
}

__aicore__ inline void Store(const GlobalTensor<T>& to, const LocalTensor<T>& from, const Tile& tile, bool gated,
                             uint32_t part) const
{
    const DataCopyExtParams copy = RowsOf(tile, gated ? tiling_.gatedRow : tiling_.wholeRow, false);
    DataCopyPad(to[FirstOf(tile, gated, part)], from, copy);
}

// An input that is broadcast, as a tile of the present unit has it: its row in every row, or its one element.
__aicore__ inline void SpreadOne(const LocalTensor<T>& to, const GlobalTensor<T>& from, const Tile& tile, uint32_t mode,
                                 uint32_t part)
{
    if (mode == ONE || (mode == KEPT && tiling_.vector == 0)) {
        Duplicate(to, from.GetValue(mode == ONE ? part : part * tiling_.kept + tile.group),
                  static_cast<int32_t>(capacity_));
        return;
    }
    if (mode == WHOLE) {
        return;
    }
    const uint32_t count = tile.columns / tiling_.times;
    const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    const LocalTensor<T> row = tiling_.times == 1 ? to : Work(2).template ReinterpretCast<T>();
    DataCopyPad(row, from[part * tiling_.kept + tile.column / tiling_.times], copy, DataCopyPadExtParams<T>());
    PipeBarrier<PIPE_ALL>();
    if (tiling_.times > 1) {
        Repeat(to, row, tile, count);
    }
    for (uint32_t rows = 1; rows < tiling_.tileRows; rows *= 2) {
        const uint32_t more = AtMost(tiling_.tileRows - rows, rows);
        DataCopy(to[rows * tile.pitch], to, more * tile.pitch);
        @barrier@
    }
}

// Numbers from `first` on, each by `step` more than the one before.
template <typename U>
__aicore__ inline static void Count(const LocalTensor<U>& to, U first, U step, uint32_t count)
{
    constexpr uint32_t BLOCK = BLOCK_BYTES / sizeof(U);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < BLOCK; ++i) {
        to.SetValue(i, first + static_cast<U>(i) * step);
    }
    PipeBarrier<PIPE_ALL>();
    for (uint32_t have = BLOCK; have < count; have *= 2) {
        Adds(to[have], to, static_cast<U>(have) * step, AtMost(count - have, have));
        @barrier@
    }
}

// A row of elements, each as often as a row of a tile has it. Where it comes from is computed in `float`, which holds the
// half between two numbers of columns.
__aicore__ inline void Repeat(const LocalTensor<T>& to, const LocalTensor<T>& row, const Tile& tile, uint32_t count)
{
    constexpr int32_t SIZE = sizeof(T);
    const LocalTensor<float> column = Work(1);
    const LocalTensor<int32_t> from = Work(0).template ReinterpretCast<int32_t>();
    const uint32_t period = tiling_.joined > 1 ? count : tiling_.times;
    Count(column, 0.5f, 1.0f, tile.columns);
    Muls(column, column, 1.0f / static_cast<float>(period), tile.columns);
    @barrier@
    Cast(from, column, RoundMode::CAST_FLOOR, tile.columns);
    @barrier@
    if (tiling_.joined == 1) {
        Muls(from, from, SIZE, tile.columns);
    } else {
        const LocalTensor<int32_t> all = Work(1).template ReinterpretCast<int32_t>();
        Count(all, 0, SIZE, tile.columns);
        Muls(from, from, -static_cast<int32_t>(period) * SIZE, tile.columns);
        @barrier@
        Add(from, from, all, tile.columns);
    }
    if (tile.columns != tile.pitch) {
        Duplicate(to, static_cast<T>(0.0f), static_cast<int32_t>(tile.pitch));
    }
    @barrier@
    Gather(to, row, from.template ReinterpretCast<uint32_t>(), 0, tile.columns);
    PipeBarrier<PIPE_ALL>();  // the next input is copied to where this one was
}
