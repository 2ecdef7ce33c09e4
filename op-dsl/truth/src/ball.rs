//! A number in any precision with a bound of its error (ball arithmetic).
//!
//! Exponents have any size as well: formulas meet `e^(10^38)`, whose exponent is a number of 38 digits, on the way to
//! ordinary results. A number whose exponent is too large to be stored is a [`Tower`](crate::tower::Tower).

mod functions;

use crate::gamma::{at_special, gamma, with_tangent};
use crate::inverse::erfinv;
use crate::real::{Gamma, Real};
use dashu_float::round::Rounded;
use dashu_float::round::mode::{HalfEven, Zero};
use dashu_float::{ConstCache, Context, FBig, FpError, Repr};
use dashu_int::IBig;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Precision in bits of the last attempt to evaluate an element.
///
/// Two values whose order it does not decide count as equal. Their difference is so far below f64's least number that
/// only its quotient by something as small could show it.
pub const LAST: usize = 1 << 11;

/// Base-2 logarithm of the error 0: the `off` of an exact number.
const EXACT: f64 = f64::NEG_INFINITY;
/// Base-2 logarithm of an infinite error: the `off` of a number of which nothing is known.
const UNKNOWN: f64 = f64::INFINITY;
/// Difference of exponents beyond which the smaller of two summands counts as error.
const APART: i64 = 1 << 24;
/// Base-2 logarithm of `x` above which `e^x` stores its exponent in `shift`.
const FAR: f64 = 20.0;
/// Maximum number of bits of a ball's exponent, because the logarithm of every ball has to fit into f64.
const GREATEST: f64 = 1000.0;
/// Greatest magnitude of a logarithm that is negligible next to one of more than [`GREATEST`] bits.
const GREAT: f64 = 1e270;

thread_local! {
    /// Cache of the digits of pi and ln 2, one entry for each precision in bits.
    ///
    /// Precisions do not share an entry, because constants with many digits are as slow to use where few are needed.
    static CONSTANTS: RefCell<BTreeMap<usize, ConstCache>> = const { RefCell::new(BTreeMap::new()) };
}

/// An interval of numbers: its midpoint is `mid * 2^shift`, its radius `2^off * 2^shift`.
///
/// The exact value that it stands for lies in the interval.
#[derive(Clone, Debug)]
pub struct Ball {
    /// Midpoint. It may be an infinity; then `off` is [`EXACT`].
    mid: Repr<2>,
    shift: IBig,
    /// Base-2 logarithm of the error bound divided by `2^shift`.
    ///
    /// It may also be [`EXACT`], [`UNKNOWN`], or NaN for an undefined value.
    off: f64,
    /// Number of bits that results of operations on this number are rounded to.
    precision: usize,
}

/// Returns an upper bound of `log2(2^a + 2^b)`, for the sum of two errors.
fn join(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if low == EXACT || high == UNKNOWN { high } else { high + (low - high).exp2().ln_1p() * 1.5 }
}

/// Returns an exponent `e` with `|mid| < 2^e`; for example, 1 for the number 1.
fn top(mid: &Repr<2>) -> f64 {
    match mid.significand().is_zero() {
        true => EXACT,
        false => (mid.digits() as isize + mid.exponent()) as f64,
    }
}

fn is_zero(mid: &Repr<2>) -> bool {
    mid.significand().is_zero() && !mid.is_infinite()
}

type Computed = Result<Rounded<FBig<HalfEven, 2>>, FpError>;

impl Ball {
    /// Returns `v` without error; operations on the result are rounded to `precision` bits.
    pub fn exact(v: f64, precision: usize) -> Ball {
        let mid = match FBig::<HalfEven, 2>::try_from(v) {
            Ok(v) => v.into_repr(),
            Err(_) => Repr::zero(), // NaN
        };
        let off = if v.is_nan() { f64::NAN } else { EXACT };
        Ball { mid, shift: IBig::ZERO, off, precision }
    }

