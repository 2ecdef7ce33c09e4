//! gelu', silu', their gates Phi, sigmoid, and gelu, silu themselves in f32; see also `silu`.
//!
//! All six gates and derivatives `f` obey `f(x) + f(-x) = 1`. With `z = |x|`:
//!
//! ```text
//! f(x) = Q(z)      x < 0        Q(z) = f(-z): a table for z < T, an exponential beyond (`tail`)
//!        1 - Q(z)  x >= 0
//! ```
//!
//! `Q` is small and needs relative accuracy; `1 - Q` then has it by itself. Nearly all vectors
//! of real data stay in the table, so the tail is behind one test per step. It is blended lane by
//! lane: the value of an element depends on nothing but the element. Where 16-bit accuracy will do,
//! tables of 32 entries have both signs.

use super::table::{Bounded, Near, Segments, Signed};
use super::{coeffs_half as half, coeffs_narrow as narrow, coeffs_wide as wide, tail};
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, by_pairs};
use fearless_simd::prelude::*;
use op_dsl_ir::DType;
use tail::{Scaled, scale_down};

/// A function with `f(x) + f(-x) = 1` beyond its tables.
pub(super) trait Curve: 'static {
    /// From this `z` on `f(-z)` rounds to zero.
    const GONE: f32;
    /// From this `z` on `z f(-z)` rounds to zero.
    const TIMES_X_GONE: f32;
    /// 2^64 f(-z) for `z >= from`.
    fn tail<S: Isa>(s: S, z: Floats<S>, from: f32) -> Scaled<S>;
}

macro_rules! curves {
    ($($name:ident = $f:ident, $gone:literal, $times_x_gone:literal;)*) => {$(
        pub(super) struct $name;
        impl Curve for $name {
            const GONE: f32 = $gone;
            const TIMES_X_GONE: f32 = $times_x_gone;
            #[inline(always)]
            fn tail<S: Isa>(s: S, z: Floats<S>, from: f32) -> Scaled<S> {
                tail::$f(s, z, from)
            }
        }
    )*};
}

curves! {
    GeluErfGrad = gelu_erf_grad, 14.6, 14.8;
    GeluTanhGrad = gelu_tanh_grad, 10.95, 11.0;
    SiluGrad = silu_grad, 109.0, 114.0;
    NormalCdf = normal_cdf, 14.25, 14.4;
    TanhCdf = tanh_cdf, 10.8, 10.9;
    Sigmoid = sigmoid, 104.5, 109.0;
}

/// `Q` below zero, `1 - Q` from zero on.
#[inline(always)]
pub(super) fn reflect<S: Isa, const W: usize>(
    s: S,
    x: Floats<S, W>,
    q: Floats<S, W>,
) -> Floats<S, W> {
    x.if_positive(s, Floats::splat(s, 1.0) - q, q)
}

/// A function of `x` as its table has it.
pub(super) trait Inner: Bounded {
    /// The value inside.
    fn value<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> Floats<S, W>;
}

impl<T: Segments> Inner for T {
    #[inline(always)]
    fn value<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> Floats<S, W> {
        reflect(s, x, self.near(s, x.abs()).value())
    }
}

impl<const D: usize, const CENTRED: bool> Inner for Signed<D, CENTRED> {
    #[inline(always)]
    fn value<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> Floats<S, W> {
        self.at(s, x)
    }
}

/// A gate or derivative from a table and a tail.
#[inline(always)]
pub(super) fn with_tail<S: Isa, C: Curve, const W: usize>(
    s: S,
    table: &'static impl Inner,
    x: Floats<S, W>,
) -> Floats<S, W> {
    if !S::INLINE_LUT || !table.inside(s, x).all_true() {
        return by_pairs!([x] => far_value::<S, C>(s, table, x.bits()));
    }
    table.value(s, x)
}

