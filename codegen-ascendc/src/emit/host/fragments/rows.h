// Functions of rows: a tile is some whole rows, or a chunk of a row that does not fit UB. Short rows that do not end on blocks
// are copied without gaps, and turned in UB. Every core owns n or n + 1 neighbouring rows.

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

@perrow@
// Rows that cores are given together. Where copies move blocks, scalar code writes the numbers of rows that are less than a
// block, and no other core may write to the lines that the data cache holds for it.
inline uint64_t UnitRows(const Need& need, const Machine& machine) { return machine.pads ? 1 : LINE / @width@; }

@end@
// Elements of the longest row that fits UB.
inline uint64_t LongestRow(const Need& need, const Machine& machine)
{
    return Capacity(need.small, machine.ub, need.size);
}

// Elements of a chunk of a row that does not fit UB. A call takes 16 cycles or more for as many `float`, about what it takes to
// start; larger chunks leave less UB for the elements that later walks read again.
constexpr uint64_t CHUNK = 1024;
// A row's last chunk has as many elements at least: those of the block that its terms are folded to.
constexpr uint64_t LEAST_CHUNK = 8;
// Parts of a row that stay in UB between walks. The first is computed while the second comes in.
constexpr uint64_t PIECES = 2;

// Elements of a chunk; 0 if UB has no room for one.
inline uint64_t ChunkOf(uint64_t columns, const Need& need, const Machine& machine)
{
    const uint64_t step = REPEAT / need.size;
    uint64_t chunk = std::min(Capacity(need.chunk, machine.ub, need.size) / step * step, CHUNK);
    while (chunk != 0 && columns % chunk != 0 && columns % chunk < LEAST_CHUNK) {
        chunk -= step;
    }
    return chunk;
}

// Cuts each row into chunks, and keeps as many of them in UB as fit.
inline bool CutRows(const RowExtent& extent, const Need& need, const Machine& machine, TilingData& data)
{
    const uint64_t chunk = ChunkOf(extent.columns, need, machine);
    if (chunk == 0) {
        return false;
    }
    const uint64_t used = need.chunk.fixed + CeilDiv(chunk * need.chunk.bits, 8);
    const uint64_t room = need.held == 0 ? 0 : (machine.ub - used) / (PIECES * need.held * need.size);
    const uint64_t fits = std::min(room, MAX_BLOCK_LEN / (2 * need.size)) / chunk * chunk;
    @perrow@
    const uint64_t units = CeilDiv(extent.rows, UnitRows(need, machine));
    const uint64_t cores = std::min(units, machine.cores);
    @else@
    const uint64_t cores = std::min(extent.rows, machine.cores);
    @end@
    data.buffers = 2;
    @perrow@
    data.share = units / cores;
    data.unitRows = Narrow(UnitRows(need, machine));
    @else@
    data.share = extent.rows / cores;
    data.unitRows = 1;
    @end@
    data.tileRows = 1;
    data.tileColumns = Narrow(chunk);
    data.pitch = Narrow(chunk);
    data.cores = Narrow(cores);
    @perrow@
    data.big = Narrow(units % cores);
    @else@
    data.big = Narrow(extent.rows % cores);
    @end@
    data.path = PATH_COLUMNS;
    data.held = Narrow(std::min(fits, CeilDiv(CeilDiv(extent.columns, PIECES), chunk) * chunk));
    return true;
}

// Path of short rows that are turned in UB.
constexpr uint32_t PATH_TURNED = 3;
// Rows in a block of `float`, of which a line of turned rows is a multiple.
constexpr uint64_t LINE_ROWS = 8;

// Most rows of a tile whose rows are turned; 0 if rows are better copied one by one. As for halves of gated tensors, copies may
// move a quarter of a row beyond it: turning rows costs two gathers of each element.
inline uint64_t TurnedRows(const RowExtent& extent, const Need& need, const Machine& machine)
{
    const uint64_t most = Capacity(need.turned, machine.ub, need.size);
    if (need.turned.bits == 0 || extent.columns * LINE_ROWS > most || !Wasteful(extent.columns * need.size, machine.pads)) {
        return 0;
    }
    return most / extent.columns / LINE_ROWS * LINE_ROWS;
}

// Plans a call with functions of rows. False if UB is too small, or if a row does not end on a block where copies move blocks.
inline bool TileRows(const RowExtent& extent, const Need& need, const Machine& machine, TilingData& data)
{
    data = TilingData{};
    @integers@
    const uint64_t block = BLOCK;  // rows of bytes start at blocks of UB as well
    @else@
    const uint64_t block = BLOCK / need.size;
    @end@
    data.rows = extent.rows;
    data.columns = extent.columns;
    data.pieces = 1;
    data.group = extent.group;
    data.buffers = 1;
    if (extent.rows == 0 || extent.columns == 0 || machine.cores == 0) {
        return true;
    }
    const uint64_t longest = LongestRow(need, machine);
    if (!machine.pads && extent.columns % block != 0) {
        return false;
    }
    if (extent.columns > longest) {
        return CutRows(extent, need, machine, data);
    }
    // The longest row is whole blocks.
    const uint64_t pitch = CeilDiv(extent.columns, block) * block;
    @perrow@
    const uint64_t units = CeilDiv(extent.rows, UnitRows(need, machine));
    const uint64_t cores = std::min(units, machine.cores);
    const uint64_t share = std::min(CeilDiv(units, cores) * UnitRows(need, machine), extent.rows);
    @else@
    const uint64_t cores = std::min(extent.rows, machine.cores);
    const uint64_t share = CeilDiv(extent.rows, cores);
    @end@
    const uint64_t turned = TurnedRows(extent, need, machine);
    const uint64_t both = Capacity(need.dense, machine.ub, need.size);
    data.buffers = turned != 0 || (both >= pitch && share > 1) ? 2 : 1;
    const uint64_t apart = data.buffers == 2 ? std::min(both / pitch, MAX_BLOCK_COUNT) : std::min(longest / pitch, FEW_ROWS);
    uint64_t tileRows = std::min(turned != 0 ? turned : apart, share);
    if (tileRows == share && share > 1 && share * extent.columns >= LEAST_SHARE_OF_TWO) {
        tileRows = CeilDiv(share, 2);
    }
    @perrow@
    if (!machine.pads && tileRows > block) {
        tileRows = tileRows / block * block;
    }
    @end@
    if (turned != 0) {
        tileRows = CeilDiv(tileRows, LINE_ROWS) * LINE_ROWS;
        data.path = PATH_TURNED;
    }
    @perrow@
    data.share = units / cores;
    data.unitRows = Narrow(UnitRows(need, machine));
    @else@
    data.share = extent.rows / cores;
    data.unitRows = 1;
    @end@
    data.tileRows = Narrow(tileRows);
    data.pitch = Narrow(turned != 0 ? tileRows : pitch);
    data.cores = Narrow(cores);
    @perrow@
    data.big = Narrow(units % cores);
    @else@
    data.big = Narrow(extent.rows % cores);
    @end@
    return true;
}
