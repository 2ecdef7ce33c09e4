// GeGluGradV2: a kernel onto an executor's list.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.
#ifndef OP_API_LEVEL0_GE_GLU_GRAD_V2_H_
#define OP_API_LEVEL0_GE_GLU_GRAD_V2_H_

#include "opdev/op_executor.h"

namespace l0op {
// Puts the kernel on the executor's list. Inputs are contiguous, of one element type and of the
// shapes that the kernel takes. No tensor comes back if one cannot be had.
const aclTensor* GeGluGradV2(
    const aclTensor* dy, const aclTensor* x, const aclTensor* gelu, int64_t dim, int64_t approximate,
    bool activateLeft, aclOpExecutor* executor);
} // namespace l0op

#endif // OP_API_LEVEL0_GE_GLU_GRAD_V2_H_
