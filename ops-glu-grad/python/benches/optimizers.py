"""Steps of optimizers on 2^24 parameters beside PyTorch's fused and foreach steps: `python optimizers.py [--threads 1,2] [--level avx2]`.

Results are compared before anything is timed. Times are of a step, in milliseconds. PyTorch has no Lion, and no fused RMSprop: Lion
stands beside its formula in foreach operations.
"""

import beside
import ops_glu_grad as og
import torch

WAYS = ("ours", "fused", "foreach")
CASES = [("SGD", {}), ("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {}), ("Lion", {}), ("RMSprop", {}), ("Adagrad", {})]
#: Optimizers that have no such step in PyTorch.
ABSENT = {("RMSprop", "fused"), ("Lion", "fused")}


class Lion(torch.optim.Optimizer):
    """As its authors write it, in foreach operations."""

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), foreach=True):
        super().__init__(params, {"lr": lr, "betas": betas})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            (beta1, beta2), params = group["betas"], group["params"]
            for p in params:
                if not self.state[p]:
                    self.state[p]["exp_avg"] = torch.zeros_like(p)
            moments = [self.state[p]["exp_avg"] for p in params]
            gradients = [p.grad for p in params]
            updates = torch._foreach_lerp(moments, gradients, 1 - beta1)
            torch._foreach_sign_(updates)
            torch._foreach_add_(params, updates, alpha=-group["lr"])
            torch._foreach_lerp_(moments, gradients, 1 - beta2)


def ways(name, named, dtype, count):
    """Optimizers of equal parameters, after two steps."""
    for way in WAYS:
        if (name, way) in ABSENT:
            continue
        torch.manual_seed(1)
        param = torch.randn(count).to(dtype).requires_grad_()
        param.grad = torch.randn(count).to(dtype)
        if way == "ours":
            optimizer = getattr(og.optim, name)([param], **named)
        else:
            optimizer = getattr(torch.optim, name, Lion)([param], **named, **{way: True})
        optimizer.step()
        optimizer.step()
        yield way, optimizer.step, (param,)


def main():
    asked = beside.options(__doc__, "f32,bf16", "16777216", 15)
    beside.heading(("optimizer", "dtype", "parameters", "threads"), WAYS)
    for threads in asked.threads:
        torch.set_num_threads(threads)
        for (count,) in asked.shape:
            for dtype in asked.dtype:
                for name, named in CASES:
                    calls = beside.prepared(ways(name, named, beside.TYPES[dtype], count))
                    shown = f"{name}, momentum" if named else name
                    beside.row((shown, dtype, count, threads), WAYS, beside.least(calls, asked.rounds, asked.clock), 1e-3)


if __name__ == "__main__":
    main()
