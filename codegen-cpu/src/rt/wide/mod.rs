//! A step in f64, for formulas for which f32 is not accurate enough.
//!
//! All of the formula is evaluated in f64, and rounded once.
//!
//! ```text
//! functions list of the functions that each level has out of line
//! vectors   conversions, arithmetic, comparisons, selection
//! exp       exp, expm1, sigmoid, tanh
//! log       ln, log1p, softplus
//! erf       erf, erfc, erfinv, the normal distribution
//! gates     gelu, silu and their derivatives
//! circle    sin, cos, atan
//! powf      x^y
//! remainder  x - y trunc(x / y)
//! gamma     lgamma, digamma, trigamma
//! double    sums of two numbers, of twice as many digits
//! exact     those of these whose results stay in f64, in calls on f64
//! ```
//!
//! Errors are below 2^-50 of the value, and grow with the exponent of a vanishing exponential, as in `erfc`, `gelu` or `powf`:
//! to 2^-44 where f32 has normal numbers, to 2^-42 where f64 has. The rounding to f32 costs 2^-24. The range is that of f64, so
//! that no intermediate value between numbers of f32 overflows.

mod circle;
mod double;
mod erf;
mod exact;
mod exp;
pub(super) mod functions;
mod gamma;
mod gates;
mod log;
mod powf;
mod remainder;
mod vectors;

use super::simd::{Isa, levels};
use core::mem::MaybeUninit;
pub use exp::exp_to_f32;
use fearless_simd::prelude::*;
use functions::functions;
pub use functions::{Column, Functions, Wide};
pub use vectors::{WideMask, at_least, at_most, max, min, mul3, round};

/// Implements the out-of-line functions of every level from the functions of one vector.
macro_rules! at_levels {
    ($($(#[$when:meta])* $level:ident($token:ident);)*) => {$(
        $(#[$when])*
        functions!(at_level $token);
    )*};
}

/// Implements the out-of-line functions of one level.
macro_rules! at_level {
    ($token:ident $($module:ident::$name:ident($($x:ident),*);)*) => {
        impl Functions for fearless_simd::$token {
            $(
                #[inline(never)]
                unsafe fn $name(
                    self,
                    vectors: usize,
                    to: *mut Self::f64s,
                    $(mut $x: Column<Self::f64s>),*
                ) {
                    self.vectorize(
                        #[inline(always)]
                        move || {
                            for k in (0..vectors).step_by(4) {
                                // SAFETY: the caller vouches for `vectors` vectors.
                                unsafe {
                                    let a = $module::$name(self, $($x.next()),*);
                                    let b = $module::$name(self, $($x.next()),*);
                                    let c = $module::$name(self, $($x.next()),*);
                                    let d = $module::$name(self, $($x.next()),*);
                                    to.add(k).write_unaligned(a);
                                    to.add(k + 1).write_unaligned(b);
                                    to.add(k + 2).write_unaligned(c);
                                    to.add(k + 3).write_unaligned(d);
                                }
                            }
                        },
                    )
                }
            )*
        }
    };
}

levels!(at_levels);

/// Defines functions of a step (several vectors) that call the level's out-of-line functions.
macro_rules! on_steps {
    ($($module:ident::$name:ident($($x:ident),*);)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of each lane; see the primitive of this name.")]
        #[inline(always)]
        pub fn $name<S: Isa, const W: usize>(s: S, $($x: Wide<S, W>),*) -> Wide<S, W> {
            const { assert!(W.is_multiple_of(2), "functions compute four vectors at a time") }
            let mut step = MaybeUninit::<Wide<S, W>>::uninit();
            // SAFETY: a step has `2 * W` vectors, a multiple of four.
            unsafe {
                s.$name(2 * W, step.as_mut_ptr().cast(), $($x.column()),*);
                step.assume_init()
            }
        }
    )*};
}

functions!(on_steps);
