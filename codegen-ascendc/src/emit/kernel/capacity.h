// Elements of the largest tile, in whole repeats.
__aicore__ inline uint32_t Capacity() const
{
    constexpr uint32_t STEP = REPEAT_BYTES / sizeof(T);
    const uint32_t rows = tiling_.tileRows * tiling_.pitch;
    const uint32_t most = small || rows > tiling_.tileColumns ? rows : tiling_.tileColumns;
    return (most + STEP - 1) / STEP * STEP;
}
