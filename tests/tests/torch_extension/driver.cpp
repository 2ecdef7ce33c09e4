// Calls operators as PyTorch would, and prints what they answer with and what reaches the device.
#include <torch/library.h>

#include <iostream>

using at::Tensor;
using Two = std::tuple<Tensor, Tensor>;

// Whose address it has is who is taken to have the function.
extern "C" void Somebody() {}

void* GetOpApiFuncAddr(const char*)
{
    return reinterpret_cast<void*>(&Somebody);
}

namespace {

Tensor Of(const char* name, std::vector<int64_t> shape, at::ScalarType type = at::kFloat, int device = 0)
{
    return Tensor(name, std::move(shape), {type, {device}});
}

void Shown(const Tensor& y) { std::cout << "-> " << y.Shown() << "\n"; }
void Shown(const Two& both) { std::cout << "-> " << std::get<0>(both).Shown() << " " << std::get<1>(both).Shown() << "\n"; }

template <typename Call>
void Try(const Call& call)
{
    try {
        Shown(call());
    } catch (const at::ValueError& e) {
        std::cout << "ValueError: " << e.what() << "\n";
    } catch (const at::TypeError& e) {
        std::cout << "TypeError: " << e.what() << "\n";
    } catch (const std::runtime_error& e) {
        std::cout << "RuntimeError: " << e.what() << "\n";
    }
}

template <typename Function>
Function* Npu(const char* name)
{
    return reinterpret_cast<Function*>(const_cast<void*>(c10::Dispatcher::singleton().known.at(name).npu));
}

template <typename Function>
Function* Meta(const char* name)
{
    return reinterpret_cast<Function*>(const_cast<void*>(c10::Dispatcher::singleton().known.at(name).meta));
}

}  // namespace

