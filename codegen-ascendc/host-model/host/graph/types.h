// Element types, formats and status codes.
#pragma once

#include <cstdint>

namespace ge {

enum DataType {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_UINT8 = 4,
    DT_INT64 = 9,
    DT_BOOL = 12,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_UINT1 = 30
};
enum Format { FORMAT_ND = 2 };

using graphStatus = uint32_t;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
constexpr graphStatus GRAPH_SUCCESS = 0;

}  // namespace ge
