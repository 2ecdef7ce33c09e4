//! An independent reference, the judge: the expected results of an operator.
//!
//! Values are computed with increasing precision until two agree; derivatives are differences of values, at steps of
//! a third of the bits. Where this decides nothing (breakpoints, digits beyond the highest precision), results are
//! not tested.

use super::formulas::Case;
use super::number::{Bits, exponent, in_bits, n, power_of_two, precision};
use op_dsl::Operator;

/// Precisions in bits, in increasing order.
const PRECISIONS: [usize; 2] = [256, 1024];
/// Additional precisions for a single element that `verify` reports.
const MORE: [usize; 2] = [1 << 13, 1 << 15];
/// Values below this are 0 in every element type.
const NOTHING: f64 = 1e-55;

/// An operator, and the case that evaluates it or its forward operator.
pub struct Subject {
    pub operator: &'static Operator,
    pub case: &'static Case,
    forward: &'static Operator,
}

impl Subject {
    pub fn new(
        operator: &'static Operator,
        operators: &[&'static Operator],
        cases: &[&'static Case],
    ) -> Subject {
        let def = operator.def();
        let name = def.grad_of.as_ref().map_or(operator.name(), |of| &*of.forward);
        let forward = operators.iter().find(|op| op.name() == name).expect("a forward operator");
        let case = cases.iter().find(|case| case.operator == name).expect("a case");
        Subject { operator, case, forward }
    }

    pub fn is_gradient(&self) -> bool {
        self.operator.def().grad_of.is_some()
    }

    /// Returns the results for these streams and attributes; `None` if the precision does not suffice.
    pub fn results(&self, streams: &[f64], attrs: &[f64], is_single: bool) -> Option<Vec<f64>> {
        let more: &[usize] = if is_single { &MORE } else { &[] };
        let mut before: Option<Vec<f64>> = None;
        for precision in PRECISIONS.into_iter().chain(more.iter().copied()) {
            let found = in_bits(precision, || self.evaluate(streams, attrs));
            if let (Some(before), Some(found)) = (&before, &found)
                && before.iter().zip(found).all(|(a, b)| agree(*a, *b))
            {
                return Some(found.clone());
            }
            before = found;
        }
        None
    }

    /// Returns the limits of the results as the infinite streams grow; `None` if there is no clear limit.
    pub fn limits(&self, streams: &[f64], attrs: &[f64]) -> Option<Vec<f64>> {
        let at = |power: i32| {
            let far = |x: &f64| if x.is_infinite() { 2f64.powi(power).copysign(*x) } else { *x };
            let streams: Vec<f64> = streams.iter().map(far).collect();
            self.results(&streams, attrs, false)
        };
        let [a, b, c] = [at(100)?, at(200)?, at(400)?];
        Some((0..a.len()).map(|k| limit([a[k], b[k], c[k]])).collect())
    }

    /// Evaluates the formula as written at infinities; `None` if the case evaluates another formula.
    pub fn arithmetic(&self, streams: &[f64], attrs: &[f64]) -> Option<Vec<f64>> {
        let is_judged = self.case.is_as_written && !self.is_gradient();
        is_judged.then(|| in_bits(PRECISIONS[0], || self.evaluate(streams, attrs)))?
    }

    fn evaluate(&self, streams: &[f64], attrs: &[f64]) -> Vec<Bits> {
        let attrs: Vec<Bits> = attrs.iter().map(|v| n(*v)).collect();
        if !self.is_gradient() {
            let streams: Vec<Bits> = streams.iter().map(|v| n(*v)).collect();
            return (self.case.results)(&streams, &attrs);
        }
        let names = self.operator.def().input_names();
        let forward = self.forward.def();
        // An input that the gradient does not read has no effect, so it is 1.
        let own: Vec<Bits> = forward
            .input_names()
            .iter()
            .map(|name| n(names.iter().position(|x| x == name).map_or(1.0, |k| streams[k])))
            .collect();
        let upstream = names.iter().zip(streams).filter(|(name, _)| name.starts_with("dy"));
        let upstream: Vec<Bits> = upstream.map(|(_, v)| n(*v)).collect();
        let by = |name: &String| {
            let moved = forward.input_names().iter().position(|x| x == &name[1..]);
            let slopes = self.slopes(&own, &attrs, moved.expect("an input"));
            let flows = slopes.into_iter().zip(&upstream).map(|(slope, dy)| slope * *dy);
            flows.reduce(|sum, flow| sum + flow).expect("an output")
        };
        self.operator.def().output_names().iter().map(by).collect()
    }

    /// Returns the derivatives of all results by a stream; NaN at breakpoints.
    fn slopes(&self, streams: &[Bits], attrs: &[Bits], moved: usize) -> Vec<Bits> {
        let x = streams[moved];
        let third = precision() as isize / 3;
        let step = power_of_two(exponent(x).unwrap_or(-60) - third);
        let at = |x: Bits| {
            let mut streams = streams.to_vec();
            streams[moved] = x;
            (self.case.results)(&streams, attrs)
        };
        let (left, here, right) = (at(x - step), at(x), at(x + step));
        let slope = |k: usize| {
            let [before, after] = [here[k] - left[k], right[k] - here[k]].map(|d| d / step);
            let [a, b] = [before, after].map(exponent);
            let apart = exponent(before - after);
            let is_kink = match (a.max(b), apart) {
                (Some(size), Some(apart)) => apart > size - third / 2,
                _ => false,
            };
            if is_kink { n(f64::NAN) } else { (before + after) * n(0.5) }
        };
        (0..here.len()).map(slope).collect()
    }
}

fn agree(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-14 * b.abs() || a.abs().max(b.abs()) < NOTHING
}

/// Returns the limit of a sequence of three values; NaN if it is unclear.
fn limit([a, b, c]: [f64; 3]) -> f64 {
    match () {
        _ if b == c || (b - c).abs() <= 1e-9 * c.abs() => c,
        _ if c.abs() < 0.9 * b.abs() && b.abs() < 0.9 * a.abs() => 0.0,
        _ if b * c > 0.0 && a * b > 0.0 && c.abs() > 1.1 * b.abs() && b.abs() > 1.1 * a.abs() => {
            f64::INFINITY.copysign(c)
        }
        _ => f64::NAN,
    }
}
