//! Dual numbers: a number together with its derivative, for second derivatives.
//!
//! When the rules of first derivatives are computed with duals, the slopes of their results are second derivatives.

use crate::real::{Gamma, Real};
use crate::rules;
use op_dsl_ir::Prim;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number and its derivative with respect to one input stream.
#[derive(Clone, Debug)]
pub struct Dual<R> {
    /// The number itself, without its derivative.
    pub value: R,
    /// Derivative by that input stream; `None` if it is zero for every value of the stream.
    pub slope: Option<R>,
}

impl<R: Real> Dual<R> {
    /// Returns a constant: a number without a slope.
    pub fn still(value: R) -> Dual<R> {
        Dual { value, slope: None }
    }

    /// Returns the number `value` with the sum of `terms` as its slope; a term `None` is zero.
    fn with(value: R, terms: [Option<R>; 2]) -> Dual<R> {
        let slope = terms.into_iter().flatten().reduce(|sum, term| sum + term);
        Dual { value, slope }
    }

    /// Returns `prim(self, y)`, whose value is `value`, with the slope by the chain rule.
    ///
    /// The slopes of `prim` by its arguments are those of [`rules::slopes`]. A primitive of one argument ignores `y`.
    fn by_rule(&self, prim: Prim, y: &Dual<R>, value: R) -> Dual<R> {
        if self.slope.is_none() && y.slope.is_none() {
            return Dual::still(value);
        }
        let [by_x, by_y, _] = rules::slopes(prim, [&self.value, &y.value, &y.value], &value);
        let term =
            |of: &Dual<R>, slope: Option<R>| Some(rules::term(prim, of.slope.clone()?, slope?));
        let terms = [term(self, by_x), term(y, by_y)];
        Dual::with(value, terms)
    }
}

impl<R: Real> Neg for Dual<R> {
    type Output = Dual<R>;
    fn neg(self) -> Dual<R> {
        Dual { value: -self.value, slope: self.slope.map(|s| -s) }
    }
}

impl<R: Real> Add for Dual<R> {
    type Output = Dual<R>;
    fn add(self, y: Dual<R>) -> Dual<R> {
        Dual::with(self.value + y.value, [self.slope, y.slope])
    }
}

impl<R: Real> Sub for Dual<R> {
    type Output = Dual<R>;
    fn sub(self, y: Dual<R>) -> Dual<R> {
        self + -y
    }
}

impl<R: Real> Mul for Dual<R> {
    type Output = Dual<R>;
    fn mul(self, y: Dual<R>) -> Dual<R> {
        let terms =
            [self.slope.map(|s| s * y.value.clone()), y.slope.map(|s| self.value.clone() * s)];
        Dual::with(self.value * y.value, terms)
    }
}

impl<R: Real> Div for Dual<R> {
    type Output = Dual<R>;
    fn div(self, y: Dual<R>) -> Dual<R> {
        let ratio = self.value.clone() / y.value.clone();
        self.by_rule(Prim::Div, &y, ratio)
    }
}

impl<R: Real> Real for Dual<R> {
    /// Returns the constant `v`.
    ///
    /// NaN has the slope NaN, so that an undefined value has an undefined derivative.
    fn num(&self, v: f64) -> Dual<R> {
        let value = self.value.num(v);
        Dual { slope: v.is_nan().then(|| value.clone()), value }
    }
    fn pi(&self) -> Dual<R> {
        Dual::still(self.value.pi())
    }
    fn is_nan(&self) -> bool {
        self.value.is_nan()
    }
    fn exactly(&self) -> Option<f64> {
        self.value.exactly()
    }
    fn is_exact_zero(&self) -> bool {
        self.value.is_exact_zero()
    }
    fn is_below(&self, power: f64) -> bool {
        self.value.is_below(power)
    }
    fn sign(&self) -> Option<Ordering> {
        self.value.sign()
    }
    fn is_negative(&self) -> bool {
        self.value.is_negative()
    }
    fn about(&self) -> f64 {
        self.value.about()
    }
    /// Returns the number with more error and without a slope, because only integers are blurred here: rounded numbers do not move.
    fn within(&self, by: f64) -> Dual<R> {
        Dual::still(self.value.within(by))
    }
    fn unknown(&self) -> Dual<R> {
        Dual { value: self.value.unknown(), slope: Some(self.value.unknown()) }
    }
    fn compare(&self, other: &Dual<R>) -> Option<Ordering> {
        self.value.compare(&other.value)
    }

