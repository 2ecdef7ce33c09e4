// What all operators share: checks, shapes of results, and tensors as the installed operators take them.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "op_plugin/utils/op_api_common.h"

namespace op_dsl {

// What a tensor holds: as many elements as the formula is applied to, twice as many along the dimension that is cut in
// two, truth values, or integers whose sum is how many rows are computed.
enum class Kind { WHOLE, GATED, MASK, ROWS };

// A tensor of a call; an undefined one is left out.
struct Input {
    const char* name;
    Kind kind;
    bool wide; // never broadcast
    at::Tensor tensor;
    int64_t along = -1; // the dimension that it lies along if it has one dimension
};

// What holds of every call of an operator.
struct Rules {
    const char* name;
    bool broadcast;
    bool promote;
    bool empty;
    std::vector<at::ScalarType> types;
};

using Shape = std::vector<c10::SymInt>;

// A call whose tensors go together. Shapes need not be numbers yet.
class Call {
public:
    Call(const Rules& rules, std::vector<Input> inputs, int64_t dim = 0)
        : rules_(rules), inputs_(std::move(inputs)), dim_(dim)
    {
        for (const Input& input : inputs_) {
            if (input.tensor.defined() && input.kind != Kind::ROWS && !LiesAlong(input)) {
                rank_ = std::max(rank_, input.tensor.sym_sizes().size());
            }
        }
        const Input* first = nullptr;
        for (const Input& input : inputs_) {
            if (!input.tensor.defined()) {
                continue;
            }
            Fit(input, first == nullptr);
            first = first == nullptr ? &input : first;
            TORCH_CHECK_VALUE(input.tensor.device() == first->tensor.device(), rules_.name, ": tensor `", input.name,
                              "` is on ", input.tensor.device(), ", `", first->name, "` on ", first->tensor.device());
        }
        for (const Input& input : inputs_) {
            const bool fits = !input.wide || !input.tensor.defined() || Part(input) == domain_;
            TORCH_CHECK_VALUE(fits, rules_.name, ": tensor `", input.name, "` is never broadcast, but has shape ",
                              input.tensor.sym_sizes());
        }
    }

    // A tensor that nobody has written yet.
    at::Tensor Result(Kind kind) const { return New(Whole(kind)); }

    // The same of a sum over the elements that share an element of an input, whose shape it has.
    at::Tensor Sum(size_t i) const
    {
        const auto sizes = inputs_[i].tensor.sym_sizes();
        return New(Shape(sizes.begin(), sizes.end()));
    }

    // An input as the operator takes it: contiguous, of the call's shape and element type.
    at::Tensor Ready(size_t i) const
    {
        const Input& input = inputs_[i];
        if (input.kind == Kind::ROWS) {
            return input.tensor.contiguous();
        }
        const at::Tensor laid = LiesAlong(input) ? input.tensor.reshape_symint(Laid(input)) : input.tensor;
        const at::Tensor wide = laid.expand_symint(Whole(input.kind));
        return (input.kind == Kind::MASK ? wide : wide.to(type_)).contiguous();
    }

    // `Ready` of an input that the kernel broadcasts itself: in its own shape.
    at::Tensor Narrow(size_t i) const { return inputs_[i].tensor.to(type_).contiguous(); }

    // `Ready` of an input that may be left out.
    std::optional<at::Tensor> ReadyIfGiven(size_t i) const
    {
        return inputs_[i].tensor.defined() ? std::optional<at::Tensor>(Ready(i)) : std::nullopt;
    }

    // Whether there is anything to compute. `function` has to be that of an installed package: the toolkit's own
    // library may have one of the same name with other arguments.
    bool Launches(const char* function) const
    {
        for (const c10::SymInt& length : domain_) {
            if (length == 0) {
                TORCH_CHECK_VALUE(rules_.empty, rules_.name, ": tensors have no elements");
                return false;
            }
        }
        void* address = GetOpApiFuncAddr(function);
        Dl_info found{};
        const bool known = address != nullptr && dladdr(address, &found) != 0 && found.dli_fname != nullptr;
        const std::string library = known ? found.dli_fname : "";
        TORCH_CHECK(library.find("libcust_opapi") != std::string::npos, rules_.name, ": ", function,
                    known ? " is that of " + library : std::string(" is not there"),
                    "; install the operators' package, which `emit --layout custom` writes");
        return true;
    }

private:
    at::Tensor New(const Shape& shape) const
    {
        for (const Input& input : inputs_) {
            if (input.tensor.defined()) {
                return at::empty_symint(shape, input.tensor.options().dtype(type_));
            }
        }
        return {};
    }

