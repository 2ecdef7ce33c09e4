// Elements in whole repeats, as comparisons take them.
template <typename T>
__aicore__ inline uint32_t WholeRepeats(uint32_t count)
{
    constexpr uint32_t REPEAT = REPEAT_BYTES / sizeof(T);
    return (count + REPEAT - 1) / REPEAT * REPEAT;
}

// Zeros behind the last block that came in, up to a whole repeat.
template <typename T>
__aicore__ inline void Complete(const LocalTensor<T>& data, uint32_t count)
{
    constexpr uint32_t BLOCK = 32 / sizeof(T);
    const uint32_t from = (count + BLOCK - 1) / BLOCK * BLOCK;
    const uint32_t to = WholeRepeats<T>(count);
    if (from < to) {
        Duplicate(data[from], static_cast<T>(0.0f), to - from);
    }
}
