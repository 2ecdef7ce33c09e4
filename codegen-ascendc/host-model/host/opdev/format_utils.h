// Formats.
#pragma once

#include "opdev/common_types.h"

namespace op {

inline bool IsPrivateFormat(Format format)
{
    return format == ge::FORMAT_FRACTAL_NZ;
}

} // namespace op