/// [`with_tail`] where some lane is in the tail, or look-ups are long: out of line, as it is the same in
/// every kernel.
#[cold]
#[inline(never)]
fn far_value<S: Isa, C: Curve>(s: S, table: &'static impl Inner, x: Bits<S>) -> Floats<S> {
    s.vectorize(
        #[inline(always)]
        || {
            let x = x.floats();
            let far = table.beyond(s, x);
            let near = if far.all_true() { x } else { table.value(s, x) };
            if !far.any_true() {
                return near;
            }
            far.select(tail_value::<S, C>(s, x, table.end()), near)
        },
    )
}

/// The tail of [`with_tail`].
#[inline(always)]
pub(super) fn tail_value<S: Isa, C: Curve>(s: S, x: Floats<S>, from: f32) -> Floats<S> {
    let z = x.abs();
    let Scaled { w, up } = C::tail(s, z, from);
    reflect(s, x, scale_down(s, w * up, z, C::GONE))
}

/// `x` times a gate, with the gate's rounding error carried along.
#[inline(always)]
pub(super) fn times_x<S: Isa, C: Curve, const W: usize>(
    s: S,
    table: &'static impl Segments,
    x: Floats<S, W>,
) -> Floats<S, W> {
    if !S::INLINE_LUT || !table.inside(s, x).all_true() {
        return by_pairs!([x] => far_times_x::<S, C>(s, table, x.bits()));
    }
    near_times_x(s, table, x)
}

/// The table of [`times_x`].
#[inline(always)]
fn near_times_x<S: Isa, const W: usize>(
    s: S,
    table: &impl Segments,
    x: Floats<S, W>,
) -> Floats<S, W> {
    let Near { a0, p, d } = table.near(s, x.abs());
    // The gate is c + d p + lost.
    let one = Floats::splat(s, 1.0);
    let c = x.if_positive(s, one - a0, a0);
    let lost = x.if_positive(s, (one - c) - a0, Floats::splat(s, 0.0));
    let d = x.if_positive(s, -d, d);
    // It is also gate + rest, gate being the float nearest to it.
    let gate = p.mul_add(d, c);
    let rest = p.mul_add(d, c - gate) + lost;
    let (h, low) = x.two_prod(s, gate);
    // -0 comes out as +0 from the sum.
    (h + x.mul_add(rest, low)).copysign(x)
}

/// [`times_x`] where some lane is in the tail, or look-ups are long.
#[cold]
#[inline(never)]
fn far_times_x<S: Isa, C: Curve>(s: S, table: &'static impl Segments, x: Bits<S>) -> Floats<S> {
    s.vectorize(
        #[inline(always)]
        || {
            let x = x.floats();
            let (near, far) = (near_times_x(s, table, x), table.beyond(s, x));
            if !far.any_true() {
                return near;
            }
            far.select(tail_times_x::<S, C>(s, x, table.end()), near)
        },
    )
}

/// The tail of [`times_x`].
#[inline(always)]
pub(super) fn tail_times_x<S: Isa, C: Curve>(s: S, x: Floats<S>, from: f32) -> Floats<S> {
    let z = x.abs();
    let Scaled { w, up } = C::tail(s, z, from);
    // An infinity times zero would be a NaN.
    let small = x.max(-200.0).min(200.0);
    // Scaled down last: the gate becomes denormal long before x times it does.
    let q = scale_down(s, small * (w * up), z, C::TIMES_X_GONE);
    x.if_positive(s, x - q, q)
}

macro_rules! gates {
    ($($(#[$doc:meta])* $name:ident, $with:ident, $rule:ident, $curve:ident, $table:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<S: Isa, E: El, const W: usize>(s: S, x: Floats<S, W>) -> Floats<S, W> {
            by_width!($with::<S, E, _, W>(s, x))
        }

        #[doc = concat!("[`", stringify!($name), "`] with the tables of a chosen width.")]
        #[inline(always)]
        pub fn $with<S: Isa, E: El, const WIDE: bool, const W: usize>(
            s: S,
            x: Floats<S, W>,
        ) -> Floats<S, W> {
            if WIDE {
                $rule::<S, $curve, W>(s, &wide::$table, x)
            } else {
                $rule::<S, $curve, W>(s, &narrow::$table, x)
            }
        }
    )*};
}

