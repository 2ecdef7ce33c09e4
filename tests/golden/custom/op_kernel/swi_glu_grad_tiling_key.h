// SwiGluGrad: which kernels there are.
// The gradient of `SwiGlu`.
// Generated from ops_glu_grad::families::glu::glu::swi_glu; do not edit.

#ifndef SWI_GLU_GRAD_TILING_KEY_H
#define SWI_GLU_GRAD_TILING_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

// Element type of all tensors.
#define SWI_GLU_GRAD_HALF 0
#define SWI_GLU_GRAD_BFLOAT16 1
#define SWI_GLU_GRAD_FLOAT 2

// The formula, by the attributes that it branches on.
#define SWI_GLU_GRAD_FORM 0

ASCENDC_TPL_ARGS_DECL(SwiGluGrad,
    ASCENDC_TPL_UINT_DECL(dtype, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, SWI_GLU_GRAD_HALF,
                                                   SWI_GLU_GRAD_BFLOAT16, SWI_GLU_GRAD_FLOAT),
    ASCENDC_TPL_UINT_DECL(form, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, SWI_GLU_GRAD_FORM),
    ASCENDC_TPL_BOOL_DECL(small, 0, 1));

ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(dtype, ASCENDC_TPL_UI_LIST, SWI_GLU_GRAD_HALF, SWI_GLU_GRAD_BFLOAT16,
                                    SWI_GLU_GRAD_FLOAT),
        ASCENDC_TPL_UINT_SEL(form, ASCENDC_TPL_UI_LIST, SWI_GLU_GRAD_FORM),
        ASCENDC_TPL_BOOL_SEL(small, 0, 1),
        ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY)));

#endif  // SWI_GLU_GRAD_TILING_KEY_H
