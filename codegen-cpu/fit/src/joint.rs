//! Joint table of a function and its derivative, and its values by exactly the operations of an evaluator.
//!
//! Both come from one grid, and one centre and one polynomial per segment. With `x'` for `x` on the table's own side and
//! `d = x' - centre`, so that `d` grows with `x`:
//!
//! ```text
//! r = a[2] + d (a[3] + ..)     r' its derivative, beside it
//! f  = a[0] + d (a[1] + d r)
//! f' = a[1] + d (2 r + d r')
//! ```
//!
//! The symmetry is then applied to each. A sum loses digits where it has no large term. Columns of high parts and other evaluation
//! orders keep these digits, for functions where this happens: see [`Steps`].

mod differs;
mod pair;
mod place;
mod search;
mod segment;
mod value;

use crate::float::fma;
use crate::function::Function;
use crate::grid::Grid;
use crate::symmetry::Symmetry;
use crate::table::{End, MAX_DEGREE};
use value::Value;

/// How a joint table treats zeros of the derivative.
///
/// With `d` the distance from such a zero and `a` the coefficients of the function's polynomial, `f' = d b`, where the bend `b`
/// is `2 a[2]` plus a multiple of `d`. The error of the bend is therefore the error of the derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// The bend at the centre, `2 a[2]`, is a plain float, so that the table needs no column for its high part.
    Plain,
    /// Twice the coefficient `a[2]` of `d^2` is a double-float at a zero of the derivative.
    ///
    /// `d` is the distance from the zero. The high part is in a column of its own, and `a[2]` has the low part; in segments
    /// without such a zero the column is zero. The last operation then adds little to a double-float product. The cost is one
    /// look-up and two operations.
    High,
    /// As `High`, for a function that has a double zero where its derivative is zero.
    ///
    /// The last step of the function adds half the high part times `d^2`, with the square as a double-float. The cost is one
    /// look-up and six operations.
    Double,
}

/// Layout and evaluation order that all segments of a joint table share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Symmetry of the function; the derivative has [`Symmetry::derivative`].
    pub symmetry: Symmetry,
    /// Degree of the function's polynomials.
    pub degree: usize,
    /// True if `a[1]`, the slope at the centre, is a double-float at zeros of the function.
    ///
    /// Its high part is in a column of the table (one number per segment), and `a[1]` has the low part. In segments without a
    /// zero the column is zero.
    pub slope: bool,
    /// True if the derivative is summed in a more accurate order, at one more operation.
    ///
    /// With `d` the distance from the centre, `r = a[2] + d (a[3] + ..)` and its derivative `r'`, the derivative is `f' = a[1] + d b`
    /// with `b = 2 r + d r'`. With `r = a[2] + d q`, the more accurate order is `b = 2 a[2] + d (3 q + d q')`. Computed directly, the
    /// error of `b` is twice that of `r`. In the more accurate order it is only that of the last rounding.
    pub thrice: bool,
    /// How the derivative stays accurate near its zeros.
    pub bend: Bend,
}

impl Steps {
    /// Returns true if the table has a column with high parts of `2 a[2]`.
    ///
    /// `a[2]` is the coefficient of the squared distance from the centre. Its high part keeps digits at zeros of the
    /// derivative.
    pub fn has_bend(&self) -> bool {
        self.bend != Bend::Plain
    }

    /// Number of look-ups that evaluate the function and its derivative.
    pub fn look_ups(&self) -> usize {
        self.degree + 2 + self.slope as usize + self.has_bend() as usize
    }

    /// Number of vector operations besides look-ups, on SIMD levels that find the segment by one operation.
    pub fn operations(&self) -> usize {
        let symmetry = match self.symmetry {
            Symmetry::None => 0,
            Symmetry::Even | Symmetry::Odd => 2,
            Symmetry::Point { .. } => 3,
            Symmetry::Linear { .. } => 4,
        };
        let slope = if self.slope { 2 } else { 0 };
        let bend = match self.bend {
            Bend::Plain => 0,
            Bend::High => 2,
            Bend::Double => 6,
        };
        2 + 2 * self.degree + symmetry + slope + self.thrice as usize + bend
    }
}

/// One segment's polynomial `a[0] + d (a[1] + ..)`, with `d` the distance from `centre`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Argument about which the polynomial is expanded: a float at which the function and its derivative are nearly floats.
    pub centre: f32,
    /// High part of `a[1]`, the slope, if the centre is at a zero of the function, otherwise zero.
    pub slope: f32,
    /// High part of `2 a[2]` if the centre is at a zero of the derivative, otherwise zero.
    pub bend: f32,
    /// Coefficients of the segment's polynomial, lowest power first.
    pub a: [f32; MAX_DEGREE + 1],
}

impl Joint {
    /// Shortens the table to where the function's values stay between 2^-80 and 2^80.
    ///
    /// They are multiplied by attributes, and products of values further out may leave the range of f32.
    pub(crate) fn in_range(self, function: &Function) -> Joint {
        let (low, high, ends) =
            function.ends_in_range(self.steps.symmetry, [self.low, self.high], self.ends);
        Joint { low, high, ends, ..self }
    }
}

