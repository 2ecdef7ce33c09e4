// RowSoftmax: a kernel onto an executor's list.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#include "row_softmax.h"

#include "aclnn_kernels/common/op_error_check.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"

using namespace op;

namespace l0op {
OP_TYPE_REGISTER(RowSoftmax);

const aclTensor* RowSoftmax(const aclTensor* x, aclOpExecutor* executor)
{
    L0_DFX(RowSoftmax, x);

    // Their shapes follow from the inputs by the rule in op_host.
    aclTensor* yResult = executor->AllocTensor(x->GetDataType(), Format::FORMAT_ND, Format::FORMAT_ND);
    if (yResult == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "RowSoftmax: no memory for the result.");
        return nullptr;
    }
    const aclnnStatus inferred = INFER_SHAPE(RowSoftmax, OP_INPUT(x), OP_OUTPUT(yResult), OP_EMPTY_ARG);
    if (inferred != ACLNN_SUCCESS) {
        OP_LOGE(ACLNN_ERR_INNER_INFERSHAPE_ERROR, "RowSoftmax: the inputs have no result shape.");
        return nullptr;
    }

    const aclnnStatus added = ADD_TO_LAUNCHER_LIST_AICORE(RowSoftmax, OP_INPUT(x), OP_OUTPUT(yResult));
    if (added != ACLNN_SUCCESS) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "RowSoftmax: the kernel cannot be launched.");
        return nullptr;
    }
    return yResult;
}
} // namespace l0op
