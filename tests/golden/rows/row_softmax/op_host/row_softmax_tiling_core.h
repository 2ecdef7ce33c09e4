// RowSoftmax: how a call is cut into tiles.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#ifndef ROW_SOFTMAX_TILING_CORE_H_
#define ROW_SOFTMAX_TILING_CORE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../op_kernel/row_softmax_tiling_data.h"

namespace ops {
namespace row_softmax {

using TilingData = ::RowSoftmaxTilingData;

{{fragment: host/fragments/tile.h}}

{{fragment: host/fragments/rows.h}}

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

constexpr Arch ARCHS[] = {{2201, true}, {2002, false}, {3510, true}};

// The kernels there are, and what a tile of each needs of UB.
struct Kernel {
    uint32_t arch;
    uint32_t form;
    uint32_t type;
    Need need;
};

constexpr Kernel KERNELS[] = {
    // arch, form, type, {bytes per element, {fixed bytes, bits per element} dense, small, pairs, even, gathers, chunk, held, turned}
    {2201, FORM_FORMULA, TYPE_HALF, {2, {768, 326}, {768, 288}, {0, 0}, 1, false, {2816, 352}, 1, {768, 544}}},
    {2201, FORM_FORMULA, TYPE_BF16, {2, {768, 326}, {768, 288}, {0, 0}, 1, false, {2816, 352}, 1, {768, 544}}},
    {2201, FORM_FORMULA, TYPE_FLOAT, {4, {768, 332}, {768, 256}, {0, 0}, 1, false, {2816, 352}, 1, {768, 544}}},
    {2002, FORM_FORMULA, TYPE_HALF, {2, {8960, 326}, {8960, 288}, {0, 0}, 1, false, {11008, 352}, 1, {0, 0}}},
    {2002, FORM_FORMULA, TYPE_FLOAT, {4, {8960, 332}, {8960, 256}, {0, 0}, 1, false, {11008, 352}, 1, {0, 0}}},
    {3510, FORM_FORMULA, TYPE_HALF, {2, {768, 326}, {768, 288}, {0, 0}, 1, false, {2816, 352}, 1, {768, 544}}},
    {3510, FORM_FORMULA, TYPE_BF16, {2, {768, 326}, {768, 288}, {0, 0}, 1, false, {2816, 352}, 1, {768, 544}}},
    {3510, FORM_FORMULA, TYPE_FLOAT, {4, {768, 332}, {768, 256}, {0, 0}, 1, false, {2816, 352}, 1, {768, 544}}},
};

{{fragment: host/fragments/find.h}}

// There is one form only.
inline uint32_t SelectForm() { return FORM_FORMULA; }

}  // namespace row_softmax
}  // namespace ops

#endif  // ROW_SOFTMAX_TILING_CORE_H_
