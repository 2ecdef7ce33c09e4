//! silu, silu' and both at once.
//!
//! With `g = sigmoid(x)`
//!
//! ```text
//! silu(x)  = x g
//! silu'(x) = g + silu(x) (1 - g)
//! ```
//!
//! Near the root of silu' the error is that of the sum, and far below zero that of `1 + (g - 1)`. Both are
//! small enough for 16 bits: one table of the gate makes everything. In f32 silu' has a table of its own, whose
//! integral is silu.

use super::activation::{Inner, Sigmoid, SiluGrad};
use super::activation::{reflect, tail_times_x, tail_value, times_x, with_tail};
use super::table::{Bounded, Integral, Signed, Table};
use super::{coeffs_half as half, coeffs_narrow as narrow, coeffs_wide as wide, mul3};
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, Load, PAIR};
use fearless_simd::prelude::*;
use op_dsl_ir::DType;

/// `(silu(x), silu'(x))` within a table.
trait Both: Bounded {
    fn both<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> (Floats<S, W>, Floats<S, W>);
}

/// With `f(z) = silu(-z)`: `silu(x) = f(z)` below zero, `x + f(z)` from zero on.
impl<const N: usize> Both for Integral<N> {
    #[inline(always)]
    fn both<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> (Floats<S, W>, Floats<S, W>) {
        let (f, q) = self.near(s, x.abs());
        (x.if_positive(s, x + f, f), reflect(s, x, q))
    }
}

/// A table of the gate.
trait Gate: Bounded {
    /// `(y g, g - 1)`
    fn times<S: Isa, const W: usize>(
        &self,
        s: S,
        x: Floats<S, W>,
        y: Floats<S, W>,
    ) -> (Floats<S, W>, Floats<S, W>);
}

impl<const D: usize> Gate for Table<[f32; 8], D> {
    #[inline(always)]
    fn times<S: Isa, const W: usize>(
        &self,
        s: S,
        x: Floats<S, W>,
        y: Floats<S, W>,
    ) -> (Floats<S, W>, Floats<S, W>) {
        let g = self.value(s, x);
        (y * g, g - 1.0)
    }
}

/// With `g - 1` in the table, `y g = y + y (g - 1)` is one operation too, and `1 - g` none.
impl<const D: usize> Gate for Signed<D, false> {
    #[inline(always)]
    fn times<S: Isa, const W: usize>(
        &self,
        s: S,
        x: Floats<S, W>,
        y: Floats<S, W>,
    ) -> (Floats<S, W>, Floats<S, W>) {
        let less_one = self.value(s, x);
        (y.mul_add(less_one, y), less_one)
    }
}

impl<T: Gate> Both for T {
    #[inline(always)]
    fn both<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> (Floats<S, W>, Floats<S, W>) {
        near_products(s, self, x, Floats::splat(s, 1.0))
    }
}

/// `(y silu(x), y silu'(x))` within the table.
#[inline(always)]
fn near_products<S: Isa, const W: usize>(
    s: S,
    gate: &impl Gate,
    x: Floats<S, W>,
    y: Floats<S, W>,
) -> (Floats<S, W>, Floats<S, W>) {
    let (yg, less_one) = gate.times(s, x, y);
    let value = yg * x;
    (value, (-value).mul_add(less_one, yg))
}

/// Both functions: a table and a tail.
#[inline(always)]
fn pair<S: Isa, const W: usize>(
    s: S,
    table: &'static impl Both,
    x: Floats<S, W>,
) -> (Floats<S, W>, Floats<S, W>) {
    if !S::INLINE_LUT || !table.inside(s, x).all_true() {
        let (mut value, mut grad) = (x, x);
        for k in (0..W).step_by(PAIR) {
            let pair = far_pair(s, table, x.pair(k).bits());
            value.set_pair(k, pair.0);
            grad.set_pair(k, pair.1);
        }
        return (value, grad);
    }
    table.both(s, x)
}

