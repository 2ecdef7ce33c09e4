// SwiGluGrad: shapes and element types of the outputs.
// The gradient of `SwiGlu`.
// Generated from ops_glu_grad::families::glu::glu::swi_glu; do not edit.

#include "swi_glu_grad_checks.h"

namespace ops {
namespace swi_glu_grad {

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

IMPL_OP_INFERSHAPE(SwiGluGrad).InferShape(InferShape).InferDataType(InferDataType);

}  // namespace swi_glu_grad
}  // namespace ops
