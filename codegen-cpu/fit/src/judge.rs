//! Error of a segment: its polynomial in f32, at both signs of `x`, compared with the function.
//!
//! A few of four thousand million inputs are rounded as badly as possible, and no sample has them. So the judge does not rely
//! on finding them: at samples, it adds the error before any rounding to a bound of all rounding there.

use crate::float::{Random, larger, power_of_two, size};
use crate::rounded::Rounded;
use crate::symmetry::Symmetry;
use crate::view::View;

/// Number of samples computed at a time; small, because a bad segment mostly fails at the first few.
const COLUMN: usize = 64;

/// A segment's values by the arithmetic of the vector code, to be compared with the function.
pub(crate) trait Judged {
    /// Symmetry by which the function on the other side of zero follows from the segment's values.
    fn symmetry(&self) -> Symmetry;

    /// Returns the segment's value at `z`, the table's variable (`x` or `|x|`).
    fn at(&self, z: f32) -> Rounded;

    /// Returns the function on the side of zero that the table does not describe.
    ///
    /// `at` is the segment's value at `z`.
    fn other(&self, z: f32, at: Rounded) -> Rounded {
        self.symmetry().rounded(z, at)
    }
}

/// A sample: the variable `z`, the function there, and the unit in which its error is counted.
///
/// `want` and `unit` are of the side of zero that the table describes, `other` and `other_unit` of the other side. `other_unit`
/// is infinite where errors on the other side are no worse.
#[derive(Clone, Copy)]
struct Sample {
    z: f32,
    want: f64,
    unit: f64,
    other: f64,
    other_unit: f64,
}

/// Samples at which the error of one segment is measured.
pub(crate) struct Judge<'a> {
    view: &'a View<'a>,
    left: f64,
    right: f64,
    /// Samples (arguments) at which the function has been evaluated already.
    plain: Vec<Sample>,
    /// Arguments at which the function has not been evaluated yet.
    rest: Vec<f64>,
}

impl<'a> Judge<'a> {
    /// Chooses `many` samples over the segment, and more at all exponents if zero is in the segment or next to it.
    pub(crate) fn new(view: &'a View<'a>, left: f64, right: f64, many: usize) -> Self {
        let mut random = Random::new(left.to_bits() ^ right.to_bits() >> 7);
        let width = right - left;
        let mut x = Vec::with_capacity(3 * many);
        let mut q = 0;
        while q < many {
            x.push(left + width * (q as f64 + random.next()) / many as f64);
            q += 1;
        }
        for sign in [-1.0, 1.0] {
            let end = if sign < 0.0 { -left } else { right };
            let beside = if sign < 0.0 { right > -1e-12 } else { left < 1e-12 };
            if beside {
                let each = many / 32;
                let exponents = (1..24).flat_map(|j| core::iter::repeat_n(j, each)).chain(24..148);
                x.extend(exponents.map(|j| sign * end * power_of_two(-j) * (1.0 + random.next())));
            }
        }
        // Reordered so that the first few samples are spread over the whole segment too.
        let x = &x[..];
        let mut rest = Vec::with_capacity(x.len());
        for k in 0..COLUMN {
            let mut j = k;
            while j < x.len() {
                rest.push(x[j]);
                j += COLUMN;
            }
        }
        Judge { view, left, right, plain: Vec::new(), rest }
    }

    /// Evaluates the function at the next few samples.
    fn look(&mut self) {
        let next = self.rest.split_off(self.rest.len().saturating_sub(COLUMN));
        let floats = next.into_iter().map(|x| f64::from(x as f32));
        let inside: Vec<f64> = floats.filter(|&x| x >= self.left && x < self.right).collect();
        let values = self.view.values(&inside);
        for (at, want) in inside.into_iter().zip(values) {
            let other = self.view.symmetry.other(want, at);
            let other_unit = other.map_or(f64::INFINITY, |v| self.view.other_unit(at, v));
            let (unit, other) = (self.view.unit(at, want), other.unwrap_or(0.0));
            self.plain.push(Sample { z: at as f32, want, unit, other, other_unit });
        }
    }

    /// Returns the largest error of a segment at the samples, in units in the last place.
    ///
    /// The search stops at the first error above `enough`. The error is infinite if the value at zero, which is more common
    /// than other numbers, is not exact.
    pub(crate) fn worst(&mut self, judged: &impl Judged, enough: f64) -> f64 {
        if self.left.abs() < 1e-12 || self.right.abs() < 1e-12 {
            let want = self.view.zero[(self.right > 1e-12) as usize].value;
            if judged.at(0.0).value != want as f32 {
                return f64::INFINITY;
            }
        }
        let (mut worst, mut at) = (0.0f64, 0);
        loop {
            while at == self.plain.len() && !self.rest.is_empty() {
                self.look();
            }
            let known = &self.plain[at..];
            if known.is_empty() {
                return worst;
            }
            let mut k = 0;
            while k < known.len() {
                worst = larger(worst, error(judged, &known[k]));
                if worst > enough {
                    return worst;
                }
                k += 1;
            }
            at += k;
        }
    }
}

