// Elements of the largest tile, or of a piece of the sums behind the barrier, in whole repeats.
__aicore__ inline uint32_t Capacity() const
{
    constexpr uint32_t STEP = REPEAT_BYTES / sizeof(T);
    const uint32_t rows = tiling_.tileRows * tiling_.pitch;
    const uint32_t tile = rows > tiling_.tileColumns ? rows : tiling_.tileColumns;
    const uint32_t most = tile > tiling_.finalColumns ? tile : tiling_.finalColumns;
    return (most + STEP - 1) / STEP * STEP;
}
