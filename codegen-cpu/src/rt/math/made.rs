//! Composed functions: univariate functions that share one table in 16 bits.
//!
//! Each is a polynomial in the variable and in one basis function `g` of it, which has the table. `op_dsl_fit::Made` defines
//! them, and its `Polynomial::at` computes the same as a body's code, lane by lane. For example, with
//! `g = sigmoid(x)` the function `x sigmoid(x)` is `x g`, and its derivative is `g + x g (1 - g)`. Beyond the table each
//! function has its own tail ([`tail`]).

use super::double_float::{self, DoubleFloat, Variable};
use super::tail::{self, Tail};
use super::univariate::{self, Univariate, table, with_table};
pub use super::univariate::{all_inside, has_table};
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Floats, Mask, PAIR};

/// A basis function `g` with a table, and `M` functions that are polynomials in `x` and `g(x)`.
pub trait Made<const M: usize>: Univariate {
    /// Tails (approximations beyond the table range) of each of the `M` functions.
    ///
    /// Each has one for negative and one for positive arguments.
    const BEYOND: [[Tail; 2]; M];

    /// Computes the `M` functions at `x` from the value `g` of the basis function.
    fn made<S: Isa, const W: usize>(s: S, x: Floats<S, W>, g: Floats<S, W>) -> [Floats<S, W>; M];
}

/// Evaluates the `M` functions by the table of their basis function, in lanes inside the table range.
#[inline(always)]
pub fn inside<G: Made<M>, S: Isa, E: El, const M: usize, const W: usize>(
    s: S,
    x: Variable<S, W>,
) -> [DoubleFloat<S, W>; M] {
    let made = G::made(s, x.is.high, univariate::inside::<G, S, E, W>(s, x).high);
    let mut all = [DoubleFloat::exact(s, x.is.high); M];
    for k in 0..M {
        all[k].high = made[k];
    }
    all
}

/// Evaluates the `M` functions by table and tails.
///
/// The mask has the lanes that need the slow path: the tail of some function is not defined there, or digits would be lost.
#[inline(always)]
pub fn anywhere<G: Made<M>, S: Isa, E: El, const M: usize>(
    s: S,
    x: Variable<S, PAIR>,
) -> ([DoubleFloat<S, PAIR>; M], Mask<S>) {
    let mut values = [DoubleFloat::exact(s, Floats::splat(s, f32::NAN)); M];
    let outside =
        with_table!(G, S, E, table => table.outside(s, x.is.high, false), x.of.simd_eq(x.of));
    if !outside.all_true() {
        values = inside::<G, S, E, M, PAIR>(s, x);
    }
    let (values, mut missed) = tail::of_each::<S, E, M>(s, x.is.high, outside, values, &G::BEYOND);
    if const { univariate::loses::<G, E>() } {
        missed = missed | double_float::tiny(x.of);
    }
    (values, missed)
}
