// GeGluGradV2: unit tests.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#include <cstring>

#include <gtest/gtest.h>

#include "tiling_case_executor.h"
#include "../../../op_host/ge_glu_grad_v2_tiling_core.h"

TEST(GeGluGradV2Tiling, FLOAT16_NONE_2201)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{2201};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(0)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 48, 196608);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 48u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 4u);
    EXPECT_EQ(data.share, 5u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 256u);
    EXPECT_EQ(data.tileRows, 4u);
    EXPECT_EQ(data.tileColumns, 4608u);
    EXPECT_EQ(data.pitch, 1008u);
    EXPECT_EQ(data.cores, 48u);
    EXPECT_EQ(data.big, 16u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, BFLOAT16_NONE_2201)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{2201};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_BF16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(0)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 48, 196608);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 48u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 4u);
    EXPECT_EQ(data.share, 5u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 256u);
    EXPECT_EQ(data.tileRows, 5u);
    EXPECT_EQ(data.tileColumns, 5120u);
    EXPECT_EQ(data.pitch, 1008u);
    EXPECT_EQ(data.cores, 48u);
    EXPECT_EQ(data.big, 16u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, FLOAT_NONE_2201)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{2201};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(0)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 48, 196608);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 48u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 8u);
    EXPECT_EQ(data.share, 10u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 128u);
    EXPECT_EQ(data.tileRows, 3u);
    EXPECT_EQ(data.tileColumns, 3584u);
    EXPECT_EQ(data.pitch, 1000u);
    EXPECT_EQ(data.cores, 48u);
    EXPECT_EQ(data.big, 32u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, FLOAT16_TANH_2201)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{2201};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(1)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 48, 196608);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 48u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 4u);
    EXPECT_EQ(data.share, 5u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 256u);
    EXPECT_EQ(data.tileRows, 5u);
    EXPECT_EQ(data.tileColumns, 5376u);
    EXPECT_EQ(data.pitch, 1008u);
    EXPECT_EQ(data.cores, 48u);
    EXPECT_EQ(data.big, 16u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, BFLOAT16_TANH_2201)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{2201};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_BF16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(1)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 48, 196608);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 48u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 4u);
    EXPECT_EQ(data.share, 5u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 256u);
    EXPECT_EQ(data.tileRows, 5u);
    EXPECT_EQ(data.tileColumns, 5376u);
    EXPECT_EQ(data.pitch, 1008u);
    EXPECT_EQ(data.cores, 48u);
    EXPECT_EQ(data.big, 16u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, FLOAT_TANH_2201)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{2201};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(1)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 48, 196352);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 48u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 8u);
    EXPECT_EQ(data.share, 10u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 128u);
    EXPECT_EQ(data.tileRows, 4u);
    EXPECT_EQ(data.tileColumns, 3968u);
    EXPECT_EQ(data.pitch, 1000u);
    EXPECT_EQ(data.cores, 48u);
    EXPECT_EQ(data.big, 32u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, FLOAT16_TANH_2002)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{2002};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(1)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 8, 262144);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 8u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 1u);
    EXPECT_EQ(data.share, 4u);
    EXPECT_EQ(data.unitRows, 2u);
    EXPECT_EQ(data.unitColumns, 0u);
    EXPECT_EQ(data.tileRows, 4u);
    EXPECT_EQ(data.tileColumns, 7168u);
    EXPECT_EQ(data.pitch, 1000u);
    EXPECT_EQ(data.cores, 8u);
    EXPECT_EQ(data.big, 0u);
    EXPECT_EQ(data.path, 2u);
}

