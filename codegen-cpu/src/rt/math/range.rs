//! Products of several factors whose intermediate products may leave the range of f32.
//!
//! `x * y` may overflow, or lose digits below the least normal number, and `z` brings it back, for example in
//! `1e-21 * 1e-29 * 1e37`. Lanes where that happens are computed in f64, which has all digits of such products and rounds
//! them once. Each lane is decided by itself. A step without any such lane pays for one test of its intermediate products.

use crate::rt::elem::{El, is_single};
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, Mask, PAIR, each};
use fearless_simd::prelude::*;

/// `x * y * z`, accurate even where `x * y` leaves the range of f32; see [`product`].
#[inline(always)]
pub fn mul3<S: Isa, E: El, const W: usize>(
    s: S,
    x: Floats<S, W>,
    y: Floats<S, W>,
    z: Floats<S, W>,
) -> Floats<S, W> {
    product::<S, E, 3, W, 1, true>(s, [x, y, z], [None; 3])
}

/// Returns the low part of a value that tables of 8 segments compute, for [`product`].
///
/// Tables of 32 segments are accurate enough without, unless the function's variable is a sum or product of two elements.
#[inline(always)]
pub fn low_of_narrow<S: Isa, const W: usize>(low: Floats<S, W>) -> Option<Floats<S, W>> {
    (!S::WIDE_LUT).then_some(low)
}

/// Multiplies the factors `x`, and keeps all digits of any result that is a normal number.
///
/// Lanes with an intermediate product outside of the range of f32 are computed in f64.
///
/// If `COMPENSATED` is true and the element type is f32, the rounding errors of intermediate products are multiplied as well, and
/// so are the low parts of the factors (`low`, of double-float factors). The result is then rounded about once.
///
/// Bit `k` of `LOSES` is set if the product of the first `k + 2` factors may be so small that it loses digits, and further
/// factors may make it large again. Products of `f16` fit in f32 with room to spare.
#[inline(always)]
pub fn product<
    S: Isa,
    E: El,
    const N: usize,
    const W: usize,
    const LOSES: u32,
    const COMPENSATED: bool,
>(
    s: S,
    x: [Floats<S, W>; N],
    low: [Option<Floats<S, W>>; N],
) -> Floats<S, W> {
    if const { COMPENSATED && is_single::<E>() && !S::FMA } {
        // Without FMA, finding the rounding error of a product takes longer than all products in f64.
        let wide = |k: usize| low[k].map_or(x[k].wide(), |low| x[k].wide() + low.wide());
        let mut exact = wide(0);
        for k in 1..N {
            exact = exact * wide(k);
        }
        return exact.narrow();
    }
    let is_compensated = const { COMPENSATED && is_single::<E>() };
    let low = if is_compensated { low } else { [None; N] };
    if N == 2 && low[0].is_none() && low[1].is_none() {
        return x[0] * x[1];
    }
    let mut so_far = x[0];
    let (mut lost, mut least) = (low[0], None);
    for k in 1..N - 1 {
        let (factor, next) = (x[k], so_far * x[k]);
        if is_compensated {
            let rounded = so_far.mul_add(factor, -next);
            let rounded = low[k].map_or(rounded, |low| so_far.mul_add(low, rounded));
            lost = Some(lost.map_or(rounded, |lost: Floats<S, W>| lost.mul_add(factor, rounded)));
        }
        so_far = next;
        if LOSES >> (k - 1) & 1 == 1 {
            let size = next.fold(
                #[inline(always)]
                |x, least| s.min_size(x, least),
            );
            least = Some(least.map_or(size, |least| s.min_size(size, least)));
        }
    }
    let last = x[N - 1];
    // The lost part may overflow to an infinity of the other sign where the product overflows. The test below finds these
    // lanes.
    so_far = match (lost, low[N - 1]) {
        (Some(lost), Some(low)) => so_far.mul_add(last, so_far.mul_add(low, lost * last)),
        (Some(lost), None) => so_far.mul_add(last, lost * last),
        (None, _) => so_far * last,
    };
    if const { !E::DTYPE.has_f32_range() } {
        return so_far;
    }
    // One test of a sum is enough, because an infinity or NaN on the way stays one. No NaN is among the sizes then.
    let is_finite = so_far.fold(|x, sum| sum + x).abs().simd_lt(S::f32s::splat(s, f32::INFINITY));
    let is_good = match least {
        Some(least) => is_finite & least.simd_ge(S::f32s::splat(s, f32::MIN_POSITIVE)),
        None => is_finite,
    };
    if !is_good.all_true() && lost_lanes(s, x, LOSES).any_true() {
        let mut step = so_far;
        for from in (0..W).step_by(PAIR) {
            let mut pair = [x[0].pair(from).bits(); N];
            for (pair, factor) in pair.iter_mut().zip(&x) {
                *pair = factor.pair(from).bits();
            }
            let mut lows = [Floats::<S>::splat(s, 0.0).bits(); N];
            for (pair, low) in lows.iter_mut().zip(&low) {
                if let Some(low) = low {
                    *pair = low.pair(from).bits();
                }
            }
            step.set_pair(from, exactly(s, pair, lows, so_far.pair(from).bits(), LOSES));
        }
        return step;
    }
    so_far
}