gates! {
    /// Phi(x), the normal distribution function.
    ///
    /// At most 1.34 ulp with 8-entry tables, 0.80 with 32-entry tables, 1.02 without FMA.
    normal_cdf, normal_cdf_with, with_tail, NormalCdf, NORMAL_CDF;
    /// sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)), the gate of gelu's tanh form.
    ///
    /// At most 1.45 ulp with 8-entry tables, 0.77 with 32-entry tables, 1.04 without FMA.
    tanh_cdf, tanh_cdf_with, with_tail, TanhCdf, TANH_CDF;
    /// 1 / (1 + exp(-x)).
    ///
    /// At most 0.88 ulp with 8-entry tables, 0.82 with 32-entry tables, 0.88 without FMA.
    sigmoid, sigmoid_with, with_tail, Sigmoid, SIGMOID;
    /// x Phi(x).
    ///
    /// At most 1.64 ulp with 8-entry tables, 1.50 with 32-entry tables, 1.51 without FMA.
    gelu_erf, gelu_erf_with, times_x, NormalCdf, NORMAL_CDF;
    /// x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)).
    ///
    /// At most 1.67 ulp with 8-entry tables, 1.52 with 32-entry tables, 1.52 without FMA.
    gelu_tanh, gelu_tanh_with, times_x, TanhCdf, TANH_CDF;
}

macro_rules! gradients {
    ($($(#[$doc:meta])* $name:ident, $with:ident, $curve:ident, $f32:ident,
        $bf16_8:ident, $bf16_32:ident, $f16_8:ident, $f16_32:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<S: Isa, E: El, const W: usize>(s: S, x: Floats<S, W>) -> Floats<S, W> {
            by_width!($with::<S, E, _, W>(s, x))
        }

        #[doc = concat!("[`", stringify!($name), "`] with the tables of a chosen width.")]
        #[inline(always)]
        pub fn $with<S: Isa, E: El, const WIDE: bool, const W: usize>(
            s: S,
            x: Floats<S, W>,
        ) -> Floats<S, W> {
            match (E::DTYPE, WIDE) {
                (DType::BF16, true) => with_tail::<S, $curve, W>(s, &half::$bf16_32, x),
                (DType::BF16, false) => with_tail::<S, $curve, W>(s, &half::$bf16_8, x),
                (DType::F16, true) => with_tail::<S, $curve, W>(s, &half::$f16_32, x),
                (DType::F16, false) => with_tail::<S, $curve, W>(s, &half::$f16_8, x),
                (_, true) => with_tail::<S, $curve, W>(s, &wide::$f32, x),
                (_, false) => with_tail::<S, $curve, W>(s, &narrow::$f32, x),
            }
        }
    )*};
}

gradients! {
    /// Phi(x) + x phi(x), the derivative of x Phi(x).
    ///
    /// At most 1.60 ulp with 8-entry tables, 1.19 with 32-entry tables, 1.42 without FMA.
    gelu_erf_grad, gelu_erf_grad_with, GeluErfGrad, GELU_ERF_GRAD,
        GELU_ERF_GRAD_BF16_8, GELU_ERF_GRAD_BF16_32,
        GELU_ERF_GRAD_F16_8, GELU_ERF_GRAD_F16_32;
    /// The derivative of x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)).
    ///
    /// At most 1.60 ulp with 8-entry tables, 1.37 with 32-entry tables, 1.85 without FMA.
    gelu_tanh_grad, gelu_tanh_grad_with, GeluTanhGrad, GELU_TANH_GRAD,
        GELU_TANH_GRAD_BF16_8, GELU_TANH_GRAD_BF16_32,
        GELU_TANH_GRAD_F16_8, GELU_TANH_GRAD_F16_32;
}
