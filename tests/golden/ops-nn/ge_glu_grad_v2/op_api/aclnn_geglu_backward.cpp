// GeGluGradV2: the functions that programs call.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#include "aclnn_geglu_backward.h"

#include "aclnn_kernels/common/op_error_check.h"
#include "aclnn_kernels/contiguous.h"
#include "ge_glu_grad_v2.h"
#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"
#include "opdev/format_utils.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"
#include "opdev/platform.h"
#include "opdev/shape_utils.h"

using namespace op;

namespace {
constexpr size_t MAX_RANK = 8;

// Element types that there are kernels for on this product.
const std::initializer_list<DataType>& Dtypes()
{
    const NpuArch arch = GetCurrentPlatformInfo().GetCurNpuArch();
    if (arch == NpuArch::DAV_2201 || arch == NpuArch::DAV_3510) {
        static const std::initializer_list<DataType> dtypes = {DataType::DT_FLOAT16, DataType::DT_BF16, DataType::DT_FLOAT};
        return dtypes;
    } else {
        static const std::initializer_list<DataType> dtypes = {DataType::DT_FLOAT16, DataType::DT_FLOAT};
        return dtypes;
    }
}

// No argument may be missing.
bool CheckNotNull(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, const aclTensor* gradInput)
{
    OP_CHECK_NULL(gradOutput, return false);
    OP_CHECK_NULL(self, return false);
    OP_CHECK_NULL(gelu, return false);
    OP_CHECK_NULL(gradInput, return false);
    return true;
}

// One element type for all tensors, of those that the kernel has.
bool CheckDtype(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, const aclTensor* gradInput)
{
    OP_CHECK_DTYPE_NOT_SUPPORT(gradOutput, Dtypes(), return false);
    OP_CHECK_DTYPE_NOT_SAME(gradOutput, self, return false);
    OP_CHECK_DTYPE_NOT_SAME(gradOutput, gelu, return false);
    OP_CHECK_DTYPE_NOT_SAME(gradOutput, gradInput, return false);
    return true;
}

// Elements lie as the shape says.
bool CheckFormat(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, const aclTensor* gradInput)
{
    for (const aclTensor* tensor : {gradOutput, self, gelu, gradInput}) {
        OP_CHECK(
            !IsPrivateFormat(tensor->GetStorageFormat()),
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "the kernel reads ND, not a private format."), return false);
    }
    return true;
}

// Along the split dimension, a tensor with two parts is twice as long as one with one.
bool CheckShape(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, const aclTensor* gradInput,
    int64_t dim)
{
    OP_CHECK_SHAPE_NOT_EQUAL(gelu, gradOutput, return false);
    OP_CHECK_SHAPE_NOT_EQUAL(gradInput, self, return false);
    OP_CHECK_MIN_DIM(self, 1, return false);
    OP_CHECK_MAX_DIM(self, MAX_RANK, return false);
    const int64_t rank = static_cast<int64_t>(self->GetViewShape().GetDimNum());
    OP_CHECK(
        dim >= -rank && dim < rank,
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "dim must be in [%ld, %ld], but is %ld.", -rank, rank - 1, dim), return false);

    const size_t axis = static_cast<size_t>(dim < 0 ? dim + rank : dim);
    const int64_t length = self->GetViewShape().GetDim(axis);
    OP_CHECK(
        length % 2 == 0,
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "self is cut in two along dimension %zu, which is odd: %ld.", axis, length),
        return false);
    Shape part = self->GetViewShape();
    part.SetDim(axis, length / 2);
    OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE(gradOutput, part, return false);
    return true;
}

// Values that the kernel has a form for.
bool CheckAttributes(int64_t approximate)
{
    const NpuArch arch = GetCurrentPlatformInfo().GetCurNpuArch();
    if (arch == NpuArch::DAV_2201 || arch == NpuArch::DAV_3510) {
        OP_CHECK(
            approximate == 0 || approximate == 1,
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "approximate must be 0 (none) or 1 (tanh), but is %ld.", approximate),
            return false);
    } else {
        OP_CHECK(
            approximate == 1, OP_LOGE(ACLNN_ERR_PARAM_INVALID, "approximate must be 1 (tanh), but is %ld.", approximate),
            return false);
    }
    return true;
}

aclnnStatus CheckParams(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim, int64_t approximate,
    const aclTensor* gradInput)
{
    CHECK_RET(CheckNotNull(gradOutput, self, gelu, gradInput), ACLNN_ERR_PARAM_NULLPTR);
    CHECK_RET(CheckDtype(gradOutput, self, gelu, gradInput), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(CheckFormat(gradOutput, self, gelu, gradInput), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(CheckShape(gradOutput, self, gelu, gradInput, dim), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(CheckAttributes(approximate), ACLNN_ERR_PARAM_INVALID);
    return ACLNN_SUCCESS;
}

// Phase 1 of aclnnGeGluBackward and aclnnGeGluV3Backward.
aclnnStatus Prepare(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim, int64_t approximate,
    bool activateLeft, const aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    const aclnnStatus checked = CheckParams(gradOutput, self, gelu, dim, approximate, gradInput);
    CHECK_RET(checked == ACLNN_SUCCESS, checked);

    auto unique = CREATE_EXECUTOR();
    CHECK_RET(unique.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);

    // Empty outputs need no kernel and no workspace.
    if (gradOutput->IsEmpty()) {
        *workspaceSize = 0;
        unique.ReleaseTo(executor);
        return ACLNN_SUCCESS;
    }

    const aclTensor* gradOutputReady = l0op::Contiguous(gradOutput, unique.get());
    CHECK_RET(gradOutputReady != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* selfReady = l0op::Contiguous(self, unique.get());
    CHECK_RET(selfReady != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* geluReady = l0op::Contiguous(gelu, unique.get());
    CHECK_RET(geluReady != nullptr, ACLNN_ERR_INNER_NULLPTR);

    const aclTensor* gradInputResult = l0op::GeGluGradV2(
        gradOutputReady, selfReady, geluReady, dim, approximate, activateLeft, unique.get());
    CHECK_RET(gradInputResult != nullptr, ACLNN_ERR_INNER_NULLPTR);

    // The caller's tensors may have strides.
    CHECK_RET(l0op::ViewCopy(gradInputResult, gradInput, unique.get()) != nullptr, ACLNN_ERR_INNER_NULLPTR);

    *workspaceSize = unique->GetWorkspaceSize();
    unique.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}
} // namespace

aclnnStatus aclnnGeGluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim, int64_t approximate,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    L2_DFX_PHASE_1(aclnnGeGluBackward, DFX_IN(gradOutput, self, gelu, dim, approximate), DFX_OUT(gradInput));
    return Prepare(gradOutput, self, gelu, dim, approximate, false, gradInput, workspaceSize, executor);
}

aclnnStatus aclnnGeGluBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnGeGluBackward);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnGeGluV3BackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim, int64_t approximate,
    bool activateLeft, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    L2_DFX_PHASE_1(
        aclnnGeGluV3Backward, DFX_IN(gradOutput, self, gelu, dim, approximate, activateLeft), DFX_OUT(gradInput));
    return Prepare(gradOutput, self, gelu, dim, approximate, activateLeft, gradInput, workspaceSize, executor);
}

aclnnStatus aclnnGeGluV3Backward(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnGeGluV3Backward);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}
