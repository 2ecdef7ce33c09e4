// Neighbouring elements of a group that are computed together, and their rows in UB.
struct Tile {
    uint64_t group;
    uint64_t row;
    uint64_t column;
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;
    // Elements in UB, with the gaps between rows.
    uint32_t count;
};