    fn sqrt(&self) -> Dual<R> {
        self.by_rule(Prim::Sqrt, self, self.value.sqrt())
    }
    fn exp(&self) -> Dual<R> {
        self.by_rule(Prim::Exp, self, self.value.exp())
    }
    fn expm1(&self) -> Dual<R> {
        self.by_rule(Prim::Expm1, self, self.value.expm1())
    }
    fn ln(&self) -> Dual<R> {
        self.by_rule(Prim::Ln, self, self.value.ln())
    }
    fn log1p(&self) -> Dual<R> {
        self.by_rule(Prim::Log1p, self, self.value.log1p())
    }
    fn erf(&self) -> Dual<R> {
        self.by_rule(Prim::Erf, self, self.value.erf())
    }
    fn erfc(&self) -> Dual<R> {
        self.by_rule(Prim::Erfc, self, self.value.erfc())
    }
    fn erfinv(&self) -> Dual<R> {
        self.by_rule(Prim::Erfinv, self, self.value.erfinv())
    }
    fn gamma(&self, order: Gamma) -> Dual<R> {
        let prim = match order {
            Gamma::Log => Prim::Lgamma,
            Gamma::Digamma => Prim::Digamma,
            Gamma::Trigamma => Prim::Trigamma,
        };
        self.by_rule(prim, self, self.value.gamma(order))
    }
    fn sin(&self) -> Dual<R> {
        self.by_rule(Prim::Sin, self, self.value.sin())
    }
    fn cos(&self) -> Dual<R> {
        self.by_rule(Prim::Cos, self, self.value.cos())
    }
    fn atan(&self) -> Dual<R> {
        self.by_rule(Prim::Atan, self, self.value.atan())
    }
    fn pow(&self, y: &Dual<R>) -> Dual<R> {
        self.by_rule(Prim::Pow, y, self.value.pow(&y.value))
    }
}

#[cfg(test)]
mod tests {
    use crate::ball::Ball;
    use crate::real::Real;
    use crate::walk;
    use op_dsl_ir::graph::Builder;
    use op_dsl_ir::op::{Derived, Spec};
    use op_dsl_ir::prim::{Row, TABLE};
    use op_dsl_ir::wiring::Wiring;

    fn number(v: f64) -> Ball {
        Ball::exact(v, 512)
    }

    /// Returns the gradient of a primitive by argument `k`, or the gradient of that by argument `again`.
    ///
    /// Streams of the gradient are the upstream gradient `dy` and the primitive's arguments. Streams of the gradient of the
    /// gradient are its own upstream gradient, `dy` and the arguments.
    fn derivative(row: &Row, k: usize, again: Option<usize>) -> Spec {
        let mut b = Builder::new();
        let args: Vec<_> = (0..row.arity).map(|i| b.stream(i)).collect();
        let y = b.call(row.prim, &args);
        let forward = b.finish(&[y]);
        let first = Wiring {
            inputs: (1..=row.arity).map(Some).collect(),
            upstream: vec![Some(0)].into(),
            saved: vec![None].into(),
            wrt: vec![k].into(),
        };
        let second = again.map(|l| Wiring {
            inputs: (1..=row.arity + 1).map(Some).collect(),
            upstream: vec![Some(0)].into(),
            saved: vec![None].into(),
            wrt: vec![0, l + 1].into(),
        });
        let steps = [first].into_iter().chain(second).collect();
        Spec {
            derived: Some(Derived { forward: forward.clone(), steps, rows: vec![].into() }),
            ..Spec::of(forward)
        }
    }

