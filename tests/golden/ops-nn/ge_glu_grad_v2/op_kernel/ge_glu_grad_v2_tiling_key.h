// GeGluGradV2: which kernels there are.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#ifndef GE_GLU_GRAD_V2_TILING_KEY_H
#define GE_GLU_GRAD_V2_TILING_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

// Element type of all tensors.
#define GE_GLU_GRAD_V2_HALF 0
#define GE_GLU_GRAD_V2_BFLOAT16 1
#define GE_GLU_GRAD_V2_FLOAT 2

// The formula, by the attributes that it branches on.
#define GE_GLU_GRAD_V2_FORM_NONE 0
#define GE_GLU_GRAD_V2_FORM_TANH 1

ASCENDC_TPL_ARGS_DECL(GeGluGradV2,
    ASCENDC_TPL_UINT_DECL(dtype, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, GE_GLU_GRAD_V2_HALF,
                                                   GE_GLU_GRAD_V2_BFLOAT16, GE_GLU_GRAD_V2_FLOAT),
    ASCENDC_TPL_UINT_DECL(form, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, GE_GLU_GRAD_V2_FORM_NONE,
                                                  GE_GLU_GRAD_V2_FORM_TANH),
    ASCENDC_TPL_BOOL_DECL(small, 0, 1));

#if __NPU_ARCH__ == 2002
ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(dtype, ASCENDC_TPL_UI_LIST, GE_GLU_GRAD_V2_HALF, GE_GLU_GRAD_V2_FLOAT),
        ASCENDC_TPL_UINT_SEL(form, ASCENDC_TPL_UI_LIST, GE_GLU_GRAD_V2_FORM_TANH),
        ASCENDC_TPL_BOOL_SEL(small, 0, 1)));
#else
ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(dtype, ASCENDC_TPL_UI_LIST, GE_GLU_GRAD_V2_HALF, GE_GLU_GRAD_V2_BFLOAT16,
                                    GE_GLU_GRAD_V2_FLOAT),
        ASCENDC_TPL_UINT_SEL(form, ASCENDC_TPL_UI_LIST, GE_GLU_GRAD_V2_FORM_NONE, GE_GLU_GRAD_V2_FORM_TANH),
        ASCENDC_TPL_BOOL_SEL(small, 0, 1),
        ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY)));
#endif

#endif  // GE_GLU_GRAD_V2_TILING_KEY_H
