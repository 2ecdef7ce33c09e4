"""Operators whose backward pass writes gradients where the saved inputs lie.

A gradient operator is elementwise: it reads an element of its inputs before it writes that element of its outputs, so that an output
may lie where an input does. That saves memory as large as the inputs, and the time to map it.
"""

import torch

from . import _gradient
from ._functions import overwritten
from ._torch import _CALLS, _TABLE, compute, dtype_name, function

#: The function of each operator whose backward pass can write in place, by the operator's name.
FUNCTIONS = {}


def call(operator, tensors, attributes):
    """A call on tensors, with a backward pass in place. A compiler that traces the call plans memory by itself."""
    if torch.compiler.is_compiling():
        return _CALLS[operator.name](*tensors, *attributes)
    for i in overwritten(operator) if torch.is_grad_enabled() else ():
        tensor = tensors[i]
        whole = tensor._base if tensor is not None and tensor._is_view() else tensor
        if whole is not None and whole.is_leaf and whole.requires_grad:
            raise ValueError(
                f"{operator.name}: `{operator.inputs[i].name}` lies in a leaf that requires a gradient, which `inplace_backward` would "
                "overwrite; allowed: results of other operations"
            )
    return FUNCTIONS[operator.name](*tensors, *attributes)


def _has_own_elements(tensor):
    """Whether no two elements of a tensor lie in one place, as those of an expanded tensor do."""
    reach = 1
    for stride, length in sorted(zip(tensor.stride(), tensor.shape)):
        if length > 1:
            if stride < reach:
                return False
            reach += (length - 1) * stride
    return True


def _gradient_in_place(operator):
    """A call of an operator's gradient operator that writes each result over the input that it is the gradient of."""
    derivative, gradient = operator.derivative, _TABLE[operator.derivative.gradient]
    holds, own = list(derivative.holds), overwritten(operator)
    places = [holds.index(("input", i)) if i in own else None for i in derivative.wrt]

    def compute_in_place(*given):
        if torch.is_grad_enabled():
            raise NotImplementedError(
                f"{operator.name}: the backward pass of `inplace_backward` has no derivative, because it overwrites what that needs; "
                "allowed: calls without it, for second derivatives and torch.func"
            )
        tensors, attributes = given[: len(gradient.inputs)], list(given[len(gradient.inputs) :])
        metas = [None if t is None else (tuple(t.shape), dtype_name(t)) for t in tensors]
        out = []
        for place, (shape, dtype) in zip(places, gradient.infer(attributes, metas), strict=True):
            held = None if place is None else tensors[place]
            is_like = held is not None and list(held.shape) == list(shape) and dtype_name(held) == dtype
            out.append(held.detach() if is_like and _has_own_elements(held) else None)
        results = compute(gradient, tensors, attributes, out)
        # Whoever saved these tensors as well is told that they have changed.
        for tensor in out:
            if tensor is not None:
                torch.autograd.graph.increment_version(tensor)
        return results

    return compute_in_place


def _function(operator):
    remember, backward, _ = _gradient.rule(operator, _TABLE, {operator.derivative.gradient: _gradient_in_place(operator)})
    return function(operator, setup_context=remember, backward=backward).apply


for _operator in _TABLE.values():
    if overwritten(_operator):
        FUNCTIONS[_operator.name] = _function(_operator)
