//! The fitted table, and its value by exactly the operations of an evaluator.

use crate::float::{fma, size, sum, sum_size, ulp};
use crate::grid::Grid;
use crate::rounded::Rounded;
use crate::symmetry::Symmetry;

/// Maximum degree of a polynomial.
pub const MAX_DEGREE: usize = 10;

/// Where the centres of the segments' polynomials are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Centring {
    /// Each segment has its own centre, fitted with the coefficients, which takes one more look-up.
    Own,
    /// Integer multiples of a segment's width, so that no centres are looked up.
    ///
    /// The polynomial of segment `i` is in powers of `d = z - (first + i) width`, computed by one FMA, where `first` is the
    /// number of the table's first segment ([`Grid::first`]).
    Equal,
    /// Zero: all polynomials are in powers of the variable `z` itself. For 16-bit types.
    Origin,
}

/// How arguments beyond an end of the table are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The argument is clamped to the table, because the function has rounded to its limit there.
    Clamp,
    /// The value is computed by the slow path: by the tail (approximation beyond the table), or in f64.
    SlowPath,
    /// The arguments are outside the function's domain, so that the value is never used.
    Unused,
}

/// Layout and evaluation order that all segments of a table share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// How the function follows from the table's values.
    pub symmetry: Symmetry,
    /// Where the centres of the segments' polynomials are.
    pub centring: Centring,
    /// Degree of the segments' polynomials.
    pub degree: usize,
    /// Power of `d` whose coefficient is a double-float, or 0 if there is none.
    ///
    /// The table then has a column `high` with high parts, and the last step is `p + high d^power`, where `d` is the distance
    /// from the centre and `p` the polynomial with the low part. With `s` the rounded square and `r` its rounding error,
    /// `s + r = d^2`, the last step for each power rounds hardly more than once:
    ///
    /// ```text
    /// 1: fma(d, high, p)    2: fma(s, high, fma(r, high, p))    3: fma(d, fma(s, high, r high), p)
    /// ```
    pub power: usize,
    /// True if the highest coefficient has 16 bits and is stored in the lower half of the next lower one.
    ///
    /// One look-up then returns both.
    pub pair: bool,
    /// True if values that follow by [`Symmetry::Point`] or [`Symmetry::Linear`] are rounded only once.
    ///
    /// The symmetry is then part of the polynomial's last step on the side that the table does not describe. With `d` the
    /// distance from the centre and `d p` the terms above the constant `a[0]`, that step is `fma(-d, p, sum - a[0])` for a
    /// point, and `fma(d, p, a[0] + slope x)` for a line.
    pub once: bool,
}

impl Design {
    /// Returns the operands of a polynomial's last FMA on the side of zero without a table.
    ///
    /// With a symmetry, a table describes one side of zero only. With [`Design::once`], the symmetry is part of that FMA on the
    /// other side. The results are the factor `d` or `-d`, where `d` is the distance from the centre; the addend, which is the
    /// coefficient `lowest` combined with the symmetry; and the rounding error of that addend.
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

    /// Number of look-ups in one evaluation.
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
    /// Argument about which the polynomial is expanded.
    ///
    /// It is a float at which the function's value is nearly a float, so that the constant coefficient `a[0]` needs no low part.
    pub centre: f32,
    /// High part of the leading coefficient at a zero of the function, otherwise zero.
    ///
    /// `a` has the low part of that coefficient, so that the last operation adds little to a double-float product.
    pub high: f32,
    /// Coefficients of the segment's polynomial, lowest power first.
    pub a: [f32; MAX_DEGREE + 1],
}

impl Segment {
    /// A segment that is zero everywhere.
    pub(crate) const EMPTY: Segment = Segment { centre: 0.0, high: 0.0, a: [0.0; MAX_DEGREE + 1] };

    /// Returns the polynomial's value at a distance `d` from the centre.
    #[inline]
    pub fn at(&self, design: &Design, d: f32) -> f32 {
        self.by_last(design, d, d, self.a[0])
    }

