@elements@
// Walks along a row that does not fit UB, from walk number `walk` on; the last one computes the results.
@else@
// Walks along a row that does not fit UB, from walk number `walk` on.
@end@
template <uint32_t walk>
__aicore__ inline void WalkFrom(RowTile tile)
{
    constexpr uint32_t BLOCK = BLOCK_BYTES / sizeof(T);
    @elements@
    constexpr bool isLast = walk == Formula::WALKS;
    @else@
    constexpr bool isLast = walk + 1 == Formula::WALKS;
    @end@
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
            @elements@
            CopyOut(tile);
            @end@
            ReleaseBehind(tile);
        }
        ++tile.chunk;
    }
    @elements@
    if constexpr (!isLast) {
        formula_.template EndWalk<walk>(tile.chunk, static_cast<float>(tiling_.columns));
        WalkFrom<walk + 1>(tile);
    }
    @else@
    formula_.template EndWalk<walk>(tile.chunk, static_cast<float>(tiling_.columns));
    if constexpr (!isLast) {
        WalkFrom<walk + 1>(tile);
    }
    @end@
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
    @stream@
}
