// Shape metadata -> which core and tile owns which elements. Pure 64-bit integer maths.
//
// A part of a gated tensor is a matrix of rows x columns: whatever lies outside the split dimension
// is a row, whatever lies inside one half is contiguous. The tensor itself has rows of 2 * columns.
// Work is counted in units (some rows, or a 512-byte piece of one row), every core owns n or n + 1
// neighbouring units, and walks them in tiles that are either whole rows or a segment of one row:
//
//   rows      tileRows x columns per tile, each row padded to 32 bytes in UB
//   columns   one row at a time, tileColumns of it
//   small     rows so narrow that padding would waste UB and bandwidth: whole rows of the tensor
//             are loaded without gaps and their halves parted inside UB: gathered, or turned, where
//             copies move whole blocks, if a tile holds 16 lanes of rows that end on blocks

// UB addresses, and what a copy moves at least, in bytes.
constexpr uint64_t BLOCK = 32;
// What transfers like best, and the smallest piece of a row that a core is given, in bytes.
constexpr uint64_t UNIT = 512;
// What the data cache of scalar code holds together, in bytes.
constexpr uint64_t LINE = 64;
// What is turned together: one word of each.
constexpr uint64_t LANES = 16;
// What one vector instruction works on, in bytes.
constexpr uint64_t REPEAT = 256;
// Most bursts of one copy.
constexpr uint64_t MAX_BLOCK_COUNT = 4095;
// Longest burst of one copy, in bytes.
constexpr uint64_t MAX_BLOCK_LEN = 2097151;

// Fewest elements of a core's share that are worth a second tile, whose copies overlap with the arithmetic of the first:
// about 0.4 cycles per element are saved, and starting a tile takes 300 to 400.
constexpr uint64_t LEAST_SHARE_OF_TWO = 1024;

// How tiles are cut.
constexpr uint32_t PATH_ROWS = 0;
constexpr uint32_t PATH_COLUMNS = 1;
constexpr uint32_t PATH_SMALL = 2;

// What the formula runs over, as a matrix.
struct Extent {
    uint64_t rows;
    uint64_t columns;
    bool split;  // gated tensors have rows of two parts
};

// UB that a kernel needs: some bytes once, and some bits per element of a tile.
struct Footprint {
    uint64_t fixed;
    uint64_t bits;
};

// What a kernel asks of a tiling.
struct Need {
    uint64_t size;    // bytes of an element in GM
    Footprint dense;  // streams are loaded apart
    Footprint small;  // halves are parted inside UB; no bits where there are none
    Footprint pairs;  // the same of rows of two elements, which calls may take as they are
    uint64_t even;    // rows share a tile only if their elements are a multiple of this
    bool gathers;     // halves of any rows can be gathered; else they are only turned
    // Functions of rows: a chunk of a row, the streams of which UB holds as much as fits, and short rows that are turned.
    Footprint chunk = {0, 0};
    uint64_t held = 0;
    Footprint turned = {0, 0};
};

// What the platform reports.
struct Machine {
    uint64_t ub;     // bytes of UB of one core
    uint64_t cores;  // vector cores
    bool pads;       // copies can have any length in bytes; else multiples of 32
};

