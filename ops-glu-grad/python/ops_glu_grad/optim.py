"""Optimizers: steps in place on arrays of numpy and tensors of PyTorch, and optimizers of PyTorch that take them.

    >>> import ops_glu_grad as og
    >>> optimizer = og.optim.AdamW(model.parameters(), lr=3e-4)   # was torch.optim.AdamW  # doctest: +SKIP

Parameters and gradients may be f32, bf16 or f16; the optimizers' state is f32. Each parameter is one pass over memory.
"""

from . import OPERATORS
from ._functions import in_place

#: The step of each optimizer, by the operator's name: the function of the operator with outputs written over inputs.
STEPS = {name: in_place(function) for name, function in OPERATORS.items() if function.operator.updates}
_OPTIMIZERS = ("SGD", "Adam", "AdamW", "Lion", "RMSprop", "Adagrad")

for _step in STEPS.values():
    globals()[_step.__name__] = _step
del _step


def __getattr__(name):
    """Imports PyTorch's part when an optimizer is first used."""
    if name in _OPTIMIZERS:
        from . import _optimizers

        return getattr(_optimizers, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [*_OPTIMIZERS, *(step.__name__ for step in STEPS.values())]
