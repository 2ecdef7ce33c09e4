//! A number whose exponent is too large to be stored, for example `e^(e^(10^38))`.
//!
//! Formulas meet such numbers on the way to ordinary results: `tanh(e^x)` written as `1 - 2/(1 + e^(2 e^x))` has the
//! slope `4 e^x E/(1 + E)^2`, which vanishes where `E` is such a number.
//!
//! A number that no [`Ball`] can represent is stored as a ball times a power of `e^log`. Powers of the same exponential cancel; for
//! different ones the logarithms decide which is larger.

use crate::ball::Ball;
use crate::inverse::erfinv;
use crate::real::{Gamma, Real};
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::rc::Rc;

/// A number with a bound of its error, whose exponent may have any magnitude.
#[derive(Clone, Debug)]
pub enum Tower {
    /// A number within the range of [`Ball`], an interval with a midpoint and a radius.
    Ball(Ball),
    /// `head * e^(power * log)`: an exponential and its factor.
    ///
    /// The exponential is so large or small that multiplication by `head` does not bring it into the range of a ball.
    Power {
        /// Factor `head` that the exponential is multiplied by.
        head: Ball,
        /// Exponent of `e^log`; never 0.
        power: i32,
        /// Natural logarithm of the exponential's base: positive, and beyond the range of [`Ball::exp`].
        log: Rc<Tower>,
    },
}

use Tower::Power;

impl Tower {
    /// Returns `v` without error; operations on the result are rounded to `precision` bits.
    pub fn exact(v: f64, precision: usize) -> Tower {
        Tower::Ball(Ball::exact(v, precision))
    }

    /// Converts to f64; NaN for a number that is undefined or unknown.
    pub fn to_f64(&self) -> f64 {
        match self {
            Tower::Ball(x) => x.to_f64(),
            Power { head, power, .. } if *power > 0 && head.is_negative() => f64::NEG_INFINITY,
            Power { power, .. } => {
                if *power > 0 {
                    f64::INFINITY
                } else {
                    0.0
                }
            }
        }
    }

    /// Returns whether nothing is known of this number.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Tower::Ball(x) if x.is_unknown())
    }

    /// Returns whether this number is about 0, as a sum is whose digits have all cancelled.
    pub(crate) fn cancels(&self) -> bool {
        matches!(self, Tower::Ball(x) if !x.is_unknown() && x.to_f64() == 0.0)
    }

    /// Returns whether at least `bits` leading bits are correct.
    ///
    /// The result is also true for a number beyond the range of f64, because no bits are needed there.
    pub fn has_bits(&self, bits: f64) -> bool {
        matches!(self, Tower::Ball(x) if x.has_bits(bits)) || matches!(self, Power { .. })
    }

    /// Returns `head * e^(power * log)`, as a ball if that is possible.
    fn power(head: Ball, power: i32, log: &Rc<Tower>) -> Tower {
        match head.sign() {
            _ if power == 0 => Tower::Ball(head),
            None if head.is_nan() => Tower::Ball(head),
            None => Tower::Ball(head.unknown()),
            Some(Ordering::Equal) => Tower::Ball(head),
            _ if head.is_infinite() => Tower::Ball(head),
            _ if !head.is_moderate() => {
                let size = Tower::Ball(head.abs().ln()) + times(log, power);
                let size = size.exp();
                if head.is_negative() { -size } else { size }
            }
            Some(_) => Power { head, power, log: log.clone() },
        }
    }

    /// Returns `(head, power, log)` of a number `head * e^(power * log)`.
    ///
    /// A number without an exponential is its own head, with power 0 and no `log`.
    fn parts(&self) -> (&Ball, i32, Option<&Rc<Tower>>) {
        match self {
            Tower::Ball(x) => (x, 0, None),
            Power { head, power, log } => (head, *power, Some(log)),
        }
    }

    /// Returns `self * y^sign`, where `sign` is 1 or -1, given the `head` of the result.
    ///
    /// A number is `head * e^(power * log)`. The given `head` is that of `self` times that of `y` to the power `sign`.
    fn times(&self, y: &Tower, head: Ball, sign: i32) -> Tower {
        let ((_, p, a), (_, q, b)) = (self.parts(), y.parts());
        match (a, b) {
            (None, None) => Tower::Ball(head),
            (Some(log), None) => Tower::power(head, p, log),
            (None, Some(log)) => Tower::power(head, sign * q, log),
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => Tower::power(head, p + sign * q, a),
            (Some(a), Some(b)) => {
                let power = (times(a, p) + times(b, sign * q)).exp();
                match power.parts() {
                    (one, power, Some(log)) => Tower::power(one.clone() * head, power, log),
                    (power, ..) => Tower::Ball(power.clone() * head),
                }
            }
        }
    }

    /// Returns `self + y`, where at least one number is an exponential out of the range of a ball.
    ///
    /// Unless both have the same exponential, the smaller number is negligible next to the larger.
    fn plus(&self, y: &Tower) -> Tower {
        if let ((a, p, Some(log)), (b, q, Some(other))) = (self.parts(), y.parts())
            && p == q
            && Rc::ptr_eq(log, other)
        {
            return Tower::power(a.clone() + b.clone(), p, log);
        }
        let apart = self.abs().ln() - y.abs().ln();
        let enough = self.num(f64::from(1 << 16));
        let is_more = |d: &Tower| d.compare(&enough) == Some(Ordering::Greater);
        match () {
            _ if is_more(&apart) => self.blurred(),
            _ if is_more(&-apart) => y.blurred(),
            _ => self.unknown(),
        }
    }

    /// Returns true for a number closer to 0 than any [`Ball`] can be, false for one larger than any ball.
    ///
    /// Returns `None` for a number that a ball can represent.
    fn vanishes(&self) -> Option<bool> {
        let (_, power, log) = self.parts();
        log.map(|_| power < 0)
    }

    /// Returns this number with a larger error bound, for a sum that leaves out a negligible term.
    fn blurred(&self) -> Tower {
        match self {
            Tower::Ball(x) => Tower::Ball(x.blurred()),
            Power { head, power, log } => {
                Power { head: head.blurred(), power: *power, log: log.clone() }
            }
        }
    }

    /// Calls `here` for a number that a [`Ball`] can represent, else `near` or `far`.
    ///
    /// `near` is for a number closer to 0 than any ball can be, `far` for one larger than any ball.
    fn by_size(
        &self,
        here: impl FnOnce(&Ball) -> Tower,
        near: impl FnOnce() -> Tower,
        far: impl FnOnce() -> Tower,
    ) -> Tower {
        match (self, self.vanishes()) {
            (Tower::Ball(x), _) => here(x),
            (_, Some(true)) => near(),
            _ => far(),
        }
    }
}

