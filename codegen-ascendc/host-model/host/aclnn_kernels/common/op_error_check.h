// Checks of arguments: each writes a message and does what it is told.
#pragma once

#include "opdev/data_type_utils.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

inline bool IsNullptr(const void* pointer, const char* name)
{
    if (pointer == nullptr) {
        OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, "%s is null", name);
    }
    return pointer == nullptr;
}

inline bool IsNullptr(const aclTensor* tensor, const char* name)
{
    return IsNullptr(static_cast<const void*>(tensor), name);
}

inline bool IsNullptr(const aclScalar* scalar, const char* name)
{
    return IsNullptr(static_cast<const void*>(scalar), name);
}

#define OP_CHECK_NULL(param, retExpr) \
    if (IsNullptr(param, #param)) {   \
        retExpr;                      \
    }

#define OP_CHECK_DTYPE_NOT_SUPPORT(tensor, supportList, retExpr)                        \
    if (!CheckType(tensor->GetDataType(), supportList)) {                               \
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "dtype of %s: %s not in %s", #tensor,          \
                op::ToString(tensor->GetDataType()).GetString(),                        \
                op::ToString(supportList).GetString());                                 \
        retExpr;                                                                        \
    }

#define OP_CHECK_DTYPE_NOT_MATCH(tensor, expectedDtype, retExpr)                        \
    if (tensor->GetDataType() != expectedDtype) {                                       \
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "dtype of %s: not %s", #tensor,                \
                op::ToString(expectedDtype).GetString());                               \
        retExpr;                                                                        \
    }

#define OP_CHECK_DTYPE_NOT_SAME(tensor1, tensor2, retExpr)                              \
    if (tensor1->GetDataType() != tensor2->GetDataType()) {                             \
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "dtype of %s: not that of %s", #tensor2, #tensor1); \
        retExpr;                                                                        \
    }

#define OP_CHECK_SHAPE_NOT_EQUAL(tensor1, tensor2, retExpr)                             \
    if (tensor1->GetViewShape() != tensor2->GetViewShape()) {                           \
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "shape of %s: not that of %s", #tensor1, #tensor2); \
        retExpr;                                                                        \
    }

#define OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE(tensor, shape, retExpr)             \
    if (tensor->GetViewShape() != shape) {                                              \
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "shape of %s: not %s", #tensor,                \
                op::ToString(shape).GetString());                                       \
        retExpr;                                                                        \
    }

#define OP_CHECK_MAX_DIM(tensor, maxDim, retExpr)                                       \
    if (tensor->GetViewShape().GetDimNum() > static_cast<size_t>(maxDim)) {             \
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "rank of %s: more than %zu", #tensor,          \
                static_cast<size_t>(maxDim));                                           \
        retExpr;                                                                        \
    }

#define OP_CHECK_MIN_DIM(tensor, minDim, retExpr)                                       \
    if (tensor->GetViewShape().GetDimNum() < static_cast<size_t>(minDim)) {             \
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "rank of %s: less than %zu", #tensor,          \
                static_cast<size_t>(minDim));                                           \
        retExpr;                                                                        \
    }
