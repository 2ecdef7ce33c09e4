// Clears elements from one to another. Calls begin at blocks: the rest of the first one is cleared by a mask.
__aicore__ inline static void ClearElements(const LocalTensor<T>& of, uint32_t first, uint32_t end)
{
    constexpr uint32_t PER_BLOCK = BLOCK_BYTES / sizeof(T);
    const uint32_t before = first % PER_BLOCK;
    if (before > 0) {
        uint64_t mask[2] = {(1ULL << PER_BLOCK) - (1ULL << before), 0};
        Duplicate(of[first - before], static_cast<T>(0.0f), mask, 1, 1, 8);
        first += PER_BLOCK - before;
    }
    if (first < end) {
        Duplicate(of[first], static_cast<T>(0.0f), static_cast<int32_t>(end - first));
    }
}
