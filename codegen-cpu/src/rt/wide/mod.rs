//! A step in f64, for formulas that f32 is not accurate enough for: all of the formula is evaluated so, and rounded
//! once.
//!
//! ```text
//! functions what each level has out of line: all functions by their names
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
pub(super) mod functions;
mod gates;
mod log;
mod powf;
mod vectors;

use super::simd::{Isa, levels};
use super::step::{PAIR, by_pairs};
use fearless_simd::prelude::*;
use functions::functions;
pub use functions::{Functions, Wide};
pub use vectors::{WideMask, at_least, at_most, max, min, mul3};

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

/// What levels have out of line, of functions of one vector.
macro_rules! at_levels {
    ($($(#[$when:meta])* $level:ident($token:ident);)*) => {$(
        $(#[$when])*
        functions!(at_level $token);
    )*};
}

/// The same of one level.
macro_rules! at_level {
    ($token:ident $($module:ident::$name:ident($($x:ident),*);)*) => {
        impl Functions for fearless_simd::$token {
            $(
                #[inline(never)]
                fn $name(self, $($x: Wide<Self>),*) -> Wide<Self> {
                    each_vector!(self, [$($x),*] => $module::$name(self, $($x),*))
                }
            )*
        }
    };
}

levels!(at_levels);

/// Functions of a step, by those.
macro_rules! on_steps {
    ($($module:ident::$name:ident($($x:ident),*);)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of each lane; see the primitive of this name.")]
        #[inline(always)]
        pub fn $name<S: Isa, const W: usize>(s: S, $($x: Wide<S, W>),*) -> Wide<S, W> {
            by_pairs!([$($x),*] => s.$name($($x),*))
        }
    )*};
}

functions!(on_steps);
