//! The fitted table, and its value by exactly the operations of an evaluator.

use crate::float::{fma, size, sum, sum_size, ulp};
use crate::function::Function;
use crate::grid::Grid;
use crate::judge::Rounded;
use crate::symmetry::Symmetry;

/// Maximum degree of a polynomial.
pub const MAX_DEGREE: usize = 10;

/// Position of the polynomials' centres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Centring {
    /// Each segment has its own centre, fitted with the coefficients, which takes one more look-up.
    Own,
    /// Integer multiples of a segment's width: `d = z - (first + i) back` by one FMA.
    Equal,
    /// Zero: `d = z`. For 16-bit types.
    Origin,
}

/// Treatment of numbers beyond an end of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `z` is clamped to the table, because the function has rounded to its limit there.
    Clamp,
    /// The value is computed otherwise: by the tail, or in f64.
    SlowPath,
    /// The numbers are outside the function's domain, so that the value is never used.
    Unused,
}

/// Layout and evaluation order that all segments of a table share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// How the function follows from the table's values.
    pub symmetry: Symmetry,
    /// Position of the polynomials' centres.
    pub centring: Centring,
    /// Degree of the polynomials.
    pub degree: usize,
    /// If not zero, the table has a column `high`, and the last step is `p + high d^power`.
    ///
    /// With the square's rounding error, `s + r = d^2`, the last step rounds hardly more than once:
    ///
    /// ```text
    /// 1: fma(d, high, p)    2: fma(s, high, fma(r, high, p))    3: fma(d, fma(s, high, r high), p)
    /// ```
    pub power: usize,
    /// True if the highest coefficient has 16 bits and is the lower half of the one below it.
    ///
    /// One look-up then returns both.
    pub pair: bool,
    /// True if values on the other side, by [`Symmetry::Point`] or [`Symmetry::Linear`], are rounded once.
    ///
    /// The symmetry is then part of the last step: `fma(-d, p, sum - a[0])`, `fma(d, p, a[0] + slope x)`.
    pub once: bool,
}

impl Design {
    /// Returns the last distance and the lowest coefficient on the other side of `z`.
    ///
    /// The third value is the rounding error of that coefficient.
    #[inline]
    fn turned(&self, z: f32, d: f32, lowest: f32) -> (f32, f32, f64) {
        let (last, product, addend) = match self.symmetry {
            Symmetry::Point { sum, .. } => (-d, sum as f64, -lowest),
            Symmetry::Linear { slope, .. } => {
                (d, -self.symmetry.sign() * slope as f64 * z as f64, lowest)
            }
            _ => return (d, lowest, 0.0),
        };
        let turned = sum(product, addend as f64);
        (last, turned, product + addend as f64 - turned as f64)
    }

    /// Number of look-ups.
    pub fn look_ups(&self) -> usize {
        let centre = (self.centring == Centring::Own) as usize;
        self.degree + 1 - self.pair as usize + centre + (self.power > 0) as usize
    }

    /// Number of vector operations besides look-ups, on SIMD levels that find the segment by one operation.
    pub fn operations(&self) -> usize {
        let centre = match self.centring {
            Centring::Own => 1,
            Centring::Equal => 2,
            Centring::Origin => 0,
        };
        let symmetry = match self.symmetry {
            Symmetry::None => 0,
            Symmetry::Even => 1,
            Symmetry::Odd => 2,
            Symmetry::Point { .. } if self.once => 4,
            Symmetry::Point { .. } | Symmetry::Linear { .. } => 3,
        };
        1 + self.degree + centre + symmetry + self.power + self.pair as usize
    }
}

/// One segment's polynomial `p(d) = a[0] + d (a[1] + d (a[2] + ..))`, `d = z - centre`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// A float at which the function's value is nearly a float.
    pub centre: f32,
    /// High part of the leading coefficient at a zero of the function, otherwise zero.
    ///
    /// The coefficient's place in `a` has its low part, so that the last operation adds little to a double-float product.
    pub high: f32,
    /// Coefficients, lowest power first.
    pub a: [f32; MAX_DEGREE + 1],
}

