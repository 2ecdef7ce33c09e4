"""Gated activations and their gradients, on arrays of numpy and tensors of PyTorch.

    >>> import numpy as np, ops_glu_grad as og
    >>> y, gelu = og.ge_glu(np.ones((2, 8), np.float32))

Every operator of the table is a function: `help(og.ge_glu)` shows its tensors and attributes, `og.OPERATORS` has all by
their names. Arrays may have any strides, nothing is copied, and results are the same bits for any layout and number of
threads. `bfloat16` is that of `ml_dtypes`. With PyTorch, functions are differentiable operators of `torch.ops.ops_glu_grad`;
see `docs/from-python.md` of the repository.
"""

from ._functions import functions as _functions

#: Every operator's function, by the operator's name.
OPERATORS = {}
for _function, _names in _functions():
    OPERATORS[_function.operator.name] = _function
    for _name in _names:
        globals()[_name] = _function
del _function, _names, _name


def __getattr__(name):
    """Imports the modules for models and for training when they are first used, because `nn` needs PyTorch."""
    if name in ("nn", "optim"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")



__all__ = ["OPERATORS", *(name for name in globals() if not name.startswith("_") and name != "OPERATORS")]
