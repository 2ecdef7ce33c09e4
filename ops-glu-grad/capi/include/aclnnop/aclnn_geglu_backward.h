/* aclnnGeGluBackward and aclnnGeGluV3Backward.
   Generated from the table of operators, do not edit. */
#ifndef ACLNNOP_ACLNN_GEGLU_BACKWARD_H
#define ACLNNOP_ACLNN_GEGLU_BACKWARD_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments; answers with the bytes of workspace and an executor. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput,
    const aclTensor* self,
    const aclTensor* gelu,
    int64_t dim,
    int64_t approximate,
    aclTensor* gradInput,
    uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: runs what phase 1 prepared. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluBackward(
    void* workspace,
    uint64_t workspaceSize,
    aclOpExecutor* executor,
    aclrtStream stream);

/* Phase 1: checks the arguments; answers with the bytes of workspace and an executor. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluV3BackwardGetWorkspaceSize(
    const aclTensor* gradOutput,
    const aclTensor* self,
    const aclTensor* gelu,
    int64_t dim,
    int64_t approximate,
    bool activateLeft,
    aclTensor* gradInput,
    uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: runs what phase 1 prepared. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluV3Backward(
    void* workspace,
    uint64_t workspaceSize,
    aclOpExecutor* executor,
    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