    void Fit(const Input& input, bool first)
    {
        const at::ScalarType type = input.tensor.scalar_type();
        if (input.kind == Kind::ROWS) {
            TORCH_CHECK_TYPE(type == at::kLong, rules_.name, ": tensor `", input.name, "` has dtype ", type,
                             "; allowed: int64");
            const bool counts = input.tensor.sym_sizes().size() == 1 && input.tensor.sym_sizes()[0] != 0;
            TORCH_CHECK_VALUE(counts, rules_.name, ": tensor `", input.name, "` has shape ", input.tensor.sym_sizes(),
                              "; allowed: one dimension of 1 or more, since its sum is a number of rows");
            return;
        }
        if (input.kind == Kind::MASK) {
            TORCH_CHECK_TYPE(type == at::kBool || type == at::kByte, rules_.name, ": mask `", input.name, "` has dtype ",
                             type, "; allowed: bool, uint8");
        } else {
            bool allowed = false;
            for (at::ScalarType one : rules_.types) {
                allowed = allowed || one == type;
            }
            TORCH_CHECK_TYPE(allowed, rules_.name, ": tensor `", input.name, "` has dtype ", type,
                             "; allowed: ", rules_.types);
            TORCH_CHECK_TYPE(rules_.promote || !typed_ || type == type_, rules_.name, ": tensor `", input.name,
                             "` has dtype ", type, ", another one ", type_);
            type_ = typed_ && type != type_ ? at::kFloat : type;
            typed_ = true;
        }
        if (LiesAlong(input)) {
            const c10::SymInt length = input.tensor.sym_sizes()[0];
            TORCH_CHECK_VALUE(input.along < static_cast<int64_t>(rank_) || length == 1, rules_.name, ": tensor `",
                              input.name, "` has shape ", input.tensor.sym_sizes(), ", along dimension ", input.along,
                              " of tensors of rank ", rank_, "; allowed: [1]");
        }
        const Shape part = Part(input);
        TORCH_CHECK_VALUE(first || rules_.broadcast || part == domain_, rules_.name, ": tensor `", input.name,
                          "` has shape ", input.tensor.sym_sizes(), ", which does not go with the others");
        domain_ = first ? part : at::infer_size_symint(domain_, part);
    }

    // The dimension of the call that is cut in two.
    size_t Cut() const
    {
        const int64_t n = static_cast<int64_t>(rank_);
        TORCH_CHECK_VALUE(dim_ >= -n && dim_ < n, rules_.name, ": dimension ", dim_, " of ", n, " is to be cut in two");
        return static_cast<size_t>(dim_ < 0 ? dim_ + n : dim_);
    }

    static bool LiesAlong(const Input& input) { return input.along >= 0 && input.tensor.sym_sizes().size() == 1; }

    // The shape that an input is broadcast by: one of one dimension that lies along a dimension ends with dimensions of 1.
    Shape Laid(const Input& input) const
    {
        Shape shape(input.tensor.sym_sizes().begin(), input.tensor.sym_sizes().end());
        if (LiesAlong(input)) {
            const size_t dim = static_cast<size_t>(input.along);
            shape.resize(dim < rank_ ? rank_ - dim : std::min<size_t>(rank_, 1), 1);
        }
        return shape;
    }

    // The shape that the formula is applied to. Shapes of fewer dimensions than others are aligned at the innermost.
    Shape Part(const Input& input) const
    {
        Shape shape = Laid(input);
        if (input.kind == Kind::GATED) {
            const size_t ahead = rank_ - shape.size();
            TORCH_CHECK_VALUE(Cut() >= ahead, rules_.name, ": tensor `", input.name, "` has shape ",
                              input.tensor.sym_sizes(), "; dimension ", Cut(), " of ", rank_, " is cut in two, so it has ",
                              rank_ - Cut(), " dimensions or more");
            const size_t cut = Cut() - ahead;
            TORCH_CHECK_VALUE(shape[cut] % 2 == 0, rules_.name, ": tensor `", input.name, "` has shape ",
                              input.tensor.sym_sizes(), "; dimension ", cut, " is cut in two and must be even");
            shape[cut] = shape[cut] / 2;
        }
        return shape;
    }

    // The shape of a tensor of the call.
    Shape Whole(Kind kind) const
    {
        Shape shape = domain_;
        if (kind == Kind::GATED) {
            c10::SymInt& cut = shape[Cut()];
            cut = cut * 2;
        }
        return shape;
    }

    const Rules& rules_;
    std::vector<Input> inputs_;
    int64_t dim_;
    size_t rank_ = 0;
    Shape domain_;
    at::ScalarType type_ = at::kFloat;
    bool typed_ = false;
};

// The number of a choice by its name.
inline int64_t Choice(const char* op, const char* attribute, const std::string& given,
                      std::initializer_list<std::pair<const char*, int64_t>> all)
{
    std::string names;
    for (const auto& [name, number] : all) {
        if (given == name) {
            return number;
        }
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    TORCH_CHECK_VALUE(false, op, ": attribute `", attribute, "` is \"", given, "\"; allowed: ", names);
    return 0;
}

// Name and shapes of an operator, unless somebody has defined it before: with kernels for other devices and derivatives.
template <typename Function>
void Define(torch::Library& library, const std::string& qualified, const std::string& arguments, Function* shapes)
{
    if (c10::Dispatcher::singleton().findSchema({qualified, ""}).has_value()) {
        return;
    }
    const std::string name = qualified.substr(qualified.find(':') + 2);
    library.def((name + arguments).c_str(), {at::Tag::pt2_compliant_tag});
    library.impl(name.c_str(), torch::dispatch(c10::DispatchKey::Meta, torch::CppFunction(shapes)));
}

}  // namespace op_dsl