    /// Converts to f64, rounded to odd; NaN for a number that is undefined or unknown.
    pub fn to_f64(&self) -> f64 {
        match self.scale() {
            _ if self.off.is_nan() || self.off == UNKNOWN => f64::NAN,
            scale if scale > 1025.0 => f64::INFINITY * self.direction(),
            scale if scale < -1100.0 => 0.0,
            _ => self.plain().map_or(f64::NAN, |x| x.to_odd()),
        }
    }

    /// Rounds the midpoint to odd: truncates it to f64 and sets the last bit if that is inexact.
    ///
    /// Rounding the result to fewer bits gives the same as rounding the midpoint itself.
    fn to_odd(&self) -> f64 {
        // A midpoint may have more digits than the precision of its ball.
        let precision = self.precision.max(self.mid.digits());
        let number = FBig::<Zero, 2>::from_repr(self.mid.clone(), Context::new(precision));
        match number.with_precision(53) {
            Rounded::Exact(v) if self.off == EXACT => v.to_f64().value(),
            v => f64::from_bits(v.value().to_f64().value().to_bits() | 1),
        }
    }

    /// Returns whether at least `bits` leading bits are correct; true for NaN too.
    pub fn has_bits(&self, bits: f64) -> bool {
        self.off.is_nan() || self.off == EXACT || self.bottom() - self.off >= bits
    }

    /// Returns whether the intervals of `self` and `other` have a number in common.
    pub fn agrees(&self, other: &Ball) -> bool {
        if self.off.is_nan() || other.off.is_nan() {
            return self.off.is_nan() && other.off.is_nan();
        }
        let unknown = self.off == UNKNOWN || other.off == UNKNOWN;
        let difference = self.clone() - other.clone();
        unknown
            || self.mid == other.mid
            || difference.is_exact_zero()
            || difference.off >= difference.bottom()
    }

    /// Returns whether `e^x` fits into a [`Ball`], where `x` is this number.
    pub(crate) fn has_exp(&self) -> bool {
        self.mid.is_infinite() || self.scale() <= GREATEST || self.straddles()
    }

    /// Returns whether this number's logarithm is negligible next to that of a `Tower::Power`.
    ///
    /// The logarithm of its error must be negligible too.
    pub(crate) fn is_moderate(&self) -> bool {
        self.scale().max(self.error()).abs() <= GREAT
    }

    pub(crate) fn is_infinite(&self) -> bool {
        self.mid.is_infinite()
    }

    pub(crate) fn is_unknown(&self) -> bool {
        self.off == UNKNOWN
    }

    /// Returns this number with one rounding added to its error, for a sum that leaves out a smaller term.
    pub(crate) fn blurred(&self) -> Ball {
        let off = join(self.off, top(&self.mid) - self.precision as f64);
        if self.mid.is_infinite() { self.clone() } else { Ball { off, ..self.clone() } }
    }

    fn direction(&self) -> f64 {
        if self.is_negative() { -1.0 } else { 1.0 }
    }

    fn context(&self) -> Context<HalfEven> {
        Context::new(self.precision)
    }

    fn with(&self, mid: Repr<2>, shift: IBig, off: f64) -> Ball {
        Ball { mid, shift, off, precision: self.precision }
    }

    fn nan(&self) -> Ball {
        self.with(Repr::zero(), IBig::ZERO, f64::NAN)
    }

    /// Returns the number `result * 2^shift` with a bound of its error.
    ///
    /// `off` bounds the error that the operands' errors cause; the rounding error of the operation is added here.
    fn rounded(&self, result: Computed, shift: IBig, off: f64) -> Ball {
        match result {
            Ok(Rounded::Exact(v)) => self.with(v.into_repr(), shift, off),
            Ok(Rounded::Inexact(v, _)) => {
                let mid = v.into_repr();
                let rounding = top(&mid) - self.precision as f64 + 1.0;
                self.with(mid, shift, join(off, rounding))
            }
            Err(_) => self.unknown(),
        }
    }

