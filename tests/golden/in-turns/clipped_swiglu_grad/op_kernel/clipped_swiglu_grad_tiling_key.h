// ClippedSwigluGrad: which kernels there are.
// The gradient of `ClippedSwiglu`.
// Generated from ops_glu_grad::families::gated::gated::clipped_swiglu; do not edit.

#ifndef CLIPPED_SWIGLU_GRAD_TILING_KEY_H
#define CLIPPED_SWIGLU_GRAD_TILING_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

// Element type of all tensors.
#define CLIPPED_SWIGLU_GRAD_HALF 0
#define CLIPPED_SWIGLU_GRAD_BFLOAT16 1
#define CLIPPED_SWIGLU_GRAD_FLOAT 2

// The formula, by the attributes that it branches on.
#define CLIPPED_SWIGLU_GRAD_FORM 0

ASCENDC_TPL_ARGS_DECL(ClippedSwigluGrad,
    ASCENDC_TPL_UINT_DECL(dtype, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, CLIPPED_SWIGLU_GRAD_HALF,
                                                   CLIPPED_SWIGLU_GRAD_BFLOAT16, CLIPPED_SWIGLU_GRAD_FLOAT),
    ASCENDC_TPL_UINT_DECL(form, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, CLIPPED_SWIGLU_GRAD_FORM),
    ASCENDC_TPL_BOOL_DECL(small, 0, 1));

ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(dtype, ASCENDC_TPL_UI_LIST, CLIPPED_SWIGLU_GRAD_HALF,
                                    CLIPPED_SWIGLU_GRAD_BFLOAT16, CLIPPED_SWIGLU_GRAD_FLOAT),
        ASCENDC_TPL_UINT_SEL(form, ASCENDC_TPL_UI_LIST, CLIPPED_SWIGLU_GRAD_FORM),
        ASCENDC_TPL_BOOL_SEL(small, 0, 1),
        ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY)));

#endif  // CLIPPED_SWIGLU_GRAD_TILING_KEY_H