impl Piece {
    /// A segment that is zero everywhere.
    pub(crate) const EMPTY: Piece =
        Piece { centre: 0.0, slope: 0.0, bend: 0.0, a: [0.0; MAX_DEGREE + 1] };

    /// Returns the distance of `x` from the centre, given the table's variable `z` (`|x|` or `x`).
    ///
    /// The distance grows with `x`, also if the table describes negative `x`. At zero it has the sign that `x` has on the side
    /// that the table describes, as the centre there has.
    #[inline]
    pub fn distance(&self, steps: &Steps, z: f32) -> f32 {
        if steps.symmetry.sign() < 0.0 { self.centre - z } else { z - self.centre }
    }

    /// Returns the function and its derivative at distance `d`, without the high part of the slope `a[1]`.
    #[inline(always)]
    fn sums<V: Value>(&self, steps: &Steps, d: f32) -> (V, V) {
        let a = |k: usize| V::exact(self.a[k]);
        let down = if steps.thrice { 3 } else { 2 };
        let mut r = a(steps.degree);
        let mut slope = V::exact(0.0);
        let mut k = steps.degree;
        while k > down {
            slope = if k == steps.degree { r } else { slope.through(d, r) };
            k -= 1;
            r = r.through(d, a(k));
        }
        let bend = if steps.thrice {
            let q = r;
            r = q.through(d, a(2));
            slope.through(d, q.times(3.0)).through(d, a(2).times(2.0))
        } else {
            slope.through(d, r.times(2.0))
        };
        let derivative = bend.through(d, a(1));
        let sum = |r: V| r.through(d, a(1)).through(d, a(0));
        let high = V::exact(self.bend);
        match steps.bend {
            Bend::Plain => (sum(r), derivative),
            Bend::High => (sum(high.through(0.5, r)), high.through(d, derivative)),
            Bend::Double => {
                let (half, square) = (high.times(0.5), d * d);
                let rest = fma(d, d, -square);
                (half.through(square, half.through(rest, sum(r))), high.through(d, derivative))
            }
        }
    }

    /// Returns the function and its derivative at distance `d` from the centre, before symmetry applies.
    #[inline(always)]
    fn own<V: Value>(&self, steps: &Steps, d: f32) -> (V, V) {
        let (f, derivative) = self.sums::<V>(steps, d);
        match steps.slope {
            true => (V::exact(self.slope).through(d, f), derivative.plus(self.slope)),
            false => (f, derivative),
        }
    }

    /// Returns the function and its derivative at `x`, where the table's variable is `z`.
    #[inline]
    fn at(&self, steps: &Steps, z: f32, x: f32) -> (f32, f32) {
        let (f, derivative) = self.own(steps, self.distance(steps, z));
        let symmetry = steps.symmetry;
        (symmetry.finish(f, x), symmetry.derivative().finish(derivative, x))
    }
}

/// Joint table: polynomials from which a function and its derivative are computed together.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Layout and evaluation order of the segments.
    pub steps: Steps,
    /// Grid that divides the table's range into segments.
    pub grid: Grid,
    /// Polynomials of the segments, in the order of the grid.
    pub segments: Vec<Piece>,
    /// Least `z` in the table's range, where `z` is `x` or, with a symmetry, `|x|`.
    pub low: f32,
    /// Least `z` beyond the table's range, which is `low <= z < high`.
    pub high: f32,
    /// Treatment of `z` below `low` and from `high` on: [`End::SlowPath`] or [`End::Unused`].
    ///
    /// Arguments are never clamped, because hardly any function is constant where its derivative is.
    pub ends: [End; 2],
    /// Largest error found while fitting, of function and derivative, in units in the last place.
    pub ulp: f64,
}

impl Joint {
    /// Returns the function and its derivative at `x` by the same operations as the vector code.
    ///
    /// The order of the operations is the same, too. Returns `None` outside the table. Both results are NaN if `x` is.
    #[inline]
    pub fn eval(&self, x: f32) -> Option<(f32, f32)> {
        let z = self.steps.symmetry.fold(x);
        if z.is_nan() {
            return Some((z, z));
        }
        let inside = z >= self.low && z < self.high;
        let segment = inside.then(|| &self.segments[self.grid.segment(z) as usize])?;
        Some(segment.at(&self.steps, z, x))
    }

    /// All floats of the table that vector code looks up or compares with, in a fixed order.
    pub fn floats(&self) -> impl Iterator<Item = f32> + '_ {
        let whole = [self.grid.scale, self.low, self.high];
        let segments = self.segments.iter().flat_map(|s| {
            let own = [s.centre, s.slope, s.bend];
            own.into_iter().chain(s.a[..=self.steps.degree].iter().copied())
        });
        whole.into_iter().chain(segments)
    }
}
