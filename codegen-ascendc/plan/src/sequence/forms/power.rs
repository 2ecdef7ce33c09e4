//! Powers: `x^y = e^(y ln |x|)`, with the sign of an odd power.
//!
//! The error of `y ln |x|` is a relative error of the power. In 16 bits, one rounding of it is small compared with half a unit. In f32
//! it is up to 64 units, so there the product is a sum of two numbers, and so is the logarithm:
//!
//! ```text
//! a       = 2^k m         k = round(ln a / ln 2), so that ln m is at most 0.35 and its rounding error small
//! ln a    = l + c         l = k ln 2 + ln m rounded, c what it lacks
//! y ln a  = h + r         h = y1 l1 exactly, with y = y1 + y2, l = l1 + l2 in halves of 12 bits (Veltkamp)
//! a^y     = e^h e^r
//! ```
//!
//! `ln a` is known to 2^-25, so the error of a power grows with the exponent: 2.7 units at 4, 7.5 at 24.

use super::{choice, clamp, mask, nearest_integer, sign_of_parity};
use crate::sequence::{Api, Compare, Seq, Source, Type, Val};

/// The exponent of a power.
#[derive(Clone, Copy, Debug)]
pub enum Exponent {
    /// A number that is known when the kernel is written.
    Number(f64),
    /// A value that differs between elements, or a splat.
    Value(Val),
}

/// Accuracy with which a power is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// `y ln a` is rounded once, for results of 16 bits.
    Once,
    /// `y ln a` is the sum of two numbers, for results in `float`.
    Twice,
}

/// Splits a `float` into halves: `a + b - (a + b - a)` with `b = 4096 a` has its upper 12 bits.
const SPLIT: f64 = 4097.0;

/// `a + b - (a + b - a)` with `b = 65536 a` has the upper 8 bits of `a`: a power of two, if `a` is one but for its last 14 bits.
const SNAP: f64 = 65537.0;

/// `ln 2` in two parts: its upper 16 bits, whose product with a number of 8 bits is exact, and the rest.
const LN_2: [f64; 2] = [0.693_145_751_953_125, 1.428_606_820_309_417_3e-6];

/// Magnitude of the logarithm from which on `2^-k` overflows, or the base is 0 or infinite.
const FAR: f64 = 87.0;

/// Magnitude of `y ln a` from which on a power is infinite or 0.
const OVERFLOW: f64 = 104.0;

/// Emits `x^y`.
///
/// It is NaN for a negative `x` and a `y` that is not an integer. `is_positive` says that `x` is never negative.
pub fn power(s: &mut Seq, x: Val, y: Exponent, rounding: Rounding, is_positive: bool) -> Val {
    let base = if is_positive { x } else { base(s, x, y) };
    let log = s.ln(base);
    s.named(log, "ln |x|");
    let finite = clamp(s, log, -f64::from(f32::MAX), f64::from(f32::MAX));
    let product = by(s, finite, y);
    let once = s.exp(product);
    let power = match rounding {
        Rounding::Once => once,
        Rounding::Twice => {
            let twice = twice(s, base, log, y);
            let inside = |s: &mut Seq, v: Val, bound: f64, twice: Val| {
                let size = s.abs(v);
                let is_inside = mask(s, size, Compare::Lt, bound);
                choice(s, is_inside, twice, once)
            };
            let power = inside(s, log, FAR, twice);
            match y {
                Exponent::Number(_) => power,
                // A huge exponent cannot be split into halves.
                Exponent::Value(_) => inside(s, product, OVERFLOW, power),
            }
        }
    };
    let power = if is_positive { power } else { signed(s, x, y, power) };
    s.named(power, "x^y")
}

/// Emits `base^y` for a positive number `base`.
pub fn of_number(s: &mut Seq, base: f64, y: Val, rounding: Rounding) -> Val {
    let log = libm::log(base);
    let product = s.muls(y, log);
    let once = s.exp(product);
    let power = match rounding {
        Rounding::Once => once,
        Rounding::Twice => {
            let high = f64::from(upper_half(log as f32));
            let [y1, y2] = halves(s, y);
            let rest = s.muls(y2, high);
            let rest = s.axpy(rest, y, log - high);
            let high = s.muls(y1, high);
            let (high, rest) = (s.exp(high), s.exp(rest));
            let twice = s.mul(high, rest);
            let size = s.abs(product);
            let is_inside = mask(s, size, Compare::Lt, OVERFLOW);
            choice(s, is_inside, twice, once)
        }
    };
    s.named(power, "x^y")
}

