// SwiGlu, SwiGluGrad: generated, do not edit

#include "call.h"

namespace {

using op_dsl::Kind;

namespace swi_glu {

// Name; whether it broadcasts, promotes, takes tensors without elements; element types.
const op_dsl::Rules RULES{"SwiGlu", false, false, false, {at::kHalf, at::kBFloat16, at::kFloat}};

// Results: computed, or of the right shape alone.
template <bool LAUNCH>
at::Tensor SwiGlu(const at::Tensor& x, int64_t dim)
{
    const op_dsl::Call thisCall(RULES, {{"x", Kind::GATED, false, x}}, dim);
    at::Tensor y = thisCall.Result(Kind::WHOLE);
    if constexpr (LAUNCH) {
        const c10::DeviceGuard guard(y.device());
        if (thisCall.Launches("aclnnSwiGlu")) {
            auto xReady = thisCall.Ready(0);
            EXEC_NPU_CMD(aclnnSwiGlu, xReady, dim, y);
        }
    }
    return y;
}

}  // namespace swi_glu

namespace swi_glu_grad {

// Name; whether it broadcasts, promotes, takes tensors without elements; element types.
const op_dsl::Rules RULES{"SwiGluGrad", false, false, false, {at::kHalf, at::kBFloat16, at::kFloat}};

// Results: computed, or of the right shape alone.
template <bool LAUNCH>
at::Tensor SwiGluGrad(const at::Tensor& yGrad, const at::Tensor& x, int64_t dim)
{
    const op_dsl::Call thisCall(RULES, {{"y_grad", Kind::WHOLE, false, yGrad}, {"x", Kind::GATED, false, x}}, dim);
    at::Tensor xGrad = thisCall.Result(Kind::GATED);
    if constexpr (LAUNCH) {
        const c10::DeviceGuard guard(xGrad.device());
        if (thisCall.Launches("aclnnSwiGluGrad")) {
            auto yGradReady = thisCall.Ready(0);
            auto xReady = thisCall.Ready(1);
            EXEC_NPU_CMD(aclnnSwiGluGrad, yGradReady, xReady, dim, xGrad);
        }
    }
    return xGrad;
}

}  // namespace swi_glu_grad

}  // namespace

TORCH_LIBRARY_FRAGMENT(ops_glu_grad, library)
{
    op_dsl::Define(library, "ops_glu_grad::swi_glu", "(Tensor x, int dim=-1) -> Tensor", swi_glu::SwiGlu<false>);
    op_dsl::Define(
        library, "ops_glu_grad::swi_glu_grad", "(Tensor y_grad, Tensor x, int dim=-1) -> Tensor",
        swi_glu_grad::SwiGluGrad<false>);
}

TORCH_LIBRARY_IMPL(ops_glu_grad, PrivateUse1, library)
{
    library.impl("swi_glu", swi_glu::SwiGlu<true>);
    library.impl("swi_glu_grad", swi_glu_grad::SwiGluGrad<true>);
}
