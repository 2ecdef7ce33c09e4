"""Fits the 8-entry tables (f32) and the 16-bit tables of codegen-cpu/src/rt/math.

    python3 fit.py narrow > ../src/rt/math/coeffs_narrow.rs      about 4 minutes
    python3 fit.py half   > ../src/rt/math/coeffs_half.rs        about 1 minute

Needs numpy and scipy; double precision is enough, because 1e-15 is 2^-26 of an f32 ulp.

f(z) is a function at -z, z >= 0. A segment [lo, hi) holds f(C + d) = A0 + d (A1 + d (A2 + ..)).
A coefficient is rounded to f32 only after the ones before it, and the rest is then fitted again
(weighted minimax, as a linear programme), so that later coefficients make up for its rounding.
"""

import sys
import numpy as np
from scipy.optimize import linprog
from scipy.special import erfc

f32 = np.float32
VA = 2 * np.sqrt(2 / np.pi)
VB = 0.044715 * VA


def cdf(z):
    return erfc(z / np.sqrt(2)) / 2


def cubic_exp(z):
    return np.exp(-(VA * z + VB * z**3))


def logistic_grad(e, d):
    """derivative of x sigmoid(v(x)) at -z: e = exp(-v), d = z v'"""
    return e / (1 + e) * (1 - d / (1 + e))


FUNCTIONS = {
    "GELU_ERF_GRAD": lambda z: cdf(z) - z * np.exp(-z * z / 2) / np.sqrt(2 * np.pi),
    "GELU_TANH_GRAD": lambda z: logistic_grad(cubic_exp(z), VA * z + 3 * VB * z**3),
    "SILU_GRAD": lambda z: logistic_grad(np.exp(-z), z),
    "NORMAL_CDF": cdf,
    "TANH_CDF": lambda z: cubic_exp(z) / (1 + cubic_exp(z)),
    "SIGMOID": lambda z: np.exp(-z) / (1 + np.exp(-z)),
    "SIGMOID_LESS_ONE": lambda z: -1 / (1 + np.exp(-z)),
}
ROOTS = {
    "GELU_ERF_GRAD": 0.7517915246935645,
    "GELU_TANH_GRAD": 0.7524614220710163,
    "SILU_GRAD": 1.2784645427610737,
}
# name: degree, segments per unit. The root must not be near an edge of its segment.
NARROW = {
    "GELU_ERF_GRAD": (7, 1.5 / ROOTS["GELU_ERF_GRAD"]),
    "GELU_TANH_GRAD": (7, 1.5 / ROOTS["GELU_TANH_GRAD"]),
    "SILU_GRAD": (7, 1.7 / ROOTS["SILU_GRAD"]),
    "NORMAL_CDF": (7, 2.0),
    "TANH_CDF": (7, 2.0),
    "SIGMOID": (6, 1.25),
}
# name: degree, pairs of coefficients packed into one entry, segments per unit, below which size only the
# absolute error counts, end (None: half a segment past the last centre; f16 tables end where that size is
# reached, since a large dy would lift what is below).
HALF = {
    "GELU_ERF_GRAD_BF16_8": (5, 1, 1.40, 2.0**-10, None),
    "GELU_TANH_GRAD_BF16_8": (5, 1, 1.50, 2.0**-10, None),
    "GELU_ERF_GRAD_F16_8": (6, 1, 1.2375, 2.0**-14, 4.5),
    "GELU_TANH_GRAD_F16_8": (6, 1, 1.3350, 2.0**-14, 4.2),
}
# Tables of 32 entries on both sides of zero. name: degree, width of a segment, below which size only the
# absolute error counts, whether the polynomial is one of the distance to the centre or of x itself.
SIGNED = {
    "GELU_ERF_GRAD_BF16_32": (4, 0.34, 2.0**-10, True),
    "GELU_TANH_GRAD_BF16_32": (4, 0.34, 2.0**-10, True),
    "GELU_ERF_GRAD_F16_32": (4, 0.28, 2.0**-14, True),
    "GELU_TANH_GRAD_F16_32": (4, 0.28, 2.0**-14, True),
    "SIGMOID_LESS_ONE_HALF_32": (3, 0.42, 0.0, False),
}


