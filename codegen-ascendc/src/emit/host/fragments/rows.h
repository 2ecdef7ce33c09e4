// Functions of rows: a tile is some whole rows, and every core owns n or n + 1 neighbouring rows.

struct RowExtent {
    uint64_t rows;
    uint64_t columns;
    uint64_t group;  // rows of a part of a gated tensor that lie side by side
};

// The rows of a domain, along its last dimension. The first `outer` dimensions lie outside the parts of gated tensors.
inline RowExtent CollapseRows(const uint64_t* dims, size_t rank, size_t outer, bool split)
{
    RowExtent extent{1, rank == 0 ? 1 : dims[rank - 1], 1};
    for (size_t i = 0; i + 1 < rank; ++i) {
        extent.rows *= dims[i];
        extent.group *= split && i >= outer ? dims[i] : 1;
    }
    return extent;
}

// Rows whose numbers fit what a tile needs once.
constexpr uint64_t FEW_ROWS = 64;

// Elements of the longest row that fits UB.
inline uint64_t LongestRow(const Need& need, const Machine& machine)
{
    return Capacity(need.small, machine.ub, need.size);
}

// Plans a call with functions of rows. False if a row does not fit UB, or does not end on a block where copies move blocks.
inline bool TileRows(const RowExtent& extent, const Need& need, const Machine& machine, TilingData& data)
{
    data = TilingData{};
    const uint64_t block = BLOCK / need.size;
    data.rows = extent.rows;
    data.columns = extent.columns;
    data.pieces = 1;
    data.group = extent.group;
    data.buffers = 1;
    if (extent.rows == 0 || extent.columns == 0 || machine.cores == 0) {
        return true;
    }
    const uint64_t longest = LongestRow(need, machine);
    const uint64_t pitch = extent.columns > longest ? extent.columns : CeilDiv(extent.columns, block) * block;
    if (pitch > longest || (!machine.pads && pitch != extent.columns)) {
        return false;
    }
    const uint64_t cores = std::min(extent.rows, machine.cores);
    const uint64_t share = CeilDiv(extent.rows, cores);
    const uint64_t both = Capacity(need.dense, machine.ub, need.size);
    data.buffers = both >= pitch && share > 1 ? 2 : 1;
    const uint64_t most = data.buffers == 2 ? std::min(both / pitch, MAX_BLOCK_COUNT) : std::min(longest / pitch, FEW_ROWS);
    uint64_t tileRows = std::min(most, share);
    if (tileRows == share && share > 1 && share * extent.columns >= LEAST_SHARE_OF_TWO) {
        tileRows = CeilDiv(share, 2);
    }
    data.share = extent.rows / cores;
    data.unitRows = 1;
    data.tileRows = Narrow(tileRows);
    data.pitch = Narrow(pitch);
    data.cores = Narrow(cores);
    data.big = Narrow(extent.rows % cores);
    return true;
}
