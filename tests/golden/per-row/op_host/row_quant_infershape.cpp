// RowQuant: shapes and element types of the outputs.
// SwiGLU of eight bits, with a scale for each token.
// Generated from ascendc_trees::rows::row_quant; do not edit.

#include "row_quant_checks.h"

namespace ops {
namespace row_quant {

namespace {

// Inputs are broadcast against each other; else their shapes must agree.
constexpr bool BROADCAST = false;
// Inputs may differ in element type, and outputs have the one that holds all.
constexpr bool PROMOTE = false;

// Shapes of the outputs. Unknown dimensions of one input are taken from the others.
ge::graphStatus InferShapes(gert::InferShapeContext* context, int64_t dim)
{
    std::vector<Dims> inputs;
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        const gert::Shape* shape = ShapeOfInput(context, k);
        if (shape == nullptr) {
            return RefuseTensor(context, INPUTS[k].name, "is missing");
        }
        inputs.push_back(ToDims(*shape));
    }
    Domain domain;
    if (FindDomain(context, inputs, dim, BROADCAST, domain) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
    for (size_t k = 0; k < OUTPUT_COUNT; ++k) {
        gert::Shape* shape = context->GetOutputShape(k);
        if (shape == nullptr) {
            return RefuseTensor(context, OUTPUTS[k].name, "is missing");
        }
        shape->SetDimNum(0);
        for (int64_t d : ShapeOf(OUTPUTS[k], domain)) {
            shape->AppendDim(d);
        }
    }
    return ge::GRAPH_SUCCESS;
}

// The element type of an input, by its place in the signature.
ge::DataType TypeOfInput(const gert::InferDataTypeContext* context, size_t k)
{
    return context->GetInputDataType(k);
}

// Element types of the outputs: that of the inputs. A mix of them is held by float.
ge::graphStatus InferDataType(gert::InferDataTypeContext* context)
{
    ge::DataType type = TypeOfInput(context, 0);
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        const ge::DataType other = TypeOfInput(context, k);
        if (INPUTS[k].own != ge::DT_UNDEFINED) {
            if (other != INPUTS[k].own) {
                return RefuseTensor(context, INPUTS[k].name, "has ge::DataType " +
                                    std::to_string(static_cast<int>(other)) + "; allowed: " +
                                    std::to_string(static_cast<int>(INPUTS[k].own)));
            }
            continue;
        }
        if (other != type && !PROMOTE) {
            return RefuseTensor(context, INPUTS[k].name, "has ge::DataType " + std::to_string(static_cast<int>(other)) +
                                "; allowed: " + std::to_string(static_cast<int>(type)) + ", as " +
                                Quote(INPUTS[0].name) + " has");
        }
        type = other == type ? type : ge::DT_FLOAT;
    }
    for (size_t k = 0; k < OUTPUT_COUNT; ++k) {
        context->SetOutputDataType(k, OUTPUTS[k].own == ge::DT_UNDEFINED ? type : OUTPUTS[k].own);
    }
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShape(gert::InferShapeContext* context)
{
    Attributes attributes{};
    if (ReadAttributes(context, attributes) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
    return InferShapes(context, attributes.dim);
}

}  // namespace

IMPL_OP_INFERSHAPE(RowQuant).InferShape(InferShape).InferDataType(InferDataType);

}  // namespace row_quant
}  // namespace ops