def ulp(v, floor=0.0):
    """spacing of f32 at v, not below floor"""
    e = np.floor(np.log2(np.maximum(np.abs(v), 1e-300)))
    return np.maximum(2.0 ** (e - 23), floor)


def neighbours(c, steps):
    return (np.array([c], f32).view(np.int32) + steps.astype(np.int32)).view(f32)


def minimax(d, weight, rest, powers):
    """coefficients of those powers of d for which max |weight (rest - sum)| is least"""
    h = np.abs(d).max()
    v = np.stack([(d / h) ** k for k in powers], 1) * weight[:, None]
    b = rest * weight
    start = np.linalg.lstsq(v, b, rcond=None)[0]
    left = b - v @ start
    size = np.abs(left).max()
    if size == 0:
        return start / h ** np.array(powers)
    # Scaled to 1, or the solver's tolerance would be larger than the error.
    left /= size
    k = len(powers)
    ones = -np.ones((len(b), 1))
    r = linprog(
        np.r_[np.zeros(k), 1],
        A_ub=np.block([[v, ones], [-v, ones]]),
        b_ub=np.r_[left, -left],
        bounds=[(None, None)] * (k + 1),
        method="highs",
    )
    step = r.x[:k] if r.x is not None else np.zeros(k)
    return (start + size * step) / h ** np.array(powers)


def fit(grid, d, values, floor, degree, a):
    """continues the rounded coefficients `a` up to the degree"""
    a = list(a)
    weight = 1 / np.maximum(np.abs(values), floor)
    total = sum((float(c) * d**k for k, c in enumerate(a)), np.zeros_like(d))
    for k in range(len(a), degree + 1):
        best = minimax(d, weight, values - total, list(range(k, degree + 1)))
        a.append(f32(best[0]))
        total = total + float(a[k]) * d**k
    return a


def fma(a, b, c):
    # The product is exact in double; a double rounding is too rare to matter to a search.
    return f32(np.float64(a) * np.float64(b) + np.float64(c))


def slope(z, c, a):
    d = f32(z - c)
    p = np.full_like(z, a[-1])
    for k in range(len(a) - 2, 0, -1):
        p = fma(p, d, a[k])
    return p, d


def evaluate(z, c, a):
    p, d = slope(z, c, a)
    return fma(p, d, a[0])


def worst(z, exact, floor, c, a, first, gate):
    q = evaluate(z, c, a)
    below = np.abs(q - exact) / ulp(exact, floor)
    above = np.abs(f32(1 - q) - (1 - exact)) / ulp(1 - exact)
    e = max(below.max(), above.max())
    if gate:
        # x times the gate takes A0 + d P unrounded, and may have the smaller ulp.
        p, d = slope(z, c, a)
        product = z * (np.float64(p) * np.float64(d) + np.float64(a[0]))
        e = max(e, 0.5 + (np.abs(product - z * exact) / ulp(z * exact)).max())
    # f(0) = 1/2 must come out exactly.
    if first and (evaluate(np.array([0, 1e-30], f32), c, a) != 0.5).any():
        e += 1
    return e


def centre_near(f, c):
    """the float near c at which f is closest to a float"""
    cand = neighbours(c, np.arange(-2000, 2000))
    v = f(cand.astype(np.float64))
    return cand[np.argmin(np.abs(v - f32(v)) / ulp(v))]


def centres_at_root(f, root):
    """floats next to the root where f' is close to a float: its rounding error counts as f's"""
    cand = neighbours(root, np.arange(-60, 61))
    x, h = cand.astype(np.float64), 1e-4
    slope = (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)
    return list(cand[np.argsort(np.abs(slope - f32(slope)) / ulp(slope))[:14]])


