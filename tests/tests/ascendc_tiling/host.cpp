// Calls what operators register with the framework: a call per line of stdin, an answer per line.
//
//   tile OP ARCH CAPACITY UB CORES attributes tensors tensors  ->  ok KEY CORES WORKSPACE DATA
//   shape OP attributes tensors                           ->  ok [2, 3] ..
//   type OP tensors                                       ->  ok 0 ..
//   def OP, proto OP                                      ->  what was registered
//
// or `refused` and the lines of the log. Attributes and tensors are a count and as many of
// `i 5`, `b 1`, `f 0.5`, `s none`, `-`; and `TYPE RANK dimensions..`, `-`.
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "log/log.h"
#include "operators.inc"

namespace {

// Everything that contexts point to.
struct Store {
    std::deque<int64_t> ints;
    std::deque<float> floats;
    std::deque<bool> bools;
    std::deque<std::string> texts;
    std::deque<gert::Shape> shapes;
    std::deque<gert::StorageShape> storage;
    std::deque<gert::CompileTimeTensorDesc> descs;
};

struct Tensor {
    const gert::Shape* shape = nullptr;
    const gert::StorageShape* storage = nullptr;
    const gert::CompileTimeTensorDesc* desc = nullptr;
};

template <typename T>
T Next()
{
    T value{};
    std::cin >> value;
    return value;
}

gert::RuntimeAttrs Attributes(Store& store)
{
    gert::RuntimeAttrs attrs;
    for (size_t count = Next<size_t>(); count > 0; --count) {
        switch (Next<char>()) {
            case 'i':
                attrs.values.push_back(&store.ints.emplace_back(Next<int64_t>()));
                break;
            case 'b':
                attrs.values.push_back(&store.bools.emplace_back(Next<int>() != 0));
                break;
            case 'f':
                attrs.values.push_back(&store.floats.emplace_back(Next<float>()));
                break;
            case 's':
                attrs.values.push_back(store.texts.emplace_back(Next<std::string>()).c_str());
                break;
            default:
                attrs.values.push_back(nullptr);
        }
    }
    return attrs;
}

std::vector<Tensor> Tensors(Store& store)
{
    std::vector<Tensor> tensors;
    for (size_t count = Next<size_t>(); count > 0; --count) {
        Tensor& tensor = tensors.emplace_back();
        const std::string type = Next<std::string>();
        if (type == "-") {
            continue;
        }
        gert::Shape& shape = store.shapes.emplace_back();
        for (size_t rank = Next<size_t>(); rank > 0; --rank) {
            shape.AppendDim(Next<int64_t>());
        }
        tensor.shape = &shape;
        tensor.storage = &store.storage.emplace_back(shape);
        tensor.desc = &store.descs.emplace_back(static_cast<ge::DataType>(std::stoi(type)));
    }
    return tensors;
}

std::string Hex(const void* data, size_t size)
{
    std::string hex;
    for (size_t i = 0; i < size; ++i) {
        const unsigned byte = static_cast<const unsigned char*>(data)[i];
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
}

std::string Verdict(ge::graphStatus status, const std::string& result)
{
    std::string text = status == ge::GRAPH_SUCCESS ? "ok" + result : "refused";
    for (const std::string& line : host_model::log_lines) {
        text += " " + line;
    }
    return text;
}

std::string Tile(const gert::OpImplRegisterV2::Functions& op, const char* name)
{
    Store store;
    gert::TilingContext context;
    fe::PlatFormInfos platform;
    context.node_name = name;
    platform.arch = Next<uint32_t>();
    context.capacity = Next<size_t>();
    platform.ub = Next<uint64_t>();
    platform.aiv = Next<uint32_t>();
    platform.workspace = 1234;
    context.platform = &platform;
    const gert::RuntimeAttrs attrs = Attributes(store);
    context.attrs = &attrs;
    for (const Tensor& t : Tensors(store)) {
        context.inputs.push_back(t.storage);
        context.input_descs.push_back(t.desc);
    }
    for (const Tensor& t : Tensors(store)) {
        context.outputs.push_back(t.storage);
        context.output_descs.push_back(t.desc);
    }
    gert::TilingParseContext parse;
    parse.node_name = name;
    parse.platform = &platform;
    parse.compiled_info = op.compile_info.get();
    context.compile_info = op.compile_info.get();
    ge::graphStatus status = op.tiling_parse(&parse);
    status = status == ge::GRAPH_SUCCESS ? op.tiling(&context) : status;
    const size_t workspace = context.workspaces.size() == 1 ? context.workspaces[0] : 0;
    return Verdict(status, " " + std::to_string(context.tiling_key) + " " + std::to_string(context.block_dim) + " " +
                           std::to_string(workspace) + " " + Hex(context.data.data(), context.data_size));
}

std::string Shapes(const gert::OpImplRegisterV2::Functions& op, const char* name)
{
    Store store;
    gert::InferShapeContext context;
    context.node_name = name;
    const gert::RuntimeAttrs attrs = Attributes(store);
    context.attrs = &attrs;
    for (const Tensor& t : Tensors(store)) {
        context.inputs.push_back(t.shape);
    }
    std::vector<gert::Shape> outputs(Next<size_t>());
    for (gert::Shape& shape : outputs) {
        context.outputs.push_back(&shape);
    }
    const ge::graphStatus status = op.infer_shape(&context);
    std::string text;
    for (const gert::Shape& shape : outputs) {
        std::string dims;
        for (size_t i = 0; i < shape.GetDimNum(); ++i) {
            dims += (i == 0 ? "" : ", ") + std::to_string(shape.GetDim(i));
        }
        text += " [" + dims + "]";
    }
    return Verdict(status, text);
}

std::string Types(const gert::OpImplRegisterV2::Functions& op, const char* name)
{
    gert::InferDataTypeContext context;
    context.node_name = name;
    for (size_t count = Next<size_t>(); count > 0; --count) {
        context.inputs.push_back(static_cast<ge::DataType>(Next<int>()));
    }
    context.outputs.assign(Next<size_t>(), ge::DT_UNDEFINED);
    const ge::graphStatus status = op.infer_data_type(&context);
    std::string text;
    for (ge::DataType type : context.outputs) {
        text += " " + std::to_string(type);
    }
    return Verdict(status, text);
}

}  // namespace

int main()
{
    std::string what, op;
    while (std::cin >> what >> op) {
        host_model::log_lines.clear();
        const auto& functions = gert::OpImplRegisterV2::All()[op];
        std::string answer = what == "tile" ? Tile(functions, "node") :
                             what == "shape" ? Shapes(functions, "node") :
                             what == "type" ? Types(functions, "node") :
                             what == "def" ? ops::OpDef::All()[op] : ge::Prototype::All()[op];
        std::cout << answer << "\n";
    }
    return 0;
}
