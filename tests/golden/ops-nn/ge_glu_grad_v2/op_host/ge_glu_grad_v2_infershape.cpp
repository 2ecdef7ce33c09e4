// GeGluGradV2: shapes and element types of the outputs.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#include "ge_glu_grad_v2_checks.h"

namespace ops {
namespace ge_glu_grad_v2 {

namespace {

// Inputs are broadcast against each other; else their shapes must agree.
constexpr bool BROADCAST = false;
// Inputs may differ in element type, and outputs have the one that holds all.
constexpr bool PROMOTE = false;

{{fragment: host/fragments/shapes.h; @first@ = 0}}

ge::graphStatus InferShape(gert::InferShapeContext* context)
{
    Attributes attributes{};
    if (ReadAttributes(context, attributes) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
    return InferShapes(context, attributes.dim);
}

}  // namespace

IMPL_OP_INFERSHAPE(GeGluGradV2).InferShape(InferShape).InferDataType(InferDataType);

}  // namespace ge_glu_grad_v2
}  // namespace ops
