"""Coefficients of the general functions in `src/rt/math`: near-minimax polynomials, rounded to f32.

    python3 fit_elementary.py [name]     # prints polynomials as Rust slices, lowest degree first

Needs mpmath. Lawson's method: least squares at Chebyshev points, the weights multiplied by the
error until it is level. Coefficients are rounded lowest degree first and the rest is refitted each
time, so that rounding the leading coefficients costs nothing.
"""

import struct
import sys
from mpmath import mp, mpf, exp, log, erf, erfc, tanh, sqrt, pi, matrix, lu_solve, cos, nstr

mp.dps = 50


def f32(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def shortest(x):
    """The shortest decimal that reads back as the same f32."""
    return next(t for t in (f"{float(x):.{p}g}" for p in range(1, 10)) if f32(t) == x)


def horner(c, x):
    r = mpf(0)
    for a in reversed(c):
        r = r * x + a
    return r


def lawson(xs, target, w, k, n):
    """c[k..n] that level |w (target - sum c[j] x^j)| over xs."""
    m = n - k
    lam = [mpf(1)] * len(xs)
    powers = [[x**j for j in range(k, n)] for x in xs]
    best = None
    for _ in range(12):
        a, b = matrix(m, m), matrix(m, 1)
        for p, t, wi, l in zip(powers, target, w, lam):
            g = l * wi * wi
            for i in range(m):
                b[i] += g * p[i] * t
                for j in range(i, m):
                    a[i, j] += g * p[i] * p[j]
        for i in range(m):
            for j in range(i):
                a[i, j] = a[j, i]
        s = lu_solve(a, b)
        e = [abs(wi * (t - sum(s[i] * p[i] for i in range(m)))) for p, t, wi in zip(powers, target, w)]
        if best is None or max(e) < best[1]:
            best = ([s[i] for i in range(m)], max(e))
        mean = sum(l * v for l, v in zip(lam, e))
        lam = [l * v / mean for l, v in zip(lam, e)]
    return best


def fit(name, f, w, lo, hi, n):
    """Prints n coefficients for f on [lo, hi], the error weighted by w."""
    if len(sys.argv) > 1 and not name.startswith(sys.argv[1]):
        return
    lo, hi = mpf(lo), mpf(hi)
    points = 6 * n
    xs = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (i + mpf(1) / 2) / points) for i in range(points)]
    fs, ws = [f(x) for x in xs], [abs(w(x)) for x in xs]
    done, best = [], None
    for k in range(n):
        rest = [y - horner(done, x) for x, y in zip(xs, fs)]
        c, e = lawson(xs, rest, ws, k, n)
        best = best or e
        done.append(f32(c[0]))
    e = max(wi * abs(y - horner(done, x)) for x, y, wi in zip(xs, fs, ws))
    print(f"// {name}, [{nstr(lo, 6)}, {nstr(hi, 6)}], weighted error 2^{nstr(log(e, 2), 4)}, unrounded 2^{nstr(log(best, 2), 4)}")
    print("[" + ", ".join(map(shortest, done)) + "]", flush=True)


def main():
    edge = log(2) / 2 * mpf("1.0001")
    # e^x = 1 + x + x^2 p(x)
    p = lambda x: (exp(x) - 1 - x) / x**2
    fit("exp 5", p, lambda x: x**2, -edge, edge, 5)
    fit("expm1 5", p, lambda x: x**2 / (exp(x) - 1), -edge, edge, 5)
    fit("expm1 6", p, lambda x: x**2 / (exp(x) - 1), -edge, edge, 6)
    # log(1 + x) = x - x^2/2 + x^3 p(x)
    p = lambda x: (log(1 + x) - x + x * x / 2) / x**3
    for n in (7, 8, 9):
        fit(f"log {n}", p, lambda x: x**3 / log(1 + x), sqrt(mpf(1) / 2) - 1, sqrt(2) - 1, n)
    # log(1 + x) = x + x^2 p(x) on the whole of [0, 1], for softplus
    p = lambda x: (log(1 + x) - x) / x**2
    for n in (9, 10, 11):
        fit(f"softplus {n}", p, lambda x: x**2 / log(1 + x), 0, 1, n)
    # tanh(x) = x + x^3 p(x^2)
    p = lambda u: (tanh(sqrt(u)) - sqrt(u)) / sqrt(u) ** 3
    for n in (4, 5, 6):
        fit(f"tanh {n}", p, lambda u: sqrt(u) ** 3 / tanh(sqrt(u)), 0, mpf(0.625) ** 2, n)
    # erf(x) = x + x p(x^2)
    for n in (5, 6, 7):
        fit(f"erf small {n}", lambda u: erf(sqrt(u)) / sqrt(u) - 1, lambda u: sqrt(u) / erf(sqrt(u)), 0, mpf(0.93) ** 2, n)
    # erf(x) = 1 - exp(-x p(x))
    for n in (7, 8):
        fit(f"erf large {n}", lambda x: -log(erfc(x)) / x, lambda x: x * erfc(x) / erf(x), mpf(0.92), mpf(3.93), n)
    # erfc(x) = exp(-x^2) t p(t - h), t = 1 / (1 + x / 2). Near 0.4 every t - h is exact; of the
    # multiples of 2^-10 there h is the one whose p(0) is nearest to a multiple of 2^-24, so that
    # p(0) can be subtracted exactly from any value of p.
    scaled = lambda t: exp((2 / t - 2) ** 2) * erfc(2 / t - 2) / t
    h = min((mpf(i) / 1024 for i in range(400, 428)), key=lambda t: abs((scaled(t) * 2**24 + 0.5) % 1 - 0.5))
    g = lambda d: scaled(h + d)
    for n in (10, 11, 12):
        fit(f"erfcx h={nstr(h)} {n}", g, lambda d: 1 / g(d), 1 / (1 + mpf(10.1) / 2) - h, 1 - h, n)


if __name__ == "__main__":
    main()
