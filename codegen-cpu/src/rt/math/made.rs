//! Functions of one variable that are made of one table: in 16 bits, where they are polynomials in the variable and in
//! one function of it.
//!
//! `op_dsl_fit::Made` says which functions those are, and its `Polynomial::at` is what a body's code does lane by lane.
//! Beyond the table each function is what it is there by itself ([`beyond`]).

use super::beyond::{self, Tail};
use super::two::{self, Two, Variable};
use super::univariate::{self, Univariate, table, with_table};
pub use super::univariate::{all_inside, has_table};
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Floats, Mask, PAIR};

/// The function that has the table, and what is made of it.
pub trait Made<const M: usize>: Univariate {
    /// What each function is beyond the table, for negative and for positive variables.
    const BEYOND: [[Tail; 2]; M];

    /// The functions at `x`, where the table's value is `g`.
    fn made<S: Isa, const W: usize>(s: S, x: Floats<S, W>, g: Floats<S, W>) -> [Floats<S, W>; M];
}

/// The functions of lanes that are inside the table.
#[inline(always)]
pub fn inside<G: Made<M>, S: Isa, E: El, const M: usize, const W: usize>(
    s: S,
    x: Variable<S, W>,
) -> [Two<S, W>; M] {
    let made = G::made(s, x.is.high, univariate::inside::<G, S, E, W>(s, x).high);
    let mut all = [Two::exact(s, x.is.high); M];
    for k in 0..M {
        all[k].high = made[k];
    }
    all
}

/// The functions wherever they are known, and the lanes where some is not.
#[inline(always)]
pub fn anywhere<G: Made<M>, S: Isa, E: El, const M: usize>(
    s: S,
    x: Variable<S, PAIR>,
) -> ([Two<S, PAIR>; M], Mask<S>) {
    let mut values = [Two::exact(s, Floats::splat(s, f32::NAN)); M];
    let outside =
        with_table!(G, S, E, table => table.outside(s, x.is.high, false), x.of.simd_eq(x.of));
    if !outside.all_true() {
        values = inside::<G, S, E, M, PAIR>(s, x);
    }
    let (values, mut missed) =
        beyond::of_each::<S, E, M>(s, x.is.high, outside, values, &G::BEYOND);
    if const { univariate::loses::<G, E>() } {
        missed = missed | two::tiny(x.of);
    }
    (values, missed)
}
