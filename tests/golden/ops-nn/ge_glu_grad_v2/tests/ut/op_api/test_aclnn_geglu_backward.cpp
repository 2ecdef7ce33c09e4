// GeGluGradV2: unit tests.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#include <gtest/gtest.h>

#include "op_api_ut_common/op_api_ut.h"
#include "op_api_ut_common/tensor_desc.h"
#include "../../../op_api/aclnn_geglu_backward.h"

TEST(aclnnGeGluBackward, RightArguments)
{
    TensorDesc gradOutput({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc self({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    TensorDesc gradInput({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(aclnnGeGluBackward, INPUT(gradOutput, self, gelu, dim, approximate), OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_SUCCESS);
}

TEST(aclnnGeGluBackward, NoGradOutput)
{
    TensorDesc self({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    TensorDesc gradInput({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(
        aclnnGeGluBackward, INPUT(static_cast<aclTensor*>(nullptr), self, gelu, dim, approximate), OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(aclnnGeGluBackward, NoSelf)
{
    TensorDesc gradOutput({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    TensorDesc gradInput({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(
        aclnnGeGluBackward, INPUT(gradOutput, static_cast<aclTensor*>(nullptr), gelu, dim, approximate),
        OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(aclnnGeGluBackward, NoGelu)
{
    TensorDesc gradOutput({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc self({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    TensorDesc gradInput({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(
        aclnnGeGluBackward, INPUT(gradOutput, self, static_cast<aclTensor*>(nullptr), dim, approximate),
        OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(aclnnGeGluBackward, NoGradInput)
{
    TensorDesc gradOutput({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc self({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    auto ut = OP_API_UT(
        aclnnGeGluBackward, INPUT(gradOutput, self, gelu, dim, approximate), OUTPUT(static_cast<aclTensor*>(nullptr)));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(aclnnGeGluBackward, AnotherElementType)
{
    TensorDesc gradOutput({2, 16}, ACL_INT32, ACL_FORMAT_ND);
    TensorDesc self({2, 32}, ACL_INT32, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_INT32, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    TensorDesc gradInput({2, 32}, ACL_INT32, ACL_FORMAT_ND);
    auto ut = OP_API_UT(aclnnGeGluBackward, INPUT(gradOutput, self, gelu, dim, approximate), OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_INVALID);
}

TEST(aclnnGeGluBackward, NineDimensions)
{
    TensorDesc gradOutput({1, 1, 1, 1, 1, 1, 1, 2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc self({1, 1, 1, 1, 1, 1, 1, 2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({1, 1, 1, 1, 1, 1, 1, 2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    TensorDesc gradInput({1, 1, 1, 1, 1, 1, 1, 2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(aclnnGeGluBackward, INPUT(gradOutput, self, gelu, dim, approximate), OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_INVALID);
}

TEST(aclnnGeGluBackward, DimBeyondTheRank)
{
    TensorDesc gradOutput({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc self({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = 2;
    int64_t approximate = 1;
    TensorDesc gradInput({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(aclnnGeGluBackward, INPUT(gradOutput, self, gelu, dim, approximate), OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_INVALID);
}

TEST(aclnnGeGluV3Backward, RightArguments)
{
    TensorDesc gradOutput({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc self({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    bool activateLeft = false;
    TensorDesc gradInput({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(
        aclnnGeGluV3Backward, INPUT(gradOutput, self, gelu, dim, approximate, activateLeft), OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_SUCCESS);
}

TEST(aclnnGeGluV3Backward, NoGradOutput)
{
    TensorDesc self({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    bool activateLeft = false;
    TensorDesc gradInput({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(
        aclnnGeGluV3Backward, INPUT(static_cast<aclTensor*>(nullptr), self, gelu, dim, approximate, activateLeft),
        OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(aclnnGeGluV3Backward, NoSelf)
{
    TensorDesc gradOutput({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    bool activateLeft = false;
    TensorDesc gradInput({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(
        aclnnGeGluV3Backward, INPUT(gradOutput, static_cast<aclTensor*>(nullptr), gelu, dim, approximate, activateLeft),
        OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(aclnnGeGluV3Backward, NoGelu)
{
    TensorDesc gradOutput({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc self({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    bool activateLeft = false;
    TensorDesc gradInput({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(
        aclnnGeGluV3Backward, INPUT(gradOutput, self, static_cast<aclTensor*>(nullptr), dim, approximate, activateLeft),
        OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(aclnnGeGluV3Backward, NoGradInput)
{
    TensorDesc gradOutput({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc self({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    bool activateLeft = false;
    auto ut = OP_API_UT(
        aclnnGeGluV3Backward, INPUT(gradOutput, self, gelu, dim, approximate, activateLeft),
        OUTPUT(static_cast<aclTensor*>(nullptr)));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(aclnnGeGluV3Backward, AnotherElementType)
{
    TensorDesc gradOutput({2, 16}, ACL_INT32, ACL_FORMAT_ND);
    TensorDesc self({2, 32}, ACL_INT32, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_INT32, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    bool activateLeft = false;
    TensorDesc gradInput({2, 32}, ACL_INT32, ACL_FORMAT_ND);
    auto ut = OP_API_UT(
        aclnnGeGluV3Backward, INPUT(gradOutput, self, gelu, dim, approximate, activateLeft), OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_INVALID);
}

TEST(aclnnGeGluV3Backward, NineDimensions)
{
    TensorDesc gradOutput({1, 1, 1, 1, 1, 1, 1, 2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc self({1, 1, 1, 1, 1, 1, 1, 2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({1, 1, 1, 1, 1, 1, 1, 2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = -1;
    int64_t approximate = 1;
    bool activateLeft = false;
    TensorDesc gradInput({1, 1, 1, 1, 1, 1, 1, 2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(
        aclnnGeGluV3Backward, INPUT(gradOutput, self, gelu, dim, approximate, activateLeft), OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_INVALID);
}

TEST(aclnnGeGluV3Backward, DimBeyondTheRank)
{
    TensorDesc gradOutput({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc self({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    TensorDesc gelu({2, 16}, ACL_FLOAT16, ACL_FORMAT_ND);
    int64_t dim = 2;
    int64_t approximate = 1;
    bool activateLeft = false;
    TensorDesc gradInput({2, 32}, ACL_FLOAT16, ACL_FORMAT_ND);
    auto ut = OP_API_UT(
        aclnnGeGluV3Backward, INPUT(gradOutput, self, gelu, dim, approximate, activateLeft), OUTPUT(gradInput));
    uint64_t workspaceSize = 0;
    EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), ACLNN_ERR_PARAM_INVALID);
}
