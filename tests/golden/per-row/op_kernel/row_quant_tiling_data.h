// RowQuant: what the host tells the kernel.
// SwiGLU of eight bits, with a scale for each token.
// Generated from ascendc_trees::rows::row_quant; do not edit.

#ifndef ROW_QUANT_TILING_DATA_H
#define ROW_QUANT_TILING_DATA_H

#include <cstdint>

// Tiling that the host passes to the kernel. The matrix is a part of a gated tensor, or a tensor without parts.
struct RowQuantTilingData {
    uint64_t rows;  // rows of the matrix
    uint64_t columns;  // columns of one part
    uint64_t pieces;  // units that one row is cut into; 1 when units are rows
    uint64_t share;  // units of every core; the first `big` have one more
    uint32_t unitRows;  // rows of a unit; 1 when a row is cut
    uint32_t unitColumns;  // columns of a unit when a row is cut
    uint32_t tileRows;  // most rows of a tile; 0 when a row does not fit
    uint32_t tileColumns;  // most columns of a tile that is a segment
    uint32_t pitch;  // elements between rows in UB
    uint32_t cores;  // cores with work
    uint32_t big;  // how many of them have one unit more
    uint32_t path;  // 0: rows per tile, 1: columns per tile, 2: small rows
    uint64_t group;  // rows of a part of a gated tensor that lie side by side
    uint32_t buffers;  // buffers of each queue
    uint32_t held;  // elements of either part of a row that stays in UB between walks along it
};

#endif  // ROW_QUANT_TILING_DATA_H