/// Emits the product of `v` and the exponent.
fn by(s: &mut Seq, v: Val, y: Exponent) -> Val {
    match y {
        Exponent::Number(y) => s.muls(v, y),
        Exponent::Value(y) => s.mul(v, y),
    }
}

/// Emits `e^(y ln a)` with `y ln a` as a sum of two numbers; `log` is about `ln a`.
fn twice(s: &mut Seq, a: Val, log: Val, y: Exponent) -> Val {
    let turns = s.muls(log, core::f64::consts::LOG2_E);
    let k = nearest_integer(s, turns);
    let down = s.muls(k, -core::f64::consts::LN_2);
    let inverse = s.exp(down);
    let inverse = upper(s, inverse, SNAP);
    s.named(inverse, "2^-k");
    let m = s.mul(a, inverse);
    let of_m = s.ln(m);
    s.named(of_m, "ln m");
    // The sum of two numbers, the first larger or 0, and what its rounding loses.
    let of_two = s.muls(k, LN_2[0]);
    let log = s.call(Api::Add, &[of_two, of_m]);
    let without = s.sub(log, of_two);
    let lost = s.sub(of_m, without);
    let lost = s.axpy(lost, k, LN_2[1]);
    s.named(log, "ln a");
    s.named(lost, "what rounding lost of it");
    let [l1, l2] = halves(s, log);
    let low = s.call(Api::Add, &[l2, lost]);
    let rest = by(s, low, y);
    let (high, rest) = match y {
        Exponent::Number(y) => {
            let y1 = f64::from(upper_half(y as f32));
            let high = s.muls(l1, y1);
            let rest = if y == y1 { rest } else { s.axpy(rest, l1, y - y1) };
            (high, rest)
        }
        Exponent::Value(y) => {
            let [y1, y2] = halves(s, y);
            let (high, more) = (s.mul(l1, y1), s.mul(l1, y2));
            (high, s.call(Api::Add, &[rest, more]))
        }
    };
    let (high, rest) = (s.exp(high), s.exp(rest));
    s.mul(high, rest)
}

/// Emits the upper 12 bits of `x`, and the remainder.
fn halves(s: &mut Seq, x: Val) -> [Val; 2] {
    let high = upper(s, x, SPLIT);
    [high, s.sub(x, high)]
}

/// Emits `x` rounded to its upper bits; to 12 if `by` is [`SPLIT`], to 8 if it is [`SNAP`].
fn upper(s: &mut Seq, x: Val, by: f64) -> Val {
    let more = s.muls(x, by);
    let without = s.sub(more, x);
    s.sub(more, without)
}

/// Returns the upper 12 bits of `x`, as [`halves`] computes them.
fn upper_half(x: f32) -> f32 {
    let more = x * SPLIT as f32;
    more - (more - x)
}

/// Emits `|x|` where the exponent is an integer, else `x`, whose logarithm is NaN below 0.
fn base(s: &mut Seq, x: Val, y: Exponent) -> Val {
    match y {
        Exponent::Number(y) if y == libm::rint(y) => s.abs(x),
        Exponent::Number(_) => x,
        Exponent::Value(y) => {
            let nearest = nearest_integer(s, y);
            let size = s.abs(x);
            let by = Source::Call(Api::Compare(Compare::Eq));
            let is_whole = s.push(by, &[y, nearest], None, Type::Mask);
            choice(s, is_whole, size, x)
        }
    }
}

/// Emits `power` with the sign of `x^y`, where `power` is `|x|^y`.
fn signed(s: &mut Seq, x: Val, y: Exponent, power: Val) -> Val {
    let odd = match y {
        Exponent::Number(y) if libm::fabs(libm::fmod(y, 2.0)) == 1.0 => s.muls(power, -1.0),
        Exponent::Number(_) => return power,
        Exponent::Value(y) => {
            let sign = sign_of_parity(s, y);
            s.mul(power, sign)
        }
    };
    let is_negative = mask(s, x, Compare::Lt, 0.0);
    choice(s, is_negative, odd, power)
}
