"""The operators in PyTorch's own registry: `torch.ops.ops_glu_grad`.

Each has our kernels on CPUs, shapes without data (fake tensors), a rule for `vmap`, and its derivative by the table's gradient
operators, so that `torch.compile`, `torch.func` and second derivatives work where the table has them.
"""

import functools

import torch

from . import _arrays
from ._core import operators

#: The least that has all that operators are registered with; `pyproject.toml` names it too.
OLDEST = (2, 6)
if tuple(int(part) for part in torch.__version__.split(".")[:2]) < OLDEST:
    raise ImportError(f"PyTorch {torch.__version__} is too old for ops_glu_grad; it needs {OLDEST[0]}.{OLDEST[1]} or later")

_LIBRARY = torch.library.Library("ops_glu_grad", "DEF")
_TABLE = {operator.name: operator for operator in operators()}
#: How each is called, by its name: for the transforms of `torch.func` as well, which want more than the registry takes.
_CALLS = {}


def place(operator, tensor, value):
    """Where a tensor is: address, shape, strides in elements, element type."""
    if value.device.type != "cpu":
        raise ValueError(f"{operator.name}: tensor `{tensor.name}` is on {value.device}; allowed: cpu")
    if value.layout != torch.strided:
        raise ValueError(f"{operator.name}: tensor `{tensor.name}` has layout {value.layout}; allowed: torch.strided")
    return value.data_ptr(), tuple(value.shape), value.stride(), dtype_name(value)


def dtype_name(value):
    return str(value.dtype).removeprefix("torch.")


def threads():
    """What a call may use: the caller's thread alone where PyTorch is held to one."""
    return 1 if torch.get_num_threads() == 1 else 0


def compute(operator, tensors, attributes, out):
    """The outputs, into `out` where the caller has some."""
    inputs = [None if t is None else place(operator, tensor, t) for tensor, t in zip(operator.inputs, tensors)]
    fresh = all(o is None for o in out)
    if any(o is None for o in out):
        metas = [None if i is None else (i[1], i[3]) for i in inputs]
        inferred = operator.infer(attributes, metas)
        out = [
            torch.empty(shape, dtype=getattr(torch, dtype)) if o is None else o
            for o, (shape, dtype) in zip(out, inferred, strict=True)
        ]
    places = [place(operator, tensor, o) for tensor, o in zip(operator.outputs, out, strict=True)]
    operator.run(attributes, inputs, places, threads(), fresh)
    return out[0] if len(out) == 1 else tuple(out)


def call(operator, tensors, attributes, out, count, inplace_backward=False):
    """A call of the function on tensors."""
    if count:
        raise ValueError(f"{operator.name}: `threads` is for arrays; calls on tensors follow torch.set_num_threads")
    if inplace_backward and out is not None:
        raise ValueError(f"{operator.name}: with `out`, no gradient is recorded that `inplace_backward` could write")
    if inplace_backward:
        from . import _inplace

        return _inplace.call(operator, tensors, attributes)
    if out is None:
        return _CALLS[operator.name](*tensors, *attributes)
    out = _arrays.results(operator, out, torch.Tensor)
    given = [tensor for tensor in (*tensors, *out) if tensor is not None]
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in given):
        raise ValueError(f"{operator.name}: with `out`, no gradient is recorded, but one is required; use torch.no_grad()")
    return compute(operator, tensors, list(attributes), out)


def rank_of(inputs, shapes):
    """How many dimensions results have: one that lies along a dimension of the others has no part in it."""
    given = [(tensor, shape) for tensor, shape in zip(inputs, shapes) if shape is not None and tensor.kind != "rows"]
    return max((len(shape) for tensor, shape in given if tensor.along is None or len(shape) != 1), default=0)


