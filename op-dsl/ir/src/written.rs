//! Functions of the language that are formulas of other functions, for example `hypot`.
//!
//! Each is written once, as Rust: the compiler reads its text where a formula calls it, and `Elem` has it as an ordinary function.

/// Passes all functions that are formulas of other functions to a macro: names, parameters, documentation and bodies.
#[macro_export]
macro_rules! written_functions {
    ($make:ident) => {
        $make! {
            recip(x) "`1 / x`" { 1.0 / x }
            rsqrt(x) "`1 / sqrt(x)`" { 1.0 / sqrt(x) }
            cbrt(x) "The cube root of `x`, with the sign of `x`." {
                if x < 0.0 { -powf(-x, 1.0 / 3.0) } else { powf(x, 1.0 / 3.0) }
            }
            hypot(x, y) "`sqrt(x^2 + y^2)`" { sqrt(x * x + y * y) }
            exp2(x) "`2^x`" { exp(LN_2 * x) }
            exp10(x) "`10^x`" { exp(LN_10 * x) }
            log2(x) "`log_2 x`" { LOG2_E * ln(x) }
            log10(x) "`log_10 x`" { LOG10_E * ln(x) }
            logit(x) "`log_e (x / (1 - x))`" { ln(x / (1.0 - x)) }
            logaddexp(x, y) "`log_e (e^x + e^y)`" { max(x, y) + log1p(exp(-abs(x - y))) }
            tan(x) "`sin x / cos x`" { sin(x) / cos(x) }
            asin(x) "The angle in `[-pi/2, pi/2]` whose sine is `x`." {
                2.0 * atan(x / (1.0 + sqrt((1.0 - x) * (1.0 + x))))
            }
            acos(x) "The angle in `[0, pi]` whose cosine is `x`." {
                if x < 0.0 {
                    PI - 2.0 * atan(sqrt((1.0 + x) / (1.0 - x)))
                } else {
                    2.0 * atan(sqrt((1.0 - x) / (1.0 + x)))
                }
            }
            atan2(y, x) "The angle of the point `(x, y)` in `[-pi, pi]`; NaN at the origin." {
                if abs(y) > abs(x) {
                    FRAC_PI_2 * sign(y) - atan(x / y)
                } else if x > 0.0 {
                    atan(y / x)
                } else if y < 0.0 {
                    atan(y / x) - PI
                } else {
                    atan(y / x) + PI
                }
            }
            asinh(x) "The inverse of `sinh`." { ln(x + sqrt(x * x + 1.0)) }
            acosh(x) "The inverse of `cosh`, at least 0." { ln(x + sqrt(x - 1.0) * sqrt(x + 1.0)) }
            atanh(x) "The inverse of `tanh`." { 0.5 * (log1p(x) - log1p(-x)) }
            copysign(x, y) "`|x|` with the sign of `y`; positive where `y` is 0." {
                if y < 0.0 { -abs(x) } else { abs(x) }
            }
            heaviside(x) "1 where `x` is positive, else 0." { max(sign(x), 0.0) }
            floor(x) "The largest integer that is not above `x`." {
                let nearest = round(x);
                if nearest > x { nearest - 1.0 } else { nearest }
            }
            ceil(x) "The smallest integer that is not below `x`." {
                let nearest = round(x);
                if nearest < x { nearest + 1.0 } else { nearest }
            }
            trunc(x) "`x` without its digits behind the point." {
                let nearest = round(x);
                if abs(nearest) > abs(x) { nearest - sign(x) } else { nearest }
            }
            sinc(x) "`sin(pi x) / (pi x)`, and 1 at 0." {
                // Taking off the nearest integer is exact, so that large arguments keep their digits; an odd one turns the sign.
                let nearest = round(x);
                let odd = nearest - 2.0 * round(0.5 * nearest);
                if x == 0.0 {
                    // Both derivatives are those of the function as well.
                    1.0 - PI * PI / 6.0 * x * x
                } else {
                    (1.0 - 2.0 * odd * odd) * sin(PI * (x - nearest)) / (PI * x)
                }
            }
        }
    };
}
