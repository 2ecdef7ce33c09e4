// The truth values of a tile. Tiles of several rows have no gaps between them.
__aicore__ inline void LoadTruths(const LocalTensor<uint8_t>& to, const GlobalTensor<uint8_t>& from,
                                  const Tile& tile) const
{
    constexpr uint32_t PER_BYTE = @per@;
    const uint64_t first = (tile.row * tiling_.columns + tile.column) / PER_BYTE;
    const uint32_t bytes = (tile.rows * tile.columns + PER_BYTE - 1) / PER_BYTE;
@copy@}
