// GeGluGradV2: what is refused, and in which words.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#ifndef GE_GLU_GRAD_V2_CHECKS_H_
#define GE_GLU_GRAD_V2_CHECKS_H_

{{fragment: host/fragments/includes.h}}

namespace ops {
namespace ge_glu_grad_v2 {

constexpr const char* OP_TYPE = "GeGluGradV2";

// A tensor, and whether it is cut in two along the split dimension.
struct Operand {
    const char* name;
    bool gated;
};

constexpr Operand INPUTS[] = {{"dy", false}, {"x", true}, {"gelu", false}};
constexpr Operand OUTPUTS[] = {{"dx", true}};
constexpr size_t INPUT_COUNT = 3;
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
    int64_t approximate;
    bool activateLeft;
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
    const int64_t* approximate = values->GetInt(1);
    if (approximate == nullptr) {
        return RefuseValue(context, "approximate", "missing", "a value");
    }
    attributes.approximate = *approximate;
    if (*approximate != 0 && *approximate != 1) {
        return RefuseValue(context, "approximate", std::to_string(*approximate), "none (0), tanh (1)");
    }
    const bool* activateLeft = values->GetBool(2);
    if (activateLeft == nullptr) {
        return RefuseValue(context, "activate_left", "missing", "a value");
    }
    attributes.activateLeft = *activateLeft;
    return ge::GRAPH_SUCCESS;
}

}  // namespace ge_glu_grad_v2
}  // namespace ops

#endif  // GE_GLU_GRAD_V2_CHECKS_H_
