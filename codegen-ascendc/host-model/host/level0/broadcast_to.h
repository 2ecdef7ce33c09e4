// A copy of a tensor in a larger shape.
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

inline const aclTensor* BroadcastTo(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor)
{
    op::Shape wanted;
    for (int64_t dim : shape->values) {
        wanted.AppendDim(dim);
    }
    return host_model::Step("BroadcastTo", x, wanted, x->dtype, executor);
}

} // namespace l0op
