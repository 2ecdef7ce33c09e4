// GeluGradV2: how a call is cut into tiles.
// The gradient of `GeluV2`.
// Generated from ops_glu_grad::families::gelu::gelu::gelu_v2; do not edit.

#ifndef GELU_GRAD_V2_TILING_CORE_H_
#define GELU_GRAD_V2_TILING_CORE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../op_kernel/gelu_grad_v2_tiling_data.h"

namespace ops {
namespace gelu_grad_v2 {

using TilingData = ::GeluGradV2TilingData;

{{fragment: host/fragments/tile.h}}

// Compile info: data that the framework keeps between calls.
struct CompileInfo {
    uint32_t arch;  // the platform's number of its architecture
};

// Element types, as the tiling key counts them.
constexpr uint32_t TYPE_HALF = 0;
constexpr uint32_t TYPE_BF16 = 1;
constexpr uint32_t TYPE_FLOAT = 2;

// Forms of the formula, as the tiling key counts them.
constexpr uint32_t FORM_NONE = 0;
constexpr uint32_t FORM_TANH = 1;

// The architectures there are kernels for, by the platform's number.
struct Arch {
    uint32_t number;
    bool pads;  // copies can have any length in bytes; else multiples of 32
};

constexpr Arch ARCHS[] = {{2201, true}};

// The kernels there are, and what a tile of each needs of UB.
struct Kernel {
    uint32_t arch;
    uint32_t form;
    uint32_t type;
    Need need;
};

constexpr Kernel KERNELS[] = {
    // arch, form, type, {bytes per element, {fixed bytes, bits per element} dense, small, pairs, even, gathers}
    {2201, FORM_NONE, TYPE_HALF, {2, {8480, 225}, {0, 0}, {0, 0}, 1, true}},
    {2201, FORM_NONE, TYPE_BF16, {2, {8480, 193}, {0, 0}, {0, 0}, 1, true}},
    {2201, FORM_NONE, TYPE_FLOAT, {4, {8480, 257}, {0, 0}, {0, 0}, 1, true}},
    {2201, FORM_TANH, TYPE_HALF, {2, {0, 192}, {0, 0}, {0, 0}, 1, true}},
    {2201, FORM_TANH, TYPE_BF16, {2, {0, 192}, {0, 0}, {0, 0}, 1, true}},
    {2201, FORM_TANH, TYPE_FLOAT, {4, {0, 224}, {0, 0}, {0, 0}, 1, true}},
};

{{fragment: host/fragments/find.h}}

// No form has these values of the attributes.
constexpr uint32_t NO_FORM = UINT32_MAX;

// Which form the attributes pick.
inline uint32_t SelectForm(int64_t approximate)
{
    if (approximate == 0) {
        return FORM_NONE;
    }
    if (approximate == 1) {
        return FORM_TANH;
    }
    return NO_FORM;
}

}  // namespace gelu_grad_v2
}  // namespace ops

#endif  // GELU_GRAD_V2_TILING_CORE_H_
