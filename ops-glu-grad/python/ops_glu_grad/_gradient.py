"""Derivatives of operators by the gradient operators of the same table."""

import torch

#: Kinds of tensors that hold numbers.
NUMBERS = ("whole", "gated")


def rule(operator, table, calls):
    """`(remember, backward, jvp)`: what is kept of a call, reverse mode, and forward mode."""
    name, derivative = operator.name, operator.derivative
    if derivative is None:

        def refuse(ctx, *upstream):
            known = ", ".join(other.name for other in table.values() if other.derivative) or "none"
            raise NotImplementedError(f"{name} has no derivative among the operators of the table; allowed: {known}")

        return lambda ctx, inputs, output: None, refuse, refuse

    gradient = table[derivative.gradient]
    other, holds, wrt = gradient.name, tuple(derivative.holds), tuple(derivative.wrt)
    count, broadcast, dim = len(operator.inputs), operator.broadcast, operator.dim
    unknown = tuple((i, operator.inputs[i].name) for i in derivative.unknown)
    allowed = ", ".join(f"`{operator.inputs[i].name}`" for i in wrt)
    kinds = tuple(tensor.kind for tensor in gradient.inputs)
    alongs = tuple(operator.inputs[index].along if what == "input" else None for what, index in holds)
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
        ctx.dim = ctx.attributes[operator.dim] if operator.dim is not None else 0
        ctx.domain = _parts(operator.outputs[0].kind, outputs[0], ctx.dim, False)[0].shape
        ctx.results = [output.dtype for output in outputs]
        saved = [inputs[index] if what == "input" else outputs[index] for what, index in kept]
        ctx.save_for_backward(*saved)
        ctx.save_for_forward(*saved)

    def check(ctx, needed):
        """Refuses a derivative that the gradient operator does not compute."""
        for i, attribute, value in fixed:
            if ctx.attributes[i] != value:
                raise NotImplementedError(f"{name}: its gradient {other} is that with `{attribute}` {value} alone")
        for i, tensor in unknown:
            if i in needed:
                raise NotImplementedError(f"{name}: no operator of the table is its gradient by `{tensor}`; allowed: {allowed}")

    def gradients(ctx, upstream, whole):
        """The gradients by the inputs of `wrt`: with `whole`, an element for each of the output, none of them summed."""
        given = [upstream[i] for i in upstreams if upstream[i] is not None]
        saved, tensors = list(ctx.saved_tensors), []
        for (what, index), kind, along in zip(holds, kinds, alongs):
            if what == "own":
                held = None
            elif what == "upstream":
                held = torch.zeros_like(given[0]) if upstream[index] is None else upstream[index]
            else:
                held = saved.pop(0)
                if held is not None and kind in NUMBERS:
                    held = held.to(given[0].dtype)
                if held is not None and broadcast and (whole or not gradient.broadcast) and kind != "rows":
                    held = _expanded(held, kind, along, ctx)
            tensors.append(held)
        values = [value if i is None else ctx.attributes[i] for i, value in passed]
        row = whole and len(ctx.domain) == 1 and any(along is not None for along in alongs)
        if row:
            # With another dimension ahead, what is expanded lies along no dimension of its own.
            tensors = [tensor if tensor is None else tensor.unsqueeze(0) for tensor in tensors]
            values = [-1 if k == gradient.dim else value for k, value in enumerate(values)]
        computed = calls[other](*tensors, *values)
        computed = computed if isinstance(computed, tuple) else (computed,)
        return tuple(result.squeeze(0) for result in computed) if row else computed

    def backward(ctx, *upstream):
        # PyTorch leaves out what has its default at the end.
        needed = [i for i, needed in enumerate(ctx.needs_input_grad) if needed and i < count]
        results = [None] * len(ctx.needs_input_grad)
        if all(upstream[i] is None for i in upstreams):
            return tuple(results)
        check(ctx, needed)
        for i, result in zip(wrt, gradients(ctx, upstream, False)):
            if i in needed:
                shape, dtype = ctx.metas[i]
                results[i] = result.sum_to_size(shape).to(dtype)
        return tuple(results)

    def jvp(ctx, *tangents):
        # An operator is elementwise, so the derivative of one part of an output by one part of an input, times a tangent, is what
        # the gradient makes of that tangent as the upstream of that output's part, with zeros for the other parts.
        needed = [i for i, tangent in enumerate(tangents[:count]) if tangent is not None]
        check(ctx, needed)
        interleaved = operator.interleaved(ctx.attributes)

        def tangent_of(output, part):
            """The tangent of one part of an output."""
            kind, total = operator.outputs[output].kind, 0
            for i in (i for i in needed if i in wrt):
                own = operator.inputs[i].kind
                tangent = _expanded(tangents[i], own, operator.inputs[i].along, ctx).to(ctx.results[output])
                for index, moved in enumerate(_parts(own, tangent, ctx.dim, interleaved)):
                    zero = torch.zeros_like(moved)
                    upstream = [None] * len(operator.outputs)
                    parts = [moved if k == part else zero for k in range(2 if kind == "gated" else 1)]
                    upstream[output] = _joined(kind, parts, ctx.dim, interleaved)
                    result = gradients(ctx, upstream, True)[wrt.index(i)]
                    total = total + _parts(own, result, ctx.dim, interleaved)[index]
            return total

        results = [None] * len(operator.outputs)
        for output in upstreams:
            kind = operator.outputs[output].kind
            parts = [tangent_of(output, part) for part in range(2 if kind == "gated" else 1)]
            if any(isinstance(part, torch.Tensor) for part in parts):
                results[output] = _joined(kind, parts, ctx.dim, interleaved)
        return tuple(results) if len(results) > 1 else results[0]

    return remember, backward, jvp


def laid(shape, along, rank):
    """The shape that an input is broadcast by: one of one dimension that lies along a dimension ends with dimensions of 1."""
    if along is None or len(shape) != 1:
        return shape
    return [*shape, *[1] * (rank - along - 1)] if rank > along else [1] * min(rank, 1)


def _expanded(tensor, kind, along, ctx):
    """A tensor with an element for each of the results."""
    shape = laid(tensor.shape, along, len(ctx.domain))
    return tensor.reshape(shape).expand(_scaled(kind, ctx.domain, ctx.dim))


def _scaled(kind, shape, dim):
    """The shape of a tensor of a kind, where that of what is not cut in two is this."""
    shape = list(shape)
    if kind == "gated":
        shape[dim] *= 2
    return shape


def _parts(kind, tensor, dim, interleaved):
    """The tensor itself, or the two parts of one that is cut along a dimension."""
    if kind != "gated":
        return (tensor,)
    if interleaved:
        dim %= tensor.dim()
        return tensor.unflatten(dim, (-1, 2)).unbind(dim + 1)
    return tensor.chunk(2, dim)


def _joined(kind, parts, dim, interleaved):
    """The tensor that has these parts."""
    if kind != "gated":
        return parts[0]
    if interleaved:
        dim %= parts[0].dim()
        return torch.stack(parts, dim + 1).flatten(dim, dim + 1)
    return torch.cat(parts, dim)
