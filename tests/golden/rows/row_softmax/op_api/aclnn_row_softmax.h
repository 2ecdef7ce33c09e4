// RowSoftmax: the functions that programs call.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.
#ifndef OP_API_ACLNN_ROW_SOFTMAX_H_
#define OP_API_ACLNN_ROW_SOFTMAX_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1: checks the arguments, and answers with the bytes of workspace and an executor.
__attribute__((visibility("default")))
aclnnStatus aclnnRowSoftmaxGetWorkspaceSize(
    const aclTensor* x, const aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: launches what phase 1 prepared.
__attribute__((visibility("default")))
aclnnStatus aclnnRowSoftmax(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif // OP_API_ACLNN_ROW_SOFTMAX_H_
