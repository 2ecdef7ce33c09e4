"""A function for each operator of the table, with a signature of its own."""

import inspect
import re
import sys

import numpy

from . import _arrays
from ._core import operators

#: Of the version that an operator's name may end in.
_VERSION = re.compile("_v[0-9]+$")


def overwritten(operator):
    """Indices of the inputs over which a backward pass in place writes their gradients: those that the gradient operator reads."""
    derivative = operator.derivative
    if derivative is None or operator.broadcast:
        return ()
    return tuple(i for i in derivative.wrt if ("input", i) in derivative.holds)


def call(operator, tensors, attributes, out, threads, inplace_backward=False):
    """An operator on arrays of numpy or on tensors of PyTorch."""
    given = [tensor for tensor in tensors if tensor is not None]
    if all(isinstance(tensor, numpy.ndarray) for tensor in given):
        if inplace_backward:
            raise TypeError(f"{operator.name}: `inplace_backward` is for tensors of PyTorch; arrays have no backward pass")
        return _arrays.call(operator, tensors, attributes, out, threads)
    # Nobody has a tensor who has not imported PyTorch.
    torch = sys.modules.get("torch")
    if torch is not None and all(isinstance(tensor, torch.Tensor) for tensor in given):
        from . import _torch

        return _torch.call(operator, tensors, attributes, out, threads, inplace_backward)
    got = ", ".join(f"{type(tensor).__module__}.{type(tensor).__qualname__}" for tensor in given)
    raise TypeError(f"{operator.name}: tensors are {got}; allowed: numpy.ndarray, torch.Tensor, and all of one kind")


def _function(operator, name):
    """Written out, so that Python binds arguments as it does of any function."""
    inputs, attributes = operator.inputs, operator.attributes
    parameters = [tensor.name + ("=None" if tensor.optional else "") for tensor in inputs]
    parameters += [f"{attribute.name}={attribute.default!r}" for attribute in attributes]
    tensors = "".join(f"{tensor.name}, " for tensor in inputs)
    values = "".join(f"{attribute.name}, " for attribute in attributes)
    named, passed = (", inplace_backward=False", ", inplace_backward") if overwritten(operator) else ("", "")
    source = (
        f"def {name}({', '.join(parameters)}, *, out=None, threads=0{named}):\n"
        f"    return _call(_operator, ({tensors}), ({values}), out, threads{passed})\n"
    )
    names = {"_call": call, "_operator": operator, "__name__": __package__}
    exec(source, names)
    function = names[name]
    function.__doc__ = _document(operator)
    function.operator = operator
    return function


def in_place(function):
    """The function of an operator whose outputs are new values of inputs, with each output written over its input."""
    operator = function.operator
    signature = inspect.signature(function)
    names = [tensor.name for tensor in operator.inputs]
    kept = [p for name, p in signature.parameters.items() if name not in ("out", "inplace_backward")]

    def step(*given, **named):
        bound = signature.bind(*given, **named)
        replaced = tuple(bound.arguments[names[i]] for i in operator.updates)
        torch = sys.modules.get("torch")
        if torch is None or not all(isinstance(tensor, torch.Tensor) for tensor in replaced):
            return function(*given, **named, out=replaced)
        with torch.no_grad():
            results = function(*given, **named, out=replaced)
        for tensor in replaced:
            torch.autograd.graph.increment_version(tensor)
        return results

    step.__name__ = step.__qualname__ = function.__name__
    step.__signature__ = signature.replace(parameters=kept)
    replaced = ", ".join(f"`{names[i]}`" for i in operator.updates)
    step.__doc__ = f"Replaces {replaced} by their new values, in place, and returns them.\n\n{operator.doc.strip()}"
    step.operator = operator
    return step


def _document(operator):
    """What `help` shows, as numpy's functions have it."""
    notes = {"gated": "a gate and a value along `dim`", "mask": "truth values", "rows": "counts of rows, int64"}

    def lines(tensors, inputs):
        for tensor in tensors:
            yield f"{tensor.name} : array" + (", optional" if tensor.optional else "")
            notes_of = [notes.get(tensor.kind, ""), tensor.own and f"always of {tensor.own}"]
            if tensor.like is not None:
                notes_of.append(f"has the shape of `{inputs[tensor.like].name}`: a sum over what that is broadcast along")
            if tensor.along is not None:
                notes_of.append(f"along dimension {tensor.along} of the others if it has one dimension")
            yield from (f"    {note[0].upper()}{note[1:]}." for note in notes_of if note)

    text = [operator.doc.strip(), "", f"Operator {operator.name}, of {', '.join(operator.dtypes)}.", ""]
    text += ["Parameters", "----------", *lines(operator.inputs, operator.inputs)]
    for attribute in operator.attributes:
        kind = "{" + ", ".join(map(repr, attribute.choices)) + "}" if attribute.choices else attribute.kind
        text.append(f"{attribute.name} : {kind}, default {attribute.default!r}")
    text += ["out : array or tuple of arrays, optional", "    Takes the outputs; None for one that is to be made."]
    text += ["threads : int, default 0", "    0 for as many as pay, 1 for the caller's alone; of calls on arrays of numpy."]
    if overwritten(operator):
        text += ["inplace_backward : bool, default False", "    Writes gradients over the inputs that they are of; of calls on tensors."]
    text += ["", "Returns", "-------", *lines(operator.outputs, operator.inputs)]
    return "\n".join(text)


def functions():
    """Functions with the names that each goes by: the operator's, and the same without a version where nobody else has it."""
    table = operators()
    taken = {operator.snake for operator in table}
    for operator in table:
        short = _VERSION.sub("", operator.snake)
        name = operator.snake if short in taken else short
        yield _function(operator, name), {name, operator.snake}