inline uint64_t CeilDiv(uint64_t a, uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// The dimensions of one part as a matrix: the first `outer` of them are rows.
inline Extent Collapse(const uint64_t* dims, size_t rank, size_t outer, bool split)
{
    Extent extent{1, 1, split};
    for (size_t i = 0; i < rank; ++i) {
        (i < outer ? extent.rows : extent.columns) *= dims[i];
    }
    return extent;
}

// Elements of the largest tile in this many bytes: whole repeats, or whole blocks where not even
// one repeat fits.
inline uint64_t Capacity(const Footprint& footprint, uint64_t ub, uint64_t size)
{
    const uint64_t bytes = ub > footprint.fixed ? ub - footprint.fixed : 0;
    const uint64_t bits = bytes > UINT64_MAX / 8 ? UINT64_MAX : bytes * 8;
    const uint64_t fits = std::min(bits / std::max<uint64_t>(footprint.bits, 1), MAX_BLOCK_LEN / (2 * size));
    const uint64_t step = fits >= REPEAT / size ? REPEAT / size : BLOCK / size;
    return fits / step * step;
}

// Bytes of UB for one block of every stream: less is too small for any tile.
inline uint64_t LeastUb(const Need& need)
{
    return need.dense.fixed + CeilDiv(need.dense.bits * (BLOCK / need.size), 8);
}

// The greatest power of two that divides both a row of this many bytes and another such power.
inline uint64_t Common(uint64_t row, uint64_t power) { return std::min(row & (~row + 1), power); }

// How many rows of this many bytes end where a block ends.
inline uint64_t AlignedRows(uint64_t row) { return BLOCK / Common(row, BLOCK); }

// Whether rows of this many bytes, copied one by one, move over 5/4 of the blocks they need. (The
// padding in UB is less than that.)
inline bool Wasteful(uint64_t row, bool pads)
{
    const uint64_t beyond = BLOCK - Common(row, BLOCK);
    return pads ? beyond > row / 4 : beyond > 0;
}

// Elements of a tile on the path of small rows; 0 if these rows do not take it.
inline uint64_t SmallCapacity(const Extent& extent, const Need& need, const Machine& machine)
{
    if (!extent.split || need.small.bits == 0) {
        return 0;
    }
    const uint64_t capacity = Capacity(extent.columns == 1 ? need.pairs : need.small, machine.ub, need.size);
    if (extent.columns > capacity) {
        return 0;  // asked first: the products below are small from here on
    }
    const uint64_t row = extent.columns * need.size;
    const uint64_t least = machine.pads ? 1 : AlignedRows(row) * (need.gathers ? 1 : LANES);
    return extent.columns * least <= capacity && Wasteful(row, machine.pads) ? capacity : 0;
}

// Most small rows of a tile of this many elements. Those that are turned are so even where the tensor
// has fewer: the rest of the lanes is empty.
inline uint64_t SmallRows(const Extent& extent, uint64_t size, const Machine& machine, uint64_t capacity)
{
    const uint64_t rows = capacity / extent.columns;
    const uint64_t aligned = AlignedRows(extent.columns * size);
    const uint64_t lanes = machine.pads ? aligned : LANES * aligned;
    const uint64_t step = lanes <= rows ? lanes : aligned <= rows ? aligned : 1;
    const uint64_t most = machine.pads ? extent.rows : CeilDiv(extent.rows, step) * step;
    return std::min(rows / step * step, most);
}

// A way to cut the matrix into units.
struct Cut {
    uint64_t unitRows;
    uint64_t unitColumns;
    uint64_t pieces;
};

inline Cut CutRows(const Extent& extent, uint64_t unitRows)
{
    return {std::min(std::max<uint64_t>(unitRows, 1), extent.rows), 0, 1};
}

inline Cut CutPieces(const Extent& extent, uint64_t size)
{
    return {1, UNIT / size, CeilDiv(extent.columns, UNIT / size)};
}

inline uint64_t Units(const Cut& cut, const Extent& extent)
{
    return CeilDiv(extent.rows, cut.unitRows) * cut.pieces;
}

// Elements of the core with most of them, at most.
inline uint64_t Busiest(const Cut& cut, const Extent& extent, uint64_t cores)
{
    const uint64_t share = CeilDiv(Units(cut, extent), cores);
    const uint64_t segment = std::min(share % cut.pieces * cut.unitColumns, extent.columns);
    return share / cut.pieces * cut.unitRows * extent.columns + segment;
}

// Units as large as balance allows: rows that begin on a block, else rows, else pieces of rows.
inline Cut ChooseCut(const Extent& extent, uint64_t size, const Machine& machine, bool small, uint64_t dense)
{
    const uint64_t row = extent.columns * size;
    const auto whole = [&](uint64_t step) { return CutRows(extent, CeilDiv(CeilDiv(UNIT, row), step) * step); };
    const Cut aligned = whole(AlignedRows(row));
    if (!machine.pads && small) {
        return aligned;  // a core must not end inside a block
    }
    if (!machine.pads && row < BLOCK) {
        return whole(LINE / Common(row, LINE));  // written by scalar code: nor inside a line
    }
    const Cut pieces = CutPieces(extent, size);
    if (extent.columns > dense) {
        return pieces;
    }
    const Cut candidates[] = {aligned, CutRows(extent, UNIT / row), pieces};
    const size_t count = small || pieces.pieces == 1 ? 2 : 3;
    const uint64_t mean = extent.rows * extent.columns / machine.cores;
    const Cut* best = candidates;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t busiest = Busiest(candidates[i], extent, machine.cores);
        if (busiest <= mean || busiest - mean <= mean / 32) {
            return candidates[i];
        }
        if (busiest < Busiest(*best, extent, machine.cores)) {
            best = &candidates[i];
        }
    }
    return *best;
}

