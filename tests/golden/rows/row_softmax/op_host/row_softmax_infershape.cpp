// RowSoftmax: shapes and element types of the outputs.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#include "row_softmax_checks.h"

namespace ops {
namespace row_softmax {

namespace {

// Inputs are broadcast against each other; else their shapes must agree.
constexpr bool BROADCAST = false;
// Inputs may differ in element type, and outputs have the one that holds all.
constexpr bool PROMOTE = false;

{{fragment: host/fragments/shapes.h; @first@ = 0}}

ge::graphStatus InferShape(gert::InferShapeContext* context)
{
    return InferShapes(context, 0);
}

}  // namespace

IMPL_OP_INFERSHAPE(RowSoftmax).InferShape(InferShape).InferDataType(InferDataType);

}  // namespace row_softmax
}  // namespace ops
