//! Vector maths with stated ULP budgets, generic over the SIMD level.

pub mod both;
mod compensated;
pub mod double_float;
mod erf;
mod exp;
mod exponential;
mod log;
pub mod made;
pub(super) mod minmax;
pub(super) mod poly;
mod polynomial;
pub mod range;
pub(super) mod round;
mod softplus;
pub mod table;
pub mod tail;
mod tanh;
pub mod univariate;

use super::elem::El;
use super::simd::Isa;
use super::step::{Floats, each};
use super::wide;
pub use range::{low_of_narrow, mul3, product};

/// Defines functions of a step (two or four vectors) by functions of one vector.
macro_rules! on_steps {
    ($($module:ident::$name:ident($($x:ident),*);)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of each lane; for the budget see the primitive of this name, if it is one.")]
        #[inline(always)]
        pub fn $name<S: Isa, E: El, const W: usize>(s: S, $($x: Floats<S, W>),*) -> Floats<S, W> {
            Floats(each!(k => $module::$name(s, $($x.0[k]),*)))
        }
    )*};
}

on_steps! {
    exp::exp(x);
    exp::expm1(x);
    log::ln(x);
    log::log1p(x);
    tanh::tanh(x);
    erf::erf(x);
    erf::erfc(x);
    softplus::softplus(x);
    minmax::min(x, y);
    minmax::max(x, y);
    minmax::at_most(x, bound);
    minmax::at_least(x, bound);
    round::round(x);
}

/// Defines functions of a step (two or four vectors) that are evaluated in f64 and rounded once.
macro_rules! by_wide {
    ($($name:ident($($x:ident),*);)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of each lane; for the budget see the primitive of this name.")]
        #[inline(always)]
        pub fn $name<S: Isa, E: El, const W: usize>(s: S, $($x: Floats<S, W>),*) -> Floats<S, W> {
            wide::$name(s, $($x.wide()),*).narrow()
        }
    )*};
}

by_wide! {
    sigmoid(x);
    erfinv(x);
    normal_cdf(x);
    gelu(x);
    gelu_grad(x);
    gelu_tanh(x);
    gelu_tanh_grad(x);
    silu(x);
    silu_grad(x);
    sin(x);
    cos(x);
    atan(x);
    powf(x, y);
    rem(x, y);
    lgamma(x);
    digamma(x);
    trigamma(x);
}
