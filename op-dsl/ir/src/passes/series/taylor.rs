//! Arithmetic of truncated power series (Taylor coefficients).
//!
//! An unknown coefficient is NaN, because NaN then propagates to every coefficient that depends on it: those of the same power
//! and above.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// Number of coefficients in a series.
pub const TERMS: usize = 26;

/// Coefficients of the powers of the variable, constant term first; NaN if unknown.
pub type Series = [f64; TERMS];

/// Returns the number of leading coefficients that are known (not NaN).
pub fn known(x: &Series) -> usize {
    x.iter().position(|c| c.is_nan()).unwrap_or(TERMS)
}

pub fn constant(c: f64) -> Series {
    std::array::from_fn(|k| if k == 0 { c } else { 0.0 })
}

/// Sums terms. A sum of at most 1e-13 of the terms' magnitudes becomes 0: it is only rounding error.
fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()));
    if f64::abs(sum) <= 1e-13 * size { 0.0 } else { sum }
}

pub fn scaled(c: f64, x: &Series) -> Series {
    x.map(|v| c * v)
}

/// Series of `x + c y`.
pub fn plus(x: &Series, c: f64, y: &Series) -> Series {
    std::array::from_fn(|k| sum([x[k], c * y[k]].into_iter()))
}

pub fn times(x: &Series, y: &Series) -> Series {
    std::array::from_fn(|k| sum((0..=k).map(|i| x[i] * y[k - i])))
}

/// Series of `x / y`, or `None` if the constant term of `y` is 0.
pub fn over(x: &Series, y: &Series) -> Option<Series> {
    let mut q = [0.0; TERMS];
    for k in 0..TERMS {
        let rest = sum((0..k).map(|i| -q[i] * y[k - i]).chain([x[k]]));
        q[k] = rest / y[0];
    }
    (y[0] != 0.0).then_some(q)
}

/// Series `y = e^x`, from the differential equation `y' = x' y`.
pub fn exp(x: &Series) -> Series {
    let mut y = constant(libm::exp(x[0]));
    for k in 1..TERMS {
        y[k] = sum((1..=k).map(|i| i as f64 * x[i] * y[k - i])) / k as f64;
    }
    y
}

/// Sine `s` and cosine `c` of a series `x`, from `s' = c x'` and `c' = -s x'`.
pub fn turned(x: &Series) -> [Series; 2] {
    let (mut s, mut c) = (constant(libm::sin(x[0])), constant(libm::cos(x[0])));
    for k in 1..TERMS {
        let flow = |y: &Series| sum((1..=k).map(|i| i as f64 * x[i] * y[k - i])) / k as f64;
        (s[k], c[k]) = (flow(&c), -flow(&s));
    }
    [s, c]
}

/// Series of `1 / (1 + e^-x)`; `None` if the divisor's constant term is 0.
pub fn sigmoid(x: &Series) -> Option<Series> {
    let one = constant(1.0);
    over(&one, &plus(&one, 1.0, &exp(&scaled(-1.0, x))))
}

/// Series `y = sqrt(x)`, from `y y = x`. `None` unless the constant term of `x` is positive.
pub fn sqrt(x: &Series) -> Option<Series> {
    let mut y = constant(x[0].sqrt());
    for k in 1..TERMS {
        let rest = sum((1..k).map(|i| -y[i] * y[k - i]).chain([x[k]]));
        y[k] = rest / (2.0 * y[0]);
    }
    (x[0] > 0.0).then_some(y)
}

/// Series `p = x^a`, from `p' x = a p x'`. `None` unless the constant term of `x` is positive.
pub fn power(x: &Series, a: f64) -> Option<Series> {
    let mut p = constant(libm::pow(x[0], a));
    for k in 1..TERMS {
        let flow = |i: usize| (a * i as f64 - (k - i) as f64) * x[i] * p[k - i];
        p[k] = sum((1..=k).map(flow)) / (k as f64 * x[0]);
    }
    (x[0] > 0.0).then_some(p)
}

/// Series of `e^(k x^2)`.
pub fn bell(k: f64, x: &Series) -> Series {
    exp(&scaled(k, &times(x, x)))
}

/// Series of the normal density `e^(-x^2/2) / sqrt(2 pi)`.
pub fn density(x: &Series) -> Series {
    scaled(0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2, &bell(-0.5, x))
}

pub fn derivative(x: &Series) -> Series {
    std::array::from_fn(|k| x.get(k + 1).map_or(0.0, |c| (k + 1) as f64 * c))
}

pub fn integral(first: f64, x: &Series) -> Series {
    std::array::from_fn(|k| if k == 0 { first } else { x[k - 1] / k as f64 })
}
