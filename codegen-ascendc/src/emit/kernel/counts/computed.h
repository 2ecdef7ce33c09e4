// Rows of the matrix that are computed. The counts before the one that reaches all rows are read, and a negative one is
// none, so that their sum cannot overflow.
__aicore__ inline uint64_t ComputedRows() const
{
    if (tiling_.counts == 0) {
        return tiling_.rows;
    }
    const uint64_t all = tiling_.rows / tiling_.rowsOfCount;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < tiling_.counts && sum < all; ++i) {
        const int64_t count = @counts@Gm_.GetValue(i);
        sum += count > 0 ? static_cast<uint64_t>(count) : 0;
    }
    return sum < all ? sum * tiling_.rowsOfCount : tiling_.rows;
}