/// Returns the error at a sample in units in the last place, on the side of zero where it is larger.
fn error(judged: &impl Judged, sample: &Sample) -> f64 {
    let at = judged.at(sample.z);
    let off = size(at.exact - sample.want) + at.bound;
    let own = if off >= 0.0 { off / sample.unit } else { f64::INFINITY };
    if sample.other_unit == f64::INFINITY {
        return own;
    }
    let other = judged.other(sample.z, at);
    larger(own, (size(other.exact - sample.other) + other.bound) / sample.other_unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, Function, Hints, Request};

    #[test]
    fn sees_every_coefficient() {
        let oracle = |x: &[f64]| -> Vec<(f64, f64)> {
            x.iter().map(|&x| 1.0 / (1.0 + libm::exp(-x))).map(|v| (v, v * 1e-15)).collect()
        };
        let function = Function::new(&oracle, Hints::default());
        let request = Request::new(Element::F32, 32);
        let table = function.fit(&request).unwrap();
        let view = View::new(&function, table.design.symmetry, &request).unwrap();
        for (i, segment) in table.segments.iter().enumerate() {
            let (left, right) = (table.grid.start(i), table.grid.start(i + 1));
            let mut judge = Judge::new(&view, left, right, 1024);
            let fine = judge.worst(&(&table.design, segment), 9.0);
            assert!(fine <= request.target, "{i}: {fine}");
            for k in 0..=table.design.degree {
                let mut wrong = *segment;
                // Moves the value by about two units where the segment is widest.
                let far =
                    (left - segment.centre as f64).abs().max((right - segment.centre as f64).abs());
                let value = view.value(0.5 * (left + right));
                let step = 4.0 * crate::float::ulp(value) / libm::pow(far, k as f64);
                wrong.a[k] =
                    (wrong.a[k] as f64 + step.max(crate::float::ulp(wrong.a[k] as f64))) as f32;
                let seen = judge.worst(&(&table.design, &wrong), 9.0);
                assert!(seen > request.target, "segment {i}, coefficient {k}: {seen}");
            }
        }
    }

    fn sigmoid(x: f64) -> f64 {
        1.0 / (1.0 + libm::exp(-x))
    }

    /// Tests the bound of rounding errors on both sides of zero.
    ///
    /// Covers tables of every symmetry, and zeros of first and second order.
    #[test]
    fn rounding_does_no_more_than_its_bound_and_nearly_as_much() {
        let functions: [fn(f64) -> f64; 5] = [
            sigmoid,
            libm::tanh,
            |x| x * sigmoid(x),
            |x| x * libm::tanh(x),
            |x| x * sigmoid(x) * sigmoid(x),
        ];
        for (k, f) in functions.into_iter().enumerate() {
            let oracle =
                |x: &[f64]| x.iter().map(|&x| f(x)).map(|v| (v, v.abs() * 1e-15)).collect();
            let function = Function::new(&oracle, Hints::default());
            let table = function.fit(&Request::new(Element::F32, 32)).unwrap();
            let (design, mut random, mut most) = (&table.design, Random::new(k as u64), 0.0f64);
            for (i, segment) in table.segments.iter().enumerate() {
                let (left, right) = (table.grid.start(i), table.grid.start(i + 1));
                for _ in 0..20_000 {
                    let z = (left + (right - left) * random.next()) as f32;
                    let Rounded { value, exact, bound } = (design, segment).at(z);
                    let own = (f64::from(value) - exact).abs() / bound;
                    assert!(own <= 1.0 || bound == 0.0 && own.is_nan(), "{k}: {own} at {z:e}");
                    most = most.max(own);
                    let symmetry = design.symmetry;
                    let Some(other) = symmetry.other(exact, z.into()) else { continue };
                    let got = symmetry.finish(value, -z * symmetry.sign() as f32);
                    let bound = bound + symmetry.finish_bound(value, z);
                    let both = (f64::from(got) - other).abs() / bound;
                    assert!(both <= 1.0, "{k}, the other side: {both} at {z:e}");
                }
            }
            assert!(most > 0.9, "{k}: {most}");
        }
    }
}
