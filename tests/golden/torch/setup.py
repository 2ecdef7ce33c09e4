# SwiGlu, SwiGluGrad: generated, do not edit

{{fragment: layout/torch/setup.py; @namespace@ = ops_glu_grad}}
