/* aclnnClippedSwiGluMul.
   Generated from the table of operators, do not edit. */
#ifndef ACLNNOP_ACLNN_CLIPPED_SWI_GLU_MUL_H
#define ACLNNOP_ACLNN_CLIPPED_SWI_GLU_MUL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments; answers with the bytes of workspace and an executor. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnClippedSwiGluMulGetWorkspaceSize(
    const aclTensor* gate_,
    const aclTensor* up,
    double alpha,
    double limit,
    double bias,
    const aclTensor* y,
    uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: runs what phase 1 prepared. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnClippedSwiGluMul(
    void* workspace,
    uint64_t workspaceSize,
    aclOpExecutor* executor,
    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