    /// Applies the library function `f` to the midpoint, and bounds the error of the result.
    ///
    /// `off` bounds the error that the argument's error causes. A rounding error is added even if the library calls the
    /// result exact, because some results are falsely called so. An example is `e^x` of a tiny `x`, whose digits the library
    /// never reads. Only at 0 and 1 can these functions have a result of finitely many bits.
    fn by(
        &self,
        off: f64,
        f: impl Fn(&Context<HalfEven>, &Repr<2>, Option<&mut ConstCache>) -> Computed,
    ) -> Ball {
        let result = self.constants(|known| f(&self.context(), &self.mid, Some(known)));
        let value = self.rounded(result, IBig::ZERO, off);
        let is_whole = is_zero(&self.mid) || self.mid.is_one();
        let rounding = if is_whole { EXACT } else { top(&value.mid) - self.precision as f64 + 1.0 };
        Ball { off: join(value.off, rounding), ..value }
    }

    fn constants<T>(&self, f: impl FnOnce(&mut ConstCache) -> T) -> T {
        CONSTANTS.with_borrow_mut(|all| f(all.entry(self.precision).or_default()))
    }

    /// Returns `log_e 2` in the precision of this number.
    fn ln2(&self) -> Ball {
        let ln2 = self.constants(|known| known.ln2::<2, HalfEven>(self.precision));
        self.with(ln2.into_repr(), IBig::ZERO, 1.0 - self.precision as f64)
    }

    /// Returns the result of an operation on `self` and `other` if either is NaN or unknown, else `None`.
    fn undefined(&self, other: &Ball) -> Option<Ball> {
        if self.off.is_nan() || other.off.is_nan() {
            return Some(self.nan());
        }
        (self.off == UNKNOWN || other.off == UNKNOWN).then(|| self.unknown())
    }

    /// Returns the base-2 logarithm of `|mid|`, the midpoint divided by `2^shift`, rounded down.
    fn bottom(&self) -> f64 {
        top(&self.mid) - 1.0
    }

    /// Returns whether the magnitude is below `2^-precision`; false for zero.
    ///
    /// `exp`, `expm1` and `log1p` treat these numbers specially because the library would write out all the zeros before
    /// their digits.
    fn is_tiny(&self) -> bool {
        self.off < UNKNOWN && !self.is_exact_zero() && self.scale() < -(self.precision as f64)
    }

    /// Returns `f(x)` for a function `f(x) = x + r` with `|r| < x^2`, where `x` is this number and tiny.
    fn nearly_itself(&self) -> Ball {
        Ball { off: join(self.off, top(&self.mid) + self.scale()), ..self.clone() }
    }

    /// Returns whether the error is so large that the sign is undecided.
    fn straddles(&self) -> bool {
        self.off != EXACT && self.off >= self.bottom() - 1.0
    }

    /// Returns the base-2 logarithm of the midpoint's magnitude `|mid| * 2^shift`, rounded up.
    fn scale(&self) -> f64 {
        if self.mid.is_infinite() {
            f64::INFINITY
        } else {
            top(&self.mid) + self.shift.to_f64().value()
        }
    }

    /// Returns the base-2 logarithm of the error bound `2^off * 2^shift`.
    fn error(&self) -> f64 {
        if self.off == EXACT { EXACT } else { self.off + self.shift.to_f64().value() }
    }

    /// Returns the same number with `shift` 0; `None` if its exponent is too large for that.
    fn plain(&self) -> Option<Ball> {
        if self.shift == IBig::ZERO {
            return Some(self.clone());
        }
        let shift = i64::try_from(&self.shift).ok().filter(|s| s.abs() < 1 << 40)?;
        let mid = match is_zero(&self.mid) {
            true => self.mid.clone(),
            false => shifted(&self.mid, shift),
        };
        Some(self.with(mid, IBig::ZERO, self.error()))
    }
}

fn shifted(mid: &Repr<2>, by: i64) -> Repr<2> {
    Repr::new(mid.significand().clone(), mid.exponent() + by as isize)
}

