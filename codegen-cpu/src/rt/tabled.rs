//! Bodies by tables, and by f64 where those end.
//!
//! A step whose lanes are all inside the tables of its functions is evaluated by them. One with a lane
//! elsewhere is evaluated both ways, out of line, the results of each lane taken from the one that holds
//! there: the value of an element depends on nothing but the element.

use super::block::Body;
use super::elem::El;
use super::math::two::Variable;
use super::simd::Isa;
use super::step::{Bits, Floats, Mask, PAIR};
use super::wide::Wide;

/// A body with `F` functions that have tables, of `I` inputs, `A` attributes and `O` outputs.
pub trait Tabled<const I: usize, const A: usize, const O: usize, const F: usize>:
    Body<I, A, O>
{
    /// Whether attributes are such that products with them keep all digits.
    fn usable<S: Isa, const W: usize>(s: S, a: [Floats<S, W>; A]) -> bool;

    /// What the functions are applied to.
    fn variables<S: Isa, E: El, const W: usize>(
        s: S,
        x: [Floats<S, W>; I],
        a: [Floats<S, W>; A],
    ) -> [Variable<S, W>; F];

    /// Whether all lanes are inside all tables.
    fn all_inside<S: Isa, E: El, const W: usize>(s: S, t: [Variable<S, W>; F]) -> bool;

    /// Lanes that are not.
    fn outside<S: Isa, E: El>(s: S, t: [Variable<S, PAIR>; F]) -> Mask<S>;

    /// Results by the tables.
    fn inside<S: Isa, E: El, const W: usize>(
        s: S,
        x: [Floats<S, W>; I],
        a: [Floats<S, W>; A],
        t: [Variable<S, W>; F],
    ) -> [Floats<S, W>; O];

    /// Results in f64.
    fn everywhere<S: Isa, const W: usize>(
        s: S,
        x: [Wide<S, W>; I],
        a: [Floats<S, W>; A],
    ) -> [Wide<S, W>; O];
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
    x: [Floats<S, W>; I],
    a: [Floats<S, W>; A],
) -> [Floats<S, W>; O]
where
    B: Tabled<I, A, O, F>,
    S: Isa,
    E: El,
{
    let t = B::variables::<S, E, _>(s, x, a);
    if B::usable(s, a) && B::all_inside::<S, E, W>(s, t) {
        return B::inside::<S, E, W>(s, x, a, t);
    }
    let mut out = [Floats::splat(s, 0.0); O];
    for k in (0..W).step_by(PAIR) {
        let part =
            far::<B, S, E, I, A, O, F>(s, x.map(|x| x.pair(k).bits()), a.map(|a| a.pair(k).bits()));
        for (out, part) in out.iter_mut().zip(part) {
            out.set_pair(k, part);
        }
    }
    out
}

/// [`tabled`] where some lane is beyond a table.
#[cold]
#[inline(never)]
fn far<B, S, E, const I: usize, const A: usize, const O: usize, const F: usize>(
    s: S,
    x: [Bits<S>; I],
    a: [Bits<S>; A],
) -> [Floats<S>; O]
where
    B: Tabled<I, A, O, F>,
    S: Isa,
    E: El,
{
    s.vectorize(
        #[inline(always)]
        || {
            let (x, a) = (x.map(|x| x.floats()), a.map(|a| a.floats()));
            let t = B::variables::<S, E, _>(s, x, a);
            let usable = B::usable(s, a);
            let outside = B::outside::<S, E>(s, t);
            let mut out = B::inside::<S, E, PAIR>(s, x, a, t);
            if !usable || outside.any_true() {
                let everywhere = B::everywhere(s, x.map(|x| x.wide()), a);
                for (out, exact) in out.iter_mut().zip(everywhere) {
                    let exact = exact.narrow();
                    *out = if usable { outside.select(exact, *out) } else { exact };
                }
            }
            out
        },
    )
}
