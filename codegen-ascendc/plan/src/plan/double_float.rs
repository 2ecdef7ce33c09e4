//! Double-float arithmetic by vector calls: results with what their rounding lost (Dekker, Knuth).
//!
//! A rounding error of the argument of an exponential is a relative error of the exponential: half a unit in the last place of
//! `a x = 60` is 2^-19. With `v` the rounded argument and `r` what it lost, `e^(v + r)` is `e^v (1 + r)`.
//!
//! The error of a product is one call where compound calls round once, as on registers. Otherwise factors are split into halves of 12
//! bits (Veltkamp), whose products are exact.

use crate::sequence::{Api, Compare, Seq, Source, Type, Val};

/// The unevaluated sum of a value and what its rounding lost; `None` if it lost nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubleFloat {
    pub high: Val,
    pub low: Option<Val>,
    /// True if `low` may be larger than some units in the last place of `high`, because a sum has cancelled.
    pub is_loose: bool,
}

/// `2^12 + 1`, which splits a `float` of 24 bits into halves (Veltkamp).
const SPLIT: f64 = 4_097.0;
/// Bits of a `float` without the last 12 of its significand.
const UPPER: u32 = 0xffff_f000;
/// Size below which what the argument of an exponential lost is known.
///
/// It is above for arguments of more than 2^23 only, whose exponentials are 0 or infinite, and NaN where products overflow.
const MOST: f64 = 0.5;

/// Emits calls that compute with double-floats.
pub(super) struct DoubleFloats<'s> {
    pub seq: &'s mut Seq,
    /// True if compound calls round once.
    pub fuses: bool,
}

