"""What the benchmarks share: options, SIMD levels, interleaved runs, and rows of a table."""

import argparse
import os
import sys
import time

import ops_glu_grad as og
import torch
from torch._inductor import config as inductor

#: SIMD levels by the names of oneDNN, which has PyTorch's kernel of gelu.
ONEDNN = {"avx2": "AVX2", "avx512": "DEFAULT"}
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64}
#: What results may differ by: PyTorch rounds each intermediate value of 16 bits.
TOLERANCES = {torch.float64: 1e-12, torch.float32: 1e-4, torch.bfloat16: 0.05, torch.float16: 0.01}


def options(document, dtypes, shapes, rounds, **more):
    """The options that all benchmarks have; `more` are lists that the caller understands, with their defaults."""
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    lists = {"dtype": dtypes, "shape": shapes, "threads": "1,2", **more}
    for name, default in lists.items():
        parser.add_argument(f"--{name}", default=default, type=lambda text: text.split(","), metavar="A,B,..")
    parser.add_argument("--level", choices=("avx2", "avx512"), help="of PyTorch as well; by default the best of this CPU")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: of all threads, where others use the machine")
    given = parser.parse_args()
    given.threads = [int(count) for count in given.threads]
    given.shape = [tuple(map(int, shape.split("x"))) for shape in given.shape]
    use(given.level)
    return given


def use(level):
    """Holds both sides to a SIMD level. PyTorch reads its own when it is loaded, so that the program may start anew."""
    if level is None:
        return
    if torch.backends.cpu.get_cpu_capability().lower() != level:
        assert os.environ.get("ATEN_CPU_CAPABILITY") != level, f"PyTorch has no kernels for {level} here"
        held = {"ATEN_CPU_CAPABILITY": level, "ONEDNN_MAX_CPU_ISA": ONEDNN[level]}
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | held)
    og._core.use_level(level)
    inductor.cpp.simdlen = {"avx2": 256, "avx512": 512}[level]


def compiled(function):
    """By inductor, for these shapes."""
    return torch.compile(function, fullgraph=True, dynamic=False)


def prepared(ways):
    """The call of each way, after its results were compared with those of the first: `ways` yields `(name, call, results)`."""
    calls, first = {}, None
    for name, call, results in ways:
        some = [result.detach().reshape(-1)[:: max(1, result.numel() // 4096)].clone() for result in results]
        first = first or some
        for one, other in zip(some, first, strict=True):
            bound = TOLERANCES[other.dtype]
            torch.testing.assert_close(one, other, rtol=bound, atol=bound, msg=lambda text, name=name: f"{name}: {text}")
        calls[name] = call
    return calls


def least(calls, rounds, clock):
    """The least seconds of each call, of interleaved runs."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            start = CLOCKS[clock]()
            call()
            best[name] = min(best[name], CLOCKS[clock]() - start)
    return best


def heading(columns, ways):
    """Prints the head of a table with a column of times and one of ratios for each way but the first, which is ours."""
    cells = [*columns, *ways, *(f"{way} / {ways[0]}" for way in ways[1:])]
    print(f"PyTorch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}; the least of interleaved runs\n")
    print(f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}", flush=True)


def row(columns, ways, times, unit):
    """Prints a row of the table; `unit` is the seconds of one of the unit shown. Ways that are missing are left empty."""
    own = times[ways[0]]
    shown = [f"{times[way] / unit:.3f}" if way in times else "" for way in ways]
    shown += [f"{times[way] / own:.2f}" if way in times else "" for way in ways[1:]]
    print(f"| {' | '.join([*map(str, columns), *shown])} |", flush=True)
