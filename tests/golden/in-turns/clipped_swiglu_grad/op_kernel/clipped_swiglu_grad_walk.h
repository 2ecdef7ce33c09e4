// ClippedSwigluGrad: the tiles of a core.
// The gradient of `ClippedSwiglu`.
// Generated from ops_glu_grad::families::gated::gated::clipped_swiglu; do not edit.

#ifndef CLIPPED_SWIGLU_GRAD_WALK_H
#define CLIPPED_SWIGLU_GRAD_WALK_H

#include "kernel_operator.h"
#include "clipped_swiglu_grad_tiling_data.h"

namespace ClippedSwigluGradKernel {

// Neighbouring elements of the matrix that are computed together: whole rows, or a segment of one.
struct Tile {
    uint64_t row;
    uint64_t column;
    uint32_t rows;
    uint32_t columns;
    // Elements in UB, with the gaps between rows.
    uint32_t count;
};

// The tiles of this core, in order.
class Walk {
public:
    __aicore__ inline explicit Walk(const ClippedSwigluGradTilingData& tiling) : tiling_(tiling)
    {
        const uint64_t core = static_cast<uint64_t>(AscendC::GetBlockIdx());
        const uint64_t first = core * tiling.share + (core < tiling.big ? core : tiling.big);
        at_ = PointOf(first);
        end_ = PointOf(first + tiling.share + (core < tiling.big ? 1 : 0));
    }

    __aicore__ inline bool Next(Tile& tile)
    {
        const bool sameRow = at_.row == end_.row;
        if (at_.row > end_.row || (sameRow && at_.column >= end_.column)) {
            return false;
        }
        tile.row = at_.row;
        tile.column = at_.column;
        if (at_.column == 0 && !sameRow && tiling_.tileRows > 0) {
            tile.rows = AtMost(end_.row - at_.row, tiling_.tileRows);
            tile.columns = static_cast<uint32_t>(tiling_.columns);
            tile.count = tile.rows * tiling_.pitch;
            at_.row += tile.rows;
            return true;
        }
        const uint64_t limit = sameRow ? end_.column : tiling_.columns;
        tile.rows = 1;
        tile.columns = AtMost(limit - at_.column, tiling_.tileColumns);
        tile.count = tile.columns;
        at_.column += tile.columns;
        if (at_.column == tiling_.columns) {
            at_ = {at_.row + 1, 0};
        }
        return true;
    }

private:
    // A point between two elements, in the order of the matrix.
    struct Point {
        uint64_t row;
        uint64_t column;
    };

    __aicore__ inline Point PointOf(uint64_t unit) const
    {
        const uint64_t row = unit / tiling_.pieces * tiling_.unitRows;
        return {row < tiling_.rows ? row : tiling_.rows, unit % tiling_.pieces * tiling_.unitColumns};
    }

    __aicore__ inline static uint32_t AtMost(uint64_t left, uint32_t most)
    {
        return left < most ? static_cast<uint32_t>(left) : most;
    }

    const ClippedSwigluGradTilingData& tiling_;
    Point at_;
    Point end_;
};

}  // namespace ClippedSwigluGradKernel

#endif  // CLIPPED_SWIGLU_GRAD_WALK_H
