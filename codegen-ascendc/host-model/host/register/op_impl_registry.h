// Where an operator registers its host functions.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "exe_graph/contexts.h"

#define VAR_UNUSED __attribute__((unused))

namespace gert {

class OpImplRegisterV2 {
public:
    using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext*);
    using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext*);
    using TilingKernelFunc = ge::graphStatus (*)(TilingContext*);
    using TilingParseFunc = ge::graphStatus (*)(TilingParseContext*);

    /// What an operator has registered so far.
    struct Functions {
        InferShapeKernelFunc infer_shape = nullptr;
        InferDataTypeKernelFunc infer_data_type = nullptr;
        TilingKernelFunc tiling = nullptr;
        TilingParseFunc tiling_parse = nullptr;
        std::shared_ptr<void> compile_info;
    };

    static std::map<std::string, Functions>& All()
    {
        static std::map<std::string, Functions> all;
        return all;
    }

    explicit OpImplRegisterV2(const char* op_type) : functions_(All()[op_type]) {}
    OpImplRegisterV2& InferShape(InferShapeKernelFunc function)
    {
        functions_.infer_shape = function;
        return *this;
    }
    OpImplRegisterV2& InferDataType(InferDataTypeKernelFunc function)
    {
        functions_.infer_data_type = function;
        return *this;
    }
    OpImplRegisterV2& Tiling(TilingKernelFunc function, size_t = 2048)
    {
        functions_.tiling = function;
        return *this;
    }
    template <typename CompileInfo>
    OpImplRegisterV2& TilingParse(TilingParseFunc function)
    {
        functions_.compile_info = std::make_shared<CompileInfo>();
        functions_.tiling_parse = function;
        return *this;
    }

private:
    Functions& functions_;
};

}  // namespace gert

#define IMPL_OP_INFERSHAPE(op_type) \
    gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_infershape_##op_type = gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_OPTILING(op_type) \
    gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_optiling_##op_type = gert::OpImplRegisterV2(#op_type)