TEST(GeGluGradV2Tiling, FLOAT_TANH_2002)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{2002};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(1)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 8, 262144);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 8u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 1u);
    EXPECT_EQ(data.share, 8u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 0u);
    EXPECT_EQ(data.tileRows, 5u);
    EXPECT_EQ(data.tileColumns, 5376u);
    EXPECT_EQ(data.pitch, 1000u);
    EXPECT_EQ(data.cores, 8u);
    EXPECT_EQ(data.big, 0u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, FLOAT16_NONE_3510)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{3510};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(0)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 64, 253952);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 64u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 1u);
    EXPECT_EQ(data.share, 1u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 0u);
    EXPECT_EQ(data.tileRows, 10u);
    EXPECT_EQ(data.tileColumns, 10496u);
    EXPECT_EQ(data.pitch, 1008u);
    EXPECT_EQ(data.cores, 64u);
    EXPECT_EQ(data.big, 0u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, BFLOAT16_NONE_3510)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{3510};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_BF16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(0)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 64, 253952);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 64u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 1u);
    EXPECT_EQ(data.share, 1u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 0u);
    EXPECT_EQ(data.tileRows, 10u);
    EXPECT_EQ(data.tileColumns, 10496u);
    EXPECT_EQ(data.pitch, 1008u);
    EXPECT_EQ(data.cores, 64u);
    EXPECT_EQ(data.big, 0u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, FLOAT_NONE_3510)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{3510};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(0)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 64, 253952);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 64u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 1u);
    EXPECT_EQ(data.share, 1u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 0u);
    EXPECT_EQ(data.tileRows, 5u);
    EXPECT_EQ(data.tileColumns, 5248u);
    EXPECT_EQ(data.pitch, 1000u);
    EXPECT_EQ(data.cores, 64u);
    EXPECT_EQ(data.big, 0u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, FLOAT16_TANH_3510)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{3510};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(1)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 64, 253952);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 64u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 1u);
    EXPECT_EQ(data.share, 1u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 0u);
    EXPECT_EQ(data.tileRows, 10u);
    EXPECT_EQ(data.tileColumns, 10496u);
    EXPECT_EQ(data.pitch, 1008u);
    EXPECT_EQ(data.cores, 64u);
    EXPECT_EQ(data.big, 0u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, BFLOAT16_TANH_3510)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{3510};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_BF16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(1)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 64, 253952);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 64u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 1u);
    EXPECT_EQ(data.share, 1u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 0u);
    EXPECT_EQ(data.tileRows, 10u);
    EXPECT_EQ(data.tileColumns, 10496u);
    EXPECT_EQ(data.pitch, 1008u);
    EXPECT_EQ(data.cores, 64u);
    EXPECT_EQ(data.big, 0u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, FLOAT_TANH_3510)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{3510};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(1)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 64, 253952);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.blockNum, 64u);
    ASSERT_GE(info.tilingDataSize, sizeof(GeGluGradV2TilingData));
    GeGluGradV2TilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.pieces, 1u);
    EXPECT_EQ(data.share, 1u);
    EXPECT_EQ(data.unitRows, 1u);
    EXPECT_EQ(data.unitColumns, 0u);
    EXPECT_EQ(data.tileRows, 5u);
    EXPECT_EQ(data.tileColumns, 5248u);
    EXPECT_EQ(data.pitch, 1000u);
    EXPECT_EQ(data.cores, 64u);
    EXPECT_EQ(data.big, 0u);
    EXPECT_EQ(data.path, 0u);
}

TEST(GeGluGradV2Tiling, ShapesThatDoNotFit)
{
    ops::ge_glu_grad_v2::CompileInfo compileInfo{2201};
    gert::TilingContextPara para("GeGluGradV2", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{65, 2000}, {65, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{64, 2000}, {64, 2000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {"dim", Ops::NN::AnyValue::CreateFrom<int64_t>(-1)},
        {"approximate", Ops::NN::AnyValue::CreateFrom<int64_t>(0)},
        {"activate_left", Ops::NN::AnyValue::CreateFrom<bool>(false)},
    }, &compileInfo, 48, 196608);
    TilingInfo info;
    EXPECT_FALSE(ExecuteTiling(para, info));
}
