//! Products of several factors that stay in range on their way to a normal result.
//!
//! `x * y` may overflow, or lose digits below the least normal number, and `z` brings it back: `1e-21 * 1e-29 * 1e37`.
//! Lanes where it does are computed in f64, which has all digits of such products and rounds them once. Whether a lane is
//! one of these depends on nothing but the lane; a step without any pays for one test of its products on the way.

use super::two::is_single;
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, Mask, PAIR};
use fearless_simd::prelude::*;
use op_dsl_ir::DType;

/// `x * y * z`, see [`product`].
#[inline(always)]
pub fn mul3<S: Isa, E: El, const W: usize>(
    s: S,
    x: Floats<S, W>,
    y: Floats<S, W>,
    z: Floats<S, W>,
) -> Floats<S, W> {
    product::<S, E, 3, W>(s, [x, y, z])
}

/// The product of some factors: finite and with all its digits wherever it is a normal number, whatever the products on the
/// way are. In f32 what those lose in rounding is multiplied as well, so that the whole is rounded about once.
///
/// Factors are multiplied one after another: after a first one that is zero no product is an infinity. Products of halves
/// fit in f32 with room to spare.
#[inline(always)]
pub fn product<S: Isa, E: El, const N: usize, const W: usize>(
    s: S,
    x: [Floats<S, W>; N],
) -> Floats<S, W> {
    let mut so_far = x[0];
    let (mut lost, mut least) = (None, None);
    for factor in &x[1..N - 1] {
        let next = so_far * *factor;
        if const { is_single::<E>() && S::FMA } {
            let rounded = so_far.mul_add(*factor, -next);
            lost = Some(lost.map_or(rounded, |lost: Floats<S, W>| lost.mul_add(*factor, rounded)));
        }
        so_far = next;
        let size = next.fold(
            #[inline(always)]
            |x, least| s.min_size(x, least),
        );
        least = Some(least.map_or(size, |least| s.min_size(size, least)));
    }
    let last = x[N - 1];
    // The lost part may overflow to an infinity of the other sign where the product overflows: these lanes are found below.
    so_far = match lost {
        Some(lost) => so_far.mul_add(last, lost * last),
        None => so_far * last,
    };
    if const { matches!(E::DTYPE, DType::F16) } {
        return so_far;
    }
    // One test of a sum is enough, because an infinity or NaN on the way stays one. No NaN is among the sizes then.
    let is_finite = so_far.fold(|x, sum| sum + x).abs().simd_lt(S::f32s::splat(s, f32::INFINITY));
    let least = least.unwrap_or(S::f32s::splat(s, 1.0));
    let is_normal = least.simd_ge(S::f32s::splat(s, f32::MIN_POSITIVE));
    if !(is_finite & is_normal).all_true() && lost_lanes(s, x).any_true() {
        let mut step = so_far;
        for from in (0..W).step_by(PAIR) {
            let mut pair = [x[0].pair(from).bits(); N];
            for (pair, factor) in pair.iter_mut().zip(&x) {
                *pair = factor.pair(from).bits();
            }
            step.set_pair(from, exactly(s, pair, so_far.pair(from).bits()));
        }
        return step;
    }
    so_far
}

/// [`product`] where some product on the way is out of range.
#[cold]
#[inline(never)]
fn exactly<S: Isa, const N: usize>(s: S, x: [Bits<S>; N], rounded: Bits<S>) -> Floats<S> {
    s.vectorize(
        #[inline(always)]
        || {
            let mut floats = [x[0].floats(); N];
            let mut exact = floats[0].wide();
            for (factor, bits) in floats.iter_mut().zip(&x).skip(1) {
                *factor = bits.floats();
                exact = exact * factor.wide();
            }
            lost_lanes(s, floats).select(exact.narrow(), rounded.floats())
        },
    )
}

/// Whether all lanes are finite and normal; of very large ones the answer may be no.
#[inline(always)]
pub(super) fn all_normal<S: Isa, const W: usize>(s: S, x: Floats<S, W>) -> bool {
    // Of the sum, for one test instead of several: it is finite only if all are. So no NaN is among the sizes.
    let sum = x.fold(|x, sum| sum + x);
    let least = x.fold(
        #[inline(always)]
        |x, least| s.min_size(x, least),
    );
    s.all_finite(sum) && least.simd_ge(S::f32s::splat(s, f32::MIN_POSITIVE)).all_true()
}

/// The lanes where the product or one on the way is infinite or NaN, or where one on the way has less digits than the product of
/// all. Zeros lose nothing, nor does what is multiplied by no more than 1.
#[inline(always)]
fn lost_lanes<S: Isa, const N: usize, const W: usize>(s: S, x: [Floats<S, W>; N]) -> Mask<S, W> {
    let mut so_far = x[0];
    let mut is_zero = x[0].simd_eq(0.0);
    let mut lost = so_far.simd_lt(f32::NAN);
    for k in 1..N - 1 {
        so_far = so_far * x[k];
        is_zero = is_zero | x[k].simd_eq(0.0);
        lost = lost | leaves(s, so_far, x[k + 1]).without(is_zero);
    }
    lost | !(so_far * x[N - 1]).abs().simd_lt(f32::INFINITY)
}

/// The lanes of a product whose digits are missed in the product with `next`.
#[inline(always)]
pub(super) fn leaves<S: Isa, const W: usize>(
    s: S,
    product: Floats<S, W>,
    next: Floats<S, W>,
) -> Mask<S, W> {
    let is_finite = product.abs().simd_lt(f32::INFINITY);
    let is_raised = Floats::splat(s, 1.0).simd_lt(next.abs());
    !is_finite | product.abs().simd_lt(f32::MIN_POSITIVE) & is_raised
}
