//! Sequences of the smooth primitives.
//!
//! Each is the shortest known that keeps its accuracy in both tails; one call is one pass of the
//! vector unit. A derivative is almost always multiplied by what comes from above. These factors are
//! unbounded, so they come last and one by one: `dy a` may be infinite where `gelu'(x) dy a` is zero.
//! In the middle of a sequence stands what saves a call there: a factor that relatives share,
//! `(m s + s) t = m w + w` with `w = s t`, and one of f16, which `float` can hold any product of.
//! Errors were measured in `float` with every call rounded, compound calls twice.

use super::{Seq, Val};

/// What the result is multiplied by, in this order.
pub type Factors<'v> = &'v [Val];

/// `v t`
pub fn times(s: &mut Seq, v: Val, t: Factors<'_>) -> Val {
    t.iter().fold(v, |v, t| s.mul(v, *t))
}

/// `t / d` for a `d` of at least one.
fn over(s: &mut Seq, t: Factors<'_>, d: Val) -> Val {
    let (first, rest) = match t {
        [first, rest @ ..] => (*first, rest),
        [] => (s.splat(1.0), t),
    };
    let q = s.div(first, d);
    times(s, q, rest)
}

fn clamp(s: &mut Seq, x: Val, low: f64, high: f64) -> Val {
    let x = s.maxs(x, low);
    s.mins(x, high)
}

/// `x sigmoid(v(x))` and its derivative in parts: the value is `x sigma`, the derivative
/// `slope sigma + sigma`.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// `x`, held where nothing changes any more.
    pub x: Val,
    /// `sigmoid(v)`
    pub sigma: Val,
    /// `x v' (1 - sigmoid(v))`
    pub slope: Val,
}

/// `sigma = e^c / (e^c + 1)`, `slope = c / (e^c + 1)` with `c = min(x, 20)`: from there on sigma is
/// one and slope `4e-8`. Right at +inf.
pub fn silu_gate(s: &mut Seq, x: Val) -> Gate {
    let c = s.mins(x, 20.0);
    let e = s.exp(c);
    let d = s.adds(e, 1.0);
    let slope = s.div(c, d);
    let sigma = s.div(e, d);
    s.named(e, "e^x");
    s.named(slope, "x (1 - s)");
    s.named(sigma, "s = sigmoid(x)");
    Gate { x, sigma, slope }
}

/// The same, right at both infinities: below -110 sigma is zero.
pub fn silu_gate_held(s: &mut Seq, x: Val) -> Gate {
    let x = s.maxs(x, -110.0);
    silu_gate(s, x)
}

/// `2 sqrt(2/pi)`
const K: f64 = 1.595_769_121_605_730_8;
/// `0.044715 K`
const K_CUBIC: f64 = 0.071_354_816_272_600_25;
/// The cubic coefficient over `K x`.
const AL: f64 = K_CUBIC / (K * K * K);

/// `v = z + al z^3` with `z = K x`, `x` held to -15..6, where both limits are reached.
pub fn tanh_gate(s: &mut Seq, x: Val) -> Gate {
    let held = clamp(s, x, -15.0, 6.0);
    let z = s.muls(held, K);
    let square = s.mul(z, z);
    let cube = s.mul(square, z);
    let v = s.axpy(z, cube, AL);
    let e = s.exp(v);
    let xdv = s.axpy(v, cube, 2.0 * AL);
    let d = s.adds(e, 1.0);
    let slope = s.div(xdv, d);
    let sigma = s.div(e, d);
    s.named(z, "z = k x");
    s.named(v, "v = z + al z^3");
    s.named(xdv, "x v'");
    s.named(slope, "x v' (1 - s)");
    s.named(sigma, "s = sigmoid(v)");
    Gate { x: held, sigma, slope }
}

/// Form N of gelu' (tanh): no clamp, so NaN at infinity, and only for numbers whose cube is finite.
pub fn gelu_tanh_grad_n(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let z = s.muls(x, -K);
    let square = s.mul(z, z);
    let cube = s.mul(square, z);
    let v = s.axpy(z, cube, AL);
    let e = s.exp(v);
    let xdv = s.axpy(v, cube, 2.0 * AL);
    let d = s.adds(e, 1.0);
    let part = s.div(xdv, d);
    let slope = s.sub(part, xdv);
    let sigma = over(s, t, d);
    s.named(z, "z = -k x");
    s.named(v, "v = z + al z^3");
    s.named(xdv, "x v'");
    s.named(slope, "-x v' (1 - s)");
    s.named(sigma, if t.is_empty() { "s = sigmoid(-v)" } else { "t s" });
    s.fused_mul_add(slope, sigma, sigma)
}

