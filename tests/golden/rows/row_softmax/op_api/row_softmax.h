// RowSoftmax: a kernel onto an executor's list.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.
#ifndef OP_API_LEVEL0_ROW_SOFTMAX_H_
#define OP_API_LEVEL0_ROW_SOFTMAX_H_

#include "opdev/op_executor.h"

namespace l0op {
// Puts the kernel on the executor's list. Inputs are contiguous, of one element type and of the
// shapes that the kernel takes. No tensor comes back if one cannot be had.
const aclTensor* RowSoftmax(const aclTensor* x, aclOpExecutor* executor);
} // namespace l0op

#endif // OP_API_LEVEL0_ROW_SOFTMAX_H_
