//! The judge's arithmetic: numbers of arbitrary precision, without error bounds.
//!
//! It shares no code with the reference evaluator. A flag reports where digits may be lost, and the judge then
//! retries with a higher precision.

use dashu_float::round::mode::HalfEven;
use dashu_float::{ConstCache, Context, FBig, Repr};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Converts a number of a formula.
pub fn n(v: f64) -> Bits {
    Bits::of(v)
}

/// The logistic function. Sums such as 1 - e^-x cancel, so they are computed with more bits there.
pub fn sigmoid(x: Bits) -> Bits {
    n(1.0) / (n(1.0) + (-x).exp())
}

pub fn tanh(x: Bits) -> Bits {
    let e = (-n(2.0) * abs(x)).exp();
    let t = (n(1.0) - e) / (n(1.0) + e);
    if x.is_below(n(0.0)) { -t } else { t }
}

pub fn gelu(x: Bits) -> Bits {
    n(0.5) * x * (n(1.0) + (x / n(2.0).sqrt()).erf())
}

/// Computes `ln(1 + e^x)`.
pub fn softplus(x: Bits) -> Bits {
    max(x, n(0.0)) + (n(1.0) + (-abs(x)).exp()).ln()
}

/// Computes `ln cosh x`, which is never negative.
pub fn log_cosh(x: Bits) -> Bits {
    abs(x) + ((n(1.0) + (-n(2.0) * abs(x)).exp()) / n(2.0)).ln()
}

pub fn abs(x: Bits) -> Bits {
    if x.is_below(n(0.0)) { -x } else { x }
}

pub fn max(x: Bits, y: Bits) -> Bits {
    if x.is_below(y) { y } else { x }
}

pub fn sign(x: Bits) -> Bits {
    match () {
        _ if n(0.0).is_below(x) => n(1.0),
        _ if x.is_below(n(0.0)) => n(-1.0),
        _ => x,
    }
}

pub fn log1p(x: Bits) -> Bits {
    (n(1.0) + x).ln()
}

pub fn expm1(x: Bits) -> Bits {
    x.exp() - n(1.0)
}

/// Computes `x^y` for `x >= 0`.
pub fn pow(x: Bits, y: Bits) -> Bits {
    match y.to_f64() {
        0.0 => n(1.0),
        2.0 => x * x,
        _ if x.to_f64() == 0.0 => n(if y.is_below(n(0.0)) { f64::INFINITY } else { 0.0 }),
        _ => (y * x.ln()).exp(),
    }
}

/// Limit on binary exponents.
///
/// Beyond it exponentials are infinite or 0, and the smaller of two numbers that are further apart is negligible in a
/// sum.
const HUGE: isize = 40;

#[derive(Clone)]
struct Digits {
    /// A number or an infinity; `None` is NaN.
    value: Option<Repr<2>>,
    is_exact: bool,
}

/// A number in [`precision`] bits, as an index into all computed numbers, so that formulas can copy it.
#[derive(Clone, Copy, Debug)]
pub struct Bits(usize);

thread_local! {
    static ALL: RefCell<Vec<Digits>> = const { RefCell::new(Vec::new()) };
    static PRECISION: Cell<usize> = const { Cell::new(0) };
    static LOST: Cell<bool> = const { Cell::new(false) };
    static CONSTANTS: RefCell<HashMap<usize, ConstCache>> = RefCell::new(HashMap::new());
}

/// Evaluates `f` in this many bits; `None` if all digits may be lost.
pub fn in_bits(precision: usize, f: impl FnOnce() -> Vec<Bits>) -> Option<Vec<f64>> {
    PRECISION.set(precision);
    LOST.set(false);
    ALL.with_borrow_mut(Vec::clear);
    let values = f().into_iter().map(Bits::to_f64).collect();
    (!LOST.get()).then_some(values)
}

/// Returns `2^k`.
pub fn power_of_two(k: isize) -> Bits {
    put(Some(Repr::new(1.into(), k)), true)
}

/// Returns the exponent of a power of two above a number, if it is finite.
pub fn exponent(x: Bits) -> Option<isize> {
    x.digits().value.filter(|v| !v.is_infinite() && !is_zero(v)).map(|v| scale(&v))
}

/// Returns the current precision in bits.
pub fn precision() -> usize {
    PRECISION.get()
}

type Float = FBig<HalfEven, 2>;

fn put(value: Option<Repr<2>>, is_exact: bool) -> Bits {
    ALL.with_borrow_mut(|all| {
        all.push(Digits { value, is_exact });
        Bits(all.len() - 1)
    })
}

fn context() -> Context<HalfEven> {
    Context::new(precision())
}

fn is_zero(v: &Repr<2>) -> bool {
    v.significand().is_zero() && !v.is_infinite()
}

/// Returns the exponent of a power of two above a number.
fn scale(v: &Repr<2>) -> isize {
    if is_zero(v) { isize::MIN / 4 } else { v.digits() as isize + v.exponent() }
}

fn is_negative(v: &Repr<2>) -> bool {
    *v < Repr::zero()
}

