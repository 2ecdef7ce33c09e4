__aicore__ inline void Process()
{
    const uint64_t core = static_cast<uint64_t>(GetBlockIdx());
    @perrow@
    const uint64_t last = ((core + 1) * tiling_.share + Longer(core + 1)) * tiling_.unitRows;
    const uint64_t end = last < tiling_.rows ? last : tiling_.rows;
    @else@
    const uint64_t end = (core + 1) * tiling_.share + Longer(core + 1);
    @end@
    RowTile tile{};
    @perrow@
    tile.row = (core * tiling_.share + Longer(core)) * tiling_.unitRows;
    @else@
    tile.row = core * tiling_.share + Longer(core);
    @end@
    if (tiling_.path == CHUNKS) {
        @perrow@
        tile.rows = 1;
        @end@
        for (; tile.row < end; ++tile.row) {
            @given@
            ReadNumbers(tile);
            @end@
            @begins@
            formula_.BeginRow();
            @end@
            WalkFrom<0>(tile);
            @returned@
            WriteNumbers(tile);
            @end@
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
        @given@
        ReadNumbers(tile);
        @end@
        Calculate(tile);
        @returned@
        WriteNumbers(tile);
        @end@
        @elements@
        CopyOut(copied);
        @end@
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
