// Phase 1 of an aclnn function, called with what a unit test describes.
#pragma once

#include <tuple>

#include "op_api_ut_common/tensor_desc.h"
#include "opdev/op_executor.h"

inline aclTensor* Argument(TensorDesc& desc)
{
    return &desc.tensor;
}

template <typename T>
T Argument(T value)
{
    return value;
}

template <typename F, typename Arguments>
struct OpApiUt {
    F call;
    Arguments arguments;

    aclnnStatus TestGetWorkspaceSize(uint64_t* workspaceSize)
    {
        aclOpExecutor* executor = nullptr;
        auto called = [&](auto&... argument) { return call(Argument(argument)..., workspaceSize, &executor); };
        const aclnnStatus status = std::apply(called, arguments);
        delete executor;
        return status;
    }
};

#define INPUT(...) std::make_tuple(__VA_ARGS__)
#define OUTPUT(...) std::make_tuple(__VA_ARGS__)

template <typename F, typename In, typename Out>
auto MakeUt(F call, In in, Out out)
{
    auto all = std::tuple_cat(in, out);
    return OpApiUt<F, decltype(all)>{call, all};
}

#define OP_API_UT(api, input, output) MakeUt(api##GetWorkspaceSize, input, output)
