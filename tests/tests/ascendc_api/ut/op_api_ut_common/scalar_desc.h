// A number of a unit test.
#pragma once

#include "op_api_ut_common/op_api_ut.h"

struct ScalarDesc {
    aclScalar scalar;

    explicit ScalarDesc(float value) : scalar{value} {}
};

inline aclScalar* Argument(ScalarDesc& desc)
{
    return &desc.scalar;
}
