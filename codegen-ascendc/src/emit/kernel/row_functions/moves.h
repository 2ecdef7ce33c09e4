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
        @integers@
        const uint32_t skip = Skipped<T>(tile, together, bytes);
        @end@
        @load@
    }
}

@integers@
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
@else@
// The same, the other way.
__aicore__ inline void Store(const GlobalTensor<T>& to, const LocalTensor<T>& from, const RowTile& tile, bool gated,
                             uint32_t part) const
@end@
{
    const uint32_t together = Together(tile, gated);
    for (uint32_t row = 0; row < tile.rows; row += together) {
        @integers@
        const GlobalTensor<U> rows = to[FirstOf(tile.row + row, gated, part) + tile.first];
        const uint32_t bytes = tile.columns * sizeof(U);
        @else@
        const GlobalTensor<T> rows = to[FirstOf(tile.row + row, gated, part) + tile.first];
        const uint32_t bytes = tile.columns * sizeof(T);
        @end@
        const uint32_t gap = gated && together > 1 ? bytes : 0;
        @integers@
        const uint32_t skip = Skipped<U>(tile, together, bytes);
        @end@
        @store@
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
