# SwiGlu, SwiGluGrad: generated, do not edit

{{fragment: layout/torch/__init__.py; @namespace@ = ops_glu_grad}}
