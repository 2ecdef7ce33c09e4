//! Odd functions that saturate: `x P(x^2) / Q(x^2)`, or `x P(x^2)` as the argument of tanh.

use super::near::Near;
use super::{Factors, clamp, horner, straight_near_zero, times};
use crate::sequence::{Seq, Val};

/// An odd function that saturates: `x N(x^2) / D(x^2)`, or `tanh(x N(x^2) / 2)`.
///
/// Coefficients of the polynomials `N` and `D` are minimax, in powers of `x^2`, from the constant on.
#[derive(Debug)]
pub struct Odd {
    /// The `|x|` at which `x` is clamped on both sides, because the limit is reached there.
    pub held: f64,
    /// Coefficients of the polynomial `N` in `x N(x^2) / D(x^2)` or `tanh(x N(x^2) / 2)`.
    pub n: &'static [f64],
    /// Coefficients of `D` in `x N(x^2) / D(x^2)`, the last 1; `None` for `tanh(x N(x^2) / 2)`.
    pub d: Option<&'static [f64]>,
    /// A line that replaces the function near 0, where tanh has too few digits: largest `|x|`, and slope.
    pub line: Option<(f64, f64)>,
    /// A polynomial that replaces the function near 0, where it has more digits.
    pub near: Option<NearZero>,
}

/// A polynomial that replaces a function for small `|x|`.
#[derive(Debug)]
pub struct NearZero {
    /// The largest `|x|` at which the polynomial is used.
    pub up_to: f64,
    /// The function that the polynomial is fitted to.
    pub function: fn(f64) -> f64,
    /// The degree in `x^2` of the polynomial, divided by `x`.
    pub degree: usize,
}

/// `erf` in f32.
///
/// The error is 1.8e-7, or 2.5e-7 if `Exp` and `Div` round with one unit of noise.
pub static ERF: Odd = Odd {
    held: 3.9,
    n: &[
        2.0 * 1.128_379_705_489_720_9,
        2.0 * 0.102_765_481_375_179_88,
        2.0 * -1.843_836_029_417_234_4e-4,
        2.0 * -6.257_196_224_312_785e-4,
        2.0 * 8.971_260_321_885_632e-5,
        2.0 * -5.985_693_640_064_023e-6,
        2.0 * 1.589_604_336_112_502e-7,
    ],
    d: None,
    line: None,
    near: None,
};

/// `erf` in f32 with relative accuracy near 0.
pub static ERF_NEAR: Odd = Odd {
    near: Some(NearZero { up_to: 0.35, function: libm::erf, degree: 3 }),
    held: ERF.held,
    n: ERF.n,
    d: None,
    line: None,
};

/// `erf` in f16.
///
/// The error is 0.98 ulp.
pub static ERF_F16: Odd = Odd {
    held: 4.0,
    n: &[
        2.0 * 1.128_318_325_385_394,
        2.0 * 0.103_668_474_176_851_85,
        2.0 * -0.001_636_094_011_672_217_3,
    ],
    d: None,
    line: Some((1.0 / 32.0, core::f64::consts::FRAC_2_SQRT_PI)),
    near: None,
};

/// `erf` in bf16.
///
/// The error is 0.70 ulp.
pub static ERF_BF16: Odd = Odd {
    held: 2.21,
    n: &[
        1.129_296_204 / 0.330_365_689_4,
        -0.013_744_810_93 / 0.330_365_689_4,
        0.005_004_085_891 / 0.330_365_689_4,
    ],
    d: Some(&[1.0 / 0.330_365_689_4, 1.0]),
    line: None,
    near: None,
};

impl Odd {
    /// Emits the vector calls for the odd function of `x`, times the factors `t`.
    pub fn build(&self, s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
        let held = clamp(s, x, -self.held, self.held);
        let u = s.mul(held, held);
        let n = horner(s, u, self.n);
        let z = s.mul(n, held);
        s.named(u, "x^2");
        let y = match self.d {
            Some(d) => {
                let d = horner(s, u, d);
                s.div(z, d)
            }
            None => {
                let e = s.exp(z);
                let d = s.adds(e, 1.0);
                let n = s.adds(e, -1.0);
                s.named(z, "z = x P(x^2)");
                s.named(e, "e^z");
                s.div(n, d)
            }
        };
        let y = match self.line {
            Some((least, slope)) => straight_near_zero(s, x, least, slope, y),
            None => y,
        };
        let near =
            self.near.as_ref().and_then(|near| Near::fit(&near.function, near.up_to, near.degree));
        let y = near.map_or(y, |near| near.build(s, held, y));
        times(s, y, t)
    }
}
