// A tensor of a unit test.
#pragma once

#include <vector>

#include "opdev/common_types.h"

constexpr aclDataType ACL_INT8 = static_cast<aclDataType>(2);
constexpr aclDataType ACL_INT32 = static_cast<aclDataType>(3);

struct TensorDesc {
    aclTensor tensor;

    TensorDesc(const std::vector<int64_t>& dims, aclDataType dtype, aclFormat)
    {
        for (int64_t dim : dims) {
            tensor.shape.AppendDim(dim);
        }
        tensor.dtype = static_cast<op::DataType>(dtype);
    }
};
