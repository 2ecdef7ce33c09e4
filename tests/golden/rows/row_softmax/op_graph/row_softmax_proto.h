// RowSoftmax: the signature, for graphs.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#ifndef ROW_SOFTMAX_PROTO_H_
#define ROW_SOFTMAX_PROTO_H_

#include "graph/operator_reg.h"

namespace ge {

/**
 * @brief Softmax along the last dimension.
 *
 * @par Inputs:
 * @li x: DT_FLOAT16, DT_BF16, DT_FLOAT, of any shape.
 *
 * @par Outputs:
 * @li y: DT_FLOAT16, DT_BF16, DT_FLOAT, of any shape.
 *
 * Not in DT_BF16 on ascend310p.
 */
REG_OP(RowSoftmax)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .OP_END_FACTORY_REG(RowSoftmax)

}  // namespace ge

#endif  // ROW_SOFTMAX_PROTO_H_
