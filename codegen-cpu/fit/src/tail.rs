//! Tail of a function beyond its table, on one side of zero: an exponential of polynomials, then a straight line.
//!
//! ```text
//! f(x) = +- e^-v        v = v0[i] + d (v1[i] + d (v2[i] + ..)),   z = |x|,   d = z - centre[i]
//! f(x) = base + slope x        from where on the function has rounded to that
//! ```
//!
//! A function that vanishes, grows exponentially or follows a power has a logarithm that is smooth and nearly straight, so that
//! a few segments cover all of it. `v` reaches 86, of which f32 has no more than 17 bits below the point, but the exponential
//! ([`exponential`](crate::exponential)) needs 26. So `v0`, `v1` and `v` are double-floats.

use crate::exponential::{MAGIC, exp};
use crate::float::{fma, ulp};
use crate::function::Function;

/// Number of segments of a [`Curve`].
pub const ENTRIES: usize = 16;
/// Number of columns of a [`Curve`] before the coefficients of `d^2` and higher powers.
///
/// A column has one number for each segment. The columns are the centres, the constants `v0`, their low parts, the coefficients
/// `v1` of the distance `d` from the centre, and their low parts.
pub const COLUMNS: usize = 5;

/// Approximation of a function beyond its table, on one side of zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tail {
    /// Exponential of a polynomial, next to the table; `None` if none is accurate enough.
    pub curve: Option<Curve>,
    /// Asymptote, far from zero; `None` if the function has none.
    pub line: Option<Line>,
}

/// `+- e^-v` over a range of `z = |x|`, where `v` is a piecewise polynomial in `z`.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Least `z` of the range, and least `z` above it.
    pub within: [f32; 2],
    /// True if values are negative.
    pub negative: bool,
    /// How the segment of `z` is found.
    pub cells: Cells,
    /// Columns of numbers, one for each segment: see [`COLUMNS`].
    pub columns: Vec<[f32; ENTRIES]>,
}

/// How the segment of `z` is found: its index is the low four bits of an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cells {
    /// The integer is `z` times this number, rounded to nearest: segments have equal widths.
    ///
    /// The low four bits of the integer are the index of the segment.
    Equal(f32),
    /// The integer is the bits of `z - less`, shifted right by `shift`: segments grow with the distance.
    ///
    /// The low four bits of the integer are the index of the segment.
    Octaves {
        /// Number that is subtracted from `z = |x|`.
        ///
        /// It is close to the beginning of the curve, so that segments are short there.
        less: f32,
        /// Number of bits by which the bits of `z - less` are shifted.
        shift: u32,
    },
}

/// A straight line `base + slope x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Least `z = |x|` at which the line replaces the function.
    pub from: f32,
    /// Value of the line at zero.
    pub base: f32,
    /// Increase of the line per unit of `x`.
    pub slope: f32,
}

/// Maximum error of the polynomials, which approximate the logarithm of the function.
///
/// For comparison, half a unit in the last place is up to 2^-24.
const OFF: f64 = 1.0 / (1 << 28) as f64;
/// Maximum error of a curve, in units in the last place, of which the rounding of the result takes up to 0.5.
///
/// A curve with a larger error is not used.
const MOST: f64 = 0.8;
/// Maximum absolute value of the logarithm of a curve's values, which are from 2^-80 to 2^80.
///
/// Products of values further out with an attribute may be outside the range of f32, or have fewer digits.
const LEAST: f64 = 55.4;
/// Values with an absolute value below this bound count as zero.
///
/// The product of the bound with three of the greatest floats is not a normal number.
const NOTHING: f64 = 1e-160;
/// Maximum distance from zero that a curve covers.
const FAR: f64 = 128.0;
/// Degrees of the polynomials to try.
const DEGREES: core::ops::RangeInclusive<usize> = 4..=8;
/// Where a curve may begin, relative to the end of the table.
const BEGINNINGS: [f64; 5] = [1.0, 1.25, 1.6, 2.0, 3.0];
/// Values of `Cells::Octaves::less` to try, relative to the beginning of the curve.
const NEARER: [f32; 3] = [0.0, 0.5, 0.75];
/// Number of samples per segment at which the error of a curve is measured.
const SAMPLES: usize = 48;

