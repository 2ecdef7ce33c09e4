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
constexpr uint32_t LEVELS = @levels@;

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
        @max@(to, x, @maskFirst@, 1, blocks, 8 * blocks);
    } else {
        @sum@(to, x, @maskFirst@, 1, blocks, 8 * blocks);
    }
}

// Folds halves of each row onto each other down to a block, so that sums are pairwise. Returns the elements that are left.
template <bool MAX>
__aicore__ inline uint32_t FoldToBlock(const LocalTensor<float>& x, const RowTile& tile)
{
    uint32_t count = tile.columns;
    while (count > ROW_BLOCK) {
        const uint32_t kept = (count + 2 * ROW_BLOCK - 1) / (2 * ROW_BLOCK) * ROW_BLOCK;
        @barrier@
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
        @barrier@
        if constexpr (MAX) {
            Max(x, x, x[kept * tile.pitch], more);
        } else {
            Add(x, x, x[kept * tile.pitch], more);
        }
        count = kept;
    }
    @barrier@
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
    @barrier@
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
    @barrier@
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
    @barrier@
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
    @barrier@
    ReduceBlocks<MAX>(to, partial[first * ROW_BLOCK], UINT8_MAX, 1, 1);
}

// Divides the sums of rows by the length of a row; `by` has room for as many numbers.
__aicore__ inline void DivideByLength(const LocalTensor<float>& sums, const LocalTensor<float>& by, float length,
                                      uint32_t rows)
{
    @barrier@
    Duplicate(by, length, static_cast<int32_t>(rows));
    @barrier@
    Div(sums, sums, by, static_cast<int32_t>(rows));
}

// Repeats one number of each row in all lines of turned rows.
__aicore__ inline void RepeatLine(const LocalTensor<float>& to, const LocalTensor<float>& values, const RowTile& tile)
{
    @barrier@
    DataCopy(to, values, tile.pitch);
    for (uint32_t lines = 1; lines < tile.columns; lines *= 2) {
        @barrier@
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
    @barrier@
    for (uint32_t row = 0; row < tile.rows; row += 8 * MOST_REPEATS) {
        const uint32_t repeats = Least((tile.rows - row + 7) / 8, MOST_REPEATS);
        Brcb(blocks[row * ROW_BLOCK], values[row], static_cast<uint8_t>(repeats), BrcbRepeatParams(1, 8));
    }
    @barrier@
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