/// Returns `k * x`.
fn times(x: &Rc<Tower>, k: i32) -> Tower {
    Tower::clone(x) * x.num(k.into())
}

impl Neg for Tower {
    type Output = Tower;
    fn neg(self) -> Tower {
        match self {
            Tower::Ball(x) => Tower::Ball(-x),
            Power { head, power, log } => Power { head: -head, power, log },
        }
    }
}

impl Add for Tower {
    type Output = Tower;
    fn add(self, y: Tower) -> Tower {
        let (power, ball) = match (self, y) {
            (Tower::Ball(a), Tower::Ball(b)) => return Tower::Ball(a + b),
            (a @ Power { .. }, b @ Power { .. }) => return a.plus(&b),
            (power, Tower::Ball(ball)) | (Tower::Ball(ball), power) => (power, ball),
        };
        match power.vanishes() {
            _ if ball.is_nan() || ball.is_infinite() || ball.is_unknown() => Tower::Ball(ball),
            _ if ball.is_exact_zero() => power,
            _ if !ball.is_moderate() => power.plus(&Tower::Ball(ball)),
            Some(true) => Tower::Ball(ball.blurred()),
            _ => power.blurred(),
        }
    }
}

impl Sub for Tower {
    type Output = Tower;
    fn sub(self, y: Tower) -> Tower {
        self + -y
    }
}

impl Mul for Tower {
    type Output = Tower;
    fn mul(self, y: Tower) -> Tower {
        let head = self.parts().0.clone() * y.parts().0.clone();
        self.times(&y, head, 1)
    }
}

impl Div for Tower {
    type Output = Tower;
    fn div(self, y: Tower) -> Tower {
        let head = self.parts().0.clone() / y.parts().0.clone();
        self.times(&y, head, -1)
    }
}

impl Real for Tower {
    fn num(&self, v: f64) -> Tower {
        Tower::Ball(self.parts().0.num(v))
    }

    fn pi(&self) -> Tower {
        Tower::Ball(self.parts().0.pi())
    }

    fn is_nan(&self) -> bool {
        self.parts().0.is_nan()
    }

    fn exactly(&self) -> Option<f64> {
        if let Tower::Ball(x) = self { x.exactly() } else { None }
    }

    fn is_exact_zero(&self) -> bool {
        matches!(self, Tower::Ball(x) if x.is_exact_zero())
    }

    fn is_below(&self, power: f64) -> bool {
        match self {
            Tower::Ball(x) => x.is_below(power),
            Power { power, .. } => *power < 0,
        }
    }

    fn sign(&self) -> Option<Ordering> {
        self.parts().0.sign()
    }

    fn is_negative(&self) -> bool {
        self.parts().0.is_negative()
    }

