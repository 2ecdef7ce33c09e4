"""Importing it registers the operators of `torch.ops.@namespace@` on NPUs.

A package `@namespace@` that is installed defines them first, with kernels for CPUs and derivatives.
"""

import importlib
import pathlib

import torch
import torch_npu  # noqa: F401  # the device, and what the library below needs

try:
    importlib.import_module("@namespace@._torch")
    defined = True
except ModuleNotFoundError as error:
    if error.name not in ("@namespace@", "@namespace@._torch"):
        raise
    defined = False
torch.ops.load_library(str(next(pathlib.Path(__file__).parent.glob("_operators*.so"))))
if not defined:
    importlib.import_module("._derivatives", __name__)
