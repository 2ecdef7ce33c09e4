// RowSoftmax: unit tests.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#include <cstring>

#include <gtest/gtest.h>

#include "tiling_case_executor.h"
#include "../../../op_host/row_softmax_tiling_core.h"

TEST(RowSoftmaxTiling, FLOAT16_FORMULA_2201)
{
    ops::row_softmax::CompileInfo compileInfo{2201};
    gert::TilingContextPara para("RowSoftmax", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, &compileInfo, 48, 196608);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    ASSERT_GE(info.tilingDataSize, sizeof(RowSoftmaxTilingData));
    RowSoftmaxTilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(info.blockNum, data.cores);
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.group, 1u);
}

TEST(RowSoftmaxTiling, BFLOAT16_FORMULA_2201)
{
    ops::row_softmax::CompileInfo compileInfo{2201};
    gert::TilingContextPara para("RowSoftmax", {
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, {
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, &compileInfo, 48, 196608);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    ASSERT_GE(info.tilingDataSize, sizeof(RowSoftmaxTilingData));
    RowSoftmaxTilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(info.blockNum, data.cores);
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.group, 1u);
}

TEST(RowSoftmaxTiling, FLOAT_FORMULA_2201)
{
    ops::row_softmax::CompileInfo compileInfo{2201};
    gert::TilingContextPara para("RowSoftmax", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, &compileInfo, 48, 196608);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    ASSERT_GE(info.tilingDataSize, sizeof(RowSoftmaxTilingData));
    RowSoftmaxTilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(info.blockNum, data.cores);
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.group, 1u);
}

TEST(RowSoftmaxTiling, FLOAT_FORMULA_2002)
{
    ops::row_softmax::CompileInfo compileInfo{2002};
    gert::TilingContextPara para("RowSoftmax", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, &compileInfo, 8, 262144);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    ASSERT_GE(info.tilingDataSize, sizeof(RowSoftmaxTilingData));
    RowSoftmaxTilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(info.blockNum, data.cores);
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.group, 1u);
}

TEST(RowSoftmaxTiling, FLOAT16_FORMULA_3510)
{
    ops::row_softmax::CompileInfo compileInfo{3510};
    gert::TilingContextPara para("RowSoftmax", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT16, ge::FORMAT_ND},
    }, &compileInfo, 64, 253952);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    ASSERT_GE(info.tilingDataSize, sizeof(RowSoftmaxTilingData));
    RowSoftmaxTilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(info.blockNum, data.cores);
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.group, 1u);
}

TEST(RowSoftmaxTiling, BFLOAT16_FORMULA_3510)
{
    ops::row_softmax::CompileInfo compileInfo{3510};
    gert::TilingContextPara para("RowSoftmax", {
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, {
        {{{64, 1000}, {64, 1000}}, ge::DT_BF16, ge::FORMAT_ND},
    }, &compileInfo, 64, 253952);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    ASSERT_GE(info.tilingDataSize, sizeof(RowSoftmaxTilingData));
    RowSoftmaxTilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(info.blockNum, data.cores);
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.group, 1u);
}

TEST(RowSoftmaxTiling, FLOAT_FORMULA_3510)
{
    ops::row_softmax::CompileInfo compileInfo{3510};
    gert::TilingContextPara para("RowSoftmax", {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, {
        {{{64, 1000}, {64, 1000}}, ge::DT_FLOAT, ge::FORMAT_ND},
    }, &compileInfo, 64, 253952);
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(para, info));
    ASSERT_GE(info.tilingDataSize, sizeof(RowSoftmaxTilingData));
    RowSoftmaxTilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(info.blockNum, data.cores);
    EXPECT_EQ(data.rows, 64u);
    EXPECT_EQ(data.columns, 1000u);
    EXPECT_EQ(data.group, 1u);
}
