// GeluGradV2: the tiles of a core.
// The gradient of `GeluV2`.
// Generated from ops_glu_grad::families::gelu::gelu::gelu_v2; do not edit.

#ifndef GELU_GRAD_V2_WALK_H
#define GELU_GRAD_V2_WALK_H

{{fragment: kernel/walk.h; @snake@ = gelu_grad_v2; @namespace@ = GeluGradV2Kernel; @least@ = ; @Op@ = GeluGradV2; @rows@ = ; @columns@ = ; @point@ = return {row < tiling_.rows ? row : tiling_.rows, unit % tiling_.pieces * tiling_.unitColumns};}}

#endif  // GELU_GRAD_V2_WALK_H
