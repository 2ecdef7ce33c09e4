"""Operators on f64 tensors beside PyTorch's own, eager, with results in memory that is given: `python doubles.py [--level avx2]`.

Times are of an element of the result, in nanoseconds.
"""

import beside
import ops_glu_grad as og
import torch

ATEN = torch.ops.aten
WAYS = ("ours", "eager")

#: The operator, and PyTorch's, both `f(x, out)`.
FORWARD = {
    "silu": (og.silu, ATEN.silu.out),
    "gelu, none": (lambda x, out: og.gelu_v2(x, "none", out=out), lambda x, out: ATEN.gelu.out(x, out=out)),
    "gelu, tanh": (lambda x, out: og.gelu_v2(x, "tanh", out=out), lambda x, out: ATEN.gelu.out(x, approximate="tanh", out=out)),
    "sigmoid": (og.sigmoid, torch.sigmoid),
    "tanh": (og.tanh, torch.tanh),
    "mish": (og.mish, ATEN.mish.out),
    "softplus": (og.softplus, ATEN.softplus.out),
    "elu": (og.elu, ATEN.elu.out),
}
#: Both `f(dy, x, out)`. That of mish takes no memory in PyTorch.
BACKWARD = {
    "silu": (og.silu_grad, lambda dy, x, out: ATEN.silu_backward.grad_input(dy, x, grad_input=out)),
    "gelu, none": (
        lambda dy, x, out: og.gelu_grad_v2(dy, x, "none", out=out),
        lambda dy, x, out: ATEN.gelu_backward.grad_input(dy, x, grad_input=out),
    ),
    "gelu, tanh": (
        lambda dy, x, out: og.gelu_grad_v2(dy, x, "tanh", out=out),
        lambda dy, x, out: ATEN.gelu_backward.grad_input(dy, x, approximate="tanh", grad_input=out),
    ),
    "softplus": (og.softplus_grad, lambda dy, x, out: ATEN.softplus_backward.grad_input(dy, x, 1.0, 20.0, grad_input=out)),
}


def swi_glu_mul(gate, value, out):
    torch.mul(ATEN.silu.out(gate, out=out), value, out=out)


def ways(calls, inputs):
    """Both, each into memory of its own."""
    for name, call in zip(WAYS, calls, strict=True):
        out = torch.empty_like(inputs[0])

        def run(call=call, out=out):
            call(*inputs, out=out)

        run()
        yield name, run, (out,)


def main():
    asked = beside.options(__doc__, "f64", "64x4096,4096x4096", 15)
    beside.heading(("function", "dtype", "shape", "threads"), WAYS)
    for threads in asked.threads:
        torch.set_num_threads(threads)
        for shape in asked.shape:
            for dtype in asked.dtype:
                dy, x = (torch.randn(shape).to(beside.TYPES[dtype]) for _ in range(2))
                cases = {name: (calls, (x,)) for name, calls in FORWARD.items()}
                cases |= {f"{name}, gradient": (calls, (dy, x)) for name, calls in BACKWARD.items()}
                cases["silu(gate) * value"] = (lambda *given, out: og.swi_glu_mul(*given, out=out), swi_glu_mul), (x, dy)
                for name, (calls, inputs) in cases.items():
                    times = beside.least(beside.prepared(ways(calls, inputs)), asked.rounds, asked.clock)
                    beside.row((name, dtype, "x".join(map(str, shape)), threads), WAYS, times, x.numel() * 1e-9)


if __name__ == "__main__":
    main()
