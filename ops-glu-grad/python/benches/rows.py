"""Functions of rows beside PyTorch, eager and compiled by inductor: `python rows.py [--shape 4096x4096] [--level avx2]`.

No operator of the table has rows, so that none can be called from Python. Ours are the formulas of the Rust benchmark `rows`, which
compares their results with f64 and takes turns with PyTorch here; so does its floor, which moves the same bytes. All run on one thread,
with results in memory that is given, but for eager's RMSNorm, which takes none. Eager's gradients read what the forward pass saved;
the others compute it again. Times are of an element, in nanoseconds.
"""

import pathlib
import subprocess

import beside
import torch
from torch.nn import functional

ATEN = torch.ops.aten
WAYS = ("ours", "floor", "eager", "inductor")
WORKSPACE = pathlib.Path(__file__).parents[3]


def softmax(x, gamma):
    return torch.softmax(x, -1)


def rms_norm(x, gamma):
    return functional.rms_norm(x, x.shape[-1:], gamma, 1e-6)


def layer_norm(x, gamma):
    return functional.layer_norm(x, x.shape[-1:], gamma, gamma, 1e-5)


def log_softmax(x, gamma):
    return torch.log_softmax(x, -1)


def gradient(function):
    return lambda dy, x, gamma: torch.func.vjp(lambda x: function(x, gamma), x)[1](dy)[0]


def saved_softmax(dy, x, gamma, out):
    y = softmax(x, gamma)
    return lambda: ATEN._softmax_backward_data.out(dy, y, -1, x.dtype, grad_input=out)


def saved_rms_norm(dy, x, gamma, out):
    x = x.clone().requires_grad_()
    y = rms_norm(x, gamma)
    return lambda: out.copy_(torch.autograd.grad(y, x, dy, retain_graph=True)[0])


#: Operators of the benchmark: composed, and eager's call.
FORWARD = {
    "Softmax": (softmax, lambda x, gamma, out: lambda: torch.softmax(x, -1, out=out)),
    "LogSoftmax": (log_softmax, lambda x, gamma, out: lambda: torch.log_softmax(x, -1, out=out)),
    "RmsNorm": (rms_norm, lambda x, gamma, out: lambda: out.copy_(rms_norm(x, gamma))),
    "LayerNorm": (layer_norm, lambda x, gamma, out: lambda: out.copy_(layer_norm(x, gamma))),
}
BACKWARD = {"SoftmaxGrad": (gradient(softmax), saved_softmax), "RmsNormGrad": (gradient(rms_norm), saved_rms_norm)}


def peers(composed, eager, inputs):
    """Eager and inductor, into memory of their own."""
    out = torch.empty_like(inputs[0])
    call = eager(*inputs, out)
    call()
    yield "eager", call, (out,)
    held = torch.empty_like(out)

    @beside.compiled
    def function(out, *inputs):
        out.copy_(composed(*inputs))

    function(held, *inputs)
    yield "inductor", lambda: function(held, *inputs), (held,)


def ours(*case):
    """The seconds of an element, and those of the floor, as the benchmark prints them."""
    command = ["cargo", "bench", "-q", "-p", "ops-glu-grad-cli", "--bench", "rows", "--", *case]
    said = subprocess.run(command, cwd=WORKSPACE, capture_output=True, text=True, check=True).stdout
    time, floor, _ = said.splitlines()[-1].split()[-3:]
    return float(time) * 1e-9, float(floor) * 1e-9


def main():
    asked = beside.options(__doc__, "f32,bf16", "4096x4096", 5, threads="1")
    level = asked.level or torch.backends.cpu.get_cpu_capability().lower()
    beside.heading(("function", "dtype", "shape"), WAYS)
    torch.set_num_threads(1)
    for shape in asked.shape:
        for dtype in asked.dtype:
            dy, x, gamma = (torch.randn(size).to(beside.TYPES[dtype]) for size in (shape, shape, shape[-1:]))
            cases = {name: (*case, (x, gamma)) for name, case in FORWARD.items()}
            cases |= {name: (*case, (dy, x, gamma)) for name, case in BACKWARD.items()}
            for name, case in cases.items():
                torch._dynamo.reset()
                calls = beside.prepared(peers(*case))
                best = dict.fromkeys(WAYS, float("inf"))
                size = "x".join(map(str, shape))
                for _ in range(asked.rounds):
                    # A call of each that is not timed, so that none pays for what ran before.
                    beside.least(calls, 1, asked.clock)
                    seconds = {way: time / x.numel() for way, time in beside.least(calls, 3, asked.clock).items()}
                    seconds |= dict(zip(("ours", "floor"), ours(name, dtype, size, level)))
                    best = {way: min(best[way], seconds[way]) for way in WAYS}
                beside.row((name, dtype, size), WAYS, best, 1e-9)


if __name__ == "__main__":
    main()
