"""Optimizers of PyTorch whose steps are operators of the table.

They are subclasses of PyTorch's, and have its arguments, parameter groups, hooks and names of state.
"""

import itertools

import torch

from ._torch import _TABLE, compute

#: Arguments that would change the steps, with the only value that is allowed.
_REFUSED = {"amsgrad": False, "centered": False, "maximize": False, "capturable": False, "differentiable": False}


class _Steps:
    """What the optimizers share: a step of one operator for each parameter, and state in f32."""

    #: Whether the state has the number of steps.
    COUNTS = True

    def __init__(self, params, *given, foreach=None, fused=None, **named):
        """As in PyTorch; `foreach` and `fused`, which choose PyTorch's kernels, have no effect."""
        super().__init__(params, *given, **named)
        for group in self.param_groups:
            self._check(group)

    def _check(self, group):
        for name, allowed in _REFUSED.items():
            if group.get(name, allowed) != allowed:
                raise ValueError(f"{type(self).__name__}: `{name}` is {group[name]}; allowed: {allowed}")

    def add_param_group(self, group):
        super().add_param_group(group)
        self._check(self.param_groups[-1])

    @torch.no_grad()
    def step(self, closure=None):
        """Replaces all parameters that have a gradient, and returns what `closure` returns."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            self._check(group)
            for param in group["params"]:
                if param.grad is not None:
                    self._replace(param, self.state[param], group)
        return loss

    def _replace(self, param, state, group):
        """One step of one parameter."""
        step = int(state.get("step", 0)) + 1
        name, keys, attributes = self._call(state, group, step)
        operator = _TABLE[name]
        held = [_in_f32(state.get(key), param) for key in keys]
        values = [attributes.get(a.name, a.default) for a in operator.attributes]
        compute(operator, [param, param.grad, *held], values, [param, *held])
        for tensor in (param, *held):
            torch.autograd.graph.increment_version(tensor)
        # Nothing has changed where the call was refused.
        state.update(zip(keys, held))
        if self.COUNTS:
            state["step"] = torch.tensor(float(step))

    def load_state_dict(self, state_dict):
        """As in PyTorch, but tensors of the state do not take the parameters' element type."""
        super().load_state_dict(state_dict)
        saved = itertools.chain.from_iterable(group["params"] for group in state_dict["param_groups"])
        params = itertools.chain.from_iterable(group["params"] for group in self.param_groups)
        for index, param in zip(saved, params):
            for key, value in state_dict["state"].get(index, {}).items():
                if isinstance(value, torch.Tensor) and value.shape == param.shape and key != "step":
                    self.state[param][key] = value.detach().to(param.device, torch.float32, copy=True)


def _in_f32(held, param):
    """A tensor of the state in f32; zeros where there is none yet."""
    if held is None:
        return torch.zeros_like(param, dtype=torch.float32, memory_format=torch.preserve_format)
    return held.float()


def _shared(group, *names):
    return {name: float(group[name]) for name in ("lr", "weight_decay", *names)}


class SGD(_Steps, torch.optim.SGD):
    """`torch.optim.SGD`."""

    COUNTS = False

    def _call(self, state, group, step):
        if group["momentum"] == 0:
            return "Sgd", (), _shared(group)
        # PyTorch starts with the first gradient, undamped.
        is_first = state.get("momentum_buffer") is None
        dampening = 0.0 if is_first else float(group["dampening"])
        attributes = {"dampening": dampening, "nesterov": group["nesterov"]}
        return "SgdMomentum", ("momentum_buffer",), attributes | _shared(group, "momentum")


class Adam(_Steps, torch.optim.Adam):
    """`torch.optim.Adam`, without AMSGrad."""

    def _call(self, state, group, step):
        beta1, beta2 = map(float, group["betas"])
        name = "AdamW" if group.get("decoupled_weight_decay") else "Adam"
        attributes = {"beta1": beta1, "beta2": beta2, "step": step}
        return name, ("exp_avg", "exp_avg_sq"), attributes | _shared(group, "eps")


class AdamW(_Steps, torch.optim.AdamW):
    """`torch.optim.AdamW`, without AMSGrad."""

    def _call(self, state, group, step):
        return "AdamW", *Adam._call(self, state, group, step)[1:]


class RMSprop(_Steps, torch.optim.RMSprop):
    """`torch.optim.RMSprop`, not centered."""

    def _call(self, state, group, step):
        attributes = _shared(group, "alpha", "eps")
        if group["momentum"] == 0:
            return "RmsProp", ("square_avg",), attributes
        return "RmsPropMomentum", ("square_avg", "momentum_buffer"), attributes | {"momentum": float(group["momentum"])}


class Adagrad(_Steps, torch.optim.Adagrad):
    """`torch.optim.Adagrad`."""

    def _call(self, state, group, step):
        attributes = {"step": step}
        return "Adagrad", ("sum",), attributes | _shared(group, "lr_decay", "eps")


class Lion(_Steps, torch.optim.Optimizer):
    """Lion, which PyTorch does not have."""

    COUNTS = False

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, *, foreach=None, fused=None, maximize=False):
        if not 0 <= float(lr) or not all(0 <= beta < 1 for beta in betas) or not 0 <= weight_decay:
            got = f"lr {lr}, betas {betas}, weight_decay {weight_decay}"
            raise ValueError(f"Lion: {got}; allowed: lr and weight_decay of 0 or more, betas from 0 to below 1")
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay, "maximize": maximize})

    def _call(self, state, group, step):
        beta1, beta2 = map(float, group["betas"])
        return "Lion", ("exp_avg",), {"beta1": beta1, "beta2": beta2} | _shared(group)
