// The bits of a repeat, in a block of their own, as Select takes them here.
__aicore__ inline LocalTensor<uint8_t> MaskOf(const LocalTensor<uint8_t>& mask, uint32_t at)
{
    constexpr uint32_t BLOCK = 32;
    return mask[at / FLOATS * BLOCK];
}

// Compare, repeat by repeat. A step of 0 stands for one repeat of equal numbers.
__aicore__ inline void CompareRepeats(const LocalTensor<uint8_t>& mask, const LocalTensor<float>& a, uint32_t aStep,
                                      const LocalTensor<float>& b, uint32_t bStep, CMPMODE mode, uint32_t count)
{
    for (uint32_t at = 0; at < count; at += FLOATS) {
        Compare(MaskOf(mask, at), a[at * aStep], b[at * bStep], mode, FLOATS);
    }
}

// Select, repeat by repeat: `a` where the bit is set, else `b`.
__aicore__ inline void SelectRepeats(const LocalTensor<float>& dst, const LocalTensor<uint8_t>& mask,
                                     const LocalTensor<float>& a, uint32_t aStep, const LocalTensor<float>& b,
                                     uint32_t bStep, uint32_t count)
{
    for (uint32_t at = 0; at < count; at += FLOATS) {
        Select(dst[at], MaskOf(mask, at), a[at * aStep], b[at * bStep], SELMODE::VSEL_CMPMASK_SPR, FLOATS);
    }
}