impl Segment {
    /// A segment that is zero everywhere.
    pub(crate) const EMPTY: Segment = Segment { centre: 0.0, high: 0.0, a: [0.0; MAX_DEGREE + 1] };

    /// Returns the table's value at a distance `d`.
    #[inline]
    pub fn at(&self, design: &Design, d: f32) -> f32 {
        self.by_last(design, d, d, self.a[0])
    }

    /// Returns the function's value on the other side, for a design that rounds it once.
    #[inline]
    fn turned(&self, design: &Design, z: f32, d: f32) -> f32 {
        let (last, lowest, _) = design.turned(z, d, self.a[0]);
        self.by_last(design, d, last, lowest)
    }

    /// Evaluates the polynomial at `d` with the last steps at `last`, and another lowest coefficient.
    #[inline]
    fn by_last(&self, design: &Design, d: f32, last: f32, lowest: f32) -> f32 {
        let mut k = design.degree;
        let mut p = self.a[k];
        while k > 1 {
            k -= 1;
            p = fma(p, d, self.a[k]);
        }
        p = fma(p, last, lowest);
        if design.power == 0 { p } else { self.with_high(design.power, last, p) }
    }

    /// Adds the high column, where the sum of the others is `p`.
    #[inline]
    fn with_high(&self, power: usize, d: f32, p: f32) -> f32 {
        let high = self.high;
        if power == 1 {
            return fma(d, high, p);
        }
        let square = d * d;
        let rest = fma(d, d, -square);
        if power == 2 {
            return fma(square, high, fma(rest, high, p));
        }
        fma(d, fma(square, high, rest * high), p)
    }

    /// Returns the polynomial at `z` in f64.
    pub(crate) fn exactly(&self, degree: usize, z: f64) -> f64 {
        let d = z - f64::from(self.centre);
        self.a[..=degree].iter().rev().fold(0.0, |p, a| p * d + f64::from(*a))
    }

    /// Returns the table's value at a distance `d`, with its rounding error.
    pub(crate) fn rounded(&self, design: &Design, d: f32) -> Rounded {
        self.rounded_by_last(design, d, d, self.a[0])
    }

    /// Returns the function's value on the other side with its rounding error, for a design that rounds it once.
    pub(crate) fn rounded_other(&self, design: &Design, z: f32) -> Rounded {
        let d = z - self.centre;
        let (last, lowest, lost) = design.turned(z, d, self.a[0]);
        let mut rounded = self.rounded_by_last(design, d, last, lowest);
        rounded.exact += lost;
        rounded.bound += size(lost);
        rounded
    }

    fn rounded_by_last(&self, design: &Design, d: f32, last: f32, lowest: f32) -> Rounded {
        let mut far = d as f64;
        let high = self.high as f64;
        let mut k = design.degree;
        let mut value = self.a[k];
        let (mut exact, mut bound) = (value as f64, 0.0);
        while k > 0 {
            k -= 1;
            let mut a = self.a[k] as f64;
            if k == 0 {
                (far, a) = (last as f64, lowest as f64);
            }
            let product = value as f64 * far;
            exact = exact * far + a;
            bound = bound * size(far) + 0.5 * ulp(sum_size(product, a));
            value = sum(product, a);
        }
        if design.power == 0 {
            return Rounded { value, exact, bound };
        }
        value = self.with_high(design.power, last, value);
        exact += (0..design.power).fold(high, |product, _| product * far);
        let last = if high == 0.0 { 0.0 } else { 0.5 * ulp(value as f64) };
        Rounded { value, exact, bound: bound + last }
    }
}

