//! Bodies that evaluate segment tables, with the interpreter outside of the table ranges.
//!
//! A step whose lanes are all inside the tables of its functions takes the fast path. A step with any other lane is evaluated
//! out of line: functions by the tails fitted beyond their tables, and lanes that no tail covers by the interpreter, which runs
//! the whole graph in f64. Each lane takes the result of the method that is valid for it, so that the value of an element
//! depends on nothing but the element.

use super::block::{Body, Input, Part};
use super::elem::El;
use super::interpreter;
use super::load::Load;
use super::math::double_float::{DoubleFloat, Variable};
use super::simd::Isa;
use super::step::{Bits, Floats, Mask, PAIR};
use op_dsl_ir::program::Program;

/// Evaluates `$f` for each `$k` below the length of an array that starts out filled with `$first`.
///
/// It is a loop, because closures of array methods may be compiled without the level's instructions, and iterators by value
/// copy vectors in memory.
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

/// A body with `F` univariate functions that have tables, and a formula that combines their values.
///
/// It has `I` inputs, `A` attributes and `O` outputs.
pub trait Tabled<const I: usize, const A: usize, const O: usize, const F: usize>:
    Body<I, A, O> + Sized
{
    /// Program of the whole formula in f64, for lanes that neither table nor tail covers.
    const EXACT: &'static Program;

    /// Whether [`Tabled::rest`] rounds intermediate values to f32, so that they may overflow.
    ///
    /// If it does, elements with an input or a result that is infinite or NaN are evaluated in f64 instead.
    const ROUNDS: bool = false;

    /// Loads all inputs that the formula reads.
    fn loaded<S: Isa, X: Load<S, W>, const W: usize>(s: S, x: [X; I]) -> [Floats<S, W>; I];

    /// Computes the arguments of the `F` functions from inputs `x` and attributes `a`.
    fn variables<S: Isa, E: El, X: Load<S, W>, const W: usize>(
        s: S,
        x: [X; I],
        a: [Floats<S, W>; A],
    ) -> [Variable<S, W>; F];

    /// Returns whether all lanes of the arguments `t` are inside the tables of their functions.
    fn all_inside<S: Isa, E: El, const W: usize>(s: S, t: [Variable<S, W>; F]) -> bool;

    /// Evaluates the functions by their tables at the arguments `t`, all inside the table ranges.
    fn inside<S: Isa, E: El, const W: usize>(
        s: S,
        t: [Variable<S, W>; F],
    ) -> [DoubleFloat<S, W>; F];

    /// Evaluates the functions by tables and tails at `t`. The mask has the lanes that neither covers.
    fn anywhere<S: Isa, E: El>(
        s: S,
        t: [Variable<S, PAIR>; F],
    ) -> ([DoubleFloat<S, PAIR>; F], Mask<S>);

    /// Combines inputs `x`, attributes `a` and the functions' values `f` to the results.
    ///
    /// Inputs that are only factors are loaded here, because registers are few.
    fn rest<S: Isa, E: El, X: Load<S, W>, const W: usize>(
        s: S,
        x: [X; I],
        a: [Floats<S, W>; A],
        f: [DoubleFloat<S, W>; F],
    ) -> [Floats<S, W>; O];

    /// Slow path of [`tabled`], for a step with some lane outside of a table range.
    ///
    /// It computes two vectors at a time. Inputs stay in memory until they are needed, because moving a step of all inputs to where
    /// a function takes its arguments took longer than all else.
    #[cold]
    #[inline(never)]
    fn far<S: Isa, E: El, T: El, const W: usize>(
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
                    let t = Self::variables::<S, T, _, _>(s, x, a);
                    let (f, missed) = Self::anywhere::<S, T>(s, t);
                    let mut y = Self::rest::<S, T, _, PAIR>(s, x, a, f);
                    let missed = if const { Self::ROUNDS } {
                        missed | !(finite(s, y) & finite(s, Self::loaded(s, x)))
                    } else {
                        missed
                    };
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

/// Returns the lanes in which all numbers are finite.
#[inline(always)]
fn finite<S: Isa, const O: usize, const W: usize>(s: S, y: [Floats<S, W>; O]) -> Mask<S, W> {
    // A product with 0 is NaN where a result is not finite, and so is a sum of such products.
    let zero = Floats::splat(s, 0.0);
    let mut all = zero;
    for number in &y {
        all = number.mul_add(zero, all);
    }
    all.simd_eq(zero)
}

/// Replaces the results `y` in the lanes `missed` by those of the program `exact` in f64.
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

/// Computes the results of a step: by tables if all lanes are inside, else by [`Tabled::far`].
///
/// `E` is the type of the kernel, and `T` the one whose accuracy results have.
#[inline(always)]
pub fn tabled<
    B,
    S,
    E,
    T,
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
    T: El,
{
    let t = B::variables::<S, T, _, _>(s, x, a);
    if B::all_inside::<S, T, W>(s, t) {
        let f = B::inside::<S, T, W>(s, t);
        let y = B::rest::<S, T, _, W>(s, x, a, f);
        let is_finite = || finite(s, y) & finite(s, B::loaded::<S, _, W>(s, x));
        if const { !B::ROUNDS } || is_finite().all_true() {
            return y;
        }
    }
    let none = Floats::splat(s, 0.0);
    let a: [Bits<S>; A] = each_of!(none.bits(); k => a[k].pair(0).bits());
    let mut out = [Floats::splat(s, 0.0); O];
    // Only here the inputs' addresses are written to memory; a reference to `x` itself would write them in every step.
    let there = x;
    B::far::<S, E, T, W>(s, &there, &a, &mut out);
    out
}
