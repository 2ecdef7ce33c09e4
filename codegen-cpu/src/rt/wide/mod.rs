//! A step in f64, for formulas that f32 is not accurate enough for: all of the formula is evaluated so, and rounded
//! once.
//!
//! ```text
//! vectors   conversions, arithmetic, comparisons, selection
//! exp       exp, expm1, sigmoid, tanh
//! log       ln, log1p, softplus
//! erf       erf, erfc, the normal distribution
//! gates     gelu, silu and their derivatives
//! circle    sin, cos, atan
//! powf      x^y
//! ```
//!
//! Errors are below 2^-50 of the value, and grow with the exponent of a vanishing exponential, as in `erfc`, `gelu` or
//! `powf`: to 2^-44 where f32 has normal numbers, to 2^-42 where f64 has. The rounding to f32 costs 2^-24. The range is that
//! of f64, so that nothing overflows on the way between numbers of f32.

mod circle;
mod erf;
mod exp;
mod gates;
mod log;
mod powf;
mod vectors;

use super::simd::{Isa, levels};
use super::step::{PAIR, by_pairs};
use fearless_simd::prelude::*;
pub use vectors::{Wide, WideMask, at_least, at_most, max, min, mul3};

/// Makes of functions of one vector those of a step, and the trait that has them at each level. `$d` is a `$`: the macro
/// that is made has parameters of its own.
macro_rules! functions {
    (($d:tt) $($module:ident::$name:ident($($x:ident),*);)*) => {
        /// Functions of a pair of vectors: out of line, compiled once per level and not once per kernel.
        pub trait Functions: Simd {
            $(
                #[doc = concat!("`", stringify!($name), "` of each lane.")]
                fn $name(self, $($x: Wide<Self>),*) -> Wide<Self>;
            )*
        }

        macro_rules! at_levels {
            ($d($d(#[$d when:meta])* $d level:ident($d token:ident);)*) => {$d(
                $d(#[$d when])*
                impl Functions for fearless_simd::$d token {
                    $(
                        #[inline(never)]
                        fn $name(self, $($x: Wide<Self>),*) -> Wide<Self> {
                            each_vector!(self, [$($x),*] => $module::$name(self, $($x),*))
                        }
                    )*
                }
            )*};
        }
        levels!(at_levels);

        $(
            #[doc = concat!("`", stringify!($name), "` of each lane; see the primitive of this name.")]
            #[inline(always)]
            pub fn $name<S: Isa, const W: usize>(s: S, $($x: Wide<S, W>),*) -> Wide<S, W> {
                by_pairs!([$($x),*] => s.$name($($x),*))
            }
        )*
    };
}

/// A function of vectors, on each vector of some steps. A loop, for the code to be short.
macro_rules! each_vector {
    ($s:expr, [$first:ident $(, $x:ident)*] => $f:expr) => {
        $s.vectorize(
            #[inline(always)]
            || {
                let mut step = $first;
                for k in 0..2 * PAIR {
                    let $first = $first.0[k / 2][k % 2];
                    $(let $x = $x.0[k / 2][k % 2];)*
                    step.0[k / 2][k % 2] = $f;
                }
                step
            },
        )
    };
}

functions! { ($)
    exp::exp(x);
    exp::expm1(x);
    exp::sigmoid(x);
    exp::tanh(x);
    log::ln(x);
    log::log1p(x);
    log::softplus(x);
    erf::erf(x);
    erf::erfc(x);
    erf::normal_cdf(x);
    gates::gelu(x);
    gates::gelu_grad(x);
    gates::gelu_tanh(x);
    gates::gelu_tanh_grad(x);
    gates::silu(x);
    gates::silu_grad(x);
    circle::sin(x);
    circle::cos(x);
    circle::atan(x);
    powf::powf(x, y);
}