impl Neg for Ball {
    type Output = Ball;
    fn neg(self) -> Ball {
        Ball { mid: -self.mid, ..self }
    }
}

impl Add for Ball {
    type Output = Ball;
    fn add(self, y: Ball) -> Ball {
        if let Some(undefined) = self.undefined(&y) {
            return undefined;
        }
        match (self.mid.is_infinite(), y.mid.is_infinite()) {
            (true, true) if self.mid != y.mid => return self.nan(),
            (true, _) => return self,
            (_, true) => return y,
            _ => {}
        }
        let (high, low) = if self.shift >= y.shift { (self, y) } else { (y, self) };
        let apart = &high.shift - &low.shift;
        match i64::try_from(&apart).ok().filter(|apart| *apart < APART) {
            Some(0) => {
                let sum = high.context().add(&high.mid, &low.mid);
                let off = join(high.off, low.off);
                high.rounded(sum, high.shift.clone(), off)
            }
            Some(apart) if !is_zero(&low.mid) => {
                let sum = high.context().add(&high.mid, &shifted(&low.mid, -apart));
                let off = join(high.off, low.off - apart as f64);
                high.rounded(sum, high.shift.clone(), off)
            }
            _ if high.is_exact_zero() => low,
            _ => {
                let apart = apart.to_f64().value();
                let off = join(high.off, join(top(&low.mid), low.off) - apart);
                Ball { off, ..high }
            }
        }
    }
}

impl Sub for Ball {
    type Output = Ball;
    fn sub(self, y: Ball) -> Ball {
        self + -y
    }
}

impl Mul for Ball {
    type Output = Ball;
    fn mul(self, y: Ball) -> Ball {
        if let Some(undefined) = self.undefined(&y) {
            return undefined;
        }
        if self.mid.is_infinite() || y.mid.is_infinite() {
            return match (self.sign(), y.sign()) {
                (Some(Ordering::Equal), _) | (_, Some(Ordering::Equal)) => self.nan(),
                (Some(a), Some(b)) if a == b => self.with(Repr::infinity(), IBig::ZERO, EXACT),
                (Some(_), Some(_)) => self.with(Repr::neg_infinity(), IBig::ZERO, EXACT),
                _ => self.unknown(),
            };
        }
        let own = join(top(&self.mid) + y.off, top(&y.mid) + self.off);
        let off = join(own, self.off + y.off);
        self.rounded(self.context().mul(&self.mid, &y.mid), &self.shift + &y.shift, off)
    }
}

impl Div for Ball {
    type Output = Ball;
    fn div(self, y: Ball) -> Ball {
        if let Some(undefined) = self.undefined(&y) {
            return undefined;
        }
        match (self.mid.is_infinite(), y.mid.is_infinite()) {
            (true, true) => return self.nan(),
            (false, true) => return self.num(0.0),
            (true, false) if y.is_exact_zero() => return self,
            _ => {}
        }
        if y.is_exact_zero() {
            return match self.sign() {
                Some(Ordering::Equal) => self.nan(),
                Some(Ordering::Less) => self.with(Repr::neg_infinity(), IBig::ZERO, EXACT),
                Some(Ordering::Greater) => self.with(Repr::infinity(), IBig::ZERO, EXACT),
                None => self.unknown(),
            };
        }
        if y.straddles() {
            return self.unknown();
        }
        if self.mid.is_infinite() {
            return if y.is_negative() { -self } else { self };
        }
        // The error is `(off + |ratio| y.off) / |y|`. Since `y` does not straddle zero, `|y|` is at least half its
        // midpoint.
        let least = y.bottom() - if y.off == EXACT { 0.0 } else { 1.0 };
        let ratio_top = top(&self.mid) - y.bottom();
        let off = join(self.off, ratio_top + y.off) - least;
        self.rounded(self.context().div(&self.mid, &y.mid), &self.shift - &y.shift, off)
    }
}
