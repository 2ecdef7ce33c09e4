// Runs the tiling that an operator registered.
#pragma once

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "contexts.h"

struct TilingInfo {
    int64_t tilingKey = -1;
    std::unique_ptr<uint8_t[]> tilingData;
    size_t tilingDataSize = 0;
    size_t blockNum = 0;
};

inline bool ExecuteTiling(const gert::TilingContextPara& para, TilingInfo& info)
{
    // The framework's builder makes no context without it, and the frame follows the null pointer.
    if (para.compileInfo == nullptr) {
        std::printf("%s: compile info is a null pointer\n", para.name.c_str());
        std::abort();
    }
    gert::TilingContext context;
    fe::PlatFormInfos platform;
    platform.ub = para.ubSize - testing::kept;
    platform.aiv = static_cast<uint32_t>(para.coreNum);
    const gert::RuntimeAttrs attrs = para.Attrs();
    context.node_name = para.name.c_str();
    context.platform = &platform;
    context.compile_info = para.compileInfo;
    context.attrs = &attrs;
    for (size_t at = 0; at < para.Places(); ++at) {
        const auto* tensor = para.Input(at);
        context.inputs.push_back(tensor == nullptr ? nullptr : &tensor->storage);
        context.input_descs.push_back(tensor == nullptr ? nullptr : &tensor->desc);
    }
    for (const auto& tensor : para.outputs) {
        context.outputs.push_back(&tensor.storage);
        context.output_descs.push_back(&tensor.desc);
    }
    const auto tiling = gert::OpImplRegisterV2::All()[para.name].tiling;
    if (tiling(&context) != ge::GRAPH_SUCCESS) {
        return false;
    }
    info.tilingKey = static_cast<int64_t>(context.tiling_key);
    info.blockNum = context.block_dim;
    info.tilingDataSize = context.data_size;
    info.tilingData = std::make_unique<uint8_t[]>(context.data_size);
    std::memcpy(info.tilingData.get(), context.data.data(), context.data_size);
    return true;
}
