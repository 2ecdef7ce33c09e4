__aicore__ inline void Process()
{
    const uint64_t core = static_cast<uint64_t>(GetBlockIdx());
    const uint64_t end = (core + 1) * tiling_.share + Longer(core + 1);
    RowTile tile{};
    tile.row = core * tiling_.share + Longer(core);
    if (tiling_.path == CHUNKS) {
        for (; tile.row < end; ++tile.row) {
            WalkFrom<0>(tile);
        }
        return;
    }
    tile.columns = static_cast<uint32_t>(tiling_.columns);
    tile.pitch = tiling_.pitch;
    for (; tile.row < end; tile.row += tile.rows) {
        const uint64_t left = end - tile.row;
        tile.rows = left < tiling_.tileRows ? static_cast<uint32_t>(left) : tiling_.tileRows;
        tile.count = tile.rows * tile.pitch;
        CopyIn(tile);
        Calculate(tile);
        CopyOut(tile);
    }
}
