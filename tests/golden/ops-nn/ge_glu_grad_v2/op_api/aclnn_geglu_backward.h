// GeGluGradV2: the functions that programs call.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.
#ifndef OP_API_ACLNN_GEGLU_BACKWARD_H_
#define OP_API_ACLNN_GEGLU_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1: checks the arguments, and answers with the bytes of workspace and an executor.
// activate_left is false.
__attribute__((visibility("default")))
aclnnStatus aclnnGeGluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim, int64_t approximate,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: launches what phase 1 prepared.
__attribute__((visibility("default")))
aclnnStatus aclnnGeGluBackward(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

// Phase 1: checks the arguments, and answers with the bytes of workspace and an executor.
__attribute__((visibility("default")))
aclnnStatus aclnnGeGluV3BackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim, int64_t approximate,
    bool activateLeft, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: launches what phase 1 prepared.
__attribute__((visibility("default")))
aclnnStatus aclnnGeGluV3Backward(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif // OP_API_ACLNN_GEGLU_BACKWARD_H_
