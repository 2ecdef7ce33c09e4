// GeGluGradV2: the signature, for graphs.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#ifndef GE_GLU_GRAD_V2_PROTO_H_
#define GE_GLU_GRAD_V2_PROTO_H_

#include "graph/operator_reg.h"

namespace ge {

/**
 * @brief The gradient of `GeGluV2`.
 *
 * @par Inputs:
 * @li dy: DT_FLOAT16, DT_BF16, DT_FLOAT, half as long along the split dimension.
 * @li x: DT_FLOAT16, DT_BF16, DT_FLOAT, cut in two along the split dimension, which is even.
 * @li gelu: DT_FLOAT16, DT_BF16, DT_FLOAT, half as long along the split dimension.
 *
 * @par Outputs:
 * @li dx: DT_FLOAT16, DT_BF16, DT_FLOAT, cut in two along the split dimension, which is even.
 *
 * Not in DT_BF16 on ascend310p.
 *
 * @par Attributes:
 * @li dim: the dimension that is cut in two, from -rank to rank - 1. Defaults to -1.
 * @li approximate: 0 (none) or 1 (tanh). Defaults to 1.
 * @li activate_left: true or false. Defaults to false.
 */
REG_OP(GeGluGradV2)
    .INPUT(dy, "T")
    .INPUT(x, "T")
    .INPUT(gelu, "T")
    .OUTPUT(dx, "T")
    .DATATYPE(T, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .ATTR(dim, Int, -1)
    .ATTR(approximate, Int, 1)
    .ATTR(activate_left, Bool, false)
    .OP_END_FACTORY_REG(GeGluGradV2)

}  // namespace ge

#endif  // GE_GLU_GRAD_V2_PROTO_H_
