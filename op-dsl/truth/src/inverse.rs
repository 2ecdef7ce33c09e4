//! The inverse of the error function, enclosed between two numbers whose error functions are on either side.

use crate::real::Real;
use std::cmp::Ordering::{Equal, Greater, Less};
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// Largest number of steps of Newton's method. Each at least doubles the correct bits, or adds those of an f64.
const STEPS: usize = 64;
/// Largest number of times that an enclosure is widened.
const TRIES: usize = 48;

/// Returns the number whose error function is `x`; infinite at -1 and 1, NaN beyond.
pub fn erfinv<R: Real>(x: &R) -> R {
    let rest = x.num(1.0) - x.abs();
    let y = match (rest.sign(), x.sign()) {
        _ if x.is_nan() => return x.num(f64::NAN),
        (None, _) | (_, None) => return x.unknown(),
        (Some(Less), _) => return x.num(f64::NAN),
        (Some(Equal), _) => x.num(f64::INFINITY),
        (_, Some(Equal)) => return x.clone(),
        (Some(Greater), _) => positive(&x.abs(), &rest),
    };
    if x.is_negative() { -y } else { y }
}

/// Returns the number whose error function is `z`, between 0 and 1; `rest` is `1 - z`.
///
/// Newton's method finds the number, in f64 first, whose slope serves for the other steps too. The signs of the residuals on
/// either side prove how near it is. Neither the number of bits nor the accuracy of the steps has to be known for that.
fn positive<R: Real>(z: &R, rest: &R) -> R {
    if z.is_below(-300.0) {
        // `y = z sqrt(pi)/2 (1 + pi/12 z^2 + ..)`
        return z.pi().sqrt() * z.num(0.5) * z.clone() * z.num(1.0).within(2f64.powi(-590));
    }
    let is_small = z.is_below(-1.0);
    let log = if is_small { z.clone() } else { rest.ln() };
    // Positive where `y` is too small. In the tail, logarithms make the function nearly a square.
    let residual = |y: &R| match is_small {
        true => log.clone() - y.erf(),
        false => y.erfc().ln() - log.clone(),
    };
    let start = match is_small {
        true => FRAC_2_SQRT_PI.recip() * z.about() * (1.0 + PI / 12.0 * z.about().powi(2)),
        false => winitzki((log.clone() + z.log1p()).about()),
    };
    let (start, slope) = in_f64(start, log.about(), is_small);
    let (mut y, mut last) = (z.num(start), f64::INFINITY);
    let mut off = start;
    for _ in 0..STEPS {
        let step = residual(&y).about() / slope;
        if !step.is_finite() {
            return z.unknown();
        }
        off = match step == 0.0 {
            true => (last * 2f64.powi(-100)).min(start * 2f64.powi(-54)),
            false => 4.0 * step.abs(),
        };
        y = y + z.num(step);
        // Steps that are no longer smaller are rounding errors of the residual.
        if step == 0.0 || step.abs() > 0.25 * last {
            break;
        }
        last = step.abs();
    }
    for _ in 0..TRIES {
        let [below, above] = [-off, off].map(|by| residual(&(y.clone() + z.num(by))).sign());
        if (below, above) == (Some(Greater), Some(Less)) {
            return y.within(off);
        }
        off *= 8.0;
    }
    z.unknown()
}

/// Returns the number `y` with `erf(y) = want`, or `ln(erfc(y)) = want` unless `is_small`, to the digits of f64, and the negative
/// slope of the residual there.
///
/// `start` is an approximation of `y`.
fn in_f64(start: f64, want: f64, is_small: bool) -> (f64, f64) {
    let bell = |y: f64| FRAC_2_SQRT_PI * (-y * y).exp();
    // The residual and the slope; from 20 on by the asymptotic series of `erfc`.
    let at = |y: f64| match (is_small, y < 20.0) {
        (true, _) => (want - libm::erf(y), bell(y)),
        (_, true) => (libm::erfc(y).ln() - want, bell(y) / libm::erfc(y)),
        _ => {
            let u = 0.5 / (y * y);
            let series = (u * (u * (3.0 - 15.0 * u) - 1.0)).ln_1p();
            (series - y * y - (y * PI.sqrt()).ln() - want, 2.0 * y + 1.0 / y)
        }
    };
    let mut y = start;
    for _ in 0..4 {
        let (residual, slope) = at(y);
        y += residual / slope;
    }
    (y, at(y).1)
}

/// Returns an approximation of the number whose error function is `z`, where `log` is `log(1 - z^2)`.
///
/// Its relative error is below 0.004 (Winitzki).
fn winitzki(log: f64) -> f64 {
    const A: f64 = 0.147;
    let b = 2.0 / (PI * A) + 0.5 * log;
    ((b * b - log / A).sqrt() - b).sqrt()
}
