// Sums over the elements that share an element of a broadcast input.
//
// The domain is rows x kept x inner elements. An input has all of them, one for each of `kept`, or one for all. Where
// `inner` is 1, the elements of `kept` are columns of one group; else each is a group of `inner` columns. Work is
// counted in pieces of a group's columns and chunks of its rows. A core adds the rows of its units in UB, and partial
// sums meet in the workspace.
//
// Copies of short rows that do not end on a block read their ends twice. Such rows are taken several at a time, and short
// groups side by side: an element of the input then has several columns, whose sums are added at the end of a unit.

// How an input lies in the domain.
@modes@

// Most numbers of chunks that are tried, and rows that are worth a chunk: its partial sums are written and read again.
constexpr uint64_t MOST_CHUNKS = 64;
constexpr uint64_t LEAST_CHUNK = 16;
// Bytes from which the ends of a row are few beside the rest of it.
constexpr uint64_t LONG_ROW = 1024;
// Longest gap between the rows of a copy, in bytes.
constexpr uint64_t MAX_GAP = UINT32_MAX;
// Most dimensions of a tensor.
constexpr size_t RANKS = 8;

// The shape of an input, or of one of its parts; aligned with the domain at the innermost dimension.
struct Shape {
    const uint64_t* dims;
    size_t rank;
    bool gated;
};

struct SumExtent {
    uint64_t rows;
    uint64_t kept;
    uint64_t inner;
    bool keeps;  // some input has one element for each of `kept`
    bool one;    // some input has one element for all
    // Elements between rows, between groups and between parts of a gated tensor.
    uint64_t gatedRow;
    uint64_t gatedGroup;
    uint64_t gatedPart;
};

// How an input lies in the domain: `kept[i]` says for each dimension whether the input has it.
inline uint32_t ModeOf(const uint64_t* dims, size_t rank, const Shape& shape, bool* kept)
{
    bool all = true;
    bool none = true;
    for (size_t i = 0; i < rank; ++i) {
        const uint64_t own = i + shape.rank < rank ? 1 : shape.dims[i + shape.rank - rank];
        kept[i] = own == dims[i];
        all = all && kept[i];
        none = none && (dims[i] == 1 || !kept[i]);
    }
    return all ? WHOLE : none ? ONE : KEPT;
}

// Finds how inputs lie in a domain, the first `outer` dimensions of which lie outside the parts of gated tensors.
// Returns the input that does not go with the others, `count` if there is none.
inline size_t CollapseSums(const uint64_t* dims, size_t rank, size_t outer, const Shape* inputs, size_t count,
                           uint32_t* modes, SumExtent& extent)
{
    bool kept[RANKS] = {};
    size_t first = rank;
    size_t end = rank;
    bool gated = false;
    size_t refused = count;
    extent = SumExtent{1, 1, 1, false, false, 0, 0, 0};
    for (size_t k = 0; k < count; ++k) {
        modes[k] = ModeOf(dims, rank, inputs[k], kept);
        extent.one = extent.one || modes[k] == ONE;
        if (modes[k] != KEPT) {
            continue;
        }
        // Dimensions of one element belong to either side.
        size_t from = rank;
        size_t to = 0;
        for (size_t i = 0; i < rank; ++i) {
            from = kept[i] && dims[i] != 1 ? std::min(from, i) : from;
            to = kept[i] && dims[i] != 1 ? i + 1 : to;
        }
        bool together = !extent.keeps || (from == first && to == end);
        for (size_t i = from; i < to; ++i) {
            together = together && kept[i];
        }
        if (!together) {
            refused = std::min(refused, k);
            continue;
        }
        extent.keeps = true;
        gated = gated || inputs[k].gated;
        first = from;
        end = to;
    }
    if (refused != count) {
        return refused;
    }
    first = extent.keeps ? first : outer;
    end = extent.keeps ? end : outer;
    uint64_t before = 1;
    for (size_t i = 0; i < rank; ++i) {
        (i < first ? extent.rows : i < end ? extent.kept : extent.inner) *= dims[i];
        before *= i < outer ? dims[i] : 1;
    }
    const uint64_t group = extent.kept * extent.inner;
    if (before == extent.rows) {
        extent.gatedRow = 2 * group;
        extent.gatedGroup = extent.inner;
        extent.gatedPart = group;
    } else if (before == 1) {
        extent.gatedRow = group;
        extent.gatedGroup = extent.inner;
        extent.gatedPart = extent.rows * group;
    } else if (before == extent.rows * extent.kept && extent.inner > 1 && !gated) {
        extent.gatedRow = 2 * group;
        extent.gatedGroup = 2 * extent.inner;
        extent.gatedPart = extent.inner;
    } else {
        return std::find_if(inputs, inputs + count, [](const Shape& input) { return input.gated; }) - inputs;
    }
    return count;
}

// Units of the busiest core, of as many as a mean core has 1000 of.
inline uint64_t BusiestOf(uint64_t units, uint64_t cores)
{
    return CeilDiv(units, cores) * cores * 1000 / units;
}

// How columns are taken, where an element of an input that is broadcast has several.
struct Columns {
    uint64_t count;  // in a row
    uint64_t times;  // of one element
    uint64_t grain;  // in a piece, or a multiple
    bool rows;       // a row has the columns of several rows one after the other, else each element's side by side
};

