// GeGluGradV2: unit tests.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#include <gtest/gtest.h>

#include "infershape_case_executor.h"

TEST(GeGluGradV2InferShape, Matrix)
{
    gert::InfershapeContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{}, {}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(0)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    });
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {{64, 2000}});
}

TEST(GeGluGradV2InferShape, OneElement)
{
    gert::InfershapeContextPara para("GeGluGradV2", {
        {{{1, 1}, {1, 1}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{1, 2}, {1, 2}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{1, 1}, {1, 1}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{}, {}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(0)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    });
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {{1, 2}});
}
