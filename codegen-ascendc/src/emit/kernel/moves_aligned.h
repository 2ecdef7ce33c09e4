// Copies move whole blocks of 32 bytes, to and from any element of GM. What ends inside a block is moved as whole
// blocks and the last block that ends with it: in UB that lies behind them, so that some elements are there, and
// computed, twice. Where elements have to keep their order in UB, the end is read with what follows it, and moved to
// such a block before it is written. What is shorter than a block is written element by element.
static constexpr uint32_t BLOCK = BLOCK_BYTES / sizeof(T);
static constexpr bool ORDERED = @ordered@;

// How a tile lies in a tensor whose rows start `width` elements apart.
struct Bursts {
    uint32_t count;
    uint32_t columns;
    // Elements between starts, in GM and in UB.
    uint64_t width;
    uint32_t pitch;
};

__aicore__ inline Bursts Cut(const Tile& tile, uint64_t width) const
{
    if (small) {
        return {1, static_cast<uint32_t>(tile.rows * width), 0, 0};
    }
    return {tile.rows, tile.columns, width, tile.rows == 1 ? 0 : tiling_.pitch};
}

// All bursts in one copy, if they and the gaps between them are whole blocks.
__aicore__ inline static bool Even(const Bursts& bursts, DataCopyParams& copy, bool in)
{
    if (bursts.columns % BLOCK != 0 || (bursts.count > 1 && bursts.width % BLOCK != 0)) {
        return false;
    }
    const uint64_t gap = bursts.count > 1 ? (bursts.width - bursts.columns) / BLOCK : 0;
    copy.blockCount = static_cast<uint16_t>(bursts.count);
    copy.blockLen = static_cast<uint16_t>(bursts.columns / BLOCK);
    copy.srcStride = static_cast<uint16_t>(in ? gap : 0);
    copy.dstStride = static_cast<uint16_t>(in ? 0 : gap);
    return true;
}

// The elements of a tile from a tensor with rows of `width`, of which they start at `shift`.
__aicore__ inline void Load(const LocalTensor<T>& to, const GlobalTensor<T>& from, const Tile& tile,
                            uint64_t width, uint64_t shift) const
{
    const Bursts bursts = Cut(tile, width);
    const uint64_t first = tile.row * width + shift + tile.column;
    DataCopyParams copy;
    if (Even(bursts, copy, true)) {
        DataCopy(to, from[first], copy);
        return;
    }
    const uint64_t all = tiling_.rows * width;
    const uint32_t whole = bursts.columns / BLOCK * BLOCK;
    for (uint32_t row = 0; row < bursts.count; ++row) {
        const uint64_t start = first + row * bursts.width;
        const LocalTensor<T> line = to[row * bursts.pitch];
        if (!ORDERED && whole > 0) {
            DataCopy(line, from[start], whole);
            DataCopy(line[whole], from[start + bursts.columns - BLOCK], BLOCK);
        } else if (start + whole + BLOCK <= all) {
            DataCopy(line, from[start], whole + BLOCK);
        } else {
            LoadEnd(line, from[start], bursts.columns);
        }
    }
}

// The last elements of a tensor: nothing behind them may be read, so that zeros fill the block.
template <typename U>
__aicore__ inline static void LoadEnd(const LocalTensor<U>& to, const GlobalTensor<U>& from, uint32_t columns)
{
    constexpr uint32_t BLOCK = BLOCK_BYTES / sizeof(U);
    const uint32_t whole = columns / BLOCK * BLOCK;
    if (whole > 0) {
        DataCopy(to, from, whole);
    }
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = whole; i < whole + BLOCK; ++i) {
        to.SetValue(i, i < columns ? from.GetValue(i) : static_cast<U>(0));
    }
    PipeBarrier<PIPE_ALL>();
}

// The same as Load, the other way; what lies in UB is used up.
__aicore__ inline void Store(GlobalTensor<T>& to, const LocalTensor<T>& from, const Tile& tile, uint64_t width,
                             uint64_t shift) const
{
    const Bursts bursts = Cut(tile, width);
    const uint64_t first = tile.row * width + shift + tile.column;
    DataCopyParams copy;
    if (Even(bursts, copy, false)) {
        DataCopy(to[first], from, copy);
        return;
    }
    if (bursts.columns < BLOCK) {
        StoreElements(to, from, first, bursts);
        return;
    }
    const uint32_t whole = bursts.columns / BLOCK * BLOCK;
    if (ORDERED) {
        MoveEnd(from, bursts.columns);  // of the one row that there is
    }
    for (uint32_t row = 0; row < bursts.count; ++row) {
        DataCopy(to[first + row * bursts.width], from[row * bursts.pitch], whole);
    }
    PipeBarrier<PIPE_MTE3>();  // some elements come twice
    const uint64_t last = first + bursts.columns - BLOCK;
    for (uint32_t row = 0; row < bursts.count; ++row) {
        DataCopy(to[last + row * bursts.width], from[row * bursts.pitch + whole], BLOCK);
    }
}

// The last elements of a row, as many as a block has, go to the block behind the whole ones.
__aicore__ inline static void MoveEnd(const LocalTensor<T>& line, uint32_t columns)
{
    PipeBarrier<PIPE_ALL>();
    const uint32_t shift = BLOCK - columns % BLOCK;
    for (uint32_t i = columns; i > columns - BLOCK; --i) {
        line.SetValue(i - 1 + shift, line.GetValue(i - 1));
    }
    PipeBarrier<PIPE_ALL>();
}

// Rows of less than one block. No other core writes to the lines of GM that the data cache holds for this.
__aicore__ inline static void StoreElements(GlobalTensor<T>& to, const LocalTensor<T>& from, uint64_t first,
                                            const Bursts& bursts)
{
    PipeBarrier<PIPE_ALL>();
    for (uint32_t row = 0; row < bursts.count; ++row) {
        for (uint32_t i = 0; i < bursts.columns; ++i) {
            to.SetValue(first + row * bursts.width + i, from.GetValue(row * bursts.pitch + i));
        }
    }
    @flush@
    PipeBarrier<PIPE_ALL>();
}
