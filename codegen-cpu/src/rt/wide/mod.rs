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
use core::mem::MaybeUninit;
use fearless_simd::prelude::*;
use functions::functions;
pub use functions::{Column, Functions, Wide};
pub use vectors::{WideMask, at_least, at_most, max, min, mul3};

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
                unsafe fn $name(
                    self,
                    vectors: usize,
                    to: *mut Self::f64s,
                    $(mut $x: Column<Self::f64s>),*
                ) {
                    self.vectorize(
                        #[inline(always)]
                        move || {
                            for k in (0..vectors).step_by(2) {
                                // SAFETY: the caller vouches for so many vectors.
                                unsafe {
                                    let a = $module::$name(self, $($x.next()),*);
                                    let b = $module::$name(self, $($x.next()),*);
                                    to.add(k).write(a);
                                    to.add(k + 1).write(b);
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

/// Functions of a step, by those.
macro_rules! on_steps {
    ($($module:ident::$name:ident($($x:ident),*);)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of each lane; see the primitive of this name.")]
        #[inline(always)]
        pub fn $name<S: Isa, const W: usize>(s: S, $($x: Wide<S, W>),*) -> Wide<S, W> {
            let mut step = MaybeUninit::<Wide<S, W>>::uninit();
            // SAFETY: a step has so many vectors.
            unsafe {
                s.$name(2 * W, step.as_mut_ptr().cast(), $($x.column()),*);
                step.assume_init()
            }
        }
    )*};
}

functions!(on_steps);
