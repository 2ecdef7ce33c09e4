// RowQuant: what is refused, and in which words.
// SwiGLU of eight bits, with a scale for each token.
// Generated from ascendc_trees::rows::row_quant; do not edit.

#ifndef ROW_QUANT_CHECKS_H_
#define ROW_QUANT_CHECKS_H_

{{fragment: host/fragments/includes.h}}

namespace ops {
namespace row_quant {

constexpr const char* OP_TYPE = "RowQuant";

// A tensor, and whether it is cut in two along the split dimension.
struct Operand {
    const char* name;
    bool gated;
    bool single;  // whether it has one number per row
    ge::DataType own;  // the type that it has in every call, if there is one
};

constexpr Operand INPUTS[] = {{"x", true, false, ge::DT_UNDEFINED}};
constexpr Operand OUTPUTS[] = {{"y", false, false, ge::DT_INT8}, {"scale", false, true, ge::DT_FLOAT}};
constexpr size_t INPUT_COUNT = 1;
constexpr size_t OUTPUT_COUNT = 2;
// The input that decides the others' shapes.
constexpr size_t LEAD = 0;
// The attribute that names the split dimension; null if there is none.
constexpr const char* DIM = "dim";
constexpr int64_t MIN_RANK = 1;

// An input, by its place in the signature; null if it is missing.
template <typename C>
inline auto ShapeOfInput(const C* context, size_t k)
{
    return context->GetInputShape(k);
}
template <typename C>
inline auto DescOfInput(const C* context, size_t k)
{
    return context->GetInputDesc(k);
}

// Checks of a call, and the messages of refusals. Shapes may have dimensions, or ranks, that nobody knows yet.

using Context = gert::ExtendedKernelContext;
using Dims = std::vector<int64_t>;

constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_RANK = -2;  // as the only dimension
constexpr int64_t MAX_RANK = 8;

// Says why a call is refused, in one line.
inline ge::graphStatus Refuse(const Context* context, const std::string& why)
{
    const char* name = context->GetNodeName();
    OP_LOGE(name == nullptr ? OP_TYPE : name, "%s: %s", OP_TYPE, why.c_str());
    return ge::GRAPH_FAILED;
}

inline std::string Quote(const char* name) { return std::string("`") + name + "`"; }

inline ge::graphStatus RefuseTensor(const Context* context, const char* name, const std::string& why)
{
    return Refuse(context, "tensor " + Quote(name) + " " + why);
}

inline ge::graphStatus RefuseValue(const Context* context, const char* attribute, const std::string& got,
                                   const std::string& allowed)
{
    return Refuse(context, "attribute " + Quote(attribute) + " cannot be " + got + "; allowed: " + allowed);
}

inline std::string ToString(const Dims& dims)
{
    std::string text;
    for (int64_t dim : dims) {
        text += (text.empty() ? "" : ", ") + std::to_string(dim);
    }
    return "[" + text + "]";
}

inline Dims ToDims(const gert::Shape& shape)
{
    Dims dims;
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        dims.push_back(shape.GetDim(i));
    }
    return dims;
}

inline bool IsUnknownRank(const Dims& dims) { return dims.size() == 1 && dims[0] == UNKNOWN_RANK; }

// Whether an input says nothing of the domain.
inline bool IsSilent(const Dims& dims) { return IsUnknownRank(dims); }

// Domain of the formula: one element per element of a part of a gated tensor.
struct Domain {
    Dims dims;
    int64_t split;  // the dimension that gated tensors are cut along; -1 if there are none
};

// The shape of a tensor on this domain.
inline Dims ShapeOf(const Operand& tensor, const Domain& domain)
{
    Dims dims = domain.dims;
    if (tensor.gated && domain.split >= 0 && dims[domain.split] != UNKNOWN_DIM) {
        dims[domain.split] *= 2;
    }
    if (tensor.single && !dims.empty() && !IsUnknownRank(dims)) {
        dims.back() = 1;
    }
    return dims;
}

// The shape of one part of a tensor. Shapes of fewer dimensions are aligned at the innermost.
inline ge::graphStatus PartOf(const Context* context, const Operand& tensor, const Dims& shape,
                              const Domain& domain, Dims& part)
{
    part = shape;
    if (tensor.single && !part.empty()) {
        part.back() = UNKNOWN_DIM;  // one number says nothing of the length of its row
    }
    if (!tensor.gated) {
        return ge::GRAPH_SUCCESS;
    }
    const int64_t ahead = static_cast<int64_t>(domain.dims.size()) - static_cast<int64_t>(shape.size());
    const int64_t dim = domain.split - ahead;
    if (dim < 0) {
        return RefuseTensor(context, tensor.name, "has rank " + std::to_string(shape.size()) + "; allowed: " +
                            std::to_string(-dim + static_cast<int64_t>(shape.size())) + " to " +
                            std::to_string(MAX_RANK));
    }
    if (part[dim] != UNKNOWN_DIM && part[dim] % 2 != 0) {
        return RefuseTensor(context, tensor.name, "has shape " + ToString(shape) + "; dimension " +
                            std::to_string(dim) + " is cut in two and must be even");
    }
    part[dim] = part[dim] == UNKNOWN_DIM ? UNKNOWN_DIM : part[dim] / 2;
    return ge::GRAPH_SUCCESS;
}

// Adds a part to a domain that has its shape wherever both are known.
inline bool Merge(const Dims& part, Domain& domain)
{
    if (part.size() != domain.dims.size()) {
        return false;
    }
    for (size_t i = 0; i < part.size(); ++i) {
        int64_t& dim = domain.dims[i];
        if (dim == UNKNOWN_DIM) {
            dim = part[i];
        } else if (part[i] != UNKNOWN_DIM && part[i] != dim) {
            return false;
        }
    }
    return true;
}

// Adds a part to a domain by the rule of broadcasting: dimensions are equal or 1.
inline bool Broadcast(const Dims& part, Domain& domain)
{
    const size_t ahead = domain.dims.size() - part.size();
    for (size_t i = 0; i < part.size(); ++i) {
        int64_t& dim = domain.dims[ahead + i];
        if (dim == 1 || (dim == UNKNOWN_DIM && part[i] != 1)) {
            dim = part[i];
        } else if (part[i] != dim && part[i] != 1 && part[i] != UNKNOWN_DIM) {
            return false;
        }
    }
    return true;
}

// The input that decides the rank: the first gated one, else the first; the one of most dimensions
// when broadcasting. Those of unknown rank decide nothing.
inline size_t Lead(const std::vector<Dims>& inputs, bool broadcast)
{
    size_t lead = LEAD;
    for (size_t k = 0; k < inputs.size(); ++k) {
        const bool wider = broadcast && inputs[k].size() > inputs[lead].size();
        if (!IsSilent(inputs[k]) && (wider || IsSilent(inputs[lead]))) {
            lead = k;
        }
    }
    return lead;
}

// Checks tensors with one number per row: inputs are never broadcast, and rows have elements where an output has a number of each.
inline ge::graphStatus CheckRows(const Context* context, const std::vector<Dims>& inputs, const Domain& domain)
{
    for (size_t k = 0; k < inputs.size(); ++k) {
        Domain whole{ShapeOf(INPUTS[k], domain), domain.split};
        if (INPUTS[k].single && !IsSilent(inputs[k]) && !Merge(inputs[k], whole)) {
            return RefuseTensor(context, INPUTS[k].name, "has shape " + ToString(inputs[k]) + "; must be " +
                                ToString(ShapeOf(INPUTS[k], domain)) + ", which follows from the other inputs");
        }
    }
    for (const Operand& output : OUTPUTS) {
        const Dims dims = ShapeOf(output, domain);
        const bool filled = std::find(dims.begin(), dims.end(), 0) == dims.end();
        if (output.single && filled && !domain.dims.empty() && domain.dims.back() == 0) {
            return RefuseTensor(context, output.name, "has one number per row, and rows of shape " +
                                ToString(domain.dims) + " have no elements");
        }
    }
    return ge::GRAPH_SUCCESS;
}

// Finds the domain that all inputs agree on. Where nothing is known its rank is unknown.
inline ge::graphStatus FindDomain(const Context* context, const std::vector<Dims>& inputs, int64_t dim, bool broadcast,
                                  Domain& domain)
{
    bool ranked = true;
    for (size_t k = 0; k < inputs.size(); ++k) {
        const int64_t rank = static_cast<int64_t>(inputs[k].size());
        ranked = ranked && !IsUnknownRank(inputs[k]);
        if (rank < MIN_RANK || rank > MAX_RANK) {
            return RefuseTensor(context, INPUTS[k].name, "has rank " + std::to_string(rank) + "; allowed: " +
                                std::to_string(MIN_RANK) + " to " + std::to_string(MAX_RANK));
        }
    }
    const size_t lead = Lead(inputs, broadcast);
    domain = Domain{Dims{UNKNOWN_RANK}, -1};
    if (IsUnknownRank(inputs[lead]) || (broadcast && !ranked)) {
        return ge::GRAPH_SUCCESS;
    }
    const int64_t rank = static_cast<int64_t>(inputs[lead].size());
    if (DIM != nullptr) {
        if (dim < -rank || dim >= rank) {
            return RefuseValue(context, DIM, std::to_string(dim), std::to_string(-rank) + " to " +
                               std::to_string(rank - 1) + " for tensors of rank " + std::to_string(rank));
        }
        domain.split = dim < 0 ? dim + rank : dim;
    }
    domain.dims.assign(rank, broadcast ? 1 : UNKNOWN_DIM);
    Dims part;
    if (!broadcast) {
        if (PartOf(context, INPUTS[lead], inputs[lead], domain, part) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
        Merge(part, domain);
    }
    for (size_t k = 0; k < inputs.size(); ++k) {
        if (IsSilent(inputs[k])) {
            continue;
        }
        Domain whole{ShapeOf(INPUTS[k], domain), domain.split};
        const std::string known = ToString(whole.dims);
        if (!broadcast && !Merge(inputs[k], whole)) {
            return RefuseTensor(context, INPUTS[k].name, "has shape " + ToString(inputs[k]) + "; must be " + known +
                                ", which follows from " + Quote(INPUTS[lead].name));
        }
        if (PartOf(context, INPUTS[k], inputs[k], domain, part) != ge::GRAPH_SUCCESS) {
            return ge::GRAPH_FAILED;
        }
        if (!broadcast) {
            Merge(part, domain);
            continue;
        }
        if (INPUTS[k].single) {
            continue;
        }
        const std::string before = ToString(domain.dims);
        if (!Broadcast(part, domain)) {
            return RefuseTensor(context, INPUTS[k].name, "of shape " + ToString(inputs[k]) +
                                " cannot be broadcast with " + before + "; dimensions must be equal or 1");
        }
    }
    return CheckRows(context, inputs, domain);
}

struct Attributes {
    int64_t dim;
};

// Refuses values that the operator does not have.
inline ge::graphStatus ReadAttributes(const Context* context, Attributes& attributes)
{
    const gert::RuntimeAttrs* values = context->GetAttrs();
    if (values == nullptr) {
        return Refuse(context, "the attributes are missing");
    }
    const int64_t* dim = values->GetInt(0);
    if (dim == nullptr) {
        return RefuseValue(context, "dim", "missing", "a value");
    }
    attributes.dim = *dim;
    return ge::GRAPH_SUCCESS;
}

}  // namespace row_quant
}  // namespace ops

#endif  // ROW_QUANT_CHECKS_H_
