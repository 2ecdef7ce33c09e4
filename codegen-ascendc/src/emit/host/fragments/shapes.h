// Shapes of the outputs. Unknown dimensions of one input are taken from the others.
ge::graphStatus InferShapes(gert::InferShapeContext* context, int64_t dim)
{
    std::vector<Dims> inputs;
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        const gert::Shape* shape = ShapeOfInput(context, k);
        @optional@
        if (shape == nullptr && OPTIONAL[k]) {
            inputs.push_back(Dims{ABSENT});
            continue;
        }
        @end@
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
        @sums@
        for (int64_t d : SUM_OF[k] < 0 ? ShapeOf(OUTPUTS[k], domain) : inputs[SUM_OF[k]]) {
        @else@
        for (int64_t d : ShapeOf(OUTPUTS[k], domain)) {
        @end@
            shape->AppendDim(d);
        }
    }
    return ge::GRAPH_SUCCESS;
}

// The element type of an input, by its place in the signature.
ge::DataType TypeOfInput(const gert::InferDataTypeContext* context, size_t k)
{
    @optional@
    if (OPTIONAL[k]) {
        return context->GetOptionalInputDataType(k);
    }
    return context->GetRequiredInputDataType(k);
    @else@
    return context->GetInputDataType(k);
    @end@
}

// Element types of the outputs: that of the inputs. A mix of them is held by float.
ge::graphStatus InferDataType(gert::InferDataTypeContext* context)
{
    ge::DataType type = TypeOfInput(context, @first@);
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        const ge::DataType other = TypeOfInput(context, k);
        @masks@
        if (MASKS[k]) {
            continue;
        }
        @end@
        @own@
        if (INPUTS[k].own != ge::DT_UNDEFINED) {
            if (other != INPUTS[k].own) {
                return RefuseTensor(context, INPUTS[k].name, "has ge::DataType " +
                                    std::to_string(static_cast<int>(other)) + "; allowed: " +
                                    std::to_string(static_cast<int>(INPUTS[k].own)));
            }
            continue;
        }
        @end@
        @optional@
        if (OPTIONAL[k] && other == ge::DT_UNDEFINED) {
            continue;
        }
        @end@
        if (other != type && !PROMOTE) {
            return RefuseTensor(context, INPUTS[k].name, "has ge::DataType " + std::to_string(static_cast<int>(other)) +
                                "; allowed: " + std::to_string(static_cast<int>(type)) + ", as " +
                                Quote(INPUTS[@first@].name) + " has");
        }
        type = other == type ? type : ge::DT_FLOAT;
    }
    for (size_t k = 0; k < OUTPUT_COUNT; ++k) {
        @own@
        context->SetOutputDataType(k, OUTPUTS[k].own == ge::DT_UNDEFINED ? type : OUTPUTS[k].own);
        @else@
        context->SetOutputDataType(k, type);
        @end@
    }
    return ge::GRAPH_SUCCESS;
}