impl Function<'_> {
    /// Returns the tail (approximation beyond the table) for `|x| >= from` on the side of `sign`.
    pub fn tail(&self, sign: f64, from: f32) -> Tail {
        let line = self.line(sign, from);
        let last = line.map_or(FAR, |line| f64::from(line.from));
        let beginnings = BEGINNINGS.iter().map(|far| f64::from(from) * far);
        let curve = beginnings.take_while(|x| *x < last).find_map(|x| self.curve(sign, x, last));
        Tail { curve, line }
    }

    /// Returns the asymptote on the side of `sign`, and from where on it replaces the function.
    ///
    /// From there on the error of the asymptote is so small that no product with the value shows it. Returns `None` if there is no
    /// asymptote.
    fn line(&self, sign: f64, from: f32) -> Option<Line> {
        let far: Vec<f64> = [1e3, 2e3, 1e6, 1e12, 1e20, 1e30].map(|z| sign * z).to_vec();
        let value = |x: f64| self.plain(&[x])[0];
        let (near, next) = (value(far[0]), value(far[1]));
        let slope = (next - near) / far[0];
        let (slope, base) = (slope as f32 + 0.0, (near - f64::from(slope as f32) * far[0]) as f32);
        let at = |x: f64| f64::from(slope) * x + f64::from(base);
        let is_line = |x: f64| {
            let (v, line) = (value(x), at(x));
            let allowed = if line == 0.0 { NOTHING } else { line.abs() * OFF };
            (v - line).abs() <= allowed
        };
        // A function that has left f32 is infinite at these places, but not near the table.
        if !base.is_finite() || !slope.is_finite() || !far.iter().all(|x| is_line(*x)) {
            return None;
        }
        let steps = (0..).map(|j| f64::from(from) * libm::exp2(f64::from(j) / 16.0));
        let places: Vec<f64> = steps.take_while(|z| *z < 1e3).collect();
        let after = places.iter().rposition(|z| !is_line(sign * z)).map_or(0, |k| k + 1);
        Some(Line { from: *places.get(after)? as f32, base, slope })
    }

    /// Fits the curve `+- e^-v` for `|x|` from `from` to `last`, where `v` is a piecewise polynomial.
    ///
    /// It ends earlier if values leave the range from 2^-80 to 2^80. Returns `None` if the curve would be too short, or not
    /// accurate enough.
    fn curve(&self, sign: f64, from: f64, last: f64) -> Option<Curve> {
        let negative = self.known(&[sign * from])[0].value < 0.0;
        let logarithm = |z: f64| {
            let known = self.known(&[sign * z])[0];
            let v = -libm::log(known.value.abs());
            let sure = known.error <= known.value.abs() * OFF && (known.value < 0.0) == negative;
            sure.then_some(v)
        };
        let is_normal = |z: f64| logarithm(z).is_some_and(|v| v.abs() <= LEAST);
        let steps = (0..).map(|j| from * libm::exp2(f64::from(j) / 64.0));
        let to = match is_normal(last) {
            true => last,
            false => steps.take_while(|z| *z <= last && is_normal(*z)).last()?,
        };
        if to < 1.25 * from {
            return None;
        }
        let within = [from as f32, to as f32];
        let all = DEGREES.flat_map(|degree| layouts(within).map(move |cells| (degree, cells)));
        all.into_iter().find_map(|(degree, cells)| {
            let mut curve = Curve { within, negative, cells, columns: Vec::new() };
            curve.fit(degree, &logarithm)?;
            (self.worst(sign, &curve) <= MOST).then_some(curve)
        })
    }

    /// Returns the largest error of a curve in units in the last place.
    fn worst(&self, sign: f64, curve: &Curve) -> f64 {
        let [from, to] = curve.within.map(f64::from);
        let many = ENTRIES * SAMPLES;
        let places = (0..many).map(|k| from + (to - from) * (k as f64 + 0.37) / many as f64);
        let places: Vec<f32> = places.map(|z| z as f32).collect();
        let wanted = self.plain(&places.iter().map(|z| sign * f64::from(*z)).collect::<Vec<_>>());
        let error = |(z, want): (&f32, f64)| (f64::from(curve.eval(*z)) - want).abs() / ulp(want);
        places
            .iter()
            .zip(wanted)
            .map(error)
            .fold(0.0, |a: f64, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
    }
}

/// Returns ways to divide a range of `z` into at most [`ENTRIES`] segments.
fn layouts([from, to]: [f32; 2]) -> impl Iterator<Item = Cells> {
    let equal = Cells::Equal((ENTRIES as f32 - 1.001) / (to - from));
    let octaves = [20, 21, 22, 23].into_iter().flat_map(move |shift| {
        NEARER.into_iter().map(move |share| Cells::Octaves { less: share * from, shift })
    });
    core::iter::once(equal).chain(octaves).filter(move |cells| {
        let [first, last] = [from, to].map(|z| cells.number(z));
        last - first < ENTRIES as u32
    })
}

