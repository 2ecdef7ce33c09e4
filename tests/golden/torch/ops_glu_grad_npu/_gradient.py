# SwiGlu, SwiGluGrad: generated, do not edit

{{fragment: layout/torch/_gradient.py}}
