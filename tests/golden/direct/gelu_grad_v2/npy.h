// GeluGradV2: files of tensors.
// The gradient of `GeluV2`.
// Generated from ops_glu_grad::families::gelu::gelu::gelu_v2; do not edit.

{{fragment: layout/direct/npy.h}}