impl DoubleFloats<'_> {
    /// Emits the number `c`, with what `float` loses of it.
    pub fn number(&mut self, c: f64) -> DoubleFloat {
        let lost = lost(c);
        let low = (lost != 0.0).then(|| self.seq.splat(lost));
        DoubleFloat { high: self.seq.splat(c), low, is_loose: false }
    }

    /// Emits `c x`.
    pub fn scaled(&mut self, x: DoubleFloat, c: f64) -> DoubleFloat {
        let high = self.seq.muls(x.high, c);
        if libm::frexp(c).0.abs() == 0.5 {
            return DoubleFloat { high, low: x.low.map(|low| self.seq.muls(low, c)), ..x };
        }
        let error = if self.fuses {
            let minus = self.seq.muls(high, -1.0);
            let error = self.seq.axpy(minus, x.high, c);
            let lost = lost(c);
            if lost == 0.0 { error } else { self.seq.axpy(error, x.high, lost) }
        } else {
            let upper = f64::from(f32::from_bits((c as f32).to_bits() & UPPER));
            let (a, b) = self.halves(x.high);
            let exact = self.seq.muls(a, upper);
            let error = self.seq.sub(exact, high);
            let error = self.seq.axpy(error, a, c - upper);
            self.seq.axpy(error, b, c)
        };
        let low = x.low.map_or(error, |low| self.seq.axpy(error, low, c));
        DoubleFloat { high, low: Some(low), ..x }
    }

    /// Emits `x y`.
    pub fn product(&mut self, x: DoubleFloat, y: DoubleFloat) -> DoubleFloat {
        let high = self.seq.mul(x.high, y.high);
        let mut low = self.error(x.high, y.high, high);
        for (factor, other) in [(x.high, y.low), (y.high, x.low)] {
            let Some(other) = other else { continue };
            let part = self.seq.mul(factor, other);
            low = self.seq.call(Api::Add, &[low, part]);
        }
        DoubleFloat { high, low: Some(low), is_loose: x.is_loose || y.is_loose }
    }

    /// Emits `x / y`.
    pub fn quotient(&mut self, x: DoubleFloat, y: DoubleFloat) -> DoubleFloat {
        let high = self.seq.div(x.high, y.high);
        let back = self.seq.mul(high, y.high);
        let error = self.error(high, y.high, back);
        let rest = self.seq.sub(x.high, back);
        let mut rest = self.seq.sub(rest, error);
        if let Some(low) = x.low {
            rest = self.seq.call(Api::Add, &[rest, low]);
        }
        if let Some(low) = y.low {
            let part = self.seq.mul(high, low);
            rest = self.seq.sub(rest, part);
        }
        let low = Some(self.seq.div(rest, y.high));
        DoubleFloat { high, low, is_loose: x.is_loose || y.is_loose }
    }

    /// Emits `x + y`, with what the addition lost by TwoSum (Knuth).
    pub fn sum(&mut self, x: DoubleFloat, y: DoubleFloat) -> DoubleFloat {
        self.added(x, y, [Api::Add, Api::Sub])
    }

    /// Emits `x - y`, with what the subtraction lost by TwoSum (Knuth).
    pub fn difference(&mut self, x: DoubleFloat, y: DoubleFloat) -> DoubleFloat {
        self.added(x, y, [Api::Sub, Api::Add])
    }

    fn added(&mut self, x: DoubleFloat, y: DoubleFloat, [add, undo]: [Api; 2]) -> DoubleFloat {
        let seq = &mut *self.seq;
        let high = seq.call(add, &[x.high, y.high]);
        let back = seq.sub(high, x.high);
        let of_x = seq.sub(high, back);
        let (of_x, of_y) = (seq.sub(x.high, of_x), seq.call(undo, &[y.high, back]));
        let mut low = seq.call(add, &[of_x, of_y]);
        low = x.low.map_or(low, |part| seq.call(Api::Add, &[low, part]));
        low = y.low.map_or(low, |part| seq.call(add, &[low, part]));
        DoubleFloat { high, low: Some(low), is_loose: x.low.is_some() || y.low.is_some() }
    }

    /// Emits `|x|`.
    pub fn size(&mut self, x: DoubleFloat) -> DoubleFloat {
        let minus = self.scaled(x, -1.0);
        self.chosen(Api::Max, x, minus)
    }

    /// Emits the smaller or the larger of two numbers, as `by` says.
    pub fn chosen(&mut self, by: Api, x: DoubleFloat, y: DoubleFloat) -> DoubleFloat {
        let high = self.seq.call(by, &[x.high, y.high]);
        let is_loose = x.is_loose || y.is_loose;
        if x.low.is_none() && y.low.is_none() {
            return DoubleFloat { high, low: None, is_loose };
        }
        let none = self.seq.splat(0.0);
        let equal = Source::Call(Api::Compare(Compare::Eq));
        let is_x = self.seq.push(equal, &[high, x.high], None, Type::Mask);
        let [of_x, of_y] = [x, y].map(|number| number.low.unwrap_or(none));
        DoubleFloat { high, low: Some(self.seq.call(Api::Select, &[is_x, of_x, of_y])), is_loose }
    }

    /// Emits the same number with what its upper part lost, if that is known, and with no more than half a unit there.
    pub fn argument(&mut self, x: DoubleFloat) -> DoubleFloat {
        let Some(low) = x.low else { return x };
        let low = self.known(low);
        if !x.is_loose {
            return DoubleFloat { low: Some(low), ..x };
        }
        let high = self.seq.call(Api::Add, &[x.high, low]);
        let added = self.seq.sub(high, x.high);
        let low = self.seq.sub(low, added);
        DoubleFloat { high, low: Some(self.known(low)), is_loose: false }
    }

    /// Emits `e^x`.
    pub fn exponential(&mut self, x: DoubleFloat) -> Val {
        let e = self.seq.exp(x.high);
        let Some(low) = x.low else { return e };
        let low = self.known(low);
        let more = self.seq.adds(low, 1.0);
        self.seq.mul(e, more)
    }

    /// Emits `e^x - 1`, where `less` is that of the upper part of `x`: `e^(v + r) - 1` is `m + r (m + 1)` with `m = e^v - 1`.
    pub fn exponential_less_one(&mut self, x: DoubleFloat, less: Val) -> Val {
        let Some(low) = x.low else { return less };
        let low = self.known(low);
        let more = self.seq.adds(low, 1.0);
        let product = self.seq.mul(less, more);
        self.seq.call(Api::Add, &[product, low])
    }

    /// Emits what an argument lost, or 0 where that is unknown.
    fn known(&mut self, low: Val) -> Val {
        let size = self.seq.abs(low);
        let below = Source::Call(Api::Compares(Compare::Lt));
        let is_known = self.seq.push(below, &[size], Some(MOST.into()), Type::Mask);
        let none = self.seq.splat(0.0);
        self.seq.call(Api::Select, &[is_known, low, none])
    }

    /// Emits `x y - product`, what the product of two values lost.
    fn error(&mut self, x: Val, y: Val, product: Val) -> Val {
        if self.fuses {
            let minus = self.seq.muls(product, -1.0);
            return self.seq.fused_mul_add(x, y, minus);
        }
        let ((a, b), (c, d)) = (self.halves(x), self.halves(y));
        let exact = self.seq.mul(a, c);
        let error = self.seq.sub(exact, product);
        // The lower half of `x` is multiplied by all of `y`, because `error` then needs no more than 12 bits of that product.
        [(a, d), (b, y)].into_iter().fold(error, |error, (x, y)| {
            let part = self.seq.mul(x, y);
            self.seq.call(Api::Add, &[error, part])
        })
    }

    /// Emits the upper 12 bits of a value and the rest.
    fn halves(&mut self, x: Val) -> (Val, Val) {
        let large = self.seq.muls(x, SPLIT);
        let more = self.seq.sub(large, x);
        let upper = self.seq.sub(large, more);
        (upper, self.seq.sub(x, upper))
    }
}

/// Returns what `float` loses of a number.
fn lost(c: f64) -> f64 {
    c - f64::from(c as f32)
}
