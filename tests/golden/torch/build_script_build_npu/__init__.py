# SwiGlu, SwiGluGrad: generated, do not edit

"""Importing it registers the operators of `torch.ops.ops_glu_grad` on NPUs.

A package `ops_glu_grad` that is installed defines them first, with kernels for CPUs and derivatives.
"""

import importlib
import pathlib

import torch
import torch_npu  # noqa: F401  # the device, and what the library below needs

try:
    importlib.import_module("ops_glu_grad._torch")
    defined = True
except ModuleNotFoundError as error:
    if error.name not in ("ops_glu_grad", "ops_glu_grad._torch"):
        raise
    defined = False
torch.ops.load_library(str(next(pathlib.Path(__file__).parent.glob("_operators*.so"))))
if not defined:
    importlib.import_module("._derivatives", __name__)
