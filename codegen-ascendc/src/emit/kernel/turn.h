// Rows are parted without a gather. 16 lanes, of whole rows and each from a block on, are turned: then every block has
// one word of all lanes, a word being 16 bits of any element, so that the words of a part are whole blocks. These are
// copied to the words of their part, which are turned back.
static constexpr uint32_t LANES = 16;

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

// Rows of every lane. The last lanes of a tile may be empty.
__aicore__ inline uint32_t RowsOfLane(const Tile& tile) const
{
    const uint32_t least = LeastRows();
    return (tile.rows + LANES * least - 1) / (LANES * least) * least;
}

// Turns lanes of so many blocks to words, or words to lanes. The call takes addresses, which no compiler follows:
// barriers stand around it whoever orders other calls.
__aicore__ inline static void Turn(const LocalTensor<T>& to, const LocalTensor<T>& from, uint32_t blocks, bool toWords)
{
    constexpr uint32_t MOST = 255;  // repeats of one call
    const uint32_t toStep = toWords ? LANES : 1;
    const uint32_t fromStep = toWords ? 1 : LANES;
    for (uint32_t done = 0; done < blocks; done += MOST) {
        const uint32_t repeats = blocks - done < MOST ? blocks - done : MOST;
        uint64_t toAt[LANES];
        uint64_t fromAt[LANES];
        for (uint32_t i = 0; i < LANES; ++i) {
            const uint32_t lane = done + i * blocks;
            const uint32_t word = done * LANES + i;
            toAt[i] = reinterpret_cast<uint64_t>(to[(toWords ? word : lane) * BLOCK].GetPhyAddr());
            fromAt[i] = reinterpret_cast<uint64_t>(from[(toWords ? lane : word) * BLOCK].GetPhyAddr());
        }
        TransDataTo5HDParams params;
        params.repeatTimes = static_cast<uint8_t>(repeats);
        params.dstRepStride = static_cast<uint16_t>(repeats > 1 ? toStep : 0);  // a single repeat would start a step
        params.srcRepStride = static_cast<uint16_t>(repeats > 1 ? fromStep : 0);  // further on
        TransDataTo5HD<uint16_t>(toAt, fromAt, params);
    }
}

__aicore__ inline void TurnApart(const LocalTensor<T>& parts, const LocalTensor<T>& rows, const Tile& tile)
{
    const LocalTensor<T> turned = turned_.template Get<T>();
    const uint32_t laneRows = RowsOfLane(tile);
    const uint32_t words = Words();
    const uint32_t blocks = laneRows * words / LANES;
    const uint32_t all = 2 * blocks * LANES * BLOCK;
    const uint32_t loaded = (2 * tile.count + BLOCK - 1) / BLOCK * BLOCK;
    if (loaded < all) {
        Duplicate(rows[loaded], static_cast<T>(0.0f), all - loaded);
    }
    PipeBarrier<PIPE_V>();
    Turn(parts, rows, 2 * blocks, true);
    PipeBarrier<PIPE_V>();
    DataCopyParams copy;
    copy.blockCount = static_cast<uint16_t>(laneRows);
    copy.blockLen = static_cast<uint16_t>(words);
    copy.srcStride = static_cast<uint16_t>(words);
    DataCopy(turned, parts, copy);
    DataCopy(turned[capacity_], parts[words * BLOCK], copy);
    PipeBarrier<PIPE_V>();
    Turn(parts, turned, blocks, false);
    Turn(parts[capacity_], turned[capacity_], blocks, false);
    PipeBarrier<PIPE_V>();
}

__aicore__ inline void TurnTogether(const LocalTensor<T>& rows, const LocalTensor<T>& parts, const Tile& tile)
{
    const LocalTensor<T> turned = turned_.template Get<T>();
    const uint32_t laneRows = RowsOfLane(tile);
    const uint32_t words = Words();
    const uint32_t blocks = laneRows * words / LANES;
    PipeBarrier<PIPE_V>();
    Turn(turned, parts, blocks, true);
    Turn(turned[capacity_], parts[capacity_], blocks, true);
    PipeBarrier<PIPE_V>();
    DataCopyParams copy;
    copy.blockCount = static_cast<uint16_t>(laneRows);
    copy.blockLen = static_cast<uint16_t>(words);
    copy.dstStride = static_cast<uint16_t>(words);
    DataCopy(parts, turned, copy);
    DataCopy(parts[words * BLOCK], turned[capacity_], copy);
    PipeBarrier<PIPE_V>();
    Turn(rows, parts, 2 * blocks, false);
    PipeBarrier<PIPE_V>();
}

