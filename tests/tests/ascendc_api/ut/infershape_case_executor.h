// Runs the shape inference that an operator registered.
#pragma once

#include <gtest/gtest.h>

#include "contexts.h"

inline void ExecuteTestCase(gert::InfershapeContextPara& para, ge::graphStatus status,
                            const std::vector<std::vector<int64_t>>& shapes)
{
    gert::InferShapeContext context;
    const gert::RuntimeAttrs attrs = para.Attrs();
    context.node_name = para.name.c_str();
    context.attrs = &attrs;
    for (size_t at = 0; at < para.Places(); ++at) {
        const auto* tensor = para.Input(at);
        context.inputs.push_back(tensor == nullptr ? nullptr : &tensor->shape);
    }
    for (auto& tensor : para.outputs) {
        context.outputs.push_back(&tensor.shape);
    }
    EXPECT_EQ(gert::OpImplRegisterV2::All()[para.name].infer_shape(&context), status);
    ASSERT_TRUE(para.outputs.size() == shapes.size());
    for (size_t i = 0; i < shapes.size(); ++i) {
        std::vector<int64_t> got;
        for (size_t d = 0; d < para.outputs[i].shape.GetDimNum(); ++d) {
            got.push_back(para.outputs[i].shape.GetDim(d));
        }
        EXPECT_EQ(got, shapes[i]);
    }
}
