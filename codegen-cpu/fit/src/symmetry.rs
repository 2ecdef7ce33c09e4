//! Relations between the two halves of a function.

use crate::float::{fma, sum_bound, ulp};
use crate::oracle::Known;
use crate::rounded::Rounded;

/// The half of a function that a table describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `x` with its sign bit set, including -0.
    Negative,
    /// `x` with its sign bit clear.
    Positive,
}

/// How a function of `x` follows from a table of `z = |x|` that describes one side of zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symmetry {
    /// No symmetry: the table is a function of `x` itself.
    None,
    /// `f(-x) = f(x)`.
    Even,
    /// `f(-x) = -f(x)`: the sign of `x` is transferred to the table's value.
    Odd,
    /// `f(x) + f(-x) = sum`: on the side without the table the function is `sum` minus the table's value.
    Point {
        /// The constant `f(x) + f(-x)`.
        sum: f32,
        /// Side on which the table's value is the function's.
        side: Side,
    },
    /// `f(x) - f(-x) = slope x`: on the side without the table, `slope x` is added to the table's value.
    ///
    /// The addition is an FMA.
    Linear {
        /// The constant ratio of `f(x) - f(-x)` to `x`.
        slope: f32,
        /// Side on which the table's value is the function's.
        side: Side,
    },
}

impl Symmetry {
    /// Returns the table's variable for `x`: `x` itself or `|x|`.
    #[inline]
    pub fn fold(self, x: f32) -> f32 {
        if matches!(self, Symmetry::None) { x } else { x.abs() }
    }

    /// Returns true if the function at `x` is a sum with the table's value, not the value itself.
    ///
    /// That is so for [`Symmetry::Point`] and [`Symmetry::Linear`], on the side that the table does not describe.
    #[inline]
    pub fn is_other(self, x: f32) -> bool {
        match self {
            Symmetry::Point { side, .. } | Symmetry::Linear { side, .. } => {
                x.is_sign_negative() != matches!(side, Side::Negative)
            }
            _ => false,
        }
    }

    /// Returns the function's value at `x` from the table's value `p`.
    #[inline]
    pub fn finish(self, p: f32, x: f32) -> f32 {
        match self {
            Symmetry::Odd if x.is_sign_negative() => -p,
            Symmetry::Point { sum, .. } if self.is_other(x) => sum - p,
            Symmetry::Linear { slope, .. } if self.is_other(x) => fma(slope, x, p),
            _ => p,
        }
    }

    /// Returns true if the symmetry can be part of the last step of a polynomial's evaluation.
    pub(crate) fn once(self) -> bool {
        matches!(self, Symmetry::Point { .. } | Symmetry::Linear { .. })
    }

    /// Returns a bound of the rounding error of `finish` on the side of zero without a table.
    ///
    /// With a symmetry, a table describes one side of zero only. The table's value at `z = |x|` is `p`.
    pub(crate) fn finish_bound(self, p: f32, z: f32) -> f64 {
        match self {
            Symmetry::None | Symmetry::Even | Symmetry::Odd => 0.0,
            Symmetry::Point { sum, .. } => sum_bound(sum, -p),
            Symmetry::Linear { slope, .. } => {
                let x = -z * self.sign() as f32;
                let line = slope * x;
                match f64::from(slope) * f64::from(x) == f64::from(line) {
                    true => sum_bound(line, p),
                    false => 0.5 * ulp(self.finish(p, x).into()),
                }
            }
        }
    }

    /// Returns the function on the side of zero without a table, with its rounding error.
    ///
    /// With a symmetry, a table describes one side of zero only. `at` is the table's value at `z = |x|`.
    pub(crate) fn rounded(self, z: f32, at: Rounded) -> Rounded {
        let Rounded { value, exact, bound } = at;
        Rounded {
            value: self.finish(value, -z * self.sign() as f32),
            exact: self.other(exact, z.into()).unwrap_or(exact),
            bound: bound + self.finish_bound(value, z),
        }
    }

    /// Returns the symmetry of the function's derivative, for a table of the same side of zero.
    #[inline]
    pub fn derivative(self) -> Symmetry {
        match self {
            Symmetry::None => Symmetry::None,
            Symmetry::Even => Symmetry::Odd,
            Symmetry::Odd | Symmetry::Point { .. } => Symmetry::Even,
            Symmetry::Linear { slope, side } => Symmetry::Point { sum: slope, side },
        }
    }

    /// Returns true if the function at `x` falls where the table's value rises.
    pub(crate) fn turns(self, x: f32) -> bool {
        match self {
            Symmetry::Odd => x.is_sign_negative(),
            Symmetry::Point { side, .. } => x.is_sign_negative() != (side == Side::Negative),
            _ => false,
        }
    }

    /// Returns the sign of `x` on the side where the table's value is the function's.
    #[inline]
    pub fn sign(self) -> f64 {
        match self {
            Symmetry::Point { side: Side::Negative, .. }
            | Symmetry::Linear { side: Side::Negative, .. } => -1.0,
            _ => 1.0,
        }
    }

    /// Converts the function's value `g` on one side of zero to its value on the other side.
    ///
    /// `g` is the value at `|x| = z` on the side that the table describes. Returns `None` if both sides are rounded in the same
    /// way.
    #[inline]
    pub(crate) fn other(self, g: f64, z: f64) -> Option<f64> {
        match self {
            Symmetry::Point { sum, .. } => Some(sum as f64 - g),
            Symmetry::Linear { slope, .. } => Some(g - self.sign() * slope as f64 * z),
            _ => None,
        }
    }
}

/// Arguments at which symmetry is tested: magnitudes that activations usually have, and no round numbers.
pub(crate) const PLACES: [f64; 14] = [
    0.003_1, 0.028, 0.117, 0.253, 0.419, 0.683, 0.951, 1.337, 1.789, 2.471, 3.317, 4.523, 6.131,
    8.719,
];

/// Finds the symmetry of a function by comparing values at some `x` up to `end` and at `-x`.
///
/// An identity counts as exact if it holds to twelve digits. Later digits do not matter, because a table describes one side
/// only and has the digits of that side.
pub(crate) fn find(end: f64, values: &dyn Fn(&[f64]) -> Vec<Known>) -> Symmetry {
    let places = PLACES.map(|x| x * (end / 9.0).min(1.0));
    let right = values(&places);
    let left = values(&places.map(|x| -x));
    let pairs: Vec<_> = places.iter().zip(left.iter().zip(&right)).collect();
    // Returns true if `of` is zero at all places, within the known errors of the values.
    let always = |of: &dyn Fn(f64, f64, f64) -> f64| {
        pairs.iter().all(|(x, (l, r))| {
            let known = l.error + r.error + 1e-12 * (l.value.abs() + r.value.abs());
            of(**x, l.value, r.value).abs() <= known
        })
    };
    let (x, (l, r)) = pairs[6];
    if always(&|_, l, r| r - l) {
        return Symmetry::Even;
    }
    if always(&|_, l, r| r + l) {
        return Symmetry::Odd;
    }
    let sizes = |of: &[Known]| of.iter().map(|k| k.value.abs()).sum::<f64>();
    let side = if sizes(&left) < sizes(&right) { Side::Negative } else { Side::Positive };
    let sum = (r.value + l.value) as f32;
    if always(&|_, l, r| r + l - sum as f64) {
        return Symmetry::Point { sum, side };
    }
    let slope = ((r.value - l.value) / x) as f32;
    if always(&|x, l, r| r - l - slope as f64 * x) {
        return Symmetry::Linear { slope, side };
    }
    Symmetry::None
}
