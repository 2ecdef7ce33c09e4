// SwiGluGrad: what is refused, and in which words.
// The gradient of `SwiGlu`.
// Generated from ops_glu_grad::families::glu::glu::swi_glu; do not edit.

#ifndef SWI_GLU_GRAD_CHECKS_H_
#define SWI_GLU_GRAD_CHECKS_H_

{{fragment: host/fragments/includes.h}}

namespace ops {
namespace swi_glu_grad {

constexpr const char* OP_TYPE = "SwiGluGrad";

// A tensor, and whether it is cut in two along the split dimension.
struct Operand {
    const char* name;
    bool gated;
};

constexpr Operand INPUTS[] = {{"y_grad", false}, {"x", true}};
constexpr Operand OUTPUTS[] = {{"x_grad", true}};
constexpr size_t INPUT_COUNT = 2;
constexpr size_t OUTPUT_COUNT = 1;
// The input that decides the others' shapes.
constexpr size_t LEAD = 1;
// The attribute that names the split dimension; null if there is none.
constexpr const char* DIM = "dim";
constexpr int64_t MIN_RANK = 1;

// An input, by its place in the signature; null if it is missing.
template <typename C>
inline auto ShapeOfInput(const C* context, size_t k)
{
    return context->GetInputShape(k);
}
template <typename C>
inline auto DescOfInput(const C* context, size_t k)
{
    return context->GetInputDesc(k);
}

{{fragment: host/fragments/checks.h}}

struct Attributes {
    int64_t dim;
};

// Refuses values that the operator does not have.
inline ge::graphStatus ReadAttributes(const Context* context, Attributes& attributes)
{
    const gert::RuntimeAttrs* values = context->GetAttrs();
    if (values == nullptr) {
        return Refuse(context, "the attributes are missing");
    }
    const int64_t* dim = values->GetInt(0);
    if (dim == nullptr) {
        return RefuseValue(context, "dim", "missing", "a value");
    }
    attributes.dim = *dim;
    return ge::GRAPH_SUCCESS;
}

}  // namespace swi_glu_grad
}  // namespace ops

#endif  // SWI_GLU_GRAD_CHECKS_H_
