// How a kernel gets its tiling data, and the declarations that only the operator
// build reads: those vanish here.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core.h"
#include "types.h"

namespace host_model {

/// The tiling struct, after a check that the host side made one of this size.
template <typename T>
T ReadTiling(const uint8_t* tiling, Where where = Where::Here())
{
    static_assert(std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>, "tiling data is a plain struct");
    static_assert(sizeof(T) % 8 == 0, "tiling data fills whole 8-byte units");
    const Region* region = TheDevice().Find(tiling);
    if (region == nullptr || region->role != Role::kTiling) {
        Fail("tiling", where, "GET_TILING_DATA from what is not the tiling argument");
    }
    if (region->size != sizeof(T)) {
        Fail("tiling", where, "the tiling data has %llu bytes, the kernel's struct %llu",
                                     static_cast<unsigned long long>(region->size),
                                     static_cast<unsigned long long>(sizeof(T)));
    }
    T data;
    std::memcpy(&data, tiling, sizeof(T));
    return data;
}

}  // namespace host_model

#define REGISTER_TILING_DEFAULT(type) using HostModelTiling [[maybe_unused]] = type
#define REGISTER_TILING_FOR_TILINGKEY(expression, type) static_assert(sizeof(type) % 8 == 0, "tiling data in 8-byte units")
#define GET_TILING_DATA(name, tiling) const HostModelTiling name = host_model::ReadTiling<HostModelTiling>(tiling)
#define GET_TILING_DATA_WITH_STRUCT(type, name, tiling) const type name = host_model::ReadTiling<type>(tiling)
#define TILING_KEY_IS(key) (host_model::TheDevice().tiling_key == static_cast<uint64_t>(key))
#define KERNEL_TASK_TYPE_DEFAULT(value) static_cast<void>(0)
#define KERNEL_TASK_TYPE(key, value) static_cast<void>(0)

// The values of template arguments are chosen by the host side; here the runner
// names the instance.
#define ASCENDC_TPL_ARGS_DECL(...) static_assert(true, "")
#define ASCENDC_TPL_SEL(...) static_assert(true, "")

namespace AscendC {

/// The part of the workspace that is the kernel's own.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }

/// Kept for kernels that name the system's part of the workspace.
inline void SetSysWorkspace(GM_ADDR) {}

}  // namespace AscendC