/// `x / (1 + e^-v)`; NaN at -inf.
pub fn gelu_tanh(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let square = s.mul(x, x);
    let p = s.muls(square, -K_CUBIC);
    let p = s.adds(p, -K);
    let v = s.mul(p, x);
    let e = s.exp(v);
    let d = s.adds(e, 1.0);
    let y = s.div(x, d);
    s.named(v, "-v");
    s.named(y, "x sigmoid(v)");
    times(s, y, t)
}

/// The same, right at both infinities.
pub fn gelu_tanh_held(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let x = s.maxs(x, -15.0);
    gelu_tanh(s, x, t)
}

/// `x / (1 + e^-x)`; NaN at -inf.
pub fn silu(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let minus = s.muls(x, -1.0);
    let e = s.exp(minus);
    let d = s.adds(e, 1.0);
    let y = s.div(x, d);
    s.named(y, "x sigmoid(x)");
    times(s, y, t)
}

/// The same, right at both infinities.
pub fn silu_held(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let x = s.maxs(x, -110.0);
    silu(s, x, t)
}

/// Parameters of form S: `Phi(x) = 1 / (1 + e^(z h))`, `h = sqrt(b1 u + al) + b u`, `z = -k x`,
/// `u = z^2`, and `e^u = e^(x^2/2)` about. Fitted together, minimax in units of the 16-bit type.
struct TwoExponentials {
    k: f64,
    al: f64,
    c: f64,
    b1: Option<f64>,
    b: f64,
}

const S6_F16: TwoExponentials = TwoExponentials {
    k: 0.703_465_694_642_372_5,
    al: 4.619_472_927_780_422,
    c: 0.419_871_914_843_812_53,
    b1: Some(0.552_849_875_731_997_4),
    b: 0.031_102_323_981_017_546,
};

const S4_BF16: TwoExponentials = TwoExponentials {
    k: 0.707_024_445_525_529,
    al: 5.319_091_278_558_77,
    c: 0.389_590_446_800_882_3,
    b1: None,
    b: 0.019_746_101_974_111_48,
};

fn two_exponentials(s: &mut Seq, x: Val, t: Factors<'_>, p: &TwoExponentials) -> Val {
    let z = s.muls(x, -p.k);
    let u = s.mul(z, z);
    let bell = s.exp(u);
    let h = p.b1.map_or(u, |b1| s.muls(u, b1));
    let h = s.adds(h, p.al);
    let h = s.sqrt(h);
    let h = s.axpy(h, u, p.b);
    let y = s.mul(h, z);
    let e = s.exp(y);
    let d = s.adds(e, 1.0);
    let w = s.div(z, bell);
    let q = over(s, &[], d);
    s.named(z, "z = -k x");
    s.named(u, "u = z^2");
    s.named(bell, "e^(x^2/2)");
    s.named(h, "h(u)");
    s.named(w, "z phi");
    s.named(q, "Phi(x)");
    let g = s.axpy(q, w, -p.c / p.k);
    s.named(g, "gelu'(x)");
    times(s, g, t)
}

/// Form S6 of gelu' for f16: 0.60 ulp. NaN at both infinities.
pub fn gelu_grad_s6(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    two_exponentials(s, x, t, &S6_F16)
}

/// The same, right at both infinities.
pub fn gelu_grad_s6_held(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let x = clamp(s, x, -15.0, 15.0);
    gelu_grad_s6(s, x, t)
}

/// Form S4 of gelu' for bf16: at most one step from the nearest. NaN at both infinities.
pub fn gelu_grad_s4(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    two_exponentials(s, x, t, &S4_BF16)
}

/// The same, right at both infinities.
pub fn gelu_grad_s4_held(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let x = clamp(s, x, -15.0, 15.0);
    gelu_grad_s4(s, x, t)
}

