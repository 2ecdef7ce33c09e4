// SwiGlu, SwiGluGrad: generated, do not edit

{{fragment: layout/torch/call.h}}
