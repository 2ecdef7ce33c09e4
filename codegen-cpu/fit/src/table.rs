//! A table, and exactly what an evaluator makes of it.

use crate::float::{fma, size, sum, sum_size, ulp};
use crate::function::Function;
use crate::grid::Grid;
use crate::judge::Rounded;
use crate::symmetry::Symmetry;

/// No polynomial has a higher degree.
pub const MAX_DEGREE: usize = 10;

/// Where polynomials are centred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Centring {
    /// Each segment has its own centre, found with the coefficients: one look-up more.
    Own,
    /// At the whole multiples of a segment's width: `d = z - (first + i) back` by one FMA.
    Equal,
    /// At zero: `d = z`. For 16 bits.
    Origin,
}

/// What becomes of numbers beyond an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The function has rounded to its limit there: `z` is held inside.
    Clamp,
    /// They are evaluated otherwise.
    SlowPath,
    /// They are outside the function's domain: whatever comes out is not looked at.
    Unused,
}

/// How all segments of a table are evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// How the function comes from what the table is of.
    pub symmetry: Symmetry,
    /// Where polynomials are centred.
    pub centring: Centring,
    /// Of the polynomials.
    pub degree: usize,
    /// If not zero, the table has a column `high`, and its last step is `p + high d^power`. With the
    /// square's rounding error at hand, `s + r = d^2`, it rounds hardly more than once:
    ///
    /// ```text
    /// 1: fma(d, high, p)    2: fma(s, high, fma(r, high, p))    3: fma(d, fma(s, high, r high), p)
    /// ```
    pub power: usize,
    /// Whether the highest coefficient has 16 bits and is looked up with the one below it, whose lower half it is.
    pub pair: bool,
    /// Whether values on the other side, by [`Symmetry::Point`] or [`Symmetry::Linear`], are rounded once, because the symmetry
    /// takes part in the last step: `fma(-d, p, sum - a[0])`, `fma(d, p, a[0] + slope x)`.
    pub once: bool,
}

impl Design {
    /// On the other side of `z`: the last distance, the lowest coefficient, and what that lost in rounding.
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

    /// Look-ups.
    pub fn look_ups(&self) -> usize {
        let centre = (self.centring == Centring::Own) as usize;
        self.degree + 1 - self.pair as usize + centre + (self.power > 0) as usize
    }

    /// Vector operations besides look-ups, on levels that find the segment by one.
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
    /// A float at which the function is nearly one.
    pub centre: f32,
    /// The leading coefficient at a zero of the function, whose own place in `a` has its low part. So
    /// the last operation adds little to a product of two floats. Elsewhere zero.
    pub high: f32,
    /// Lowest power first.
    pub a: [f32; MAX_DEGREE + 1],
}

impl Segment {
    /// Zero everywhere.
    pub(crate) const EMPTY: Segment = Segment { centre: 0.0, high: 0.0, a: [0.0; MAX_DEGREE + 1] };

    /// The table's value at a distance `d`.
    #[inline]
    pub fn at(&self, design: &Design, d: f32) -> f32 {
        self.by_last(design, d, d, self.a[0])
    }

    /// The function's value on the other side, of a design that rounds it once.
    #[inline]
    fn turned(&self, design: &Design, z: f32, d: f32) -> f32 {
        let (last, lowest, _) = design.turned(z, d, self.a[0]);
        self.by_last(design, d, last, lowest)
    }

    /// The value at a distance `d` if the last steps are at `last`, with another lowest coefficient.
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

    /// The value at a distance `d` where that of the columns but the high one is `p`.
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

    /// The polynomial at `z`, not in floats.
    pub(crate) fn exactly(&self, degree: usize, z: f64) -> f64 {
        let d = z - f64::from(self.centre);
        self.a[..=degree].iter().rev().fold(0.0, |p, a| p * d + f64::from(*a))
    }

    /// The table's value at a distance `d`, with what rounding does to it.
    pub(crate) fn rounded(&self, design: &Design, d: f32) -> Rounded {
        self.rounded_by_last(design, d, d, self.a[0])
    }

    /// The function's value on the other side of a design that rounds it once, with what rounding does to it.
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
    /// How its segments are evaluated.
    pub design: Design,
    /// Where they are.
    pub grid: Grid,
    /// What they are.
    pub segments: Vec<Segment>,
    /// The least `z` inside.
    pub low: f32,
    /// The least `z` beyond.
    pub high: f32,
    /// What is beyond: below `low` (never asked for by symmetric tables), and from `high` on.
    pub ends: [End; 2],
    /// The largest error that was seen while fitting, in units in the last place of f32; of 16 bits,
    /// in those of the result.
    pub ulp: f64,
}

impl Table {
    /// The value at `x`, operation for operation what an evaluator computes; nothing where it takes
    /// the slow path, or where nothing is asked for. NaN is NaN.
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

    /// How far from zero it is left on a side, if it is.
    pub fn leaves(&self, sign: f64) -> Option<f32> {
        let slow = |end: usize, at: f32| (self.ends[end] == End::SlowPath).then_some(at);
        match self.design.symmetry {
            Symmetry::None if sign < 0.0 => slow(0, -self.low),
            symmetry if symmetry == Symmetry::None || symmetry.sign() == sign => slow(1, self.high),
            _ => None,
        }
    }

    /// The same table, ended where values that are multiplied leave the range of such.
    pub(crate) fn in_range(self, function: &Function) -> Table {
        let (low, high, ends) =
            in_range(function, self.design.symmetry, [self.low, self.high], self.ends);
        Table { low, high, ends, ..self }
    }

    /// The width of a segment as a float, by which [`Centring::Equal`] finds centres.
    pub fn back(&self) -> f32 {
        1.0 / self.grid.scale
    }

    /// Coefficient `k` of every segment.
    pub fn column(&self, k: usize) -> Vec<f32> {
        self.segments.iter().map(|s| s.a[k]).collect()
    }

    /// All floats that an evaluator looks up or compares with, in one fixed order.
    pub fn floats(&self) -> impl Iterator<Item = f32> + '_ {
        let whole = [self.grid.scale, self.low, self.high];
        let segments = self.segments.iter().flat_map(|s| {
            [s.centre, s.high].into_iter().chain(s.a[..=self.design.degree].iter().copied())
        });
        whole.into_iter().chain(segments)
    }
}

/// Where a table of a symmetry ends, and what is beyond, if it ends no later than values that are multiplied leave their range.
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