    fn about(&self) -> f64 {
        self.to_f64()
    }

    fn within(&self, by: f64) -> Tower {
        match self.vanishes() {
            Some(true) => self.num(0.0).within(2.0 * by),
            _ => self.by_size(|x| Tower::Ball(x.within(by)), || self.blurred(), || self.blurred()),
        }
    }

    fn unknown(&self) -> Tower {
        Tower::Ball(self.parts().0.unknown())
    }

    fn compare(&self, other: &Tower) -> Option<Ordering> {
        match (self, other) {
            (Tower::Ball(x), Tower::Ball(y)) => x.compare(y),
            _ => (self.clone() - other.clone()).sign(),
        }
    }

    fn sqrt(&self) -> Tower {
        match self {
            Tower::Ball(x) => Tower::Ball(x.sqrt()),
            Power { head, power, log } if power % 2 == 0 => {
                Tower::power(head.sqrt(), power / 2, log)
            }
            Power { head, power, log } => {
                let half = Tower::clone(log) * self.num(0.5);
                Tower::power(head.sqrt(), *power, &Rc::new(half))
            }
        }
    }

    fn exp(&self) -> Tower {
        let one = || self.num(1.0);
        let beyond = || {
            let power = if self.is_negative() { -1 } else { 1 };
            Power { head: self.parts().0.num(1.0), power, log: Rc::new(self.abs()) }
        };
        let here = |x: &Ball| if x.has_exp() { Tower::Ball(x.exp()) } else { beyond() };
        self.by_size(here, || one().blurred(), beyond)
    }

    fn expm1(&self) -> Tower {
        let far = || self.exp() - self.num(1.0);
        let here = |x: &Ball| if x.has_exp() { Tower::Ball(x.expm1()) } else { far() };
        self.by_size(here, || self.blurred(), far)
    }

    fn ln(&self) -> Tower {
        match self {
            Tower::Ball(x) => Tower::Ball(x.ln()),
            Power { head, .. } if head.is_negative() => self.num(f64::NAN),
            Power { head, power, log } => times(log, *power) + Tower::Ball(head.ln()),
        }
    }

    fn log1p(&self) -> Tower {
        let far = || (self.clone() + self.num(1.0)).ln();
        self.by_size(|x| Tower::Ball(x.log1p()), || self.blurred(), far)
    }

    fn erf(&self) -> Tower {
        let far = || {
            let one = self.num(1.0) - self.abs().erfc();
            if self.is_negative() { -one } else { one }
        };
        let here = |x: &Ball| match (x.clone() * x.clone()).has_exp() {
            true => Tower::Ball(x.erf()),
            false => far(),
        };
        let near = || self.num(2.0) / self.pi().sqrt() * self.blurred();
        self.by_size(here, near, far)
    }

    fn erfc(&self) -> Tower {
        let far = || match self.is_negative() {
            true => self.num(2.0) - (-self.clone()).erfc(),
            // Only the first term of the asymptotic series is needed, since the others are smaller than any ball's
            // error.
            false => {
                let square = self.clone() * self.clone();
                (-square).exp() / (self.clone() * self.pi().sqrt())
            }
        };
        let here = |x: &Ball| match (x.clone() * x.clone()).has_exp() {
            true => Tower::Ball(x.erfc()),
            false => far(),
        };
        self.by_size(here, || self.num(1.0).blurred(), far)
    }

    fn erfinv(&self) -> Tower {
        erfinv(self)
    }

    fn gamma(&self, order: Gamma) -> Tower {
        let one = || self.num(1.0);
        let near = || match order {
            Gamma::Log => -self.abs().ln(),
            Gamma::Digamma => -one() / self.clone(),
            Gamma::Trigamma => one() / (self.clone() * self.clone()),
        };
        let far = || match order {
            _ if self.is_negative() => self.unknown(),
            Gamma::Log => self.clone() * (self.ln() - one()),
            Gamma::Digamma => self.ln(),
            Gamma::Trigamma => one() / self.clone(),
        };
        self.by_size(|x| Tower::Ball(x.gamma(order)), || near().blurred(), || far().blurred())
    }

    fn sin(&self) -> Tower {
        self.by_size(|x| Tower::Ball(x.sin()), || self.blurred(), || self.unknown())
    }

    fn cos(&self) -> Tower {
        let one = || self.num(1.0).blurred();
        self.by_size(|x| Tower::Ball(x.cos()), one, || self.unknown())
    }

    fn atan(&self) -> Tower {
        let far = || {
            let right = self.pi() * self.num(0.5) - self.num(1.0) / self.abs();
            if self.is_negative() { -right } else { right }
        };
        self.by_size(|x| Tower::Ball(x.atan()), || self.blurred(), far)
    }
}
