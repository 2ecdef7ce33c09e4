/* aclnnGeGlu and aclnnGeGluV3.
   Generated from the table of operators, do not edit. */
#ifndef ACLNNOP_ACLNN_GEGLU_H
#define ACLNNOP_ACLNN_GEGLU_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments; answers with the bytes of workspace and an executor. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluGetWorkspaceSize(
    const aclTensor* self,
    int64_t dim,
    int64_t approximate,
    aclTensor* out,
    aclTensor* outGelu,
    uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: runs what phase 1 prepared. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGlu(
    void* workspace,
    uint64_t workspaceSize,
    aclOpExecutor* executor,
    aclrtStream stream);

/* Phase 1: checks the arguments; answers with the bytes of workspace and an executor. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluV3GetWorkspaceSize(
    const aclTensor* self,
    int64_t dim,
    int64_t approximate,
    bool activateLeft,
    aclTensor* out,
    aclTensor* outGelu,
    uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: runs what phase 1 prepared. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluV3(
    void* workspace,
    uint64_t workspaceSize,
    aclOpExecutor* executor,
    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
