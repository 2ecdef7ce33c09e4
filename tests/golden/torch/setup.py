# SwiGlu, SwiGluGrad: generated, do not edit

"""Builds the extension: `python setup.py bdist_wheel`."""

from pathlib import Path

import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension
from torch_npu.utils import cpp_extension

# torch_npu's own call of two phases is among the headers of its operators.
headers = Path(cpp_extension.PYTORCH_NPU_INSTALL_PATH) / "include" / "third_party" / "op-plugin"
major, minor = torch.__version__.split(".")[:2]
extension = cpp_extension.NpuExtension(
    name="ops_glu_grad_npu._operators",
    sources=sorted(map(str, Path("csrc").glob("*.cpp"))),
    include_dirs=[str(headers), str(Path("csrc").absolute())],
    libraries=["dl"],
    define_macros=[("CURRENT_VERSION", f"V{major}R{minor}")],  # what those headers know PyTorch's version by
    extra_compile_args=["-std=c++20"],
)
setup(
    name="ops_glu_grad_npu",
    version="0.1.0",
    packages=["ops_glu_grad_npu"],
    ext_modules=[extension],
    cmdclass={"build_ext": BuildExtension.with_options(no_python_abi_suffix=True)},
)
