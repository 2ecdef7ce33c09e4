// From strides to none, and back.
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

inline const aclTensor* Contiguous(const aclTensor* x, aclOpExecutor* executor)
{
    return host_model::Step("Contiguous", x, x->shape, x->dtype, executor);
}

/// Shape and element type of both must agree, which the kernel behind it does not check.
inline const aclTensor* ViewCopy(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor)
{
    if (x->shape != y->shape || x->dtype != y->dtype) {
        return nullptr;
    }
    return host_model::Step("ViewCopy", y, y->shape, y->dtype, executor);
}

} // namespace l0op
