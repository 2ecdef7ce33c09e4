// Descriptions of calls of host functions, as ops-nn's unit tests write them. Nothing runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ge {
enum DataType { DT_FLOAT = 0, DT_FLOAT16 = 1, DT_BF16 = 27 };
enum Format { FORMAT_ND = 2 };
using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
} // namespace ge

namespace Ops::NN {
struct AnyValue {
    template <typename T>
    static AnyValue CreateFrom(const T&)
    {
        return {};
    }
};
} // namespace Ops::NN

namespace gert {

using Shape = std::vector<int64_t>;

struct StorageShape {
    Shape origin;
    Shape storage;
    StorageShape(const Shape& a, const Shape& b) : origin(a), storage(b) {}
};

struct Context {
    struct TensorDescription {
        TensorDescription(const StorageShape&, ge::DataType, ge::Format) {}
    };
    struct OpAttr {
        OpAttr(const std::string&, const Ops::NN::AnyValue&) {}
    };
    using Tensors = std::vector<TensorDescription>;
    Context(const std::string&, const Tensors&, const Tensors&, const std::vector<OpAttr>&,
            void* = nullptr, uint64_t = 0, uint64_t = 0)
    {}
    Context(const std::string&, const Tensors&, const Tensors&, void* = nullptr, uint64_t = 0, uint64_t = 0)
    {}
};

using TilingContextPara = Context;
using InfershapeContextPara = Context;

} // namespace gert

struct TilingInfo {
    std::unique_ptr<uint8_t[]> tilingData;
    size_t tilingDataSize = 0;
    size_t blockNum = 0;
};

bool ExecuteTiling(const gert::TilingContextPara& para, TilingInfo& info);
void ExecuteTestCase(gert::InfershapeContextPara& para, ge::graphStatus status,
                     const std::vector<std::vector<int64_t>>& shapes);
