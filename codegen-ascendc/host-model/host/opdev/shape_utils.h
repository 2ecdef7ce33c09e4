// Shapes together.
#pragma once

#include "opdev/common_types.h"

namespace op {

/// NumPy's rule, aligned at the innermost dimension.
inline bool BroadcastInferShape(const Shape& self, const Shape& other, Shape& broadcast)
{
    const Shape& longer = self.GetDimNum() < other.GetDimNum() ? other : self;
    const Shape& shorter = self.GetDimNum() < other.GetDimNum() ? self : other;
    Shape result = longer;
    const size_t ahead = longer.GetDimNum() - shorter.GetDimNum();
    for (size_t i = 0; i < shorter.GetDimNum(); ++i) {
        const int64_t a = longer.GetDim(ahead + i);
        const int64_t b = shorter.GetDim(i);
        if (a != b && a != 1 && b != 1) {
            return false;
        }
        result.SetDim(ahead + i, a == 1 ? b : a);
    }
    broadcast = result;
    return true;
}

} // namespace op
