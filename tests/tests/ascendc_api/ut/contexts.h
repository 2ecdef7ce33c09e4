// Descriptions of calls of host functions, as ops-nn's unit tests write them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "register/op_impl_registry.h"

namespace Ops::NN {

// A value of any type, by its address.
struct AnyValue {
    template <typename T>
    static AnyValue CreateFrom(const T& value)
    {
        return {std::make_shared<T>(value), std::is_same_v<T, std::string>};
    }

    std::shared_ptr<void> value;
    bool isText;
};

}  // namespace Ops::NN

namespace gert {

// What a call is made with.
struct ContextPara {
    struct TensorDescription {
        TensorDescription(const StorageShape& shape_, ge::DataType dtype, ge::Format)
            : shape(shape_.GetStorageShape()), storage(shape_), desc(dtype)
        {}
        Shape shape;
        StorageShape storage;
        CompileTimeTensorDesc desc;
    };
    struct OpAttr {
        OpAttr(const std::string&, const Ops::NN::AnyValue& attr) : value(attr) {}
        Ops::NN::AnyValue value;
    };
    using Tensors = std::vector<TensorDescription>;

    // Attributes as contexts have them.
    RuntimeAttrs Attrs() const
    {
        RuntimeAttrs all;
        for (const OpAttr& attr : attrs) {
            void* value = attr.value.value.get();
            all.values.push_back(attr.value.isText ? static_cast<std::string*>(value)->c_str() : value);
        }
        return all;
    }

    // The input at a place in the signature; none where the call leaves it out.
    const TensorDescription* Input(size_t at) const
    {
        size_t before = 0;
        for (size_t i = 0; i < at && i < counts.size(); ++i) {
            before += counts[i];
        }
        const bool given = at < counts.size() && counts[at] != 0;
        return counts.empty() ? &inputs[at] : (given ? &inputs[before] : nullptr);
    }
    size_t Places() const { return counts.empty() ? inputs.size() : counts.size(); }

    std::string name;
    Tensors inputs;
    Tensors outputs;
    std::vector<OpAttr> attrs;
    // How many tensors there are of each input; one of each, if it says nothing.
    std::vector<uint32_t> counts;
};

struct TilingContextPara : ContextPara {
    TilingContextPara(const std::string& name, const Tensors& inputs, const Tensors& outputs,
                      const std::vector<OpAttr>& attrs, void* info = nullptr, uint64_t cores = 64,
                      uint64_t ub = 262144)
        : ContextPara{name, inputs, outputs, attrs, {}}, compileInfo(info), coreNum(cores), ubSize(ub)
    {}
    TilingContextPara(const std::string& name, const Tensors& inputs, const Tensors& outputs,
                      const std::vector<OpAttr>& attrs, const std::vector<uint32_t>& counts,
                      const std::vector<uint32_t>&, void* info = nullptr, uint64_t cores = 64, uint64_t ub = 262144)
        : ContextPara{name, inputs, outputs, attrs, counts}, compileInfo(info), coreNum(cores), ubSize(ub)
    {}
    TilingContextPara(const std::string& name, const Tensors& inputs, const Tensors& outputs,
                      const std::vector<uint32_t>& counts, const std::vector<uint32_t>& results, void* info = nullptr,
                      uint64_t cores = 64, uint64_t ub = 262144)
        : TilingContextPara(name, inputs, outputs, {}, counts, results, info, cores, ub)
    {}
    TilingContextPara(const std::string& name, const Tensors& inputs, const Tensors& outputs, void* info = nullptr,
                      uint64_t cores = 64, uint64_t ub = 262144)
        : TilingContextPara(name, inputs, outputs, {}, info, cores, ub)
    {}

    void* compileInfo;
    uint64_t coreNum;
    uint64_t ubSize;
};

struct InfershapeContextPara : ContextPara {
    InfershapeContextPara(const std::string& name, const Tensors& inputs, const Tensors& outputs,
                          const std::vector<OpAttr>& attrs, const std::vector<uint32_t>& counts = {},
                          const std::vector<uint32_t>& = {})
        : ContextPara{name, inputs, outputs, attrs, counts}
    {}
    InfershapeContextPara(const std::string& name, const Tensors& inputs, const Tensors& outputs,
                          const std::vector<uint32_t>& counts = {}, const std::vector<uint32_t>& = {})
        : ContextPara{name, inputs, outputs, {}, counts}
    {}
};

}  // namespace gert