    /// Tests the second derivatives of every primitive by each pair of its arguments, to 30 digits.
    #[test]
    fn second_derivatives_are_differences_of_first_ones() {
        // The derivatives of trigamma are refused.
        let others = ["select", "with_grad", "digamma", "trigamma"];
        for row in TABLE.iter().filter(|r| !r.prim.is_comparison() && !others.contains(&r.name)) {
            for (k, l) in (0..row.arity).flat_map(|k| (0..row.arity).map(move |l| (k, l))) {
                let first = derivative(row, k, None);
                for at in [[0.4375, 1.5, 0.75], [2.25, 0.4375, 3.0]] {
                    if at[0] > row.domain.1 {
                        continue;
                    }
                    let slope = |step: f64| {
                        let mut streams = vec![1.0];
                        streams.extend(&at[..row.arity]);
                        streams[l + 1] += step;
                        walk::outputs(&first, &walk::at(&streams, number), &[], &number).remove(0)
                    };
                    // The step is large enough for f64 to represent the arguments. Halving it makes the error of the
                    // difference a fourth power (Richardson extrapolation).
                    let half = |h: f64| (slope(h) - slope(-h)) / number(2.0 * h);
                    let [coarse, fine] = [0.5f64.powi(30), 0.5f64.powi(31)].map(half);
                    let want = (fine.clone() * number(4.0) - coarse) / number(3.0);
                    let mut streams = vec![1.0, 1.0];
                    streams.extend(&at[..row.arity]);
                    let spec = derivative(row, k, Some(l));
                    let got = walk::outputs(&spec, &walk::at(&streams, number), &[], &number);
                    let scale = want.abs() + number(1e-3);
                    let off = (got[1].clone() - want.clone()).abs() / scale;
                    let context = || format!("{} {k} {l}: {}", row.name, off.to_f64());
                    assert!(off.to_f64() < 1e-30, "{}", context());
                    // The derivative by the upstream gradient is the first derivative.
                    assert_eq!(got[0].to_f64(), slope(0.0).to_f64(), "{}", context());
                }
            }
        }
    }

    /// Checks that piecewise linear functions have the second derivative 0, also at their breakpoints.
    ///
    /// The second derivative at NaN is NaN.
    #[test]
    fn second_derivative_at_kinks_is_zero() {
        for name in ["relu", "abs", "sign", "min", "max"] {
            let row = TABLE.iter().find(|row| row.name == name).expect("a row");
            let spec = derivative(row, 0, Some(0));
            for (x, want) in [(-1.0, 0.0), (0.0, 0.0), (2.0, 0.0), (f64::NAN, f64::NAN)] {
                let streams = [1.0, 1.0, x, 0.0];
                let got = walk::outputs(&spec, &walk::at(&streams, number), &[], &number);
                let got = got[1].to_f64();
                assert!(got == want || got.is_nan() && want.is_nan(), "{name} {x}: {got}");
            }
        }
    }

    /// Checks that powers of 0 and 1, which are evaluated without a logarithm, have slopes.
    #[test]
    fn powers_of_zero_and_one_have_slopes() {
        let row = TABLE.iter().find(|row| row.name == "powf").expect("a row");
        let spec = derivative(row, 0, Some(0));
        for (x, y, want) in [(0.0, 2.0, 2.0), (1.0, 3.0, 6.0), (-2.0, 3.0, -12.0), (0.5, 1.0, 0.0)]
        {
            let got = walk::outputs(&spec, &walk::at(&[1.0, 1.0, x, y], number), &[], &number);
            let got = got[1].to_f64();
            assert!((got - want).abs() < 1e-14, "{x}^{y}: {got}");
        }
    }
}
