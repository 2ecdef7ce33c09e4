// Rows are parted without a gather: 16 lanes of whole rows, which begin at blocks, are turned into blocks of one word
// of every lane, a word being 16 bits of any element; blocks lie wherever their part is, and are turned back there.
static constexpr uint32_t LANES = 16;

// What is turned together: 16 blocks, and how many blocks further on the next ones lie.
struct Lanes {
    uint64_t at[LANES];
    uint32_t next;
};

__aicore__ inline static uint64_t AddressOf(const LocalTensor<T>& tensor)
{
    return reinterpret_cast<uint64_t>(tensor.GetPhyAddr());
}

__aicore__ inline static void Set(Lanes& lanes, const LocalTensor<T>& first, uint32_t blocks, uint32_t next)
{
    for (uint32_t i = 0; i < LANES; ++i) {
        lanes.at[i] = AddressOf(first) + i * blocks * BLOCK_BYTES;
    }
    lanes.next = next;
}

__aicore__ inline static void Advance(Lanes& lanes, uint32_t times)
{
    for (uint32_t i = 0; i < LANES; ++i) {
        lanes.at[i] += times * lanes.next * BLOCK_BYTES;
    }
}

// Turns 16 blocks of 16 words, so many times.
__aicore__ inline static void TurnBlocks(Lanes& to, Lanes& from, uint32_t count)
{
    constexpr uint32_t MOST = 255;  // repeats of one call
    for (uint32_t left = count; left > 0;) {
        const uint32_t repeats = left < MOST ? left : MOST;
        const bool steps = repeats > 1;  // a single repeat takes its step before it starts
        TransDataTo5HD<uint16_t>(to.at, from.at,
                                 TransDataTo5HDParams(false, false, static_cast<uint8_t>(repeats),
                                                      static_cast<uint16_t>(steps ? to.next : 0),
                                                      static_cast<uint16_t>(steps ? from.next : 0)));
        Advance(to, repeats);
        Advance(from, repeats);
        left -= repeats;
    }
}

// Words of a part's row.
__aicore__ inline uint32_t Words() const
{
    return static_cast<uint32_t>(tiling_.columns * (sizeof(T) / sizeof(uint16_t)));
}

// The fewest rows that a lane can have: those after which a part ends where a block does.
__aicore__ inline uint32_t LeastRows() const
{
    uint32_t rows = 1;
    while (rows * Words() % LANES != 0) {
        rows *= 2;
    }
    return rows;
}

// Rows of every lane. The last ones of a tile may be empty.
__aicore__ inline uint32_t RowsOfLane(const Tile& tile) const
{
    const uint32_t least = LeastRows();
    return (tile.rows + LANES * least - 1) / (LANES * least) * least;
}

// Between rows of both parts and their words, of which those of the second part begin `capacity_` elements further on.
// As many calls as it takes until the same words of rows come again.
__aicore__ inline void TurnRows(const LocalTensor<T>& rows, const LocalTensor<T>& turned, uint32_t laneRows, bool apart)
{
    const uint32_t words = Words();
    uint32_t common = 1;
    while (common < 8 && words % (2 * common) == 0) {
        common *= 2;
    }
    const uint32_t calls = words / common;
    const uint32_t repeats = laneRows * common / 8;
    const uint64_t parts[] = {AddressOf(turned), AddressOf(turned[capacity_])};
    uint32_t part = 0;
    uint32_t row = 0;
    uint32_t word = 0;
    Lanes lanes;
    Lanes blocks;
    for (uint32_t call = 0; call < calls; ++call) {
        Set(lanes, rows[call * BLOCK], laneRows * words * 2 / LANES, calls);
        for (uint32_t i = 0; i < LANES; ++i) {
            blocks.at[i] = parts[part] + (row * words + word) * BLOCK_BYTES;
            if (++word == words) {
                word = 0;
                row += part;
                part = 1 - part;
            }
        }
        blocks.next = 8 * calls;
        if (apart) {
            TurnBlocks(blocks, lanes, repeats);
        } else {
            TurnBlocks(lanes, blocks, repeats);
        }
    }
}

// Between a part and its words.
__aicore__ inline void TurnPart(const LocalTensor<T>& part, const LocalTensor<T>& turned, uint32_t laneRows,
                                bool apart) const
{
    const uint32_t count = laneRows * Words() / LANES;
    Lanes lanes;
    Lanes blocks;
    Set(lanes, part, count, 1);
    Set(blocks, turned, 1, LANES);
    if (apart) {
        TurnBlocks(lanes, blocks, count);
    } else {
        TurnBlocks(blocks, lanes, count);
    }
}

__aicore__ inline void TurnApart(const LocalTensor<T>& parts, const LocalTensor<T>& rows, const Tile& tile)
{
    const LocalTensor<T> turned = turned_.template Get<T>();
    const uint32_t laneRows = RowsOfLane(tile);
    const uint32_t all = 2 * LANES * laneRows * static_cast<uint32_t>(tiling_.columns);
    const uint32_t loaded = (2 * tile.count + BLOCK - 1) / BLOCK * BLOCK;
    if (loaded < all) {
        Duplicate(rows[loaded], static_cast<T>(0.0f), all - loaded);
        PipeBarrier<PIPE_V>();
    }
    TurnRows(rows, turned, laneRows, true);
    PipeBarrier<PIPE_V>();
    TurnPart(parts, turned, laneRows, true);
    TurnPart(parts[capacity_], turned[capacity_], laneRows, true);
    PipeBarrier<PIPE_V>();
}

__aicore__ inline void TurnTogether(const LocalTensor<T>& rows, const LocalTensor<T>& parts, const Tile& tile)
{
    const LocalTensor<T> turned = turned_.template Get<T>();
    const uint32_t laneRows = RowsOfLane(tile);
    PipeBarrier<PIPE_V>();
    TurnPart(parts, turned, laneRows, false);
    TurnPart(parts[capacity_], turned[capacity_], laneRows, false);
    PipeBarrier<PIPE_V>();
    TurnRows(rows, turned, laneRows, false);
    PipeBarrier<PIPE_V>();
}

