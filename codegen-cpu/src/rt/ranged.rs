//! f32 bodies with range checks, for intermediate values that may overflow or underflow f32.
//!
//! The result itself stays in range. These bodies serve bf16, which has the exponent range of f32.
//!
//! Values that may leave the range are watched. If no lane of a step has left it, the results are used as they are. In any other
//! step, the interpreter evaluates each lane that has left the range in f64, whatever its neighbours are, so that bits do not
//! depend on where an element lies.

use super::block::{Body, Input, Part};
use super::elem::El;
use super::load::Load;
use super::math::range::Watch;
use super::simd::Isa;
use super::step::{Bits, Floats, PAIR};
use super::tabled::{each_of, replace};
use op_dsl_ir::program::Program;

/// A body in f32 that records whether intermediate values leave the range of f32.
pub trait Ranged<const I: usize, const A: usize, const O: usize>: Body<I, A, O> + Sized {
    /// Program of the whole formula in f64, for lanes where an intermediate value leaves the range.
    const EXACT: &'static Program;

    /// Loads all inputs that the formula reads.
    fn loaded<S: Isa, X: Load<S, W>, const W: usize>(s: S, x: [X; I]) -> [Floats<S, W>; I];

    /// Evaluates the formula, and records which lanes had intermediate values out of range.
    fn watched<S: Isa, E: El, X: Load<S, W>, const W: usize, const CAREFUL: bool>(
        s: S,
        x: [X; I],
        a: [Floats<S, W>; A],
    ) -> ([Floats<S, W>; O], Watch<S, W, CAREFUL>);

    /// Slow path of [`ranged`], for a step where some value has left the range or is 0.
    ///
    /// It computes two vectors at a time.
    #[cold]
    #[inline(never)]
    fn careful<S: Isa, E: El, const W: usize>(
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
                    let (mut y, watch) = Self::watched::<S, E, _, PAIR, true>(s, x, a);
                    let missed = !watch.is_good(s);
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

/// Computes the results of a step. Lanes with intermediate values out of range are computed in f64.
#[inline(always)]
pub fn ranged<B, S, E, const I: usize, const A: usize, const O: usize, const W: usize>(
    s: S,
    x: [Input<'_, S, E, W>; I],
    a: [Floats<S, W>; A],
) -> [Floats<S, W>; O]
where
    B: Ranged<I, A, O>,
    S: Isa,
    E: El,
{
    let (y, watch) = B::watched::<S, E, _, W, false>(s, x, a);
    if watch.is_all_good() {
        return y;
    }
    let none = Floats::splat(s, 0.0);
    let a: [Bits<S>; A] = each_of!(none.bits(); k => a[k].pair(0).bits());
    let mut out = y;
    // A copy of the inputs' addresses, because a reference to `x` itself would write it to memory in every step.
    let there = x;
    B::careful::<S, E, W>(s, &there, &a, &mut out);
    out
}
