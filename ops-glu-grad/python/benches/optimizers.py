"""Steps of optimizers on 2^24 parameters beside PyTorch's foreach and fused steps: `python optimizers.py [threads]`.

Calls are interleaved, and results are compared before anything is timed. Times are the least CPU time of a call, and the least time
by the clock, in milliseconds: other programs of a shared machine disturb the latter.
"""

import sys
import time

import ops_glu_grad as og
import torch

COUNT, REPEATS = 1 << 24, 15
CASES = [("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {}), ("Lion", {}), ("RMSprop", {}), ("Adagrad", {})]


def made(optim, name, dtype, **named):
    torch.manual_seed(1)
    param = torch.randn(COUNT).to(dtype).requires_grad_()
    param.grad = torch.randn(COUNT).to(dtype)
    return param, getattr(optim, name)([param], **named)


def main(threads):
    torch.set_num_threads(threads)
    print(f"{threads} threads, PyTorch {torch.__version__}; CPU ms / ms by the clock")
    for dtype in (torch.float32, torch.bfloat16):
        for name, named in CASES:
            kinds = {"og": made(og.optim, name, dtype, **named)}
            for how in ("fused", "foreach") if hasattr(torch.optim, name) else ():
                if (name, how) != ("RMSprop", "fused"):
                    kinds[how] = made(torch.optim, name, dtype, **named, **{how: True})
            for _ in range(2):
                [optimizer.step() for _, optimizer in kinds.values()]
            bound = 1e-6 if dtype == torch.float32 else 2.0**-4
            for param, _ in kinds.values():
                assert (param - kinds["og"][0]).abs().max() <= bound, name
            best = {how: [float("inf")] * 2 for how in kinds}
            for _ in range(REPEATS):
                for how, (_, optimizer) in kinds.items():
                    cpu, clock = time.process_time(), time.perf_counter()
                    optimizer.step()
                    took = time.process_time() - cpu, time.perf_counter() - clock
                    best[how] = [min(b, t) for b, t in zip(best[how], took)]
            row = ", ".join(f"{how} {cpu * 1e3:.1f} / {clock * 1e3:.1f}" for how, (cpu, clock) in best.items())
            print(f"{str(dtype)[6:]:8} {name:8} {row}", flush=True)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
