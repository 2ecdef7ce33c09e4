// The same behind truth values, a byte each, up to where numbers of type T have a whole repeat.
template <typename T>
__aicore__ inline void CompleteTruths(const LocalTensor<uint8_t>& truths, uint32_t count)
{
    constexpr uint32_t BLOCK = 32;
    const uint32_t from = (count + BLOCK - 1) / BLOCK * BLOCK;
    const uint32_t to = WholeRepeats<T>(count);
    if (from < to) {
        Duplicate(truths[from].ReinterpretCast<half>(), static_cast<half>(0.0f), (to - from) / 2);
    }
}
