// GeluGradV2: which kernels there are.
// The gradient of `GeluV2`.
// Generated from ops_glu_grad::families::gelu::gelu::gelu_v2; do not edit.

#ifndef GELU_GRAD_V2_TILING_KEY_H
#define GELU_GRAD_V2_TILING_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

// Element type of all tensors.
#define GELU_GRAD_V2_HALF 0
#define GELU_GRAD_V2_BFLOAT16 1
#define GELU_GRAD_V2_FLOAT 2

// The formula, by the attributes that it branches on.
#define GELU_GRAD_V2_FORM_NONE 0
#define GELU_GRAD_V2_FORM_TANH 1

ASCENDC_TPL_ARGS_DECL(GeluGradV2,
    ASCENDC_TPL_UINT_DECL(dtype, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, GELU_GRAD_V2_HALF,
                                                   GELU_GRAD_V2_BFLOAT16, GELU_GRAD_V2_FLOAT),
    ASCENDC_TPL_UINT_DECL(form, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, GELU_GRAD_V2_FORM_NONE,
                                                  GELU_GRAD_V2_FORM_TANH),
    ASCENDC_TPL_BOOL_DECL(small, 0));

ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(dtype, ASCENDC_TPL_UI_LIST, GELU_GRAD_V2_HALF, GELU_GRAD_V2_BFLOAT16,
                                    GELU_GRAD_V2_FLOAT),
        ASCENDC_TPL_UINT_SEL(form, ASCENDC_TPL_UI_LIST, GELU_GRAD_V2_FORM_NONE, GELU_GRAD_V2_FORM_TANH),
        ASCENDC_TPL_BOOL_SEL(small, 0),
        ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY)));

#endif  // GELU_GRAD_V2_TILING_KEY_H
