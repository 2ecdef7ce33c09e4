//! Polynomials near a zero at 0, which replace the sequence of a function where that loses its digits.

use super::{choice, mask};
use crate::sequence::{Compare, Seq, Val};
use op_dsl_ir::{Builder, Id, Prim};

/// Candidates for the `|x|` below which a polynomial replaces a function.
///
/// The least that serves is taken, because the polynomial then has the fewest coefficients.
pub const ENDS: [f64; 6] = [0.1, 0.2, 0.4, 0.7, 1.0, 1.4];
/// Largest number of coefficients of a polynomial near 0, not counting the first.
pub const MOST: usize = 9;

/// A polynomial for `|x|` below `least`: `x^power (c[0] + c[1] t + c[2] t^2 + ..)`.
///
/// `t` is `x^2` if the factor in parentheses is even, otherwise `x`.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    power: i32,
    is_even: bool,
    /// The `|x|` below which the polynomial replaces the function.
    pub least: f64,
    c: Vec<f64>,
}

/// Rounds `c` to a multiple of 1/4096, if only rounding errors make it differ from one.
pub(in crate::sequence) fn whole(c: f64) -> f64 {
    let short = (c * 4096.0).round() / 4096.0;
    if (c - short).abs() < 1e-9 * c.abs() { short } else { c }
}

/// Returns the coefficients of the polynomial through `points`, from the constant on.
///
/// The coefficients come from Newton's divided differences.
fn through(points: &[(f64, f64)]) -> Vec<f64> {
    let n = points.len();
    let mut divided: Vec<f64> = points.iter().map(|p| p.1).collect();
    for k in 1..n {
        for i in (k..n).rev() {
            divided[i] = (divided[i] - divided[i - 1]) / (points[i].0 - points[i - k].0);
        }
    }
    let mut c = vec![0.0; n];
    for k in (0..n).rev() {
        // c <- c (t - t_k) + divided[k]
        for i in (1..n).rev() {
            c[i] = c[i - 1] - points[k].0 * c[i];
        }
        c[0] = divided[k] - points[k].0 * c[0];
    }
    c
}

impl Near {
    /// Fits a polynomial for `|x|` below `least` to a function with a zero at 0, by interpolation.
    ///
    /// The points are Chebyshev points; the first coefficient is the limit at 0 of the function divided by its power of `x`.
    /// `degree` is the number of further coefficients. Returns `None` if the function has no zero of order 1 to 3 at 0.
    pub fn fit(f: &dyn Fn(f64) -> f64, least: f64, degree: usize) -> Option<Near> {
        let (far, near) = (f(least / 8.0), f(least / 16.0));
        let power = libm::log2((far / near).abs()).round();
        if f(0.0) != 0.0 || !(1.0..=3.0).contains(&power) {
            return None;
        }
        let power = power as i32;
        let rest = |x: f64| f(x) / x.powi(power);
        let is_even = [0.3, 0.7, 1.0].iter().all(|share| {
            let (plus, minus) = (rest(share * least), rest(-share * least));
            (plus - minus).abs() <= 1e-9 * plus.abs()
        });
        // As many points as coefficients; none at 0, where `rest` is undefined.
        let places = |n: usize| -> Vec<f64> {
            let cosine = |k: usize| libm::cos((k as f64 + 0.5) * core::f64::consts::PI / n as f64);
            let place = |k: usize| match is_even {
                true => least * (0.5 * (1.0 + cosine(k))).sqrt(),
                false if cosine(k).abs() < 1e-3 => 1e-3 * least,
                false => least * cosine(k),
            };
            (0..n).map(place).collect()
        };
        let t = |x: f64| if is_even { x * x } else { x };
        let all: Vec<(f64, f64)> =
            places(degree + 6).into_iter().map(|x| (t(x), rest(x))).collect();
        let first = whole(through(&all)[0]);
        let bend = |x: f64| (t(x), (rest(x) - first) / t(x));
        let bends: Vec<(f64, f64)> = places(degree).into_iter().map(bend).collect();
        let c: Vec<f64> = [first].into_iter().chain(through(&bends)).collect();
        c.iter().all(|c| c.is_finite()).then_some(Near { power, is_even, least, c })
    }

