"""Forward and backward of gated blocks beside the same of PyTorch, eager and compiled by inductor, in turns.

    python blocks.py [--rows 8192] [--columns 8192] [--dtype f32,bf16] [--threads 1,2] [--rounds 9] [--clock wall|cpu]

`given` has all results in memory that was there before, forward and backward one after another. `autograd` is `y = block(x)` and
`y.backward(dy)`, with memory as PyTorch allocates it. `in place` is the same of a layer's results, over which the operator writes their
gradients; the layer, a multiplication by 1, counts for all. Times are of an element of `y`, in nanoseconds; `x` is twice as wide.
"""

import argparse
import statistics
import time

import ops_glu_grad as og
import torch
from torch.nn import functional

ATEN = torch.ops.aten
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


class GeGlu:
    """`value * gelu(gate)`, the gate being the second half."""

    tensors = 1

    @staticmethod
    def composed(value, gate):
        return value * functional.gelu(gate)

    @staticmethod
    def ours(x, **options):
        return og.ge_glu(x, approximate="none", **options)[0]

    def __init__(self, inputs, dy, y, results):
        saved, scratch = torch.empty_like(y), torch.empty_like(y)
        (x,), (dx,) = inputs, results
        (value, gate), (dvalue, dgate) = halves_of(inputs), halves_of(results)

        def ours():
            og.ge_glu(x, approximate="none", out=(y, saved))
            og.ge_glu_grad(dy, x, saved, approximate="none", out=dx)

        def eager():
            ATEN.gelu.out(gate, out=saved)
            torch.mul(value, saved, out=y)
            torch.mul(dy, saved, out=dvalue)
            torch.mul(dy, value, out=scratch)
            ATEN.gelu_backward.grad_input(scratch, gate, grad_input=dgate)

        self.calls = {"ours": ours, "eager": eager}


class SwiGlu:
    """`silu(gate) * value`, the gate being the first half."""

    tensors = 1
    ours = staticmethod(og.swi_glu)
    gradient = staticmethod(og.swi_glu_grad)

    @staticmethod
    def composed(gate, value):
        return functional.silu(gate) * value

    def __init__(self, inputs, dy, y, results):
        saved, scratch = torch.empty_like(y), torch.empty_like(y)
        (gate, value), (dgate, dvalue) = halves_of(inputs), halves_of(results)

        def ours():
            self.ours(*inputs, out=y)
            self.gradient(dy, *inputs, out=results)

        def eager():
            ATEN.silu.out(gate, out=saved)
            torch.mul(value, saved, out=y)
            torch.mul(dy, saved, out=dvalue)
            torch.mul(dy, value, out=scratch)
            ATEN.silu_backward.grad_input(scratch, gate, grad_input=dgate)

        self.calls = {"ours": ours, "eager": eager}


class SwiGluMul(SwiGlu):
    """`silu(gate) * value` of two tensors."""

    tensors = 2
    ours = staticmethod(og.swi_glu_mul)
    gradient = staticmethod(og.swi_glu_mul_grad)


def given(block, inputs, dy):
    """Calls into memory that is there."""
    y, results = torch.empty_like(dy), [torch.empty_like(t) for t in inputs]
    halves, parts = halves_of(inputs), halves_of(results)

    @torch.compile(fullgraph=True)
    def forward(y, *halves):
        y.copy_(block.composed(*halves))

    @torch.compile(fullgraph=True)
    def backward(dy, halves, parts):
        for part, gradient in zip(parts, torch.func.vjp(block.composed, *halves)[1](dy)):
            part.copy_(gradient)

    def inductor():
        forward(y, *halves)
        backward(dy, halves, parts)

    calls = block(inputs, dy, y, results).calls | {"inductor": inductor}
    for call in calls.values():
        for result in (y, *results):
            result.zero_()
        call()
        yield call, (y, *results)


def halves_of(tensors):
    """Both parts: two tensors, or the halves of one."""
    return tensors if len(tensors) == 2 else tensors[0].chunk(2, -1)


def in_place(block, inputs, dy):
    """Calls on results of another layer, as a model makes them; the operator may write over these results."""
    return autograd(block, inputs, dy, lambda t: t * 1, inplace_backward=True)


def autograd(block, inputs, dy, layer=lambda t: t, **options):
    """Calls as a model makes them."""
    inputs = [t.clone().requires_grad_() for t in inputs]

    def composed(*inputs):
        return block.composed(*halves_of(inputs))

    for function in (block.ours, composed, torch.compile(composed, fullgraph=True)):

        def call(function=function):
            for t in inputs:
                t.grad = None
            y = function(*map(layer, inputs), **(options if function is block.ours else {}))
            y.backward(dy)
            return y.detach()

        yield call, (call(), *[t.grad for t in inputs])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=8192)
    parser.add_argument("--columns", type=int, default=8192)
    parser.add_argument("--dtype", default="f32,bf16")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: of all threads, where others use the machine")
    options = parser.parse_args()
    shape = options.rows, options.columns
    print("| block | memory | dtype | threads | ours median (least) | eager | inductor | eager / ours | inductor / ours |")
    print("|---|---|---|---|---|---|---|---|---|")
    for threads in map(int, options.threads.split(",")):
        torch.set_num_threads(threads)
        for block in (GeGlu, SwiGlu, SwiGluMul):
            for memory in (given, autograd, in_place):
                for name in options.dtype.split(","):
                    torch._dynamo.reset()
                    x = torch.randn(shape[0], 2 * shape[1]).to(TYPES[name])
                    dy = torch.randn(shape).to(TYPES[name])
                    inputs = [x] if block.tensors == 1 else [t.contiguous() for t in x.chunk(2, -1)]
                    row = measure(memory(block, inputs, dy), options.rounds, dy.numel(), CLOCKS[options.clock])
                    print(f"| {block.__name__} | {memory.__name__} | {name} | {threads} | {row} |", flush=True)


def measure(ways, rounds, elements, clock):
    """Each once a round; what they compute is compared before."""
    calls, first = [], None
    for call, results in ways:
        some = [result[:: max(1, len(result) // 64)].float() for result in results]
        first = first or some
        for one, other in zip(first, some):
            torch.testing.assert_close(one, other, rtol=0.05, atol=0.05)
        calls.append(call)
    times = [[] for _ in calls]
    for _ in range(rounds):
        for call, own in zip(calls, times):
            start = clock()
            call()
            own.append((clock() - start) / elements * 1e9)
    medians = [statistics.median(own) for own in times]
    shown = [f"{median:.3f} ({min(own):.3f})" for median, own in zip(medians, times)]
    return " | ".join([*shown, *(f"{median / medians[0]:.2f}" for median in medians[1:])])


if __name__ == "__main__":
    main()
