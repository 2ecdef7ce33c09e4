"""The extension for NPUs beside PyTorch itself: its sources, which OPS_GLU_GRAD_EXTENSION has, with
nothing behind the calls of torch_npu: beside the wheel's operators, and alone."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES = os.environ.get("OPS_GLU_GRAD_EXTENSION")

#: What stands for torch_npu: no function is there, and calls do nothing.
STAND_IN = """
#pragma once
inline void* GetOpApiFuncAddr(const char*) { return nullptr; }
template <typename... Arguments> void Take(Arguments&...) {}
#define EXEC_NPU_CMD(function, ...) Take(__VA_ARGS__)
"""

#: In a process of its own, since registries are filled once.
LOADED = """
import sys, types
sys.modules["torch_npu"] = types.ModuleType("torch_npu")
alone = sys.argv[1] == "alone"
if alone:
    sys.modules["ops_glu_grad._torch"] = None  # not there
import ops_glu_grad_npu, torch
from ops_glu_grad._core import operators
ops = torch.ops.ops_glu_grad
every = [str(name) for name in torch._C._dispatch_get_all_op_names() if str(name).startswith("ops_glu_grad::")]
on_npus = [name for name in every if torch._C._dispatch_has_kernel_for_dispatch_key(name, "PrivateUse1")]
# A mask of bits has no tensors, and steps of optimizers have no kernels there.
absent = {"ops_glu_grad::" + operator.snake for operator in operators() if operator.updates} | {"ops_glu_grad::relu_grad_v2"}
assert set(every) - set(on_npus) == (set() if alone else absent), every
assert len(on_npus) > 70
assert ops.ge_glu_v2(torch.empty(4, 6, device="meta"), dim=0)[1].shape == (2, 6)
assert ops.gelu_grad_v2(torch.empty(3, device="meta"), torch.empty(2, 1, device="meta")).shape == (2, 3)
if alone:
    import alone
    alone.check()
"""


@unittest.skipUnless(SOURCES, "OPS_GLU_GRAD_EXTENSION is not set")
class Extension(unittest.TestCase):
    def test_registers(self):
        from torch.utils import cpp_extension

        with tempfile.TemporaryDirectory() as place:
            header = pathlib.Path(place, "op_plugin", "utils", "op_api_common.h")
            header.parent.mkdir(parents=True)
            header.write_text(STAND_IN)
            package = shutil.copytree(pathlib.Path(SOURCES, "ops_glu_grad_npu"), pathlib.Path(place, "ops_glu_grad_npu"))
            includes = [f"-I{path}" for path in (place, *cpp_extension.include_paths())]
            libraries = [f"-L{path}" for path in cpp_extension.library_paths()] + ["-ltorch", "-ltorch_cpu", "-lc10", "-ldl"]
            source, library = str(pathlib.Path(SOURCES, "csrc", "operators.cpp")), str(package / "_operators.so")
            command = ["g++", "-std=c++20", "-O0", "-shared", "-fPIC", *includes, source, "-o", library, *libraries]
            subprocess.run(command, check=True)
            here = str(pathlib.Path(__file__).parent)
            paths = os.pathsep.join([place, here, os.environ.get("PYTHONPATH", "")])
            for how in ("alone", "beside"):
                with self.subTest(how):
                    subprocess.run([sys.executable, "-c", LOADED, how], check=True, env=os.environ | {"PYTHONPATH": paths})


if __name__ == "__main__":
    unittest.main()
