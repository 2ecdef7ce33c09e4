/* aclnnDyT.
   Generated from the table of operators, do not edit. */
#ifndef ACLNNOP_ACLNN_DY_T_H
#define ACLNNOP_ACLNN_DY_T_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments; answers with the bytes of workspace and an executor. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDyTGetWorkspaceSize(
    const aclTensor* x,
    const aclTensor* alpha,
    const aclTensor* gamma,
    const aclTensor* beta,
    const aclTensor* y,
    uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: runs what phase 1 prepared. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDyT(
    void* workspace,
    uint64_t workspaceSize,
    aclOpExecutor* executor,
    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
