// RowQuant: which kernels there are.
// SwiGLU of eight bits, with a scale for each token.
// Generated from ascendc_trees::rows::row_quant; do not edit.

#ifndef ROW_QUANT_TILING_KEY_H
#define ROW_QUANT_TILING_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

// Element type of all tensors.
#define ROW_QUANT_HALF 0
#define ROW_QUANT_BFLOAT16 1
#define ROW_QUANT_FLOAT 2

// The formula, by the attributes that it branches on.
#define ROW_QUANT_FORM 0

ASCENDC_TPL_ARGS_DECL(RowQuant,
    ASCENDC_TPL_UINT_DECL(dtype, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, ROW_QUANT_HALF, ROW_QUANT_BFLOAT16,
                                                   ROW_QUANT_FLOAT),
    ASCENDC_TPL_UINT_DECL(form, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, ROW_QUANT_FORM),
    ASCENDC_TPL_BOOL_DECL(small, 0));

ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(dtype, ASCENDC_TPL_UI_LIST, ROW_QUANT_HALF, ROW_QUANT_BFLOAT16, ROW_QUANT_FLOAT),
        ASCENDC_TPL_UINT_SEL(form, ASCENDC_TPL_UI_LIST, ROW_QUANT_FORM),
        ASCENDC_TPL_BOOL_SEL(small, 0),
        ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY)));

#endif  // ROW_QUANT_TILING_KEY_H
