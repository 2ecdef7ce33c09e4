// Results of a tile beyond the rows that are computed.
__aicore__ inline void Clear()
{
    LocalTensor<T> out = outQue_.AllocTensor<T>();
    Duplicate(out, static_cast<T>(0.0f), static_cast<int32_t>(OUTPUTS * capacity_));
    outQue_.EnQue(out);
}
