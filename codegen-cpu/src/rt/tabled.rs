//! Bodies by tables, and by the interpreter where those end.
//!
//! A step whose lanes are all inside the tables of its functions is evaluated by them. One with a lane elsewhere is
//! evaluated out of line: functions by what they are beyond their tables, and where that is not known all of the
//! graph in f64, by the interpreter. The results of each lane are those of the one that holds there: the value of an element depends on
//! nothing but the element.

use super::block::{Body, Input, Part};
use super::elem::El;
use super::interpreter;
use super::math::two::{Two, Variable};
use super::simd::Isa;
use super::step::{Bits, Floats, Load, Mask, PAIR};
use op_dsl_ir::program::Program;

/// `$f` for each `$k` below the length of an array, from a first value. A loop: closures of array methods may be
/// compiled without the level's instructions, and iterators by value move vectors about.
macro_rules! each_of {
    ($first:expr; $k:ident => $f:expr) => {{
        let mut all = [$first; _];
        for $k in 0..all.len() {
            all[$k] = $f;
        }
        all
    }};
}
pub(super) use each_of;

/// A body with `F` functions that have tables, of `I` inputs, `A` attributes and `O` outputs.
pub trait Tabled<const I: usize, const A: usize, const O: usize, const F: usize>:
    Body<I, A, O> + Sized
{
    /// The whole graph in f64, for lanes of which the functions are not known.
    const EXACT: &'static Program;

    /// All inputs that are read.
    fn loaded<S: Isa, X: Load<S, W>, const W: usize>(s: S, x: [X; I]) -> [Floats<S, W>; I];

    /// What the functions are applied to.
    fn variables<S: Isa, E: El, X: Load<S, W>, const W: usize>(
        s: S,
        x: [X; I],
        a: [Floats<S, W>; A],
    ) -> [Variable<S, W>; F];

    /// Whether all lanes are inside all tables.
    fn all_inside<S: Isa, E: El, const W: usize>(s: S, t: [Variable<S, W>; F]) -> bool;

    /// The functions by their tables.
    fn inside<S: Isa, E: El, const W: usize>(s: S, t: [Variable<S, W>; F]) -> [Two<S, W>; F];

    /// The functions by their tables and what they are beyond, and the lanes where some is not known.
    fn anywhere<S: Isa, E: El>(s: S, t: [Variable<S, PAIR>; F]) -> ([Two<S, PAIR>; F], Mask<S>);

    /// Results from the functions. What only multiplies them is loaded now: registers are few.
    fn rest<S: Isa, E: El, X: Load<S, W>, const W: usize>(
        s: S,
        x: [X; I],
        a: [Floats<S, W>; A],
        f: [Two<S, W>; F],
    ) -> [Floats<S, W>; O];

    /// [`tabled`] where some lane is beyond a table, two vectors at a time. Inputs stay where they are until they are
    /// needed: to move a step of all of them to where a function takes its arguments took longer than all else.
    #[cold]
    #[inline(never)]
    fn far<S: Isa, E: El, const W: usize>(
        s: S,
        of_x: &[Input<'_, S, E, W>; I],
        of_a: &[Bits<S>; A],
        out: &mut [Floats<S, W>; O],
    ) {
        s.vectorize_for::<Self, _>(
            #[inline(always)]
            || {
                let none = Floats::splat(s, 0.0);
                let a: [Floats<S>; A] = each_of!(none; k => of_a[k].floats());
                for from in (0..W).step_by(PAIR) {
                    let x: [Part<'_, S, E, W>; I] = of_x.map(
                        #[inline(always)]
                        |of| Part { of, from },
                    );
                    let t = Self::variables::<S, E, _, _>(s, x, a);
                    let (f, missed) = Self::anywhere::<S, E>(s, t);
                    let mut y = Self::rest::<S, E, _, PAIR>(s, x, a, f);
                    if missed.any_true() {
                        replace(s, Self::EXACT, Self::loaded(s, x), of_a, missed, &mut y);
                    }
                    for k in 0..O {
                        out[k].set_pair(from, y[k]);
                    }
                }
            },
        )
    }
}

/// Replaces results in some lanes by those of a program in f64.
#[inline(always)]
pub(super) fn replace<S: Isa, const I: usize, const A: usize, const O: usize>(
    s: S,
    exact: &Program,
    x: [Floats<S>; I],
    a: &[Bits<S>; A],
    missed: Mask<S>,
    y: &mut [Floats<S>; O],
) {
    let none = Floats::splat(s, 0.0);
    let x: [Bits<S>; I] = each_of!(none.bits(); k => x[k].bits());
    let mut instead = [none; O];
    interpreter::pair(s, exact, &x, a, &mut instead);
    for k in 0..O {
        y[k] = missed.select(instead[k], y[k]);
    }
}

/// The results of a step.
#[inline(always)]
pub fn tabled<
    B,
    S,
    E,
    const I: usize,
    const A: usize,
    const O: usize,
    const F: usize,
    const W: usize,
>(
    s: S,
    x: [Input<'_, S, E, W>; I],
    a: [Floats<S, W>; A],
) -> [Floats<S, W>; O]
where
    B: Tabled<I, A, O, F>,
    S: Isa,
    E: El,
{
    let t = B::variables::<S, E, _, _>(s, x, a);
    if B::all_inside::<S, E, W>(s, t) {
        let f = B::inside::<S, E, W>(s, t);
        return B::rest::<S, E, _, W>(s, x, a, f);
    }
    let none = Floats::splat(s, 0.0);
    let a: [Bits<S>; A] = each_of!(none.bits(); k => a[k].pair(0).bits());
    let mut out = [Floats::splat(s, 0.0); O];
    // Where inputs are is written to memory here: `x` itself by reference would be written in every step.
    let there = x;
    B::far::<S, E, W>(s, &there, &a, &mut out);
    out
}