def narrow_table(name, rng, tries=400):
    degree, scale = NARROW[name]
    f, root = FUNCTIONS[name], ROOTS.get(name)
    gate = root is None
    scale = float(f32(scale))
    segments = []
    for i in range(8):
        lo, hi = i / scale, (i + 1) / scale
        has_root = root is not None and lo < root < hi
        z = np.linspace(lo, hi, 20000 if has_root or gate else 6000)[:-1].astype(f32)
        exact = f(z.astype(np.float64))
        floor = np.zeros_like(exact)
        weight_floor = 0.0
        if root is not None and lo - 0.45 < root < hi + 0.45:
            floor[np.abs(exact) < 2**-7] = 2.0**-30
            weight_floor = 2.0**-7
        if has_root:
            centres = centres_at_root(f, root)
        else:
            where = np.r_[0.5, np.linspace(0.2, 0.95, 24 if gate else 9), rng.uniform(0.2, 0.95, 3)]
            centres = [centre_near(f, lo + t * (hi - lo)) for t in where]
        grid = np.linspace(lo, hi, 70)
        best = (9.0,)
        for c in centres:
            d = grid - float(c)
            a = fit(grid, d, f(grid), weight_floor, degree, [f32(f(float(c)))])
            e = worst(z, exact, floor, c, a, i == 0, gate)
            if e < best[0]:
                best = (e, c, a)
        e, c, a = best
        # What is left is chance: try other last bits of the coefficients that matter.
        for _ in range(tries):
            b = list(a)
            for _ in range(rng.integers(1, 4)):
                k = rng.integers(1, 5)
                b[k] = neighbours(b[k], np.array([rng.integers(1, 4) * rng.choice([-1, 1])]))[0]
            changed = worst(z, exact, floor, c, b, i == 0, gate)
            if changed < e:
                e, a = changed, b
        print(f"{name} {i}: centre at {(float(c) - lo) * scale:.3f}, {e:.3f} ulp", file=sys.stderr)
        segments.append((c, a))
    # A few ulp early, so that no rounding of z * scale can reach the next segment.
    return scale, f32(8 / scale * (1 - 2.0**-21)), segments


def bits(v):
    return int(np.array([v], f32).view(np.uint32)[0])


def from_bits(b):
    return np.array([b], np.uint32).view(f32)[0]


def upper(v, low):
    """the float next to v whose lower 16 bits are `low`"""
    b = bits(v) & 0xFFFF0000
    near = [from_bits(b + k * 0x10000 + low) for k in (-1, 0, 1)]
    return min(near, key=lambda c: abs(float(c) - float(v)))


def fit_packed(u, values, floor, degree, pairs, first):
    """The upper coefficients first, as they are rounded most: entry j of the pairs is coefficient
    full + j as it stands, and its lower 16 bits are the upper 16 of coefficient full + pairs + j."""
    weight = 1 / np.maximum(np.abs(values), floor)
    full = degree + 1 - 2 * pairs
    known = dict(enumerate(first))
    packed = [None] * pairs

    def rest():
        return values - sum((float(c) * u**k for k, c in known.items()), np.zeros_like(u))

    def best(k):
        free = [j for j in range(degree + 1) if j not in known]
        return minimax(u, weight, rest(), free)[free.index(k)]

    for j in reversed(range(pairs)):
        known[full + pairs + j] = upper(best(full + pairs + j), 0)
    for j in reversed(range(pairs)):
        known[full + j] = packed[j] = upper(best(full + j), bits(known[full + pairs + j]) >> 16)
    for k in range(len(first), full):
        known[k] = f32(best(k))
    return [known[k] for k in range(full)] + packed


def half_table(name):
    degree, pairs, scale, floor, end = HALF[name]
    f = FUNCTIONS[name.rsplit("_", 2)[0]]
    scale = float(f32(scale))
    last = f32(7.5 / scale * (1 - 2.0**-21))
    end = last if end is None else end
    segments = []
    for i in range(8):
        u = np.linspace(-0.5, 0.5, 70)
        z = (i + u) / scale
        keep = (z >= 0) & (z <= last + 0.5 / scale)
        u, z = u[keep], z[keep]
        near_root = 0.3 < (i + 0.5) / scale and (i - 0.5) / scale < 1.7
        # Derivatives lose relative accuracy at their roots; gates have none.
        smallest = floor if near_root or "_F16_" in name else 0.0
        first = [f32(0.5)] if i == 0 else []
        segments.append((None, fit_packed(u, f(z), smallest, degree, pairs, first)))
    return scale, end, segments


def number(v):
    v = f32(v)
    if v == 0:
        return "0.0"
    m, e = np.format_float_scientific(v, unique=True, trim="0", exp_digits=1).split("e")
    text = np.format_float_positional(v, unique=True, trim="0") if -3 <= int(e) <= 3 else f"{m}e{int(e)}"
    assert f32(text) == v
    return text


