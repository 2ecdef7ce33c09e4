// RowSoftmax: unit tests.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#include <gtest/gtest.h>

#include "infershape_case_executor.h"

TEST(RowSoftmaxInferShape, Matrix)
{
    gert::InfershapeContextPara para("RowSoftmax", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{}, {}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    });
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {{64, 1000}});
}

TEST(RowSoftmaxInferShape, OneElement)
{
    gert::InfershapeContextPara para("RowSoftmax", {
        {{{1, 1}, {1, 1}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{}, {}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    });
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {{1, 1}});
}
