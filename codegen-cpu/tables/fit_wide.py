"""Coefficients of the functions in `src/rt/wide`: near-minimax polynomials, rounded to f64.

    python3 fit_wide.py [name]     # prints polynomials as Rust slices, lowest degree first

Needs mpmath. Chebyshev interpolation, which is within a factor of two of minimax at these degrees.
"""

import sys
from mpmath import mp, mpf, chebyfit, cos, erfc, exp, log, nstr, pi, polyval, sqrt, tan

mp.dps = 60


def fit(name, f, lo, hi, n, share):
    """Prints n coefficients for f on [lo, hi]; `share` is how much an error of f counts in the function."""
    if len(sys.argv) > 1 and name != sys.argv[1]:
        return
    rounded = [mpf(float(c)) for c in chebyfit(f, [lo, hi], n)]
    points = [lo + (hi - lo) * (1 - cos(pi * i / 400)) / 2 for i in range(401)]
    worst = max(abs(share(x) * (polyval(rounded, x) - f(x))) for x in points)
    print(f"// {name}, [{nstr(mpf(lo), 6)}, {nstr(mpf(hi), 6)}], relative error 2^{nstr(log(worst, 2), 4)}")
    print("[" + ", ".join(repr(float(c)) for c in reversed(rounded)) + "]", flush=True)


def series(terms):
    """A power series, for where its closed form cancels."""
    return lambda x: sum(c * x**k for k, c in enumerate(terms))


def main():
    factorial = [mp.factorial(k) for k in range(60)]
    edge = log(2) / 2 * mpf("1.0001")
    # e^x - 1 = x + x^2 p(x)
    fit("EXP", series([1 / factorial[k + 2] for k in range(40)]), -edge, edge, 10, lambda x: x)
    # 2 atanh s = 2 s + s z p(z), z = s^2, s = f / (2 + f), sqrt(1/2) <= 1 + f <= sqrt 2
    s = (sqrt(2) - 1) / (sqrt(2) + 1)
    fit("LOG", series([mpf(2) / (2 * k + 3) for k in range(60)]), 0, s * s * mpf("1.0001"), 7, lambda z: z / 2)
    # erf x = x + x p(x^2)
    two = 2 / sqrt(pi)
    fit("ERF", series([two * (-1) ** k / factorial[k] / (2 * k + 1) - (k == 0) for k in range(50)]), 0, mpf("0.25"), 10, lambda t: 1)
    # (1 + 2 z) e^(z^2) erfc z = p(q), q = (z - 4) / (z + 4), 0 <= z <= 27.3, where erfc rounds to 0
    z = lambda q: 4 * (1 + q) / (1 - q)
    scaled = lambda q: (1 + 2 * z(q)) * exp(z(q) ** 2) * erfc(z(q))
    fit("ERFC", scaled, -1, mpf("23.3") / mpf("31.3"), 22, lambda q: 1 / scaled(q))
    # sin x = x + x z p(z), cos x = 1 - z / 2 + z^2 p(z), z = x^2
    quarter = (pi / 4) ** 2 * mpf("1.0001")
    fit("SIN", series([(-1) ** (k + 1) / factorial[2 * k + 3] for k in range(25)]), 0, quarter, 7, lambda z: z)
    fit("COS", series([(-1) ** k / factorial[2 * k + 4] for k in range(25)]), 0, quarter, 7, lambda z: z * z)
    # atan x = x + x z p(z), z = x^2
    t = tan(pi / 8) ** 2 * mpf("1.0001")
    fit("ATAN", series([mpf((-1) ** (k + 1)) / (2 * k + 3) for k in range(200)]), 0, t, 12, lambda z: z)


if __name__ == "__main__":
    main()
