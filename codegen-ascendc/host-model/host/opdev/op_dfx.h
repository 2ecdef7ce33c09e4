// Names of the functions of op_api, checked where they are written.
#pragma once

#include <string_view>
#include <tuple>

#include "opdev/op_executor.h"

namespace host_model {

constexpr bool SameName(const char* macro, const char* function)
{
    return std::string_view(macro) == function;
}

} // namespace host_model

#define OP_TYPE_REGISTER(kernelName)                            \
    [[maybe_unused]] inline const char* kernelName##OpTypeId() \
    {                                                           \
        return #kernelName;                                     \
    }

#define DFX_IN(...) std::make_tuple(__VA_ARGS__)
#define DFX_OUT(...) std::make_tuple(__VA_ARGS__)

#define L2_DFX_PHASE_1(APIName, IN, OUT)                                                         \
    static_assert(host_model::SameName(#APIName "GetWorkspaceSize", __func__), "not " #APIName); \
    if (executor == nullptr || workspaceSize == nullptr) {                                       \
        return ACLNN_ERR_PARAM_NULLPTR;                                                          \
    }                                                                                            \
    (void)IN;                                                                                    \
    (void)OUT

#define L2_DFX_PHASE_2(APIName) \
    static_assert(host_model::SameName(#APIName, __func__), "not " #APIName)

#define L0_DFX(profilingName, ...)                                                         \
    static_assert(host_model::SameName(#profilingName, __func__), "not " #profilingName); \
    (void)std::make_tuple(executor, __VA_ARGS__)