/// Slow path of [`product`] for two vectors: evaluates lanes in f64 that leave the range of f32.
///
/// Other lanes are taken from `rounded`, the product in f32.
#[cold]
#[inline(never)]
fn exactly<S: Isa, const N: usize>(
    s: S,
    x: [Bits<S>; N],
    low: [Bits<S>; N],
    rounded: Bits<S>,
    loses: u32,
) -> Floats<S> {
    s.vectorize(
        #[inline(always)]
        || {
            let mut floats = [x[0].floats(); N];
            let mut exact = floats[0].wide() + low[0].floats().wide();
            for (k, factor) in floats.iter_mut().enumerate().skip(1) {
                *factor = x[k].floats();
                exact = exact * (factor.wide() + low[k].floats().wide());
            }
            lost_lanes(s, floats, loses).select(exact.narrow(), rounded.floats())
        },
    )
}

/// Returns whether all lanes are finite and normal. It may return false for very large numbers.
#[inline(always)]
pub(super) fn all_normal<S: Isa, const W: usize>(s: S, x: Floats<S, W>) -> bool {
    // Tests the sum, because it is finite only if all lanes are: one test instead of several. The minimum below then sees no
    // NaN.
    let sum = x.fold(|x, sum| sum + x);
    let least = x.fold(
        #[inline(always)]
        |x, least| s.min_size(x, least),
    );
    s.all_finite(sum) && least.simd_ge(S::f32s::splat(s, f32::MIN_POSITIVE)).all_true()
}

/// Returns the mask of lanes where the product of `x` must be computed in f64.
///
/// The product there is infinite or NaN, or an intermediate product loses digits. Only the intermediate products marked in
/// `loses` can (bit `k`: that of the first `k + 2` factors). Zeros lose nothing, nor do products whose next factor is no more
/// than 1 in absolute value.
#[inline(always)]
fn lost_lanes<S: Isa, const N: usize, const W: usize>(
    s: S,
    x: [Floats<S, W>; N],
    loses: u32,
) -> Mask<S, W> {
    let mut so_far = x[0];
    let mut is_zero = x[0].simd_eq(0.0);
    let mut lost = so_far.simd_lt(f32::NAN);
    for k in 1..N - 1 {
        so_far = so_far * x[k];
        is_zero = is_zero | x[k].simd_eq(0.0);
        if loses >> (k - 1) & 1 == 1 {
            lost = lost | leaves(s, so_far, x[k + 1]).without(is_zero);
        }
    }
    lost | !(so_far * x[N - 1]).abs().simd_lt(f32::INFINITY)
}

/// Returns the mask of lanes where `product` is outside of the range of f32 and its loss would change the result.
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

/// Records, lane by lane, whether intermediate values of a formula stayed in the range of f32.
///
/// It keeps the least absolute value and the sum of the recorded values. If `CAREFUL` is true, exact zeros do not count as small.
#[derive(Clone, Copy)]
pub struct Watch<S: Isa, const W: usize, const CAREFUL: bool> {
    /// `None` before the first value, so that it takes no operation.
    least: Option<Floats<S, W>>,
    sum: Option<Floats<S, W>>,
}

impl<S: Isa, const W: usize, const CAREFUL: bool> Watch<S, W, CAREFUL> {
    /// Creates a record to which no value has been added.
    #[inline(always)]
    pub fn new(_: S) -> Self {
        Watch { least: None, sum: None }
    }

    /// Records a value that must not underflow. If `CAREFUL`, it may be 0 where one of its operands `of` is.
    #[inline(always)]
    pub fn small<const N: usize>(&mut self, s: S, value: Floats<S, W>, of: [Floats<S, W>; N]) {
        let mut size = value;
        if const { CAREFUL } {
            for x in of {
                size = x.simd_eq(0.0).select(Floats::splat(s, 1.0), size);
            }
        }
        self.least = Some(match self.least {
            Some(least) => Floats(each!(s, k => s.min_size(size.0[k], least.0[k]))),
            None => size,
        });
    }

    /// Records a value that must not be infinite or NaN.
    ///
    /// It adds the value to a sum that any such value would make infinite or NaN.
    #[inline(always)]
    pub fn large(&mut self, value: Floats<S, W>) {
        self.sum = Some(match self.sum {
            Some(sum) => sum + value,
            None => value,
        });
    }

    /// Returns whether all recorded values of all lanes stayed in range. It may return false for very large numbers.
    ///
    /// Vectors are joined first, so that two tests cover all of them.
    #[inline(always)]
    pub fn is_all_good(self) -> bool {
        let is_normal = self.least.is_none_or(
            #[inline(always)]
            |least| {
                let s = least.0[0].token();
                let least = least.join(
                    #[inline(always)]
                    |x, y| s.min_size(x, y),
                );
                least.simd_ge(S::f32s::splat(s, f32::MIN_POSITIVE)).all_true()
            },
        );
        is_normal
            && self.sum.is_none_or(
                #[inline(always)]
                |sum| sum.0[0].token().all_finite(sum.join(|x, y| x + y)),
            )
    }

    /// Returns the mask of lanes where all recorded values stayed in range.
    #[inline(always)]
    pub fn is_good(self, s: S) -> Mask<S, W> {
        let least = self.least.unwrap_or(Floats::splat(s, 1.0));
        let sum = self.sum.unwrap_or(Floats::splat(s, 0.0));
        least.abs().simd_ge(f32::MIN_POSITIVE) & sum.abs().simd_lt(f32::INFINITY)
    }
}