int main()
{
    for (const auto& [name, known] : c10::Dispatcher::singleton().known) {
        std::cout << name << ": " << known.schema << "\n";
    }

    std::cout << "\nGeGluV2\n";
    using GeGlu = Two(const Tensor&, int64_t, std::string, bool);
    auto* ge_glu = Npu<GeGlu>("ops_glu_grad::ge_glu_v2");
    Try([&] { return ge_glu(Of("x", {2, 6}), -1, "tanh", true); });
    Try([&] { return ge_glu(Of("x", {2, 6}, at::kHalf), 0, "none", false); });
    Try([&] { return Meta<GeGlu>("ops_glu_grad::ge_glu_v2")(Of("x", {2, 6}), -1, "none", false); });
    Try([&] { return ge_glu(Of("x", {2, 0}), -1, "none", false); });
    Try([&] { return ge_glu(Of("x", {2, 3}), -1, "none", false); });
    Try([&] { return ge_glu(Of("x", {2, 6}), 2, "none", false); });
    Try([&] { return ge_glu(Of("x", {2, 6}, at::kDouble), 0, "none", false); });
    Try([&] { return ge_glu(Of("x", {2, 6}), -1, "erf", false); });
    Try([&] { return Meta<GeGlu>("ops_glu_grad::ge_glu_v2")(Of("x", {2, 6}), -1, "erf", false); });

    std::cout << "\nGeluGradV2\n";
    auto* gelu = Npu<Tensor(const Tensor&, const Tensor&, std::string)>("ops_glu_grad::gelu_grad_v2");
    Try([&] { return gelu(Of("dy", {3}, at::kHalf), Of("x", {2, 3}), "none"); });
    Try([&] { return gelu(Of("dy", {2, 3}), Of("x", {2, 3}, at::kFloat, 1), "none"); });

    std::cout << "\nClippedSwiglu\n";
    using Clipped = Tensor(const Tensor&, const std::optional<Tensor>&, int64_t, double, double, double, bool);
    auto* clipped = Npu<Clipped>("ops_glu_grad::clipped_swiglu");
    Try([&] { return clipped(Of("x", {2, 6}), std::nullopt, -1, 1.5, 7, 1, true); });
    Try([&] { return clipped(Of("x", {2, 6}), Of("rows", {3}, at::kLong), -1, 1.5, 7, 1, true); });
    Try([&] { return clipped(Of("x", {2, 6}), Of("rows", {1}), -1, 1.5, 7, 1, true); });
    Try([&] { return clipped(Of("x", {2, 6}), Of("rows", {1, 1}, at::kLong), -1, 1.5, 7, 1, true); });
    Try([&] { return clipped(Of("x", {2, 6}), Of("rows", {0}, at::kLong), -1, 1.5, 7, 1, true); });

    std::cout << "\nKept\n";
    using Kept = Tensor(const Tensor&, const std::optional<Tensor>&, const Tensor&);
    auto* kept = Npu<Kept>("ops_glu_grad::kept");
    Try([&] { return kept(Of("x", {2, 3}, at::kHalf), Of("scale", {3}), Of("keep", {2, 1}, at::kBool)); });
    Try([&] { return kept(Of("x", {2, 3}, at::kHalf), std::nullopt, Of("keep", {2, 3}, at::kByte)); });
    Try([&] { return kept(Of("x", {2, 3}), std::nullopt, Of("keep", {2, 3})); });

    std::cout << "\nScaled\n";
    auto* scaled = Npu<Tensor(const Tensor&, int64_t, double)>("ops_glu_grad::scaled");
    Try([&] { return scaled(Of("x", {2, 6}, at::kBFloat16), 1, 0.5); });

    std::cout << "\nBiasGeluGrad\n";
    auto* bias_gelu = Npu<Two(const Tensor&, const Tensor&, const Tensor&)>("ops_glu_grad::bias_gelu_grad");
    Try([&] { return bias_gelu(Of("dy", {4, 2, 3}), Of("x", {4, 2, 3}), Of("bias", {2, 1})); });
    Try([&] { return bias_gelu(Of("dy", {2, 3}), Of("x", {2, 3}), Of("bias", {})); });
    Try([&] { return bias_gelu(Of("dy", {3}), Of("x", {2, 3}), Of("bias", {3})); });
    Try([&] { return bias_gelu(Of("dy", {2, 3}), Of("x", {2, 3}), Of("bias", {4, 2, 3})); });
    Try([&] { return bias_gelu(Of("dy", {0, 3}), Of("x", {0, 3}), Of("bias", {3})); });

    std::cout << "\nPRelu and PReluGrad\n";
    auto* p_relu = Npu<Tensor(const Tensor&, const Tensor&)>("ops_glu_grad::p_relu");
    Try([&] { return p_relu(Of("x", {2, 3, 4}), Of("weight", {3})); });
    Try([&] { return p_relu(Of("x", {2, 3, 4}), Of("weight", {3, 1})); });
    Try([&] { return p_relu(Of("x", {4}), Of("weight", {1})); });
    Try([&] { return p_relu(Of("x", {}), Of("weight", {1})); });
    Try([&] { return p_relu(Of("x", {4}), Of("weight", {4})); });
    Try([&] { return p_relu(Of("x", {2, 1, 4}), Of("weight", {3})); });
    auto* p_relu_grad = Npu<Two(const Tensor&, const Tensor&, const Tensor&)>("ops_glu_grad::p_relu_grad");
    Try([&] { return p_relu_grad(Of("grads", {2, 3, 4}), Of("features", {2, 3, 4}), Of("weights", {3})); });
    Try([&] { return p_relu_grad(Of("grads", {4}), Of("features", {4}), Of("weights", {4})); });

    std::cout << "\nBiasSwiGluGrad\n";
    using BiasSwiGlu = Two(const Tensor&, const Tensor&, const Tensor&, int64_t);
    auto* bias_swi_glu = Npu<BiasSwiGlu>("ops_glu_grad::bias_swi_glu_grad");
    Try([&] { return bias_swi_glu(Of("dy", {2, 3}), Of("x", {2, 6}), Of("bias", {6}), -1); });
    Try([&] { return bias_swi_glu(Of("dy", {2, 3}), Of("x", {2, 6}), Of("bias", {6}), 1); });
    Try([&] { return Meta<BiasSwiGlu>("ops_glu_grad::bias_swi_glu_grad")(Of("dy", {2, 3}), Of("x", {2, 6}), Of("bias", {6}), 1); });
    Try([&] { return bias_swi_glu(Of("dy", {2, 3}), Of("x", {4, 3}), Of("bias", {3}), 0); });
    Try([&] { return bias_swi_glu(Of("dy", {2, 3}), Of("x", {2, 6}), Of("bias", {3}), 1); });
    return 0;
}
