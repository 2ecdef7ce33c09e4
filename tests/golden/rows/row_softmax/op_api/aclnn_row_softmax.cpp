// RowSoftmax: the functions that programs call.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#include "aclnn_row_softmax.h"

#include "aclnn_kernels/common/op_error_check.h"
#include "aclnn_kernels/contiguous.h"
#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"
#include "opdev/format_utils.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"
#include "opdev/platform.h"
#include "opdev/shape_utils.h"
#include "row_softmax.h"

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
bool CheckNotNull(const aclTensor* x, const aclTensor* y)
{
    OP_CHECK_NULL(x, return false);
    OP_CHECK_NULL(y, return false);
    return true;
}

// One element type for all tensors, of those that the kernel has.
bool CheckDtype(const aclTensor* x, const aclTensor* y)
{
    OP_CHECK_DTYPE_NOT_SUPPORT(x, Dtypes(), return false);
    OP_CHECK_DTYPE_NOT_SAME(x, y, return false);
    return true;
}

// Elements lie as the shape says.
bool CheckFormat(const aclTensor* x, const aclTensor* y)
{
    for (const aclTensor* tensor : {x, y}) {
        OP_CHECK(
            !IsPrivateFormat(tensor->GetStorageFormat()),
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "the kernel reads ND, not a private format."), return false);
    }
    return true;
}

// One shape for all tensors.
bool CheckShape(const aclTensor* x, const aclTensor* y)
{
    OP_CHECK_MAX_DIM(x, MAX_RANK, return false);
    OP_CHECK_SHAPE_NOT_EQUAL(y, x, return false);
    return true;
}

aclnnStatus CheckParams(const aclTensor* x, const aclTensor* y)
{
    CHECK_RET(CheckNotNull(x, y), ACLNN_ERR_PARAM_NULLPTR);
    CHECK_RET(CheckDtype(x, y), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(CheckFormat(x, y), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(CheckShape(x, y), ACLNN_ERR_PARAM_INVALID);
    return ACLNN_SUCCESS;
}

// Phase 1 of aclnnRowSoftmax.
aclnnStatus Prepare(const aclTensor* x, const aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    const aclnnStatus checked = CheckParams(x, y);
    CHECK_RET(checked == ACLNN_SUCCESS, checked);

    auto unique = CREATE_EXECUTOR();
    CHECK_RET(unique.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);

    // Empty outputs need no kernel and no workspace.
    if (x->IsEmpty()) {
        *workspaceSize = 0;
        unique.ReleaseTo(executor);
        return ACLNN_SUCCESS;
    }

    const aclTensor* xReady = l0op::Contiguous(x, unique.get());
    CHECK_RET(xReady != nullptr, ACLNN_ERR_INNER_NULLPTR);

    const aclTensor* yResult = l0op::RowSoftmax(xReady, unique.get());
    CHECK_RET(yResult != nullptr, ACLNN_ERR_INNER_NULLPTR);

    // The caller's tensors may have strides.
    CHECK_RET(l0op::ViewCopy(yResult, y, unique.get()) != nullptr, ACLNN_ERR_INNER_NULLPTR);

    *workspaceSize = unique->GetWorkspaceSize();
    unique.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}
} // namespace

aclnnStatus aclnnRowSoftmaxGetWorkspaceSize(
    const aclTensor* x, const aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    L2_DFX_PHASE_1(aclnnRowSoftmax, DFX_IN(x), DFX_OUT(y));
    return Prepare(x, y, workspaceSize, executor);
}

aclnnStatus aclnnRowSoftmax(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnRowSoftmax);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}
