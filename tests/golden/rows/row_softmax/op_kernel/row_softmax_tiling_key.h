// RowSoftmax: which kernels there are.
// Softmax along the last dimension.
// Generated from ascendc_trees::rows::row_softmax; do not edit.

#ifndef ROW_SOFTMAX_TILING_KEY_H
#define ROW_SOFTMAX_TILING_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

// Element type of all tensors.
#define ROW_SOFTMAX_HALF 0
#define ROW_SOFTMAX_BFLOAT16 1
#define ROW_SOFTMAX_FLOAT 2

// The formula, by the attributes that it branches on.
#define ROW_SOFTMAX_FORM 0

ASCENDC_TPL_ARGS_DECL(RowSoftmax,
    ASCENDC_TPL_UINT_DECL(dtype, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, ROW_SOFTMAX_HALF,
                                                   ROW_SOFTMAX_BFLOAT16, ROW_SOFTMAX_FLOAT),
    ASCENDC_TPL_UINT_DECL(form, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, ROW_SOFTMAX_FORM),
    ASCENDC_TPL_BOOL_DECL(small, 0));

#if __NPU_ARCH__ == 2002
ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(dtype, ASCENDC_TPL_UI_LIST, ROW_SOFTMAX_HALF, ROW_SOFTMAX_FLOAT),
        ASCENDC_TPL_UINT_SEL(form, ASCENDC_TPL_UI_LIST, ROW_SOFTMAX_FORM),
        ASCENDC_TPL_BOOL_SEL(small, 0)));
#else
ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(dtype, ASCENDC_TPL_UI_LIST, ROW_SOFTMAX_HALF, ROW_SOFTMAX_BFLOAT16,
                                    ROW_SOFTMAX_FLOAT),
        ASCENDC_TPL_UINT_SEL(form, ASCENDC_TPL_UI_LIST, ROW_SOFTMAX_FORM),
        ASCENDC_TPL_BOOL_SEL(small, 0),
        ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY)));
#endif

#endif  // ROW_SOFTMAX_TILING_KEY_H
