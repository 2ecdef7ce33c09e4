// How a tile lies in a tensor whose rows start `width` elements apart.
struct Bursts {
    uint16_t count;
    uint32_t bytes;
    uint32_t gap;
};

// Rows without gaps, in GM and in UB, are one burst. Else the gap fits 32 bits: it is as long as a
// row, of which several fit UB.
__aicore__ inline static Bursts Cut(const Tile& tile, uint64_t width)
{
    const bool even = tile.columns * sizeof(T) % BLOCK_BYTES == 0;
    if (tile.rows == 1 || small || (tile.columns == width && even)) {
        const uint64_t columns = small ? width : tile.columns;
        return {1, static_cast<uint32_t>(tile.rows * columns * sizeof(T)), 0};
    }
    return {static_cast<uint16_t>(tile.rows), static_cast<uint32_t>(tile.columns * sizeof(T)),
            static_cast<uint32_t>((width - tile.columns) * sizeof(T))};
}

// The elements of a tile from a tensor with rows of `width`, of which they start at `shift`.
__aicore__ inline static void Load(const LocalTensor<T>& to, const GlobalTensor<T>& from, const Tile& tile,
                                   uint64_t width, uint64_t shift)
{
    const Bursts bursts = Cut(tile, width);
    const DataCopyExtParams copy{bursts.count, bursts.bytes, bursts.gap, 0, 0};
    DataCopyPad(to, from[tile.row * width + shift + tile.column], copy, DataCopyPadExtParams<T>());
}

// The same, the other way.
__aicore__ inline static void Store(const GlobalTensor<T>& to, const LocalTensor<T>& from, const Tile& tile,
                                    uint64_t width, uint64_t shift)
{
    const Bursts bursts = Cut(tile, width);
    const DataCopyExtParams copy{bursts.count, bursts.bytes, 0, bursts.gap, 0};
    DataCopyPad(to[tile.row * width + shift + tile.column], from, copy);
}
