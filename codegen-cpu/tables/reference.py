"""Writes the activations in 60-digit arithmetic, to judge the f64 formulas of the table of primitives.

    python3 reference.py > ../tests/data/activation_reference.csv

Needs mpmath. Every point is an f32, given exactly; values have 25 digits.
"""

import struct
from mpmath import mp, mpf, erfc, exp, pi, sqrt

mp.dps = 60


def cubic(x):
    return 2 * sqrt(2 / pi) * (x + mpf("0.044715") * x**3)


def cubic_slope(x):
    return 2 * sqrt(2 / pi) * (1 + 3 * mpf("0.044715") * x**2)


def cdf(x):
    return erfc(-x / sqrt(2)) / 2


def density(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


def logistic(v):
    return 1 / (1 + exp(-v))


def logistic_slope(v):
    return exp(-v) / (1 + exp(-v)) ** 2


FUNCTIONS = {
    "normal_cdf": (cdf, 14.5),
    "tanh_cdf": (lambda x: logistic(cubic(x)), 11),
    "sigmoid": (logistic, 104),
    "gelu": (lambda x: x * cdf(x), 14.5),
    "gelu_tanh": (lambda x: x * logistic(cubic(x)), 11),
    "silu": (lambda x: x * logistic(x), 108),
    "gelu_grad": (lambda x: cdf(x) + x * density(x), 14.5),
    "gelu_tanh_grad": (
        lambda x: logistic(cubic(x)) + x * cubic_slope(x) * logistic_slope(cubic(x)),
        11,
    ),
    "silu_grad": (lambda x: logistic(x) + x * logistic_slope(x), 108),
}
ROOTS = {"gelu_grad": -0.75179, "gelu_tanh_grad": -0.75246, "silu_grad": -1.27846}


def f32(v):
    return struct.unpack("f", struct.pack("f", v))[0]


def points(name, end):
    out = [0.0, 1e-30, -1e-30, 1e-4, -1e-4]
    # The body finely, both tails to underflow on a coarser, irregular grid.
    out += [f32(-5 + 10 * k / 99 + 0.0137) for k in range(100)]
    out += [f32(s * (5 + (end - 5) * k / 34 - 0.0071 * (k % 3))) for k in range(1, 35) for s in (1, -1)]
    root = ROOTS.get(name)
    if root:
        out += [f32(root + s * 10.0 ** (-k / 4)) for k in range(4, 24) for s in (1, -1)]
    return sorted(set(out))


print("function,x,value")
for name, (f, end) in FUNCTIONS.items():
    for x in points(name, end):
        print(f"{name},{x!r},{mp.nstr(f(mpf(x)), 25, min_fixed=0, max_fixed=0)}")
