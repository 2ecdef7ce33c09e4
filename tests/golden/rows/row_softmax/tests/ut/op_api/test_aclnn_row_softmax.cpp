// RowSoftmax: unit tests.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#include <gtest/gtest.h>

#include "op_api_ut_common/op_api_ut.h"
#include "op_api_ut_common/tensor_desc.h"
#include "../../../op_api/aclnn_row_softmax.h"

TEST(aclnnRowSoftmax, RightArguments)
{
    TensorDesc x({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc y({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(aclnnRowSoftmax, INPUT(x), OUTPUT(y));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_SUCCESS);
}

TEST(aclnnRowSoftmax, NoX)
{
    TensorDesc y({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(aclnnRowSoftmax, INPUT(static_cast<aclTensor*>(nullptr)), OUTPUT(y));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(aclnnRowSoftmax, NoY)
{
    TensorDesc x({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(aclnnRowSoftmax, INPUT(x), OUTPUT(static_cast<aclTensor*>(nullptr)));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(aclnnRowSoftmax, AnotherElementType)
{
    TensorDesc x({2, 16}, ACL_INT32, ACL_FORMAT_ND);
    TensorDesc y({2, 16}, ACL_INT32, ACL_FORMAT_ND);
    auto ut = OP_API_UT(aclnnRowSoftmax, INPUT(x), OUTPUT(y));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_INVALID);
}

TEST(aclnnRowSoftmax, NineDimensions)
{
    TensorDesc x({1, 1, 1, 1, 1, 1, 1, 2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc y({1, 1, 1, 1, 1, 1, 1, 2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(aclnnRowSoftmax, INPUT(x), OUTPUT(y));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_INVALID);
}