/// Form R of gelu': `G(a) = gelu'(-a) = e^(-a^2/2) N(a) / D(a)` with `a = |x|`; on the right
/// `1 - G`. Right at both infinities, relative error 1.5e-6 in the tail.
pub fn gelu_grad_r(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    const N: [f64; 5] = [
        5.781_716_796_573_524,
        -2.400_488_340_275_899,
        -5.023_601_658_129_396_5,
        -2.377_807_715_111_633_6,
        -0.398_871_370_102_034_1,
    ];
    const D: [f64; 3] = [11.563_432_744_736_854, 13.651_651_993_356_584, 5.955_308_256_545_969];
    let side = s.muls(x, 1e18);
    let a = s.abs(x);
    let a = s.mins(a, 15.0);
    let u = s.mul(a, a);
    let n = s.muls(u, N[4]);
    let n = s.axpy(n, a, N[3]);
    let n = s.adds(n, N[2]);
    let n = s.mul(n, u);
    let n = s.axpy(n, a, N[1]);
    let n = s.adds(n, N[0]);
    let d = s.adds(a, D[2]);
    let d = s.mul(d, u);
    let d = s.axpy(d, a, D[1]);
    let d = s.adds(d, D[0]);
    let r = s.div(n, d);
    let e = s.muls(u, -0.5);
    let e = s.exp(e);
    let left = s.mul(r, e);
    let one = s.splat(1.0);
    let right = s.sub(one, left);
    let cut = s.min(side, right);
    let g = s.max(left, cut);
    s.named(side, "the sign of x, huge");
    s.named(a, "a = |x|");
    s.named(u, "a^2");
    s.named(n, "N(a)");
    s.named(d, "D(a)");
    s.named(e, "e^(-a^2/2)");
    s.named(left, "gelu'(-a)");
    s.named(right, "gelu'(a)");
    s.named(g, "gelu'(x)");
    times(s, g, t)
}

/// `max(x, 0) - e^(-a^2/2) a N(a) / D(a)` in f32: 1.4e-6 relative in the tail, right at infinity.
pub fn gelu_r(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    const N: [f64; 4] = [
        12.392_494_209_097_197,
        8.794_691_818_602_233,
        2.861_883_313_268_864,
        0.398_868_020_060_949_24,
    ];
    const D: [f64; 4] = [
        24.784_994_585_171_57,
        37.364_630_884_080_57,
        23.146_551_538_220_585,
        7.166_974_138_140_222,
    ];
    let r = s.maxs(x, 0.0);
    let a = s.abs(x);
    let a = s.mins(a, 14.5);
    let u = s.mul(a, a);
    let n = s.muls(u, N[3]);
    let n = s.axpy(n, a, N[2]);
    let n = s.adds(n, N[1]);
    let n = s.mul(n, u);
    let n = s.axpy(n, a, N[0]);
    let d = s.adds(a, D[3]);
    let d = s.mul(d, a);
    let d = s.adds(d, D[2]);
    let d = s.mul(d, u);
    let d = s.axpy(d, a, D[1]);
    let d = s.adds(d, D[0]);
    let e = s.muls(u, -0.5);
    let y = minus_tail(s, r, n, d, e);
    times(s, y, t)
}

/// `r - n e^e / d`
fn minus_tail(s: &mut Seq, r: Val, n: Val, d: Val, e: Val) -> Val {
    let e = s.exp(e);
    let ne = s.mul(n, e);
    let tail = s.div(ne, d);
    s.named(r, "max(x, 0)");
    s.named(n, "a N(a)");
    s.named(d, "D(a)");
    s.named(e, "e^(-a^2/2)");
    s.named(tail, "|gelu(-a)|");
    let y = s.sub(r, tail);
    s.named(y, "gelu(x)")
}

/// The same for 16-bit types: a quadratic over a quadratic, the exponent fitted with them.
fn gelu_16(s: &mut Seq, x: Val, t: Factors<'_>, scale: f64, n: [f64; 2], d: [f64; 2]) -> Val {
    let r = s.maxs(x, 0.0);
    let a = s.abs(x);
    let a = s.mins(a, 14.5);
    let u = s.mul(a, a);
    let top = s.muls(u, n[1]);
    let top = s.axpy(top, a, n[0]);
    let e = s.muls(u, -scale);
    let bottom = s.axpy(u, a, d[1]);
    let bottom = s.adds(bottom, d[0]);
    let y = minus_tail(s, r, top, bottom, e);
    times(s, y, t)
}

/// In f16: 0.70 ulp.
pub fn gelu_f16(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let n = [1.435_487_389_614_704_5, 0.362_663_464_358_286_6];
    let d = [2.871_292_088_354_712_4, 3.008_456_757_761_733];
    gelu_16(s, x, t, 0.499_315_023_884_489_9, n, d)
}

/// In bf16: 0.68 ulp.
pub fn gelu_bf16(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let n = [1.160_756_621_124_249, 0.387_371_709_895_059];
    let d = [2.323_471_898_406_237_5, 2.598_194_755_541_856_5];
    gelu_16(s, x, t, 0.499_937_889_459_958, n, d)
}
