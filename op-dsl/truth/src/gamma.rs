//! The logarithm of the gamma function and its derivatives, by Stirling's series with a bound of what it leaves out.

use crate::real::{Gamma, Real};
use dashu_int::IBig;
use std::cell::RefCell;

/// Largest number of terms of the series, enough for [`crate::ball::LAST`] bits. Powers of 4 up to it are f64 numbers.
const TERMS: usize = 500;

thread_local! {
    /// The first tangent numbers: 1, 2, 16, 272, ..
    static TANGENTS: RefCell<Vec<IBig>> = const { RefCell::new(Vec::new()) };
}

/// Returns `f` of tangent number `k`, counted from 1.
pub fn with_tangent<T>(k: usize, f: impl FnOnce(&IBig) -> T) -> T {
    TANGENTS.with_borrow_mut(|known| {
        if known.len() < k {
            *known = tangents(if k <= 32 { 32 } else { TERMS });
        }
        f(&known[k - 1])
    })
}

/// Returns the first `n` tangent numbers, by Brent and Harvey's recurrence in integers.
fn tangents(n: usize) -> Vec<IBig> {
    let mut all = vec![IBig::ONE];
    for k in 1..n {
        all.push(IBig::from(k) * &all[k - 1]);
    }
    for k in 1..n {
        for j in k..n {
            all[j] = IBig::from(j - k) * &all[j - 1] + IBig::from(j - k + 2) * &all[j];
        }
    }
    all
}

/// Returns the function at an infinity, at 0 and at a negative integer; `None` elsewhere.
///
/// All large numbers are integers, so that -infinity counts as a pole. At poles digamma has its limit from the right, but at -0
/// that from the left.
pub fn at_special(order: Gamma, x: f64) -> Option<f64> {
    let is_pole = x <= 0.0 && (x.is_infinite() || x == x.trunc());
    match order {
        _ if x.is_nan() => Some(f64::NAN),
        Gamma::Digamma if x == 0.0 => Some(-x.recip()),
        Gamma::Digamma if is_pole => Some(f64::NEG_INFINITY),
        Gamma::Trigamma if x == f64::INFINITY => Some(0.0),
        _ => (is_pole || x == f64::INFINITY).then_some(f64::INFINITY),
    }
}

/// Returns the function with an error of about `2^-bits`; `tangent` returns the tangent number of an index.
pub fn gamma<R: Real>(order: Gamma, x: &R, bits: f64, tangent: &impl Fn(usize) -> R) -> R {
    if let Some(special) = x.exactly().and_then(|x| at_special(order, x)) {
        return x.num(special);
    }
    match x.is_negative() {
        _ if x.is_nan() => x.num(f64::NAN),
        true => reflected(order, x, bits, tangent),
        false => positive(order, x, bits, tangent),
    }
}

/// Returns the function for a negative number, by its reflection and the sine of `pi` times the distance from an integer.
fn reflected<R: Real>(order: Gamma, x: &R, bits: f64, tangent: &impl Fn(usize) -> R) -> R {
    let nearest = x.about().round();
    if !nearest.is_finite() {
        return x.unknown();
    }
    let angle = x.pi() * (x.clone() - x.num(nearest));
    let other = positive(order, &(x.num(1.0) - x.clone()), bits, tangent);
    match order {
        Gamma::Log => x.pi().ln() - angle.sin().abs().ln() - other,
        Gamma::Digamma => other - x.pi() * angle.cos() / angle.sin(),
        Gamma::Trigamma => {
            let quotient = x.pi() / angle.sin();
            quotient.clone() * quotient - other
        }
    }
}

/// Returns the function for a positive number, by the recurrence from a number that is large enough for the series.
fn positive<R: Real>(order: Gamma, x: &R, bits: f64, tangent: &impl Fn(usize) -> R) -> R {
    // The least term of the series is about e^(-2 pi y), and a larger y needs fewer terms.
    let least = 0.2 * bits + 4.0;
    let steps = (least - x.about()).ceil().max(0.0) as usize;
    let y = x.clone() + x.num(steps as f64);
    let each = (0..steps).map(|k| x.clone() + x.num(k as f64));
    let one = || x.num(1.0);
    let far = stirling(order, &y, bits, tangent);
    match order {
        Gamma::Log => product(each.collect()).map_or(far.clone(), |product| far - product.ln()),
        Gamma::Digamma => each.fold(far, |sum, x| sum - one() / x),
        Gamma::Trigamma => each.fold(far, |sum, x| sum + one() / (x.clone() * x)),
    }
}

/// Returns the product of numbers, of neighbours first, because bounds of errors grow with each of a chain of products.
fn product<R: Real>(mut factors: Vec<R>) -> Option<R> {
    while factors.len() > 1 {
        let pairs = factors.chunks(2).map(|pair| match pair {
            [a, b] => a.clone() * b.clone(),
            _ => pair[0].clone(),
        });
        factors = pairs.collect();
    }
    factors.pop()
}

/// Returns the function for a large number.
///
/// The terms alternate, and what they leave out is a part of the next one.
fn stirling<R: Real>(order: Gamma, y: &R, bits: f64, tangent: &impl Fn(usize) -> R) -> R {
    let n = |v: f64| y.num(v);
    let inverse = n(1.0) / y.clone();
    let square = inverse.clone() * inverse.clone();
    // The series of trigamma is that of `y` times it, whose value is about 1.
    let (mut sum, mut power) = match order {
        Gamma::Log => {
            let log = y.ln();
            let tau = y.pi() * n(2.0);
            let start = (y.clone() - n(0.5)) * log - y.clone() + n(0.5) * tau.ln();
            (start, inverse.clone())
        }
        Gamma::Digamma => (y.ln() - n(0.5) * inverse.clone(), -square.clone()),
        Gamma::Trigamma => (n(1.0) + n(0.5) * inverse.clone(), square.clone()),
    };
    for k in 1..=TERMS {
        let (index, four) = (2.0 * k as f64, (2.0 * k as f64).exp2());
        // B_2k / 2k
        let bernoulli = tangent(k) / (n(four) * (n(four) - n(1.0)));
        let factor = match order {
            Gamma::Log => n(1.0) / n(index - 1.0),
            Gamma::Digamma => n(1.0),
            Gamma::Trigamma => n(index),
        };
        let term = bernoulli * factor * power.clone();
        if term.is_below(-bits) {
            sum = sum + term * n(0.5).within(0.5);
            return if order == Gamma::Trigamma { sum * inverse } else { sum };
        }
        sum = sum + term;
        power = -(power * square.clone());
    }
    y.unknown()
}