// Finds how columns are taken: one by one unless rows are short.
inline Columns ColumnsOf(const SumExtent& extent, uint64_t size, uint64_t most)
{
    const uint64_t unit = UNIT / size;
    const uint64_t group = extent.kept * extent.inner;
    const uint64_t row = extent.inner * size;
    const uint64_t aligned = AlignedRows(row) * extent.inner;
    const uint64_t step = aligned <= most ? aligned : extent.inner;
    const uint64_t grain = CeilDiv(unit, step) * step;
    if (extent.keeps && extent.inner > 1 && row < LONG_ROW && extent.gatedGroup == extent.inner && grain <= most) {
        return Columns{group, extent.inner, grain, false};
    }
    const uint64_t rows = AlignedRows(group * size);
    if (extent.keeps && extent.inner == 1 && rows > 1 && group * size < LONG_ROW && extent.rows >= 2 * rows &&
        extent.gatedRow == group && rows * group <= most) {
        return Columns{rows * group, rows, rows * group, true};
    }
    return Columns{extent.keeps && extent.inner == 1 ? group : extent.inner, 1, unit, false};
}

// Plans a call with sums. False if UB cannot hold one block of every stream.
inline bool TileSums(const SumExtent& extent, const Need& need, const Machine& machine, TilingData& data)
{
    data = TilingData{};
    const uint64_t size = need.size;
    const uint64_t dense = Capacity(need.dense, machine.ub, size);
    if (dense == 0) {
        return false;
    }
    if (extent.rows * extent.kept * extent.inner == 0 || machine.cores == 0) {
        return true;
    }
    const uint64_t unit = UNIT / size;
    const uint64_t block = BLOCK / size;
    const Columns taken = ColumnsOf(extent, size, dense);
    const bool vector = taken.times > 1 || (extent.keeps && extent.inner == 1);
    const uint64_t groups = vector ? 1 : extent.kept;
    const uint64_t columns = taken.count;
    const uint64_t joined = taken.rows ? taken.times : 1;  // rows in one
    const uint64_t grain = taken.grain;
    // Where columns have sums of their own, tiles of several rows have fewer of them.
    const uint64_t rows = vector ? std::max<uint64_t>(dense / (4 * unit), 1) : 1;
    uint64_t width = dense / rows >= grain ? dense / rows / grain * grain : dense >= grain ? grain : dense;
    width = std::min(width, CeilDiv(columns, block) * block);
    const uint64_t most = std::min(std::max<uint64_t>(extent.rows / std::max(LEAST_CHUNK, joined), 1), MOST_CHUNKS);
    while (width > grain && groups * CeilDiv(columns, width) * most < machine.cores) {
        width = CeilDiv(width / 2, grain) * grain;
    }
    if (groups == 1 && most == 1 && columns > width) {
        // As many pieces for every core.
        const uint64_t even = CeilDiv(CeilDiv(columns, width), machine.cores) * machine.cores;
        width = std::min(width, CeilDiv(CeilDiv(columns, even), grain) * grain);
    }
    const uint64_t pieces = CeilDiv(columns, width);
    uint64_t chunks = 1;
    for (uint64_t more = 2; more <= most && BusiestOf(groups * pieces * chunks, machine.cores) > 1050; ++more) {
        const uint64_t busiest = BusiestOf(groups * pieces * more, machine.cores);
        chunks = busiest < BusiestOf(groups * pieces * chunks, machine.cores) ? more : chunks;
    }
    const uint64_t units = groups * pieces * chunks;
    const uint64_t cores = std::min(units, machine.cores);
    const uint64_t pitch = CeilDiv(std::min(width, columns), block) * block;
    data.rows = extent.rows / joined;
    data.columns = columns;
    data.pieces = pieces;
    data.share = units / cores;
    data.unitRows = 1;
    data.tileColumns = Narrow(width);
    data.pitch = Narrow(pitch);
    data.cores = Narrow(cores);
    data.big = Narrow(units % cores);
    data.chunks = chunks;
    data.wholeRow = joined * extent.kept * extent.inner;
    data.wholeGroup = vector ? 0 : extent.inner;
    data.gatedRow = joined * extent.gatedRow;
    data.gatedGroup = vector ? 0 : extent.gatedGroup;
    data.gatedPart = extent.gatedPart;
    data.tileRows = Narrow(2 * data.wholeRow * size > MAX_GAP ? 1 : std::min({dense / pitch, data.rows, MAX_BLOCK_COUNT}));
    data.kept = extent.kept;
    data.vector = vector ? 1 : 0;
    data.times = Narrow(taken.times);
    data.joined = Narrow(joined);
    data.rest = Narrow(extent.rows % joined * extent.kept * extent.inner);
    data.slots = !extent.keeps || (vector && chunks == 1) ? 0 : chunks * (vector ? 1 : pieces);
    data.plane = std::max(data.slots * extent.kept, cores);
    data.meets = data.slots != 0 || extent.one ? 1 : 0;
    data.finalColumns = Narrow(std::min(CeilDiv(CeilDiv(extent.kept, cores), unit) * unit, dense));
    return true;
}

// Bytes of workspace for partial sums.
inline uint64_t WorkspaceOf(const TilingData& data, uint64_t sums)
{
    return data.meets == 0 ? 0 : 2 * sums * data.plane * sizeof(float);
}
