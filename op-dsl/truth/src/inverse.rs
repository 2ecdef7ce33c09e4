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
/// Newton's method finds the number, and the signs of its residuals on either side prove how near it is. Neither the
/// number of bits nor the accuracy of the steps has to be known for that.
fn positive<R: Real>(z: &R, rest: &R) -> R {
    let half_root_pi = z.pi().sqrt() * z.num(0.5);
    if z.is_below(-300.0) {
        // `y = z sqrt(pi)/2 (1 + pi/12 z^2 + ..)`
        return half_root_pi * z.clone() * z.num(1.0).within(2f64.powi(-590));
    }
    let is_small = z.is_below(-1.0);
    // Positive where `y` is too small. In the tail, logarithms make the function nearly a square.
    let residual = |y: &R| match is_small {
        true => z.clone() - y.erf(),
        false => y.erfc().ln() - rest.ln(),
    };
    let slope = |y: &R| {
        let bell = (-(y.clone() * y.clone())).exp() / half_root_pi.clone();
        if is_small { bell } else { bell / y.erfc() }
    };
    let start = match is_small {
        true => FRAC_2_SQRT_PI.recip() * z.about() * (1.0 + PI / 12.0 * z.about().powi(2)),
        false => winitzki((rest.ln() + z.log1p()).about()),
    };
    let (mut y, mut last) = (z.num(start), f64::INFINITY);
    let mut off = start;
    for _ in 0..STEPS {
        let step = (residual(&y) / slope(&y)).about();
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

/// Returns an approximation of the number whose error function is `z`, where `log` is `log(1 - z^2)`.
///
/// Its relative error is below 0.004 (Winitzki).
fn winitzki(log: f64) -> f64 {
    const A: f64 = 0.147;
    let b = 2.0 / (PI * A) + 0.5 * log;
    ((b * b - log / A).sqrt() - b).sqrt()
}