/// [`pair`] where some lane is in the tail, or look-ups are long.
#[cold]
#[inline(never)]
fn far_pair<S: Isa>(s: S, table: &'static impl Both, x: Bits<S>) -> (Floats<S>, Floats<S>) {
    s.vectorize(
        #[inline(always)]
        || with_tails(s, table, x.floats()),
    )
}

/// Both functions wherever the lanes are.
#[inline(always)]
fn with_tails<S: Isa>(s: S, table: &'static impl Both, x: Floats<S>) -> (Floats<S>, Floats<S>) {
    let (near, far) = (table.both(s, x), table.beyond(s, x));
    if !far.any_true() {
        return near;
    }
    let end = table.end();
    let value = tail_times_x::<S, Sigmoid>(s, x, end);
    let grad = tail_value::<S, SiluGrad>(s, x, end);
    (far.select(value, near.0), far.select(grad, near.1))
}

/// `(y silu(x), silu'(x) y z)` in 16 bits, where look-ups are short. The gate is multiplied by `y` first, which
/// saves a product.
#[inline(always)]
fn products<S: Isa, E: El, const W: usize>(
    s: S,
    gate: &'static impl Gate,
    x: impl Load<S, W>,
    y: impl Load<S, W>,
    z: impl Load<S, W>,
) -> (Floats<S, W>, Floats<S, W>) {
    let at = x.load();
    let (value, grad) = near_products(s, gate, at, y.load());
    // A factor may have overflowed though the product does not, as in `mul3`. In f16 no factor overflows,
    // but where `y` is infinite the difference of two infinities is NaN.
    let inside = gate.inside(s, at);
    let fine = match E::DTYPE {
        DType::F16 => grad.ordered(s, inside).all_true(),
        _ => inside.all_true() && s.all_finite(grad.fold(|a, sum| sum + a)),
    };
    if fine {
        return (value, grad * z.load());
    }
    // Loaded again: no register is kept for a path seldom taken.
    let (x, y, z) = (x.load(), y.load(), z.load());
    let (mut value, mut grad) = (x, x);
    for k in (0..W).step_by(PAIR) {
        let pair = far_products(s, gate, x.pair(k).bits(), y.pair(k).bits(), z.pair(k).bits());
        value.set_pair(k, pair.0);
        grad.set_pair(k, pair.1);
    }
    (value, grad)
}

/// [`products`] where some lane is in the tail or overflows. The others must not notice: they are computed
/// as if there were none.
#[cold]
#[inline(never)]
fn far_products<S: Isa>(
    s: S,
    gate: &'static impl Gate,
    x: Bits<S>,
    y: Bits<S>,
    z: Bits<S>,
) -> (Floats<S>, Floats<S>) {
    s.vectorize(
        #[inline(always)]
        || {
            let (x, y, z) = (x.floats(), y.floats(), z.floats());
            let (value, grad) = with_tails(s, gate, x);
            let far = (value * y, mul3::<S, f32, PAIR>(s, grad, y, z));
            let (value, grad) = near_products(s, gate, x, y);
            let (finite, beyond) = (grad.abs().simd_lt(f32::INFINITY), gate.beyond(s, x));
            let near = (finite.select(value, far.0), finite.select(grad * z, far.1));
            (beyond.select(far.0, near.0), beyond.select(far.1, near.1))
        },
    )
}

/// x sigmoid(x).
///
/// At most 1.51 ulp with 8-entry tables, 1.49 with 32-entry tables, 1.51 without FMA.
#[inline(always)]
pub fn silu<S: Isa, E: El, const W: usize>(s: S, x: Floats<S, W>) -> Floats<S, W> {
    by_width!(silu_with::<S, E, _, W>(s, x))
}

