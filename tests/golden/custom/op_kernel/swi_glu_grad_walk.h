// SwiGluGrad: the tiles of a core.
// The gradient of `SwiGlu`.
// Generated from ops_glu_grad::families::glu::glu::swi_glu; do not edit.

#ifndef SWI_GLU_GRAD_WALK_H
#define SWI_GLU_GRAD_WALK_H

{{fragment: kernel/walk.h; @snake@ = swi_glu_grad; @namespace@ = SwiGluGradKernel; @least@ = ; @Op@ = SwiGluGrad; @rows@ = ; @columns@ = ; @point@ = return {row < tiling_.rows ? row : tiling_.rows, unit % tiling_.pieces * tiling_.unitColumns};}}

#endif  // SWI_GLU_GRAD_WALK_H