impl Cells {
    /// Returns the number of the segment of `z`; its low four bits are the index in the columns.
    pub fn number(self, z: f32) -> u32 {
        match self {
            Cells::Equal(scale) => fma(z, scale, MAGIC).to_bits(),
            Cells::Octaves { less, shift } => (z - less).to_bits() >> shift,
        }
    }

    /// Returns the least and the greatest `z` of the segment with this number.
    fn bounds(self, number: u32) -> [f64; 2] {
        match self {
            Cells::Equal(scale) => {
                let middle = f64::from(f32::from_bits(number) - MAGIC);
                [-0.5, 0.5].map(|half| (middle + half) / f64::from(scale))
            }
            Cells::Octaves { less, shift } => [number, number + 1]
                .map(|n| f64::from(f32::from_bits(n << shift)) + f64::from(less)),
        }
    }
}

impl Curve {
    /// Fits polynomials of this degree to `logarithm`: the exponent `v` of the curve `+- e^-v`.
    ///
    /// It is a function of `z = |x|`. Returns `None` if the error of the polynomials is too large.
    fn fit(&mut self, degree: usize, logarithm: &dyn Fn(f64) -> Option<f64>) -> Option<()> {
        self.columns = vec![[0.0; ENTRIES]; COLUMNS + degree - 1];
        let [first, last] = self.within.map(|z| self.cells.number(z));
        for number in first..=last {
            let [from, to] = self.within.map(f64::from);
            let [start, end] = self.cells.bounds(number);
            let (start, end) = (start.max(from), end.min(to));
            if end <= start {
                continue;
            }
            let middle = (0.5 * (start + end)) as f32;
            let at = |d: f64| logarithm(f64::from(middle) + d);
            let a = interpolated(degree, 0.5 * (end - start), &at)?;
            let two = |v: f64| [v as f32, (v - f64::from(v as f32)) as f32];
            let ([v0, rest0], [v1, rest1]) = (two(a[0]), two(a[1]));
            let high = a[2..].iter().map(|a| *a as f32);
            let column = [middle, v0, rest0, v1, rest1].into_iter().chain(high);
            for (place, v) in self.columns.iter_mut().zip(column) {
                place[number as usize % ENTRIES] = v;
            }
        }
        Some(())
    }

    /// Returns the curve's value at `z` by the operations, and in the order, of the vector code.
    pub fn eval(&self, z: f32) -> f32 {
        let i = self.cells.number(z) as usize % ENTRIES;
        let [centre, v0, rest0, v1, rest1] = core::array::from_fn(|k| self.columns[k][i]);
        let d = z - centre;
        let mut q = self.columns[self.columns.len() - 1][i];
        for column in self.columns[COLUMNS..self.columns.len() - 1].iter().rev() {
            q = fma(q, d, column[i]);
        }
        let slope = fma(q, d, rest1);
        let product = d * v1;
        let lost = fma(d, v1, -product);
        let sum = v0 + product;
        let back = sum - v0;
        let rest = (v0 - (sum - back)) + (product - back);
        let low = fma(d, slope, lost) + (rest + rest0);
        // The square and higher powers may add more than one step of the exponential, so that high and low part are
        // renormalised.
        let high = sum + low;
        let value = exp(high, (sum - high) + low);
        if self.negative { -value } else { value }
    }
}

