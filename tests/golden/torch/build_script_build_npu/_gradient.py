# SwiGlu, SwiGluGrad: generated, do not edit

"""Derivatives of operators by the gradient operators of the same table."""

import torch

#: Kinds of tensors that hold numbers.
NUMBERS = ("whole", "gated")


def rule(operator, table, calls):
    """`(remember, backward)`: what is kept of a call, and what becomes of its outputs' gradients."""
    name, derivative = operator.name, operator.derivative
    if derivative is None:

        def refuse(ctx, *upstream):
            known = ", ".join(other.name for other in table.values() if other.derivative) or "none"
            raise NotImplementedError(f"{name} has no derivative among the operators of the table; allowed: {known}")

        return lambda ctx, inputs, output: None, refuse

    gradient = table[derivative.gradient]
    other, holds, wrt = gradient.name, tuple(derivative.holds), tuple(derivative.wrt)
    count, broadcast, dim = len(operator.inputs), operator.broadcast, operator.dim
    unknown = tuple((i, operator.inputs[i].name) for i in derivative.unknown)
    allowed = ", ".join(f"`{operator.inputs[i].name}`" for i in wrt)
    kinds = tuple(tensor.kind for tensor in gradient.inputs)
    upstreams = tuple(sorted(index for what, index in holds if what == "upstream"))
    constants = tuple(i for i in range(len(operator.outputs)) if i not in upstreams)
    kept = tuple((what, index) for what, index in holds if what in ("input", "output"))
    # Of the gradient's attributes the operator's index, or a value of its own.
    passed = tuple((i, attribute.default) for i, attribute in zip(derivative.passed, gradient.attributes))
    fixed = tuple((i, operator.attributes[i].name, operator.attributes[i].default) for i in derivative.fixed)

    def remember(ctx, inputs, output):
        outputs = output if isinstance(output, tuple) else (output,)
        ctx.set_materialize_grads(False)
        # What is saved for a gradient is a constant to it: its derivative is part of that of the others.
        if constants:
            ctx.mark_non_differentiable(*[outputs[i] for i in constants])
        ctx.attributes = inputs[count:]
        ctx.metas = [None if tensor is None else (tensor.shape, tensor.dtype) for tensor in inputs[:count]]
        ctx.like = outputs[0].shape
        ctx.save_for_backward(*[inputs[index] if what == "input" else outputs[index] for what, index in kept])

    def backward(ctx, *upstream):
        # PyTorch leaves out what has its default at the end.
        needed = [i for i, needed in enumerate(ctx.needs_input_grad) if needed and i < count]
        results = [None] * len(ctx.needs_input_grad)
        given = [upstream[i] for i in upstreams if upstream[i] is not None]
        if not given:
            return tuple(results)
        for i, attribute, value in fixed:
            if ctx.attributes[i] != value:
                raise NotImplementedError(f"{name}: its gradient {other} is that with `{attribute}` {value} alone")
        for i, tensor in unknown:
            if i in needed:
                raise NotImplementedError(f"{name}: no operator of the table is its gradient by `{tensor}`; allowed: {allowed}")
        saved, tensors = list(ctx.saved_tensors), []
        for (what, index), kind in zip(holds, kinds):
            if what == "own":
                held = None
            elif what == "upstream":
                held = torch.zeros_like(given[0]) if upstream[index] is None else upstream[index]
            else:
                held = saved.pop(0)
                if held is not None and kind in NUMBERS:
                    held = held.to(given[0].dtype)
                if held is not None and broadcast and kind != "rows":
                    held = held.expand(_scaled(kind, ctx.like, ctx.attributes[dim] if dim is not None else 0))
            tensors.append(held)
        values = [value if i is None else ctx.attributes[i] for i, value in passed]
        computed = calls[other](*tensors, *values)
        for i, result in zip(wrt, computed if isinstance(computed, tuple) else (computed,)):
            if i in needed:
                shape, dtype = ctx.metas[i]
                results[i] = result.sum_to_size(shape).to(dtype)
        return tuple(results)

    return remember, backward


def _scaled(kind, shape, dim):
    """The shape of a tensor of a kind, where that of what is not cut in two is this."""
    shape = list(shape)
    if kind == "gated":
        shape[dim] *= 2
    return shape
