// GeGluGradV2: a kernel onto an executor's list.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#include "ge_glu_grad_v2.h"

#include "aclnn_kernels/common/op_error_check.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"

using namespace op;

namespace l0op {
OP_TYPE_REGISTER(GeGluGradV2);

const aclTensor* GeGluGradV2(
    const aclTensor* dy, const aclTensor* x, const aclTensor* gelu, int64_t dim, int64_t approximate,
    bool activateLeft, aclOpExecutor* executor)
{
    L0_DFX(GeGluGradV2, dy, x, gelu, dim, approximate, activateLeft);

    // Their shapes follow from the inputs by the rule in op_host.
    aclTensor* dxResult = executor->AllocTensor(dy->GetDataType(), Format::FORMAT_ND, Format::FORMAT_ND);
    if (dxResult == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "GeGluGradV2: no memory for the result.");
        return nullptr;
    }
    const aclnnStatus inferred = INFER_SHAPE(
        GeGluGradV2, OP_INPUT(dy, x, gelu), OP_OUTPUT(dxResult), OP_ATTR(dim, approximate, activateLeft));
    if (inferred != ACLNN_SUCCESS) {
        OP_LOGE(ACLNN_ERR_INNER_INFERSHAPE_ERROR, "GeGluGradV2: the inputs have no result shape.");
        return nullptr;
    }

    const aclnnStatus added = ADD_TO_LAUNCHER_LIST_AICORE(
        GeGluGradV2, OP_INPUT(dy, x, gelu), OP_OUTPUT(dxResult), OP_ATTR(dim, approximate, activateLeft));
    if (added != ACLNN_SUCCESS) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "GeGluGradV2: the kernel cannot be launched.");
        return nullptr;
    }
    return dxResult;
}
} // namespace l0op
