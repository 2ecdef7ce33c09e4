// ClippedSwigluGrad: what the host tells the kernel.
// The gradient of `ClippedSwiglu`.
// Generated from ops_glu_grad::families::gated::gated::clipped_swiglu; do not edit.

#ifndef CLIPPED_SWIGLU_GRAD_TILING_DATA_H
#define CLIPPED_SWIGLU_GRAD_TILING_DATA_H

#include <cstdint>

// Tiling that the host passes to the kernel. The matrix is a part of a gated tensor, or a tensor without parts.
struct ClippedSwigluGradTilingData {
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
    uint64_t counts;  // entries of `group_index`; 0 where a call leaves it out: all rows
    uint64_t rowsOfCount;  // rows of the matrix in each row that they count
    float alpha;  // attribute of the operator
    float limit;  // attribute of the operator
    float bias;  // attribute of the operator
    uint32_t reserved;  // 0: keeps the size a multiple of 8 bytes
};

#endif  // CLIPPED_SWIGLU_GRAD_TILING_DATA_H
