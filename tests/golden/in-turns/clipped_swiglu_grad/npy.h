// ClippedSwigluGrad: files of tensors.
// The gradient of `ClippedSwiglu`.
// Generated from ops_glu_grad::families::gated::gated::clipped_swiglu; do not edit.

{{fragment: layout/direct/npy.h}}
