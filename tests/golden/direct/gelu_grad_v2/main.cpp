// GeluGradV2: a program that runs it on files.
// The gradient of `GeluV2`.
// Generated from ops_glu_grad::families::gelu::gelu::gelu_v2; do not edit.

{{fragment: layout/direct/main.cpp}}