/// [`silu`] with the tables of a chosen width.
#[inline(always)]
pub fn silu_with<S: Isa, E: El, const WIDE: bool, const W: usize>(
    s: S,
    x: Floats<S, W>,
) -> Floats<S, W> {
    match (E::DTYPE, WIDE) {
        (DType::F32, true) => times_x::<S, Sigmoid, W>(s, &wide::SIGMOID, x),
        (DType::F32, false) => times_x::<S, Sigmoid, W>(s, &narrow::SIGMOID, x),
        _ => silu_with_grad_with::<S, E, WIDE, W>(s, x).0,
    }
}

/// sigmoid(x) (1 + x (1 - sigmoid(x))), the derivative of x sigmoid(x).
///
/// At most 1.57 ulp with 8-entry tables, 1.30 with 32-entry tables, 1.88 without FMA.
#[inline(always)]
pub fn silu_grad<S: Isa, E: El, const W: usize>(s: S, x: Floats<S, W>) -> Floats<S, W> {
    by_width!(silu_grad_with::<S, E, _, W>(s, x))
}

/// [`silu_grad`] with the tables of a chosen width.
#[inline(always)]
pub fn silu_grad_with<S: Isa, E: El, const WIDE: bool, const W: usize>(
    s: S,
    x: Floats<S, W>,
) -> Floats<S, W> {
    match (E::DTYPE, WIDE) {
        (DType::F32, true) => with_tail::<S, SiluGrad, W>(s, &wide::SILU_GRAD, x),
        (DType::F32, false) => with_tail::<S, SiluGrad, W>(s, &narrow::SILU_GRAD, x),
        _ => silu_with_grad_with::<S, E, WIDE, W>(s, x).1,
    }
}

/// `(silu(x), silu'(x))`, for bodies that ask for both.
///
/// At most 1.49 and 1.82 ulp where look-ups are wide; elsewhere as [`silu`] and [`silu_grad`].
#[inline(always)]
pub fn silu_with_grad<S: Isa, E: El, const W: usize>(
    s: S,
    x: impl Load<S, W>,
) -> (Floats<S, W>, Floats<S, W>) {
    by_width!(silu_with_grad_with::<S, E, _, W>(s, x.load()))
}

/// [`silu_with_grad`] with the tables of a chosen width.
#[inline(always)]
pub fn silu_with_grad_with<S: Isa, E: El, const WIDE: bool, const W: usize>(
    s: S,
    x: Floats<S, W>,
) -> (Floats<S, W>, Floats<S, W>) {
    match (E::DTYPE, WIDE) {
        (DType::F32, true) if S::FMA => pair(s, &wide::SILU, x),
        (DType::F32, _) => {
            (silu_with::<S, E, WIDE, W>(s, x), silu_grad_with::<S, E, WIDE, W>(s, x))
        }
        (_, true) => pair(s, &half::SIGMOID_LESS_ONE_HALF_32, x),
        (_, false) => pair(s, &narrow::SIGMOID, x),
    }
}

/// `(y silu(x), silu'(x) y z)`: what the gradient of `z silu(x)` asks for, `y` being the gradient
/// that comes in. Finite wherever the products are, as [`mul3`] is.
#[inline(always)]
pub fn silu_products<S: Isa, E: El, const W: usize>(
    s: S,
    x: impl Load<S, W>,
    y: impl Load<S, W>,
    z: impl Load<S, W>,
) -> (Floats<S, W>, Floats<S, W>) {
    if matches!(E::DTYPE, DType::F32) || !S::INLINE_LUT {
        let (value, grad) = silu_with_grad::<S, E, W>(s, x);
        let y = y.load();
        return (value * y, mul3::<S, E, W>(s, grad, y, z.load()));
    }
    if S::WIDE_LUT {
        products::<S, E, W>(s, &half::SIGMOID_LESS_ONE_HALF_32, x, y, z)
    } else {
        products::<S, E, W>(s, &narrow::SIGMOID, x, y, z)
    }
}