    /// Returns the function on the side of zero without a table, rounded only once.
    ///
    /// With a symmetry, a table describes one side of zero only. On the other side, the symmetry is part of the polynomial's
    /// last step: see [`Design::once`]. `d` is the distance of `z` from the centre.
    #[inline]
    fn turned(&self, design: &Design, z: f32, d: f32) -> f32 {
        let (last, lowest, _) = design.turned(z, d, self.a[0]);
        self.by_last(design, d, last, lowest)
    }

    /// Evaluates the polynomial at `d`, with another distance and addend in the last step.
    ///
    /// `last` is the distance in that step, and `lowest` the addend in place of `a[0]`.
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

    /// Returns `p + high d^power`, where `p` is the polynomial without the high part.
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

    /// Returns the polynomial's value at `z` in f64, without the high part.
    pub(crate) fn exactly(&self, degree: usize, z: f64) -> f64 {
        let d = z - f64::from(self.centre);
        self.a[..=degree].iter().rev().fold(0.0, |p, a| p * d + f64::from(*a))
    }

    /// Returns the polynomial's value at a distance `d` from the centre, with its rounding error.
    pub(crate) fn rounded(&self, design: &Design, d: f32) -> Rounded {
        self.rounded_by_last(design, d, d, self.a[0])
    }

    /// Returns the function on the side of zero without a table, with its rounding error.
    ///
    /// With a symmetry, a table describes one side of zero only. On the other side, the symmetry is part of the polynomial's
    /// last step: see [`Design::once`].
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

/// Table of a function: piecewise polynomials in `z`, which is `x` or, with a symmetry, `|x|`.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Layout and evaluation order of the segments.
    pub design: Design,
    /// Grid that divides the table's range into segments.
    pub grid: Grid,
    /// Polynomials of the segments, in the order of the grid.
    pub segments: Vec<Segment>,
    /// Least `z` inside the table.
    pub low: f32,
    /// Least `z` above the table.
    pub high: f32,
    /// Treatment of `z` below `low` (which symmetric tables never have), and from `high` on.
    pub ends: [End; 2],
    /// Largest error found while fitting, in units in the last place of f32.
    ///
    /// For 16-bit types it is in units of the result.
    pub ulp: f64,
}

impl Table {
    /// Returns the function's value at `x` by the operations, and in the order, of the vector code.
    ///
    /// Returns `None` where the vector code takes the slow path, and outside the domain. The value of NaN is NaN.
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

    /// Returns the distance from zero at which the slow path begins, on the side of `sign`.
    ///
    /// Returns `None` if arguments beyond the table are clamped or unused there, or if values on that side follow from the
    /// other side by symmetry.
    pub fn leaves(&self, sign: f64) -> Option<f32> {
        let slow = |end: usize, at: f32| (self.ends[end] == End::SlowPath).then_some(at);
        match self.design.symmetry {
            Symmetry::None if sign < 0.0 => slow(0, -self.low),
            symmetry if symmetry == Symmetry::None || symmetry.sign() == sign => slow(1, self.high),
            _ => None,
        }
    }

    /// Width of a segment as a float, by which [`Centring::Equal`] finds centres.
    pub fn back(&self) -> f32 {
        1.0 / self.grid.scale
    }

    /// Coefficients of the power `k` in the polynomials of all segments.
    pub fn column(&self, k: usize) -> Vec<f32> {
        self.segments.iter().map(|s| s.a[k]).collect()
    }

    /// All floats of the table that vector code looks up or compares with, in a fixed order.
    pub fn floats(&self) -> impl Iterator<Item = f32> + '_ {
        let whole = [self.grid.scale, self.low, self.high];
        let segments = self.segments.iter().flat_map(|s| {
            [s.centre, s.high].into_iter().chain(s.a[..=self.design.degree].iter().copied())
        });
        whole.into_iter().chain(segments)
    }
}
