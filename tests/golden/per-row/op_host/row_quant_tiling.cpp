// RowQuant: from a call to the tiling data.
// SwiGLU of eight bits, with a scale for each token.
// Generated from ascendc_trees::rows::row_quant; do not edit.

#include <algorithm>
#include <iterator>

#include "tiling/platform/platform_ascendc.h"

#include "../op_kernel/row_quant_tiling_key.h"
#include "row_quant_checks.h"
#include "row_quant_tiling_core.h"

namespace ops {
namespace row_quant {

namespace {

// An element type, as the framework and as the tiling key has it.
struct Type {
    ge::DataType type;
    uint32_t key;
};

constexpr Type TYPES[] = {{ge::DT_FLOAT16, TYPE_HALF}, {ge::DT_BF16, TYPE_BF16}, {ge::DT_FLOAT, TYPE_FLOAT}};

// Attribute values of each form, as messages name them.
constexpr const char* FORMS[] = {""};

// Whether tensors without elements are fine, and do nothing.
constexpr bool EMPTY = true;

// Most elements of a tensor: their bytes can be counted in 64 bits.
constexpr uint64_t MAX_ELEMENTS = INT64_MAX / 4;

std::string NameOf(ge::DataType type)
{
    switch (type) {
        case ge::DT_FLOAT16:
            return "DT_FLOAT16";
        case ge::DT_BF16:
            return "DT_BF16";
        case ge::DT_FLOAT:
            return "DT_FLOAT";
        case ge::DT_INT8:
            return "DT_INT8";
        default:
            return "ge::DataType(" + std::to_string(static_cast<int>(type)) + ")";
    }
}

constexpr uint32_t ANY_FORM = UINT32_MAX;

// Whether an architecture has a kernel of this type and form.
bool Has(const Arch& arch, uint32_t type, uint32_t form)
{
    const auto same = [&](const Kernel& kernel) {
        return kernel.arch == arch.number && kernel.type == type && (form == ANY_FORM || kernel.form == form);
    };
    return std::any_of(std::begin(KERNELS), std::end(KERNELS), same);
}

// Element types of an architecture's kernels: `DT_FLOAT16, DT_FLOAT`.
std::string TypesOf(const Arch& arch, uint32_t form)
{
    std::string names;
    for (const Type& type : TYPES) {
        if (Has(arch, type.key, form)) {
            names += (names.empty() ? "" : ", ") + NameOf(type.type);
        }
    }
    return names;
}

// An architecture's kernels: `approximate = 1 (DT_FLOAT16, DT_FLOAT)`.
std::string KernelsOf(const Arch& arch)
{
    std::string names;
    for (uint32_t form = 0; form < std::size(FORMS); ++form) {
        const std::string types = TypesOf(arch, form);
        if (!types.empty()) {
            names += (names.empty() ? "" : "; ") + std::string(FORMS[form]) + "(" + types + ")";
        }
    }
    return names;
}

// Checks one tensor's element type against those there are, and the first input's.
ge::graphStatus CheckType(const gert::TilingContext* context, const Arch& arch, const char* name,
                          const gert::CompileTimeTensorDesc* desc, ge::DataType& common)
{
    if (desc == nullptr) {
        return RefuseTensor(context, name, "is missing");
    }
    const ge::DataType type = desc->GetDataType();
    const std::string got = "has dtype " + NameOf(type) + "; allowed: ";
    const auto same = [&](const Type& known) { return known.type == type && Has(arch, known.key, ANY_FORM); };
    if (std::none_of(std::begin(TYPES), std::end(TYPES), same)) {
        return RefuseTensor(context, name, got + TypesOf(arch, ANY_FORM));
    }
    common = common == ge::DT_UNDEFINED ? type : common;
    if (type != common) {
        return RefuseTensor(context, name, got + NameOf(common) + ", as " + Quote(INPUTS[0].name) + " has");
    }
    return ge::GRAPH_SUCCESS;
}

// Checks the element type of a tensor that has the same in every call.
ge::graphStatus CheckOwn(const gert::TilingContext* context, const Operand& tensor,
                         const gert::CompileTimeTensorDesc* desc)
{
    if (desc == nullptr) {
        return RefuseTensor(context, tensor.name, "is missing");
    }
    if (desc->GetDataType() != tensor.own) {
        return RefuseTensor(context, tensor.name, "has dtype " + NameOf(desc->GetDataType()) + "; allowed: " +
                            NameOf(tensor.own));
    }
    return ge::GRAPH_SUCCESS;
}

// Finds the element type of all tensors.
ge::graphStatus FindType(const gert::TilingContext* context, const Arch& arch, Type& type)
{
    ge::DataType common = ge::DT_UNDEFINED;
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        const gert::CompileTimeTensorDesc* desc = DescOfInput(context, k);
        if (INPUTS[k].own != ge::DT_UNDEFINED) {
            if (CheckOwn(context, INPUTS[k], desc) != ge::GRAPH_SUCCESS) {
                return ge::GRAPH_FAILED;
            }
            continue;
        }
        if (CheckType(context, arch, INPUTS[k].name, desc, common) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
    }
    for (size_t k = 0; k < OUTPUT_COUNT; ++k) {
        if (OUTPUTS[k].own != ge::DT_UNDEFINED) {
            if (CheckOwn(context, OUTPUTS[k], context->GetOutputDesc(k)) != ge::GRAPH_SUCCESS) {
                return ge::GRAPH_FAILED;
            }
            continue;
        }
        if (CheckType(context, arch, OUTPUTS[k].name, context->GetOutputDesc(k), common) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
    }
    for (const Type& known : TYPES) {
        type = known.type == common ? known : type;
    }
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus ReadShape(const gert::TilingContext* context, const char* name, const gert::StorageShape* shape,
                          Dims& dims)
{
    if (shape == nullptr) {
        return RefuseTensor(context, name, "is missing");
    }
    dims = ToDims(shape->GetStorageShape());
    if (std::any_of(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; })) {
        return RefuseTensor(context, name, "has shape " + ToString(dims) + "; allowed: dimensions from 0");
    }
    return ge::GRAPH_SUCCESS;
}

// Checks that a tensor has no more elements than can be counted, and some where the operator wants some.
ge::graphStatus CheckSize(const gert::TilingContext* context, const char* name, const Dims& dims)
{
    if (std::find(dims.begin(), dims.end(), 0) != dims.end()) {
        return EMPTY ? ge::GRAPH_SUCCESS :
                       RefuseTensor(context, name, "of shape " + ToString(dims) +
                                    " is empty, which this operator does not allow");
    }
    uint64_t count = 1;
    for (int64_t dim : dims) {
        if (static_cast<uint64_t>(dim) > MAX_ELEMENTS / count) {
            return Refuse(context, "tensor " + Quote(name) + ": the number of elements of shape " + ToString(dims) +
                          " overflows");
        }
        count *= static_cast<uint64_t>(dim);
    }
    return ge::GRAPH_SUCCESS;
}

// Reads the shapes of all tensors and finds the domain. A kernel broadcasts nothing: its inputs are
// of one shape, or twice as long along the split dimension.
ge::graphStatus ReadShapes(const gert::TilingContext* context, int64_t dim, Domain& domain)
{
    std::vector<Dims> inputs(INPUT_COUNT);
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        const gert::StorageShape* shape = ShapeOfInput(context, k);
        if (ReadShape(context, INPUTS[k].name, shape, inputs[k]) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
    }
    if (FindDomain(context, inputs, dim, false, domain) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        if (CheckSize(context, INPUTS[k].name, inputs[k]) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
    }
    for (size_t k = 0; k < OUTPUT_COUNT; ++k) {
        const Dims want = ShapeOf(OUTPUTS[k], domain);
        Dims got;
        if (CheckSize(context, OUTPUTS[k].name, want) != ge::GRAPH_SUCCESS ||
            ReadShape(context, OUTPUTS[k].name, context->GetOutputShape(k), got) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
        if (got != want) {
            return RefuseTensor(context, OUTPUTS[k].name, "has shape " + ToString(got) + "; must be " +
                                ToString(want) + ", which follows from the inputs");
        }
    }
    return ge::GRAPH_SUCCESS;
}

// The architecture that the framework was told of before the first call; null if there are no kernels for it.
const Arch* ArchOf(const gert::TilingContext* context)
{
    const CompileInfo* info = context->GetCompileInfo<CompileInfo>();
    return info == nullptr ? nullptr : FindArch(info->arch);
}

// Asks the platform, at every call: how many cores a stream may use can change.
ge::graphStatus AskPlatform(const gert::TilingContext* context, const Arch& arch, Machine& machine, size_t& workspace)
{
    fe::PlatFormInfos* infos = context->GetPlatformInfo();
    if (infos == nullptr) {
        return Refuse(context, "the platform is unknown");
    }
    const platform_ascendc::PlatformAscendC platform(infos);
    machine.cores = platform.GetCoreNumAiv();
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, machine.ub);
    machine.pads = arch.pads;
    workspace = platform.GetLibApiWorkSpaceSize();
    if (machine.cores == 0) {
        return Refuse(context, "the platform reports 0 vector cores; needs 1 or more");
    }
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus TileCall(gert::TilingContext* context)
{
    const Arch* arch = ArchOf(context);
    if (arch == nullptr) {
        return Refuse(context, "there are no kernels for the architecture of this product");
    }
    Attributes attributes{};
    Type type{};
    Domain domain;
    Machine machine{};
    size_t workspace = 0;
    if (ReadAttributes(context, attributes) != ge::GRAPH_SUCCESS ||
        FindType(context, *arch, type) != ge::GRAPH_SUCCESS ||
        ReadShapes(context, attributes.dim, domain) != ge::GRAPH_SUCCESS ||
        AskPlatform(context, *arch, machine, workspace) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t form = SelectForm();
    const Need* need = FindNeed(arch->number, form, type.key);
    if (need == nullptr) {
        return Refuse(context, "(" + NameOf(type.type) +
                      ") has no kernel on this target; allowed: " + KernelsOf(*arch));
    }
    TilingData* data = context->GetTilingData<TilingData>();
    size_t* workspaces = context->GetWorkspaceSizes(1);
    if (data == nullptr || workspaces == nullptr) {
        return Refuse(context, "no room for tiling data of " + std::to_string(sizeof(TilingData)) + " bytes");
    }
    const std::vector<uint64_t> dims(domain.dims.begin(), domain.dims.end());
    const RowExtent extent = CollapseRows(dims.data(), dims.size(), domain.split, true);
    if (!TileRows(extent, *need, machine, *data)) {
        const uint64_t block = machine.pads ? 1 : BLOCK;
        if (extent.columns % block != 0) {
            return Refuse(context, "rows have " + std::to_string(extent.columns) + " elements; allowed: multiples of " +
                          std::to_string(block));
        }
        return Refuse(context, "UB of " + std::to_string(machine.ub) + " bytes is too small for a chunk of a row");
    }
    const uint64_t small = data->path == PATH_SMALL ? 1 : 0;
    context->SetTilingKey(GET_TPL_TILING_KEY(type.key, form, small));
    context->SetBlockDim(std::max<uint32_t>(data->cores, 1));  // an empty call starts one core, which returns
    workspaces[0] = workspace;
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus Parse(gert::TilingParseContext* context)
{
    CompileInfo* info = context->GetCompiledInfo<CompileInfo>();
    if (info == nullptr) {
        return Refuse(context, "the platform is unknown");
    }
    info->arch = ARCHS[0].number;  // the only one
    return ge::GRAPH_SUCCESS;
}

}  // namespace

IMPL_OP_OPTILING(RowQuant).Tiling(TileCall).TilingParse<CompileInfo>(Parse);

}  // namespace row_quant
}  // namespace ops