def row(opening, values):
    """an array, eight entries to the line"""
    indent = " " * len(opening)
    lines = [", ".join(number(v) for v in values[k : k + 8]) for k in range(0, len(values), 8)]
    return ((",\n" + indent).join([opening + lines[0]] + lines[1:]) + "],").split("\n")


def rust(name, kind, entries, scale, end, segments, pairs=None):
    count = len(segments[0][1])
    full = count - (pairs or 0)
    sizes = f"[f32; {entries}], {full}" if pairs is None else f"{full}, {pairs}"
    lines = [
        "#[rustfmt::skip]",
        f"pub(super) static {name}: {kind}<{sizes}> = {kind} {{",
        "    a: [",
    ]
    for k in range(full):
        lines += row("        [", [a[k] for _, a in segments])
    lines.append("    ],")
    if pairs is not None:
        lines.append("    pairs: [")
        for k in range(full, count):
            lines += row("        [", [a[k] for _, a in segments])
        lines.append("    ],")
    else:
        lines += row("    c: [", [c for c, _ in segments])
    lines += [f"    scale: {number(scale)},", f"    end: {number(end)},", "};", ""]
    return "\n".join(lines)


def binade(v, floor):
    """the power of two below |v|"""
    return 2.0 ** np.floor(np.log2(np.maximum(np.abs(v), floor)))


def signed_weight(name, x, v, floor):
    """by how much of a result's binade an error of the function's shows"""
    if name == "SIGMOID_LESS_ONE_HALF_32":
        # It makes silu = x g and silu' = g + x g (1 - g).
        g = 1 + v
        silu, grad = x * g, g + x * g * (1 - g)
        slopes = np.abs(x) / binade(silu, 2.0**-12), np.abs(1 + x * (1 - 2 * g)) / binade(grad, 2.0**-12)
        return np.maximum(*slopes)
    # Relative accuracy but about the root; f16 is absolute below its normal numbers.
    near_root = (x > -1.7) & (x < -0.3)
    return 1 / binade(v, np.where(near_root | ("_F16_" in name), floor, 1e-300))


def signed_segment(name, i):
    degree, width, floor, centred = SIGNED[name]
    x = width * (i - 16 + np.cos(np.pi * (np.arange(90) + 0.5) / 90) / 2)
    values = FUNCTIONS[name.rsplit("_", 2)[0]](-x)
    weight = signed_weight(name, x, values, floor)
    d = x - width * (i - 16) if centred else x
    known = {0: f32(-0.5 if "LESS_ONE" in name else 0.5)} if i == 16 else {}  # 1/2 at zero
    for k in range(len(known), degree + 1):
        free = [j for j in range(degree + 1) if j not in known]
        rest = values - sum((float(c) * d**j for j, c in known.items()), np.zeros_like(d))
        known[k] = f32(minimax(d, weight, rest, free)[free.index(k)])
    return [known[k] for k in range(degree + 1)]


def signed(name):
    degree, width, _, centred = SIGNED[name]
    segments = [signed_segment(name, i) for i in range(32)]
    lines = [
        "#[rustfmt::skip]",
        f"pub(super) static {name}: Signed<{degree + 1}, {str(centred).lower()}> = Signed::new(",
        "    [",
    ]
    for k in range(degree + 1):
        lines += row("        [", [a[k] for a in segments])
    lines += ["    ],", f"    {number(width)},", ");", ""]
    return "\n".join(lines)


def main(what):
    rng = np.random.default_rng(7)
    if what == "narrow":
        print("//! 8-entry tables for f32, one look-up per AVX2 register. Made by `tables/fit.py narrow`.\n")
        print("use super::table::Table;\n")
        tables = [rust(name, "Table", 8, *narrow_table(name, rng)) for name in NARROW]
    else:
        print("//! Tables for f16 and bf16 results. Made by `tables/fit.py half`.\n")
        print("use super::table::{EvenTable, Signed};\n")
        tables = [rust(n, "EvenTable", 8, *half_table(n), HALF[n][1]) for n in HALF]
        tables += [signed(n) for n in SIGNED]
    print("\n".join(tables), end="")


main(sys.argv[1])