fn infinity(is_negative: bool) -> Bits {
    put(Some(if is_negative { Repr::neg_infinity() } else { Repr::infinity() }), true)
}

fn nan() -> Bits {
    put(None, true)
}

/// Reports that digits are lost, and returns NaN.
fn lost() -> Bits {
    LOST.set(true);
    nan()
}

impl Bits {
    fn digits(self) -> Digits {
        ALL.with_borrow(|all| all[self.0].clone())
    }

    /// Computes a function by the library.
    fn by(
        self,
        f: impl FnOnce(&Context<HalfEven>, &Repr<2>, &mut ConstCache) -> Option<Float>,
    ) -> Bits {
        let Some(value) = self.digits().value else { return nan() };
        CONSTANTS.with_borrow_mut(|all| {
            let known = all.entry(precision()).or_default();
            f(&context(), &value, known).map_or_else(lost, |v| put(Some(v.into_repr()), false))
        })
    }

    /// Returns `slope` times a number if it is so near to 0 that this is `f` of it.
    fn tiny(self, slope: Bits) -> Option<Bits> {
        let value = self.digits().value?;
        let is_tiny = !value.is_infinite() && scale(&value) < -(precision() as isize);
        is_tiny.then(|| slope * self)
    }
}

impl Neg for Bits {
    type Output = Bits;
    fn neg(self) -> Bits {
        let Digits { value, is_exact } = self.digits();
        put(value.map(|v| -v), is_exact)
    }
}

impl Add for Bits {
    type Output = Bits;
    fn add(self, y: Bits) -> Bits {
        let (a, b) = (self.digits(), y.digits());
        let (Some(v), Some(w)) = (a.value, b.value) else { return nan() };
        match (v.is_infinite(), w.is_infinite()) {
            (true, true) if v != w => return nan(),
            (true, _) => return self,
            (_, true) => return y,
            _ => {}
        }
        let (top, apart) = (scale(&v).max(scale(&w)), scale(&v) - scale(&w));
        if apart.abs() > 3 * precision() as isize {
            let larger = if apart > 0 { v } else { w };
            let is_exact =
                is_zero(&larger) || apart.abs() > isize::MAX / 8 && a.is_exact && b.is_exact;
            return put(Some(larger), is_exact);
        }
        let Ok(sum) = context().add(&v, &w) else { return lost() };
        let is_exact =
            a.is_exact && b.is_exact && matches!(sum, dashu_float::round::Rounded::Exact(_));
        let sum = sum.value().into_repr();
        if !is_exact && scale(&sum) < top - precision() as isize / 2 {
            return lost();
        }
        put(Some(sum), is_exact)
    }
}

impl Sub for Bits {
    type Output = Bits;
    fn sub(self, y: Bits) -> Bits {
        self + -y
    }
}

impl Mul for Bits {
    type Output = Bits;
    fn mul(self, y: Bits) -> Bits {
        let (a, b) = (self.digits(), y.digits());
        let (Some(v), Some(w)) = (a.value, b.value) else { return nan() };
        if v.is_infinite() || w.is_infinite() {
            // A rounded 0 times an infinity is undecided, because the exact factor is not 0.
            let nothing = |v: &Repr<2>, exact: bool| is_zero(v) && !exact;
            return match is_zero(&v) || is_zero(&w) {
                true if nothing(&v, a.is_exact) || nothing(&w, b.is_exact) => lost(),
                true => nan(),
                false => infinity(is_negative(&v) != is_negative(&w)),
            };
        }
        let Ok(product) = context().mul(&v, &w) else { return lost() };
        let is_exact =
            a.is_exact && b.is_exact && matches!(product, dashu_float::round::Rounded::Exact(_));
        put(Some(product.value().into_repr()), is_exact)
    }
}

impl Div for Bits {
    type Output = Bits;
    fn div(self, y: Bits) -> Bits {
        let (a, b) = (self.digits(), y.digits());
        let (Some(v), Some(w)) = (a.value, b.value) else { return nan() };
        match (v.is_infinite(), w.is_infinite()) {
            (true, true) => return nan(),
            (true, _) => return infinity(is_negative(&v) != is_negative(&w)),
            (_, true) => return put(Some(Repr::zero()), false),
            _ if is_zero(&w) && (!b.is_exact || is_zero(&v) && !a.is_exact) => return lost(),
            _ if is_zero(&w) && is_zero(&v) => return nan(),
            _ if is_zero(&w) => return infinity(is_negative(&v)),
            _ => {}
        }
        let Ok(ratio) = context().div(&v, &w) else { return lost() };
        let is_exact =
            a.is_exact && b.is_exact && matches!(ratio, dashu_float::round::Rounded::Exact(_));
        put(Some(ratio.value().into_repr()), is_exact)
    }
}

impl Bits {
    pub fn of(v: f64) -> Bits {
        match v {
            _ if v.is_nan() => nan(),
            _ if v.is_infinite() => infinity(v < 0.0),
            _ => put(Float::try_from(v).ok().map(Float::into_repr), true),
        }
    }