    /// Returns the value of the polynomial at `x`.
    pub fn value(&self, x: f64) -> f64 {
        let t = if self.is_even { x * x } else { x };
        self.c.iter().rev().fold(0.0, |p, c| p * t + c) * x.powi(self.power)
    }

    /// Adds nodes to a graph: the polynomial where `|x|` is below `self.least`, `far` elsewhere.
    ///
    /// Returns the node that selects one of the two.
    pub fn choose(&self, b: &mut Builder, x: Id, far: Id) -> Id {
        let near = self.polynomial(b, x);
        self.select(b, x, near, far)
    }

    /// Adds nodes to a graph that select `near` where `|x|` is below `self.least`, `far` elsewhere.
    pub fn select(&self, b: &mut Builder, x: Id, near: Id, far: Id) -> Id {
        let (size, least) = (b.call(Prim::Abs, &[x]), b.num(self.least));
        let is_near = b.call(Prim::Lt, &[size, least]);
        b.call(Prim::Select, &[is_near, near, far])
    }

    /// Adds the polynomial to a graph.
    pub fn polynomial(&self, b: &mut Builder, x: Id) -> Id {
        let t = if self.is_even { b.product(x, x) } else { x };
        let (last, rest) = self.c.split_last().unwrap_or((&0.0, &[]));
        let mut p = b.num(*last);
        for c in rest.iter().rev() {
            let product = b.product(p, t);
            let c = b.num(*c);
            p = b.sum(product, c);
        }
        (0..self.power).fold(p, |p, _| b.product(p, x))
    }

    /// Emits the polynomial where `|x|` is below `self.least`, and `far` elsewhere.
    pub fn build(&self, s: &mut Seq, x: Val, far: Val) -> Val {
        let square = (self.is_even || self.power > 1).then(|| s.mul(x, x));
        let (t, size, least) = match square.filter(|_| self.is_even) {
            Some(u) => (u, u, self.least * self.least),
            None => (x, s.abs(x), self.least),
        };
        let is_near = mask(s, size, Compare::Lt, least);
        let last = self.c.len() - 1;
        let mut p = s.muls(t, self.c[last]);
        for c in self.c[1..last].iter().rev() {
            p = s.adds(p, *c);
            p = s.mul(p, t);
        }
        let near = if self.power == 1 && self.c[0] == 1.0 {
            s.fused_mul_add(p, x, x)
        } else {
            let p = s.adds(p, self.c[0]);
            let p = match square.filter(|_| self.power > 1) {
                Some(u) => s.mul(p, u),
                None => p,
            };
            if self.power == 2 { p } else { s.mul(p, x) }
        };
        s.named(near, "a polynomial near 0");
        choice(s, is_near, near, far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_orders() {
        type Case = (fn(f64) -> f64, i32, bool, f64);
        let cases: [Case; 5] = [
            (libm::tanh, 1, true, 1.0),
            (libm::expm1, 1, false, 1.0),
            (|x| x - libm::tanh(x), 3, true, 1.0 / 3.0),
            (|x| 1.0 - libm::cos(x), 2, true, 0.5),
            (libm::erf, 1, true, core::f64::consts::FRAC_2_SQRT_PI),
        ];
        for (k, (f, power, is_even, first)) in cases.into_iter().enumerate() {
            let near = Near::fit(&f, 0.25, 4).expect("a zero");
            assert_eq!((near.power, near.is_even), (power, is_even), "{k}");
            assert!((near.c[0] - first).abs() < 1e-9, "{k}: {}", near.c[0]);
            let x = 0.2f64;
            let p = near.value(x);
            assert!((p / f(x) - 1.0).abs() < 2e-6, "{k}: {p}");
        }
        assert_eq!(Near::fit(&libm::cos, 0.25, 4), None);
        assert_eq!(Near::fit(&|x| x * x * x * x, 0.25, 4), None);
    }
}