class Shapes:
    """Shapes of outputs, where dimensions need not be numbers yet."""

    def __init__(self, operator):
        self.inputs = operator.inputs
        self.results = operator.outputs
        self.dim = operator.dim

    def __call__(self, tensors, attributes):
        domains, rank = [], rank_of(self.inputs, [None if t is None else t.shape for t in tensors])
        for tensor, given in zip(self.inputs, tensors):
            if given is None or tensor.kind == "rows":
                continue
            shape = _gradient.laid(given.shape, tensor.along, rank)
            domains.append(self.scaled(tensor.kind, shape, attributes, lambda n: n // 2))
        domain = torch.broadcast_shapes(*domains)
        return [
            self.scaled(result.kind, domain, attributes, lambda n: 2 * n)
            if result.like is None
            else list(tensors[result.like].shape)
            for result in self.results
        ]

    def scaled(self, kind, shape, attributes, scale):
        """A shape with another length along the dimension that gated tensors are cut along."""
        shape = list(shape)
        if kind == "gated":
            shape[attributes[self.dim]] = scale(shape[attributes[self.dim]])
        return shape


def check(operator, tensors, attributes):
    """Refuses what a call would refuse. Dimensions that are no numbers yet are those of the call that is traced; where nobody
    knows these, the call itself refuses."""
    given = [(tensor, t) for tensor, t in zip(operator.inputs, tensors) if t is not None]
    (first, held), *others = given
    for tensor, t in others:
        if t.device != held.device:
            where = f"{held.device}, as `{first.name}` is"
            raise ValueError(f"{operator.name}: tensor `{tensor.name}` is on {t.device}; allowed: {where}")
    metas = [None if t is None else (list(map(known, t.shape)), dtype_name(t)) for t in tensors]
    if not any(meta and None in meta[0] for meta in metas):
        operator.infer(attributes, metas)


def known(length):
    """A dimension's length as a number, without a guard on it; `None` where there is none."""
    return length if isinstance(length, int) else length.node.hint


def numbers(operator, tensors):
    """The inputs that hold numbers of the element type of the call."""
    return [
        t
        for tensor, t in zip(operator.inputs, tensors)
        if t is not None and tensor.own is None and tensor.kind in ("whole", "gated")
    ]


def promoted(operator, tensors):
    """The element type of the outputs that have none of their own."""
    types = {t.dtype for t in numbers(operator, tensors)}
    return functools.reduce(torch.promote_types, types or {torch.float32})


def register(operator):
    """Tells PyTorch all there is to know of an operator."""
    inputs, attributes = operator.inputs, operator.attributes
    defaults = [None] * len(inputs) + [attribute.default for attribute in attributes]
    arguments = [f"Tensor? {t.name}=None" if t.optional else f"Tensor {t.name}" for t in inputs]
    arguments += [f"{a.kind} {a.name}={_default(a.default)}" for a in attributes]
    results = ", ".join(["Tensor"] * len(operator.outputs))
    results = results if len(operator.outputs) == 1 else f"({results})"
    name, shapes = operator.snake, Shapes(operator)
    _LIBRARY.define(f"{name}({', '.join(arguments)}) -> {results}", tags=torch.Tag.pt2_compliant_tag)
    qualified = f"ops_glu_grad::{name}"

    def complete(given):
        """Tensors and attributes; PyTorch leaves out what has its default at the end."""
        given = [*given, *defaults[len(given) :]]
        return given[: len(inputs)], given[len(inputs) :]

    def cpu(*given):
        return compute(operator, *complete(given), (None,) * len(operator.outputs))

    def fake(*given):
        tensors, values = complete(given)
        check(operator, tensors, values)
        first, dtype = numbers(operator, tensors)[0], promoted(operator, tensors)
        types = [dtype if result.own is None else getattr(torch, result.own) for result in operator.outputs]
        made = [first.new_empty(shape, dtype=own) for shape, own in zip(shapes(tensors, values), types)]
        return made[0] if len(made) == 1 else tuple(made)

    def batched(info, dims, *given):
        tensors, values = complete(given)
        dims = [*dims, *[None] * (len(tensors) - len(dims))]
        return _batched(operator, _CALLS[operator.name], info, dims, tensors, values)

    _LIBRARY.impl(name, cpu, "CPU")
    torch.library.register_fake(qualified, fake, lib=_LIBRARY)
    torch.library.register_vmap(qualified, batched, lib=_LIBRARY)
    return batched


def _default(value):
    """A default as a schema writes it."""
    return f'"{value}"' if isinstance(value, str) else str(value)


def _batched(operator, op, info, dims, tensors, attributes):
    """One call over all of a batch, which becomes the outermost dimension."""
    dims = dims[: len(tensors)]
    if any(t is not None and tensor.kind == "rows" for tensor, t in zip(operator.inputs, tensors)):
        # Rows are counted through the whole tensor: each of the batch is a call.
        each = [
            op(*(t if d is None else t.select(d, i) for t, d in zip(tensors, dims)), *attributes)
            for i in range(info.batch_size)
        ]
        if len(operator.outputs) == 1:
            return torch.stack(each), 0
        return tuple(torch.stack(outputs) for outputs in zip(*each)), (0,) * len(operator.outputs)
    given = [None if t is None else t if d is None else t.movedim(d, 0)[0] for t, d in zip(tensors, dims)]
    rank = rank_of(operator.inputs, [None if t is None else t.shape for t in given])
    # The batch alone is no dimension for an input to lie along.
    added = int(rank == 0 and any(tensor.along is not None for tensor in operator.inputs))
    moved = []
    for tensor, t, d in zip(operator.inputs, tensors, dims):
        if t is not None:
            t = t.unsqueeze(0).expand(info.batch_size, *t.shape) if d is None else t.movedim(d, 0)
            # Broadcasting aligns innermost dimensions.
            shape = _gradient.laid(t.shape[1:], tensor.along, rank)
            t = t.reshape(t.shape[0], *[1] * (rank + added - len(shape)), *shape)
        moved.append(t)
    if operator.dim is not None and attributes[operator.dim] >= 0:
        attributes[operator.dim] += 1
    computed = op(*moved, *attributes)
    computed = list(computed) if isinstance(computed, tuple) else [computed]
    for k, result in enumerate(operator.outputs):
        if result.like is not None:
            # A sum has the shape of its input, which has got dimensions of 1 for broadcasting.
            like, d = tensors[result.like], dims[result.like]
            shape = like.shape if d is None else like.movedim(d, 0).shape[1:]
            computed[k] = computed[k].reshape(info.batch_size, *shape)
        elif added:
            computed[k] = computed[k].squeeze(-1)
    return (computed[0], 0) if len(computed) == 1 else (tuple(computed), (0,) * len(computed))


_BATCHED = {name: register(operator) for name, operator in _TABLE.items()}

from . import _gradient  # noqa: E402  # once all operators are there


def function(operator, **rules):
    """An operator with rules of its own for derivatives and transforms."""
    op = getattr(torch.ops.ops_glu_grad, operator.snake).default
    members = {"forward": lambda *given: op(*given), **rules}
    return type(operator.name, (torch.autograd.Function,), {what: staticmethod(rule) for what, rule in members.items()})


def _differentiable(operator):
    """The operator with its derivative: in the registry, and as a function."""
    op = getattr(torch.ops.ops_glu_grad, operator.snake).default
    remember, backward, jvp = _gradient.rule(operator, _TABLE, _CALLS)
    torch.library.register_autograd(op, backward, setup_context=remember, lib=_LIBRARY)
    # The compiler takes it as it is. Where it looks in, it finds an operator of the registry, of whose derivative the transforms of
    # `torch.func` know nothing.
    return torch.compiler.allow_in_graph(
        function(operator, setup_context=remember, backward=backward, jvp=jvp, vmap=_BATCHED[operator.name])
    )


for _operator in _TABLE.values():
    _CALLS[_operator.name] = _differentiable(_operator).apply