// The rows of a tile are a multiple of this: small ones end on blocks, and fill lanes where they are turned.
inline uint64_t RowStep(const Extent& extent, uint64_t size, const Machine& machine, bool small, uint64_t tileRows)
{
    const uint64_t aligned = AlignedRows(extent.columns * size);
    const uint64_t lanes = LANES * aligned;
    return !small ? 1 : !machine.pads && tileRows % lanes == 0 ? lanes : aligned;
}

// Every count that is narrowed fits: tiles are bounded by UB, the rest by the rows or pieces of one
// tile. What did not would be all ones rather than a small number.
inline uint32_t Narrow(uint64_t n) { return static_cast<uint32_t>(std::min<uint64_t>(n, UINT32_MAX)); }

// Plans a call: fills the fields that say how work is cut, and leaves the others 0. False if UB
// cannot hold one block of every stream.
inline bool Tile(const Extent& extent, const Need& need, const Machine& machine, TilingData& data)
{
    data = TilingData{};
    const uint64_t size = need.size;
    const uint64_t dense = Capacity(need.dense, machine.ub, size);
    if (dense == 0) {
        return false;
    }
    data.rows = extent.rows;
    data.columns = extent.columns;
    data.pieces = 1;
    if (extent.rows * extent.columns == 0 || machine.cores == 0) {
        return true;
    }
    const uint64_t small = SmallCapacity(extent, need, machine);
    const Cut cut = ChooseCut(extent, size, machine, small != 0, dense);
    uint64_t pitch = 0;
    uint64_t tileRows = 0;
    if (small != 0) {
        data.path = PATH_SMALL;
        pitch = extent.columns;
        tileRows = SmallRows(extent, size, machine, small);
    } else if (extent.columns > dense) {
        data.path = PATH_COLUMNS;
    } else {
        data.path = PATH_ROWS;
        pitch = CeilDiv(extent.columns, BLOCK / size) * (BLOCK / size);
        const uint64_t most = extent.columns % need.even == 0 ? MAX_BLOCK_COUNT : 1;
        tileRows = std::min({dense / pitch, most, extent.rows});
    }
    const uint64_t unit = UNIT / size;
    uint64_t tileColumns = dense >= unit ? dense / unit * unit : dense;
    const uint64_t units = Units(cut, extent);
    const uint64_t cores = std::min(units, machine.cores);
    // The core with most units, if all of them are one tile.
    const uint64_t share = CeilDiv(units, cores);
    if (cut.pieces == 1) {
        const uint64_t rows = std::min(share * cut.unitRows, extent.rows);
        if (rows <= tileRows && rows * extent.columns >= LEAST_SHARE_OF_TWO) {
            if (rows > 1) {
                const uint64_t step = RowStep(extent, size, machine, small != 0, tileRows);
                tileRows = std::min(CeilDiv(CeilDiv(rows, 2), step) * step, tileRows);
            } else if (data.path == PATH_ROWS) {
                data.path = PATH_COLUMNS;
                pitch = 0;
                tileRows = 0;
                tileColumns = std::min(tileColumns, CeilDiv(extent.columns, 2 * unit) * unit);
            }
        }
    } else if (share < cut.pieces) {
        const uint64_t columns = share * cut.unitColumns;
        if (columns >= LEAST_SHARE_OF_TWO && columns <= tileColumns) {
            tileColumns = CeilDiv(share, 2) * cut.unitColumns;
        }
    }
    data.pieces = cut.pieces;
    data.share = units / cores;
    data.unitRows = Narrow(cut.unitRows);
    data.unitColumns = Narrow(cut.unitColumns);
    data.tileRows = Narrow(tileRows);
    data.tileColumns = Narrow(tileColumns);
    data.pitch = Narrow(pitch);
    data.cores = Narrow(cores);
    data.big = Narrow(units % cores);
    return true;
}
