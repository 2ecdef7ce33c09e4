"""Forward and backward of gated blocks beside the same of PyTorch, eager and compiled by inductor, interleaved.

    python blocks.py [--shape 4096x4096,8192x8192] [--dtype f32,bf16] [--threads 1,2] [--level avx2]
        [--block GeGlu,SwiGlu,GeGluMul,SwiGluMul] [--memory given,autograd,in_place] [--rounds 9] [--clock wall|cpu]

`given` has all results in memory that was there before, forward and backward one after another. `autograd` is `y = block(x)` and
`y.backward(dy)`, with memory as PyTorch allocates it. `in_place` is the same of a layer's results, over which the operator writes their
gradients; the layer, a multiplication by 1, counts for all. Blocks of two tensors stand beside the operator of one tensor that has
both (`one tensor`), too. Times are of an element of `y`, in nanoseconds; the inputs have two.
"""

import collections

import beside
import ops_glu_grad as og
import torch
from torch.nn import functional

ATEN = torch.ops.aten
WAYS = ("ours", "eager", "inductor", "one tensor")

#: An activation: composed, and its kernels of PyTorch with memory that is given.
Activation = collections.namedtuple("Activation", "composed out backward")
SILU = Activation(functional.silu, ATEN.silu.out, ATEN.silu_backward.grad_input)
GELU = Activation(functional.gelu, ATEN.gelu.out, ATEN.gelu_backward.grad_input)


class SwiGlu:
    """`silu(gate) * value`, the gate being the first half."""

    activation, joined = SILU, None
    ours = staticmethod(og.swi_glu)

    @staticmethod
    def parts(tensors):
        """Gate and value."""
        return tensors[0].chunk(2, -1)

    def given(self, inputs, dy, y, results):
        def call():
            og.swi_glu(*inputs, out=y)
            og.swi_glu_grad(dy, *inputs, out=results[0])

        return call


class GeGlu(SwiGlu):
    """`value * gelu(gate)`, the gate being the second half."""

    activation = GELU

    @staticmethod
    def ours(x, **options):
        return og.ge_glu(x, approximate="none", **options)[0]

    @staticmethod
    def parts(tensors):
        return tensors[0].chunk(2, -1)[::-1]

    def given(self, inputs, dy, y, results):
        saved = torch.empty_like(y)

        def call():
            og.ge_glu(*inputs, approximate="none", out=(y, saved))
            og.ge_glu_grad(dy, *inputs, saved, approximate="none", out=results[0])

        return call


class SwiGluMul(SwiGlu):
    """`silu(gate) * value` of two tensors."""

    joined = SwiGlu
    ours = staticmethod(og.swi_glu_mul)

    @staticmethod
    def parts(tensors):
        return tensors

    def given(self, inputs, dy, y, results):
        def call():
            og.swi_glu_mul(*inputs, out=y)
            og.swi_glu_mul_grad(dy, *inputs, out=results)

        return call


class GeGluMul(SwiGluMul):
    """`gelu(gate) * value` of two tensors."""

    activation, joined = GELU, GeGlu

    @staticmethod
    def ours(gate, value, **options):
        return og.ge_glu_mul(gate, value, "none", **options)

    def given(self, inputs, dy, y, results):
        def call():
            og.ge_glu_mul(*inputs, "none", out=y)
            og.ge_glu_mul_grad(dy, *inputs, "none", out=results)

        return call


BLOCKS = {block.__name__: block for block in (GeGlu, SwiGlu, GeGluMul, SwiGluMul)}


def given(block, inputs, dy):
    """Calls into memory that is there."""
    y, results = torch.empty_like(dy), [torch.empty_like(t) for t in inputs]
    (gate, value), (dgate, dvalue) = block.parts(inputs), block.parts(results)
    saved, scratch = torch.empty_like(y), torch.empty_like(y)

    def composed(gate, value):
        return block.activation.composed(gate) * value

    def eager():
        block.activation.out(gate, out=saved)
        torch.mul(value, saved, out=y)
        torch.mul(dy, saved, out=dvalue)
        torch.mul(dy, value, out=scratch)
        block.activation.backward(scratch, gate, grad_input=dgate)

    @beside.compiled
    def forward(y, gate, value):
        y.copy_(composed(gate, value))

    @beside.compiled
    def backward(dy, gate, value, dgate, dvalue):
        for part, gradient in zip((dgate, dvalue), torch.func.vjp(composed, gate, value)[1](dy)):
            part.copy_(gradient)

    def inductor():
        forward(y, gate, value)
        backward(dy, gate, value, dgate, dvalue)

    for name, call in (("ours", block.given(inputs, dy, y, results)), ("eager", eager), ("inductor", inductor)):
        for result in (y, *results):
            result.zero_()
        call()
        yield name, call, (y, dgate, dvalue)
    if block.joined:
        joined, z, dx = block.joined(), torch.empty_like(y), torch.empty(*dy.shape[:-1], 2 * dy.shape[-1], dtype=dy.dtype)
        call = joined.given([one_tensor(block, inputs)], dy, z, [dx])
        call()
        yield "one tensor", call, (z, *joined.parts([dx]))


def one_tensor(block, inputs):
    """Both parts in one, as the operator of one tensor takes them."""
    x = torch.cat(inputs, -1)
    for part, value in zip(block.joined.parts([x]), inputs):
        part.copy_(value)
    return x


def in_place(block, inputs, dy):
    """Calls on results of another layer, as a model makes them; the operator may write over these results."""
    return autograd(block, inputs, dy, lambda t: t * 1, inplace_backward=True)


def autograd(block, inputs, dy, layer=lambda t: t, **options):
    """Calls as a model makes them."""

    def composed(*inputs):
        gate, value = block.parts(inputs)
        return block.activation.composed(gate) * value

    ways = [("ours", block.ours, inputs, block), ("eager", composed, inputs, block), ("inductor", beside.compiled(composed), inputs, block)]
    if block.joined:
        joined = block.joined()
        ways.append(("one tensor", joined.ours, [one_tensor(block, inputs)], joined))
    for name, function, tensors, kind in ways:
        leaves = [t.clone().requires_grad_() for t in tensors]
        named = options if name in ("ours", "one tensor") else {}

        def call(function=function, leaves=leaves, named=named):
            for t in leaves:
                t.grad = None
            y = function(*map(layer, leaves), **named)
            y.backward(dy)
            return y.detach()

        yield name, call, (call(), *kind.parts([t.grad for t in leaves]))


MEMORY = {memory.__name__: memory for memory in (given, autograd, in_place)}


def main():
    asked = beside.options(__doc__, "f32,bf16", "4096x4096,8192x8192", 9, block=",".join(BLOCKS), memory="given,autograd")
    beside.heading(("block", "memory", "dtype", "shape", "threads"), WAYS)
    for threads in asked.threads:
        torch.set_num_threads(threads)
        for shape in asked.shape:
            for name in asked.dtype:
                dy = torch.randn(shape).to(beside.TYPES[name])
                parts = [torch.randn(shape).to(beside.TYPES[name]) for _ in range(2)]
                for block in asked.block:
                    kind = BLOCKS[block]()
                    inputs = parts if kind.joined else [torch.cat(parts, -1)]
                    for memory in asked.memory:
                        torch._dynamo.reset()
                        calls = beside.prepared(MEMORY[memory](kind, inputs, dy))
                        times = beside.least(calls, asked.rounds, asked.clock)
                        columns = block, memory, name, "x".join(map(str, shape)), threads
                        beside.row(columns, WAYS, times, dy.numel() * 1e-9)


if __name__ == "__main__":
    main()