/// Interpolates a function at Chebyshev nodes within `-half..half`.
///
/// Returns the coefficients, lowest power first, if the error between the nodes is small enough.
fn interpolated(degree: usize, half: f64, f: &dyn Fn(f64) -> Option<f64>) -> Option<Vec<f64>> {
    let many = degree + 1;
    let node = |j: usize| half * libm::cos(core::f64::consts::PI * (j as f64 + 0.5) / many as f64);
    let mut steep: Vec<f64> = (0..many).map(|j| f(node(j))).collect::<Option<_>>()?;
    // Newton's divided differences, then conversion to powers.
    for k in 1..many {
        for j in (k..many).rev() {
            steep[j] = (steep[j] - steep[j - 1]) / (node(j) - node(j - k));
        }
    }
    let mut a = vec![0.0; many];
    for k in (0..many).rev() {
        for j in (1..many).rev() {
            a[j] = a[j - 1] - node(k) * a[j];
        }
        a[0] = steep[k] - node(k) * a[0];
    }
    let good = (0..=2 * many).all(|j| {
        let d = half * (j as f64 / many as f64 - 1.0);
        let p = a.iter().rev().fold(0.0, |p, a| p * d + a);
        f(d).is_some_and(|v| (v - p).abs() <= OFF)
    });
    good.then_some(a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hints;

    fn sigmoid(x: f64) -> f64 {
        if x < 0.0 { libm::exp(x) / (1.0 + libm::exp(x)) } else { 1.0 / (1.0 + libm::exp(-x)) }
    }

    fn slope(x: f64) -> f64 {
        let s = sigmoid(x);
        s + x * s * sigmoid(-x)
    }

    fn gelu_slope(x: f64) -> f64 {
        0.5 * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2)
            + x * libm::exp(-0.5 * x * x) * 0.398_942_280_401_432_7
    }

    fn mish(x: f64) -> f64 {
        x * libm::tanh(libm::log1p(libm::exp(x)))
    }

    fn tanh_slope(x: f64) -> f64 {
        // 1 - tanh^2 by its tail-safe form.
        let e = libm::exp(-2.0 * x.abs());
        4.0 * e / ((1.0 + e) * (1.0 + e))
    }

    /// Name, function, side, and end of the table; range that the curve has to cover.
    ///
    /// The last field is the latest beginning of the line.
    type Case = (&'static str, fn(f64) -> f64, f64, f32, [f32; 2], f32);

    #[rustfmt::skip]
    const CASES: [Case; 7] = [
        ("sigmoid", sigmoid, -1.0, 5.0, [5.0, 54.0], 400.0),
        ("silu'", slope, -1.0, 3.4, [3.4, 54.0], 400.0),
        ("gelu'", gelu_slope, -1.0, 3.9, [3.9, 10.0], 29.0),
        ("tanh'", tanh_slope, 1.0, 4.0, [4.0, 27.0], 200.0),
        ("mish, left", mish, -1.0, 3.4, [3.4, 54.0], 400.0),
        ("mish, right", mish, 1.0, 3.4, [3.4, 9.0], 11.0),
        ("softsign'", |x| 1.0 / ((1.0 + x.abs()) * (1.0 + x.abs())), 1.0, 5.9, [5.9, 120.0], f32::INFINITY),
    ];

    #[test]
    fn tails_are_the_function() {
        for (name, f, sign, from, curve, line) in CASES {
            let oracle = |x: &[f64]| -> Vec<(f64, f64)> {
                x.iter().map(|x| (f(*x), f(*x).abs() * 1e-14)).collect()
            };
            let function = Function::new(&oracle, Hints::default());
            let tail = function.tail(sign, from);
            let found = tail.curve.unwrap_or_else(|| panic!("{name} has no curve"));
            println!(
                "{name}: {:?} {:?} {} columns, {:?}",
                found.within,
                found.cells,
                found.columns.len(),
                tail.line,
            );
            assert!(
                found.within[0] <= curve[0] && found.within[1] >= curve[1],
                "{name}: {found:?}"
            );
            let begins = tail.line.map_or(f32::INFINITY, |line| line.from);
            assert!(begins <= line, "{name}: {begins}");
            let mut worst = (0.0, 0.0);
            let many = 200_000;
            for k in 0..many {
                let [from, to] = found.within;
                let z = from + (to - from) * (k as f32 + 0.5) / many as f32;
                let want = f(sign * f64::from(z));
                let off = (f64::from(found.eval(z)) - want).abs() / ulp(want);
                if off > worst.0 {
                    worst = (off, z);
                }
            }
            println!("    {worst:?}");
            assert!(worst.0 < 0.65, "{name}: {worst:?}");
        }
    }

    /// Tests a function that is clamped beyond f32: the constant that it is clamped to is not an asymptote.
    #[test]
    fn what_grows_beyond_numbers_is_no_line() {
        let oracle = |x: &[f64]| -> Vec<(f64, f64)> {
            x.iter().map(|x| libm::exp(x.min(100.0))).map(|v| (v, v * 1e-14)).collect()
        };
        let Tail { curve, line } = Function::new(&oracle, Hints::default()).tail(1.0, 5.0);
        assert_eq!(line, None);
        let [from, to] = curve.expect("a curve").within;
        assert!(from == 5.0 && to > 50.0, "{from} {to}");
    }

    #[test]
    fn lines_are_the_function() {
        let oracle = |x: &[f64]| -> Vec<(f64, f64)> {
            x.iter().map(|x| (mish(*x), mish(*x).abs() * 1e-14)).collect()
        };
        let line = Function::new(&oracle, Hints::default()).tail(1.0, 3.4).line.expect("a line");
        assert_eq!((line.base, line.slope), (0.0, 1.0));
        for z in [line.from, 12.0, 100.0, 3e38] {
            assert_eq!(mish(f64::from(z)) as f32, z);
        }
    }
}
