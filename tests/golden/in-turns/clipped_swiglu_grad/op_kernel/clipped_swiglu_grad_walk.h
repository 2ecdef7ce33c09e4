// ClippedSwigluGrad: the tiles of a core.
// The gradient of `ClippedSwiglu`.
// Generated from ops_glu_grad::families::gated::gated::clipped_swiglu; do not edit.

#ifndef CLIPPED_SWIGLU_GRAD_WALK_H
#define CLIPPED_SWIGLU_GRAD_WALK_H

{{fragment: kernel/walk.h; @snake@ = clipped_swiglu_grad; @namespace@ = ClippedSwigluGradKernel; @least@ = ; @Op@ = ClippedSwigluGrad; @rows@ = ; @columns@ = ; @point@ = return {row < tiling_.rows ? row : tiling_.rows, unit % tiling_.pieces * tiling_.unitColumns};}}

#endif  // CLIPPED_SWIGLU_GRAD_WALK_H
