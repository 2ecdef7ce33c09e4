// Descriptors of the aclnn interface.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "acl/acl_base.h"

struct aclOpExecutor;
struct aclTensor;
struct aclScalar;
struct aclIntArray;
using aclnnStatus = int32_t;

extern "C" {
aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData);
aclnnStatus aclDestroyTensor(const aclTensor* tensor);
aclScalar* aclCreateScalar(void* value, aclDataType dataType);
aclnnStatus aclDestroyScalar(const aclScalar* scalar);
}
