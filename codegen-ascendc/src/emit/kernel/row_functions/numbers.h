@given@
// Numbers of the rows of a tile, one of each, to a buffer of `float`.
template <typename U>
__aicore__ inline void LoadNumbers(const LocalTensor<float>& to, const GlobalTensor<U>& from, const RowTile& tile) const
{
    @load@
}

@end@
@returned@
// Numbers of the rows of a tile, one of each, from a buffer of `float`.
template <typename U>
__aicore__ inline void StoreNumbers(GlobalTensor<U>& to, const LocalTensor<float>& from, const RowTile& tile) const
{
    @store@
}

@end@
