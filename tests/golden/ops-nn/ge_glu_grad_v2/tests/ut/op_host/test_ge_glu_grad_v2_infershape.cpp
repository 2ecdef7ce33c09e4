// GeGluGradV2
//
// The gradient of `GeGluV2`.
//
// GeGLU: `y = B * gelu(A)`, where `A` is the half of `x` along `dim` that `activate_left`
// picks, and `B` the other. `gelu(A)` is kept for the gradient, which is
// `dA = dy * B * gelu'(A)`, `dB = dy * gelu(A)`.
//
// Source: aclnnGeGluV3 and aclnnGeGluV3Backward of CANN (ops-nn/activation).
//
// #[saved]
// let gelu = gelu(x.gate, approximate);
// x.value * gelu
//
// fn gelu(x: Elem, approximate: Approximate) -> Elem {
//     match approximate {
//         Approximate::None => 0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2)),
//         Approximate::Tanh => {
//             let u = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (x + 0.044715 * x.powi(3));
//             0.5 * x * (1.0 + tanh(u))
//         }
//     }
// }
//
// generated from ops_glu_grad::families::glu::glu::ge_glu, do not edit

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
