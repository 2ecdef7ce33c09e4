// Element types together.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "opdev/common_types.h"

namespace op {

inline bool CheckType(DataType dtype, const std::initializer_list<DataType>& valid)
{
    return std::find(valid.begin(), valid.end(), dtype) != valid.end();
}

/// Complex numbers are no others.
inline bool CanCast(DataType from, DataType to)
{
    return from != ge::DT_COMPLEX64 || to == ge::DT_COMPLEX64;
}

inline ge::AscendString ToString(const std::initializer_list<DataType>& dtypes)
{
    std::string text = "[";
    for (DataType dtype : dtypes) {
        text += (text.size() == 1 ? "" : ",") + std::string(ToString(dtype).GetString());
    }
    return ge::AscendString(text + "]");
}

/// Equal ones stay, `half` and `bfloat16` meet in `float`; integers give way.
inline DataType PromoteType(DataType a, DataType b)
{
    if (a == b || b == ge::DT_INT32) {
        return a;
    }
    if (a == ge::DT_INT32) {
        return b;
    }
    return a == ge::DT_UNDEFINED || b == ge::DT_UNDEFINED ? ge::DT_UNDEFINED : ge::DT_FLOAT;
}

} // namespace op
