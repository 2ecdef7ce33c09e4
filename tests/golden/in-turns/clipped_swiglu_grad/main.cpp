// ClippedSwigluGrad: a program that runs it on files.
// The gradient of `ClippedSwiglu`.
// Generated from ops_glu_grad::families::gated::gated::clipped_swiglu; do not edit.

{{fragment: layout/direct/main.cpp}}