    pub fn to_f64(self) -> f64 {
        match self.digits().value {
            None => f64::NAN,
            Some(v) if v.is_infinite() => {
                if is_negative(&v) {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                }
            }
            Some(v) if scale(&v) < -1000 => 0.0,
            Some(v) if scale(&v) > 1000 => {
                if is_negative(&v) {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                }
            }
            Some(v) => Float::from_repr(v, context()).to_f64().value(),
        }
    }

    pub fn is_below(self, other: Bits) -> bool {
        let (Some(v), Some(w)) = (self.digits().value, other.digits().value) else { return false };
        v < w
    }

    pub fn sqrt(self) -> Bits {
        match self.digits() {
            Digits { value: Some(v), is_exact }
                if is_zero(&v) || v.is_infinite() && !is_negative(&v) =>
            {
                put(Some(v), is_exact)
            }
            Digits { value: Some(v), .. } if is_negative(&v) => nan(),
            _ => self.by(|context, v, _| context.sqrt(v).ok().map(|v| v.value())),
        }
    }

    pub fn exp(self) -> Bits {
        let Digits { value: Some(v), is_exact } = self.digits() else { return nan() };
        match () {
            _ if is_zero(&v) => put(Some(Repr::one()), is_exact),
            _ if v.is_infinite() || scale(&v) > HUGE => match is_negative(&v) {
                true => put(Some(Repr::zero()), false),
                false => infinity(false),
            },
            _ if scale(&v) < -2 * precision() as isize => put(Some(Repr::one()), false),
            _ => self.by(|context, v, known| context.exp(v, Some(known)).ok().map(|v| v.value())),
        }
    }

    pub fn ln(self) -> Bits {
        let Digits { value: Some(v), is_exact } = self.digits() else { return nan() };
        match () {
            _ if is_zero(&v) => {
                if is_exact {
                    infinity(true)
                } else {
                    lost()
                }
            }
            _ if is_negative(&v) => nan(),
            _ if v.is_infinite() => infinity(false),
            // The logarithm is the difference from 1, which is lost unless the 1 is exact.
            _ if v.is_one() => {
                if is_exact {
                    n(0.0)
                } else {
                    lost()
                }
            }
            _ => self.by(|context, v, known| context.ln(v, Some(known)).ok().map(|v| v.value())),
        }
    }

    pub fn sin(self) -> Bits {
        let Digits { value: Some(v), is_exact } = self.digits() else { return nan() };
        match self.tiny(n(1.0)) {
            _ if v.is_infinite() => nan(),
            _ if is_zero(&v) => put(Some(v), is_exact),
            Some(sine) => sine,
            None => {
                self.by(|context, v, known| context.sin(v, Some(known)).ok().map(|v| v.value()))
            }
        }
    }

    pub fn cos(self) -> Bits {
        let Digits { value: Some(v), is_exact } = self.digits() else { return nan() };
        match () {
            _ if v.is_infinite() => nan(),
            _ if is_zero(&v) => put(Some(Repr::one()), is_exact),
            _ if scale(&v) < -(precision() as isize) => put(Some(Repr::one()), false),
            _ => self.by(|context, v, known| context.cos(v, Some(known)).ok().map(|v| v.value())),
        }
    }

    pub fn atan(self) -> Bits {
        let Digits { value: Some(v), is_exact } = self.digits() else { return nan() };
        match self.tiny(n(1.0)) {
            _ if is_zero(&v) => put(Some(v), is_exact),
            _ if v.is_infinite() => {
                let quarter = n(1.0).atan();
                if is_negative(&v) { n(-2.0) * quarter } else { n(2.0) * quarter }
            }
            Some(angle) => angle,
            None => {
                self.by(|context, v, known| context.atan(v, Some(known)).ok().map(|v| v.value()))
            }
        }
    }

    /// Computes `2/sqrt(pi) e^(-x^2) sum of 2^k x^(2k+1) / (1 3 5 .. (2k+1))`, whose terms have one sign.
    ///
    /// Far out it is 1 less a negligible number.
    pub fn erf(self) -> Bits {
        let Digits { value: Some(v), is_exact } = self.digits() else { return nan() };
        if is_zero(&v) {
            return put(Some(v), is_exact);
        }
        let square = self.to_f64() * self.to_f64();
        if v.is_infinite() || square > 0.7 * precision() as f64 {
            return if is_negative(&v) {
                -put(Some(Repr::one()), false)
            } else {
                put(Some(Repr::one()), false)
            };
        }
        let (mut term, mut sum, mut k) = (self, self, 0.0);
        loop {
            k += 1.0;
            term = term * n(2.0) * self * self / n(2.0 * k + 1.0);
            let (Some(t), Some(s)) = (term.digits().value, sum.digits().value) else {
                return lost();
            };
            if k > square && scale(&t) < scale(&s) - precision() as isize {
                break;
            }
            sum = sum + term;
        }
        let pi = n(4.0) * n(1.0).atan();
        n(2.0) / pi.sqrt() * (-(self * self)).exp() * sum
    }
}
