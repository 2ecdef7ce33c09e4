// RowSoftmax: what is refused, and in which words.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#ifndef ROW_SOFTMAX_CHECKS_H_
#define ROW_SOFTMAX_CHECKS_H_

{{fragment: host/fragments/includes.h}}

namespace ops {
namespace row_softmax {

constexpr const char* OP_TYPE = "RowSoftmax";

// A tensor, and whether it is cut in two along the split dimension.
struct Operand {
    const char* name;
    bool gated;
};

constexpr Operand INPUTS[] = {{"x", false}};
constexpr Operand OUTPUTS[] = {{"y", false}};
constexpr size_t INPUT_COUNT = 1;
constexpr size_t OUTPUT_COUNT = 1;
// The input that decides the others' shapes.
constexpr size_t LEAD = 0;
// The attribute that names the split dimension; null if there is none.
constexpr const char* DIM = nullptr;
constexpr int64_t MIN_RANK = 0;

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


}  // namespace row_softmax
}  // namespace ops

#endif  // ROW_SOFTMAX_CHECKS_H_