/// A fitted function.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Layout and evaluation order of the segments.
    pub design: Design,
    /// Borders of the segments.
    pub grid: Grid,
    /// Polynomials of the segments.
    pub segments: Vec<Segment>,
    /// Least `z` inside the table.
    pub low: f32,
    /// Least `z` beyond the table.
    pub high: f32,
    /// Treatment of numbers below `low` (which symmetric tables never have), and from `high` on.
    pub ends: [End; 2],
    /// Largest error found while fitting, in units in the last place of f32.
    ///
    /// For 16-bit types it is in units of the result.
    pub ulp: f64,
}

impl Table {
    /// Returns the value at `x` by the same operations, in the same order, as an evaluator.
    ///
    /// Returns `None` where the evaluator takes the slow path, and outside the domain. NaN is NaN.
    #[inline]
    pub fn eval(&self, x: f32) -> Option<f32> {
        let mut z = self.design.symmetry.fold(x);
        if z >= self.high {
            if !matches!(self.ends[1], End::Clamp) {
                return None;
            }
            z = self.high.next_down();
        } else if z < self.low {
            if !matches!(self.ends[0], End::Clamp) {
                return None;
            }
            z = self.low;
        } else if z.is_nan() {
            return Some(z);
        }
        let i = self.grid.segment(z) as usize;
        let segment = &self.segments[i];
        let d = match self.design.centring {
            Centring::Own => z - segment.centre,
            Centring::Equal => fma((self.grid.first + i as i32) as f32, -self.back(), z),
            Centring::Origin => z,
        };
        if self.design.once && self.design.symmetry.is_other(x) {
            return Some(segment.turned(&self.design, x.abs(), d));
        }
        Some(self.design.symmetry.finish(segment.at(&self.design, d), x))
    }

    /// Distance from zero at which the table ends on a side, if the slow path follows.
    pub fn leaves(&self, sign: f64) -> Option<f32> {
        let slow = |end: usize, at: f32| (self.ends[end] == End::SlowPath).then_some(at);
        match self.design.symmetry {
            Symmetry::None if sign < 0.0 => slow(0, -self.low),
            symmetry if symmetry == Symmetry::None || symmetry.sign() == sign => slow(1, self.high),
            _ => None,
        }
    }

    /// Ends the table where values that are multiplied leave the range of look-ups.
    pub(crate) fn in_range(self, function: &Function) -> Table {
        let (low, high, ends) =
            in_range(function, self.design.symmetry, [self.low, self.high], self.ends);
        Table { low, high, ends, ..self }
    }

    /// Width of a segment as a float, by which [`Centring::Equal`] finds centres.
    pub fn back(&self) -> f32 {
        1.0 / self.grid.scale
    }

    /// Coefficient `k` of every segment.
    pub fn column(&self, k: usize) -> Vec<f32> {
        self.segments.iter().map(|s| s.a[k]).collect()
    }

    /// All floats that an evaluator looks up or compares with, in a fixed order.
    pub fn floats(&self) -> impl Iterator<Item = f32> + '_ {
        let whole = [self.grid.scale, self.low, self.high];
        let segments = self.segments.iter().flat_map(|s| {
            [s.centre, s.high].into_iter().chain(s.a[..=self.design.degree].iter().copied())
        });
        whole.into_iter().chain(segments)
    }
}

/// Returns the ends of a table, for values that are multiplied.
///
/// They are moved to where such values leave the range of look-ups, if that is nearer.
pub(crate) fn in_range(
    function: &Function,
    symmetry: Symmetry,
    [mut low, mut high]: [f32; 2],
    mut ends: [End; 2],
) -> (f32, f32, [End; 2]) {
    let [left, right] = [-1.0, 1.0].map(|sign| function.in_range(symmetry.sign() * sign) as f32);
    if right < high {
        (high, ends[1]) = (right, End::SlowPath);
    }
    if symmetry == Symmetry::None && -left > low {
        (low, ends[0]) = (-left, End::SlowPath);
    }
    (low, high, ends)
}
