# GeGluGradV2: the operator in float64 on numpy arrays.
# The gradient of `GeGluV2`.
# Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

import math

import numpy as np

{{fragment: paper/golden/erf.py}}

__golden__ = {"kernel": {"ge_glu_grad_v2": "ge_glu_grad_v2_golden"}}

SQRT_HALF = 0.7071067811865476
SQRT_2_OVER_PI = 0.7978845608028654
SQRT_HALF_OVER_PI = 0.3989422804014327


def _damped(x, f):
    """x * f, where f vanishes faster than x grows."""
    return np.where((f == 0) & np.isinf(x), 0 * np.sign(x), x * f)


def _sigmoid(x):
    """1 / (1 + e^-x), never by a difference."""
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1.0) / (1.0 + e)


def _normal_cdf(x):
    """erfc(-x / sqrt(2)) / 2"""
    return 0.5 * erfc(-x * SQRT_HALF)


def _gelu_grad(x):
    """Phi(x) + x phi(x)"""
    return _normal_cdf(x) + _damped(x, SQRT_HALF_OVER_PI * np.exp(-0.5 * x * x))


def _gated_grad(x, v, dv):
    """The derivative of x sigmoid(v(x))."""
    s, slope = _sigmoid(v), _sigmoid(v) * _sigmoid(-v)
    return np.where(slope == 0, s, s + x * dv * slope)


def _gelu_tanh_grad(x):
    """The derivative of gelu_tanh."""
    v = 2.0 * SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)
    return _gated_grad(x, v, 2.0 * SQRT_2_OVER_PI * (1.0 + 3.0 * 0.044715 * x * x))


def formula_none(dy, x_gate, x_value, gelu):
    """
    dx_gate = mul3(gelu_grad(x_gate), dy, x_value)
    dx_value = dy * gelu
    """
    t0 = _gelu_grad(x_gate)
    t1 = t0 * dy * x_value
    t2 = dy * gelu
    return t1, t2


def formula_tanh(dy, x_gate, x_value, gelu):
    """
    dx_gate = mul3(gelu_tanh_grad(x_gate), dy, x_value)
    dx_value = dy * gelu
    """
    t0 = _gelu_tanh_grad(x_gate)
    t1 = t0 * dy * x_value
    t2 = dy * gelu
    return t1, t2


def parts(x, dim, gate_first):
    """Gate and value: the halves of x along dim."""
    first, second = np.split(x, 2, axis=dim)
    return (first, second) if gate_first else (second, first)


def joined(gate, value, dim, gate_first):
    """The inverse of parts."""
    return np.concatenate((gate, value) if gate_first else (value, gate), axis=dim)


def ge_glu_grad_v2_golden(dy, x, gelu, *, dim=-1, approximate=1, activate_left=False, **_):
    """Outputs for numpy inputs; parameters as in the operator's definition."""
    dtype = dy.dtype
    dy = np.asarray(dy).astype(np.float64)
    x = np.asarray(x).astype(np.float64)
    gelu = np.asarray(gelu).astype(np.float64)
    gate_first = activate_left
    x_gate, x_value = parts(x, dim, gate_first)
    formula = {
        (0,): formula_none,
        (1,): formula_tanh,
    }[(approximate,)]
    with np.errstate(all="ignore"):
        dx_gate, dx_value = formula(dy, x_gate, x_value, gelu)
    dx = joined(dx_gate, dx_value, dim, gate_first)
    with np.errstate(over="ignore"):
        return [dx.astype(dtype)]
