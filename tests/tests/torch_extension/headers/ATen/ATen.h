// As much of PyTorch's C++ interface as emitted extensions use, for tensors that are shape, element type and place alone.
#pragma once

#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace c10 {

using SymInt = int64_t;

struct Device {
    int index = 0;
    bool operator==(const Device& other) const { return index == other.index; }
};

inline std::ostream& operator<<(std::ostream& out, const Device& device) { return out << "npu:" << device.index; }

}  // namespace c10

namespace at {

using c10::Device;

enum class ScalarType { Half, BFloat16, Float, Double, Bool, Byte, Long };
constexpr ScalarType kHalf = ScalarType::Half, kBFloat16 = ScalarType::BFloat16, kFloat = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double, kBool = ScalarType::Bool, kByte = ScalarType::Byte;
constexpr ScalarType kLong = ScalarType::Long;

inline std::ostream& operator<<(std::ostream& out, ScalarType type)
{
    const char* const names[] = {"Half", "BFloat16", "Float", "Double", "Bool", "Byte", "Long"};
    return out << names[static_cast<int>(type)];
}

inline std::ostream& operator<<(std::ostream& out, const std::vector<ScalarType>& types)
{
    for (size_t i = 0; i < types.size(); ++i) {
        out << (i == 0 ? "" : " ") << types[i];
    }
    return out;
}

inline std::ostream& operator<<(std::ostream& out, const std::vector<int64_t>& shape)
{
    out << "[";
    for (size_t i = 0; i < shape.size(); ++i) {
        out << (i == 0 ? "" : ", ") << shape[i];
    }
    return out << "]";
}

struct TensorOptions {
    ScalarType type = kFloat;
    Device place;
    TensorOptions dtype(ScalarType other) const { return {other, place}; }
};

// A tensor remembers what has been done to it: `+expand`, `+to`, `+contiguous`.
class Tensor {
public:
    Tensor() = default;
    Tensor(std::string name, std::vector<int64_t> shape, TensorOptions options)
        : name_(std::move(name)), shape_(std::move(shape)), options_(options), defined_(true)
    {}
    bool defined() const { return defined_; }
    ScalarType scalar_type() const { return options_.type; }
    Device device() const { return options_.place; }
    TensorOptions options() const { return options_; }
    const std::vector<int64_t>& sym_sizes() const { return shape_; }
    Tensor expand_symint(const std::vector<int64_t>& shape) const
    {
        return Tensor(name_ + (shape == shape_ ? "" : "+expand"), shape, options_);
    }
    Tensor reshape_symint(const std::vector<int64_t>& shape) const
    {
        return Tensor(name_ + (shape == shape_ ? "" : "+reshape"), shape, options_);
    }
    Tensor to(ScalarType type) const
    {
        return Tensor(name_ + (type == options_.type ? "" : "+to"), shape_, options_.dtype(type));
    }
    Tensor contiguous() const { return Tensor(name_ + "+contiguous", shape_, options_); }
    std::string Shown() const
    {
        std::ostringstream out;
        out << name_ << ":" << options_.type << shape_;
        return out.str();
    }

private:
    std::string name_;
    std::vector<int64_t> shape_;
    TensorOptions options_;
    bool defined_ = false;
};

inline Tensor empty_symint(const std::vector<int64_t>& shape, TensorOptions options)
{
    return Tensor("new", shape, options);
}

struct ValueError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct TypeError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <typename Error, typename... Words>
void Check(bool holds, const Words&... words)
{
    if (!holds) {
        std::ostringstream out;
        (out << ... << words);
        throw Error(out.str());
    }
}

}  // namespace at

#define TORCH_CHECK(...) at::Check<std::runtime_error>(__VA_ARGS__)
#define TORCH_CHECK_VALUE(...) at::Check<at::ValueError>(__VA_ARGS__)
#define TORCH_CHECK_TYPE(...) at::Check<at::TypeError>(__VA_ARGS__)
