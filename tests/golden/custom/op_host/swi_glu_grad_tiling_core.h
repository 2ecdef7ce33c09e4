// SwiGluGrad: how a call is cut into tiles.
// The gradient of `SwiGlu`.
// Generated from ops_glu_grad::families::glu::glu::swi_glu; do not edit.

#ifndef SWI_GLU_GRAD_TILING_CORE_H_
#define SWI_GLU_GRAD_TILING_CORE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../op_kernel/swi_glu_grad_tiling_data.h"

namespace ops {
namespace swi_glu_grad {

using TilingData = ::SwiGluGradTilingData;

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
constexpr uint32_t FORM_FORMULA = 0;

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
    {2201, FORM_FORMULA, TYPE_HALF, {2, {0, 288}, {0, 448}, {0, 448}, 1, true}},
    {2201, FORM_FORMULA, TYPE_BF16, {2, {0, 288}, {0, 448}, {0, 448}, 1, true}},
    {2201, FORM_FORMULA, TYPE_FLOAT, {4, {0, 352}, {0, 576}, {0, 576}, 1, true}},
};

{{fragment: host/fragments/find.h}}

// There is one form only.
inline uint32_t SelectForm() { return FORM_FORMULA; }

}  // namespace swi_glu_grad
}  // namespace ops

#endif  // SWI_GLU_GRAD_TILING_CORE_H_
