/* aclnnDyTGrad.
   Generated from the table of operators, do not edit. */
#ifndef ACLNNOP_ACLNN_DY_T_GRAD_H
#define ACLNNOP_ACLNN_DY_T_GRAD_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments; answers with the bytes of workspace and an executor. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDyTGradGetWorkspaceSize(
    const aclTensor* dy,
    const aclTensor* x,
    const aclTensor* alpha,
    const aclTensor* gamma,
    const aclTensor* beta,
    const aclTensor* dx,
    const aclTensor* dalpha,
    const aclTensor* dgamma,
    const aclTensor* dbeta,
    uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: runs what phase 1 prepared. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDyTGrad(
    void* workspace,
    uint64_t workspaceSize,
    aclOpExecutor* executor,
    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
