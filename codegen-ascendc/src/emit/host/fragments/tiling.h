// Most elements of a tensor: their bytes can be counted in 64 bits.
constexpr uint64_t MAX_ELEMENTS = INT64_MAX / 4;

std::string NameOf(ge::DataType type)
{
    switch (type) {
        @types@
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
        return RefuseTensor(context, name, got + NameOf(common) + ", as " + Quote(INPUTS[@first@].name) + " has");
    }
    return ge::GRAPH_SUCCESS;
}

@masks@
// Checks the element type of a mask.
ge::graphStatus CheckMask(const gert::TilingContext* context, const char* name,
                          const gert::CompileTimeTensorDesc* desc)
{
    if (desc == nullptr) {
        return RefuseTensor(context, name, "is missing");
    }
    const ge::DataType type = desc->GetDataType();
    if (std::find(std::begin(MASK_TYPES), std::end(MASK_TYPES), type) == std::end(MASK_TYPES)) {
        return RefuseTensor(context, name, "has dtype " + NameOf(type) + "; allowed: " + MASK_NAMES);
    }
    return ge::GRAPH_SUCCESS;
}

@end@
@own@
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

@end@
// Finds the element type of all tensors.
ge::graphStatus FindType(const gert::TilingContext* context, const Arch& arch, Type& type)
{
    ge::DataType common = ge::DT_UNDEFINED;
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        const gert::CompileTimeTensorDesc* desc = DescOfInput(context, k);
        @optional@
        if (desc == nullptr && OPTIONAL[k]) {
            continue;
        }
        @end@
        @masks@
        if (MASKS[k]) {
            if (CheckMask(context, INPUTS[k].name, desc) != ge::GRAPH_SUCCESS) {
                return ge::GRAPH_FAILED;
            }
            continue;
        }
        @end@
        @own@
        if (INPUTS[k].own != ge::DT_UNDEFINED) {
            if (CheckOwn(context, INPUTS[k], desc) != ge::GRAPH_SUCCESS) {
                return ge::GRAPH_FAILED;
            }
            continue;
        }
        @end@
        if (CheckType(context, arch, INPUTS[k].name, desc, common) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
    }
    for (size_t k = 0; k < OUTPUT_COUNT; ++k) {
        @own@
        if (OUTPUTS[k].own != ge::DT_UNDEFINED) {
            if (CheckOwn(context, OUTPUTS[k], context->GetOutputDesc(k)) != ge::GRAPH_SUCCESS) {
                return ge::GRAPH_FAILED;
            }
            continue;
        }
        @end@
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

@sums@
// Reads the shapes of all tensors and finds the domain.
@else@
// Reads the shapes of all tensors and finds the domain. A kernel broadcasts nothing: its inputs are
// of one shape, or twice as long along the split dimension.
@end@
ge::graphStatus ReadShapes(const gert::TilingContext* context, int64_t dim, Domain& domain)
{
    std::vector<Dims> inputs(INPUT_COUNT);
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        const gert::StorageShape* shape = ShapeOfInput(context, k);
        @optional@
        if (shape == nullptr && OPTIONAL[k]) {
            inputs[k] = Dims{ABSENT};
            continue;
        }
        @end@
        if (ReadShape(context, INPUTS[k].name, shape, inputs[k]) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
    }
    @sums@
    if (FindDomain(context, inputs, dim, true, domain) != ge::GRAPH_SUCCESS) {
    @else@
    if (FindDomain(context, inputs, dim, false, domain) != ge::GRAPH_SUCCESS) {
    @end@
        return ge::GRAPH_FAILED;
    }
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        @optional@
        if (IsAbsent(inputs[k])) {
            continue;
        }
        @end@
        if (CheckSize(context, INPUTS[k].name, inputs[k]) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
    }
    for (size_t k = 0; k < OUTPUT_COUNT; ++k) {
        @sums@
        const Dims want = SUM_OF[k] < 0 ? ShapeOf(OUTPUTS[k], domain) : inputs[SUM_OF[k]];
        @else@
        const Dims want = ShapeOf(OUTPUTS[k], domain);
        @end@
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

@sums@
// Finds how inputs lie in the domain: a kernel takes those that are broadcast as they are.
ge::graphStatus CollapseInputs(const gert::TilingContext* context, const Domain& domain,
                               const std::vector<uint64_t>& dims, size_t outer, uint32_t* modes, SumExtent& extent)
{
    std::vector<uint64_t> parts[INPUT_COUNT];
    Shape shapes[INPUT_COUNT];
    for (size_t k = 0; k < INPUT_COUNT; ++k) {
        Dims part;
        @along@
        const Dims own = Laid(k, ToDims(ShapeOfInput(context, k)->GetStorageShape()), dims.size());
        @else@
        const Dims own = ToDims(ShapeOfInput(context, k)->GetStorageShape());
        @end@
        if (PartOf(context, INPUTS[k], own, domain, part) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
        parts[k].assign(part.begin(), part.end());
        shapes[k] = Shape{parts[k].data(), parts[k].size(), INPUTS[k].gated};
    }
    const size_t k = CollapseSums(dims.data(), dims.size(), outer, shapes, INPUT_COUNT, modes, extent);
    for (size_t wide = 0; wide < INPUT_COUNT; ++wide) {
        if (WIDE[wide] && modes[wide] != WHOLE) {
            return RefuseTensor(context, INPUTS[wide].name, "is never broadcast; must have shape " +
                                ToString(ShapeOf(INPUTS[wide], domain)));
        }
    }
    if (k < INPUT_COUNT) {
        return RefuseTensor(context, INPUTS[k].name, "has shape " +
                            ToString(ToDims(ShapeOfInput(context, k)->GetStorageShape())) +
                            "; allowed beside sums: one element, or the same neighbouring dimensions as others that are broadcast");
    }
    return ge::GRAPH_SUCCESS;
}

@end@
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
