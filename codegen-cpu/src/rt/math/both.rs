//! Joint tables: a smooth univariate function and its derivative from one look-up.
//!
//! `op_dsl_fit` defines joint tables, and its `Joint::eval` computes the same lane by lane:
//!
//! ```text
//! z = |x| or x                     by the function's symmetry
//! i = floor(z * scale)             the segment
//! d = z - C[i] or C[i] - z         in the direction of x on the table's own side
//! r = A[2][i] + d (A[3][i] + ..)   and its derivative r'
//! f(x)  from A[0][i] + d (A[1][i] + d r)
//! f'(x) from A[1][i] + d (2 r + d r')
//! ```

use super::double_float::{self, DoubleFloat, Variable};
use super::polynomial::{Table, finish};
use super::table::{Column, Lut};
use super::tail::{self, Tail};
use crate::rt::elem::{El, is_single};
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, Mask, PAIR};
use op_dsl_fit::Bend;

/// A joint table of `N` segments, from which one look-up gives a function and its derivative.
#[derive(Clone, Copy, Debug)]
pub struct Both<const N: usize> {
    /// Table of the function: segments, centres, coefficients, symmetry. Its column `high` is not used.
    pub table: Table<N>,
    /// High parts of the slopes at the segments' centres, or `None` if no slope is a double-float.
    ///
    /// A slope is a double-float in segments with a zero of the function, for accuracy there. `table.a[1]` has the low parts.
    pub slopes: Option<&'static Column<N>>,
    /// Whether `2 r + d r'` is evaluated as `2 A[2][i] + d (3 q + d q')`, where `r = A[2][i] + d q`.
    ///
    /// `A` are the coefficients, `d` is the distance from the centre of segment `i`, and `f = A[0][i] + d (A[1][i] + d r)`. The
    /// derivatives by `d` are `r'` and `q'`.
    pub thrice: bool,
    /// Method that keeps the derivative accurate at its zeros.
    pub bend: Bend,
    /// High parts of the second derivatives at the segments' centres.
    ///
    /// A second derivative is a double-float in segments with a zero of the derivative, for accuracy there. The column is unused if
    /// `bend` is `Plain`.
    pub bends: &'static Column<N>,
}

/// A function and its derivative with joint tables.
pub trait Joint: 'static {
    /// The joint table of 32 segments for f32, if there is one.
    const WIDE: Option<Both<32>>;
    /// The joint table of 8 segments for f32, if there is one.
    const NARROW: Option<Both<8>>;
    /// Whether the function or its derivative is 0 at 0, where tiny arguments would lose digits.
    ///
    /// [`Univariate::VANISHES`](super::univariate::Univariate::VANISHES) says why this matters.
    const VANISHES: bool;
    /// Tails (approximations beyond the table range) of the function, then of its derivative.
    ///
    /// Each has one for negative and one for positive arguments.
    const BEYOND: [[Tail; 2]; 2];
}

/// Returns whether a SIMD level uses a joint table (function and derivative) for an element type.
///
/// The type must be f32, and the level must have FMA and look-ups of one or two instructions.
pub const fn has_table<J: Joint, S: Isa, E: El>() -> bool {
    let is_there = if S::WIDE_LUT { J::WIDE.is_some() } else { J::NARROW.is_some() };
    is_single::<E>() && S::FMA && S::INLINE_LUT && is_there
}

/// Evaluates `$f` with `$table` bound to the joint table of a SIMD level, or `$none` without a table.
macro_rules! with_both {
    ($J:ident, $S:ident, $table:ident => $f:expr, $none:expr) => {
        if const { $S::WIDE_LUT } {
            match const { $J::WIDE } {
                Some($table) => $f,
                None => $none,
            }
        } else {
            match const { $J::NARROW } {
                Some($table) => $f,
                None => $none,
            }
        }
    };
}

/// Returns whether the joint table is accurate in all lanes of `x`. It may return either for a NaN.
#[inline(always)]
pub fn all_inside<J: Joint, S: Isa, E: El, const W: usize>(s: S, x: Variable<S, W>) -> bool {
    with_both!(J, S, both => {
        both.table.all_inside(s, x.of, false) && !(const { J::VANISHES } && double_float::any_tiny(s, x.of))
    }, false)
}

/// Evaluates the function and its derivative by the joint table, in lanes inside the table range.
#[inline(always)]
pub fn inside<J: Joint, S: Isa, E: El, const M: usize, const W: usize>(
    s: S,
    x: Variable<S, W>,
) -> [DoubleFloat<S, W>; 2] {
    let (f, derivative) = with_both!(J, S, both => both.values(s, x.of), (x.of, x.of));
    [DoubleFloat::exact(s, f), DoubleFloat::exact(s, derivative)]
}

/// Evaluates the function and its derivative by table and tails.
///
/// The mask has the lanes that need the slow path: neither table nor tail covers them, or digits would be lost.
#[inline(always)]
pub fn anywhere<J: Joint, S: Isa, E: El, const M: usize>(
    s: S,
    x: Variable<S, PAIR>,
) -> ([DoubleFloat<S, PAIR>; 2], Mask<S>) {
    let mut values = [DoubleFloat::exact(s, Floats::splat(s, f32::NAN)); 2];
    let outside = with_both!(J, S, both => both.table.outside(s, x.of, false), x.of.simd_eq(x.of));
    if !outside.all_true() {
        values = inside::<J, S, E, M, PAIR>(s, x);
    }
    let (values, mut missed) = tail::of_each::<S, E, 2>(s, x.of, outside, values, &J::BEYOND);
    if const { J::VANISHES } {
        missed = missed | double_float::tiny(x.of);
    }
    (values, missed)
}

impl<const N: usize> Both<N>
where
    [f32; N]: Lut,
{
    /// Evaluates the function and its derivative in lanes inside the table range.
    #[inline(always)]
    pub fn values<S: Isa, const W: usize>(
        &self,
        s: S,
        x: Floats<S, W>,
    ) -> (Floats<S, W>, Floats<S, W>) {
        let symmetry = self.table.design.symmetry;
        let z = self.table.fold(s, x);
        let (ix, _) = self.table.segment(s, z);
        let centre = self.table.centres.0.lut(s, ix);
        let d = if symmetry.sign() < 0.0 { centre - z } else { z - centre };
        let (mut f, mut derivative) = self.sums(s, d, ix);
        if let Some(slopes) = self.slopes {
            let high = slopes.0.lut(s, ix);
            (f, derivative) = (high.mul_add(d, f), derivative + high);
        }
        (finish(s, symmetry, f, x), finish(s, symmetry.derivative(), derivative, x))
    }

    /// Evaluates the function and its derivative at the distance `d` from the centre of segment `ix`.
    ///
    /// The results lack the high parts of slopes, which the caller adds.
    #[inline(always)]
    fn sums<S: Isa, const W: usize>(
        &self,
        s: S,
        d: Floats<S, W>,
        ix: Bits<S, W>,
    ) -> (Floats<S, W>, Floats<S, W>) {
        let (mut ix, degree) = (ix, self.table.a.len() - 1);
        let down = if self.thrice { 3 } else { 2 };
        let mut r = self.table.a[degree].0.lut(s, ix);
        let mut slope = r;
        for k in (down..degree).rev() {
            if k + 1 < degree {
                slope = slope.mul_add(d, r).pin(s);
            }
            r = r.mul_add(d, self.table.a[k].0.lut(s, ix)).pin(s);
            ix = ix.pin(s);
        }
        let bend = if self.thrice {
            let (q, second) = (r, self.table.a[2].0.lut(s, ix));
            r = q.mul_add(d, second).pin(s);
            slope.mul_add(d, q * 3.0).mul_add(d, second + second)
        } else {
            slope.mul_add(d, r + r)
        };
        let first = self.table.a[1].0.lut(s, ix);
        let value = self.table.a[0].0.lut(s, ix);
        let derivative = bend.mul_add(d, first).pin(s);
        if matches!(self.bend, Bend::Plain) {
            return (r.mul_add(d, first).mul_add(d, value), derivative);
        }
        let high = self.bends.0.lut(s, ix);
        let derivative = high.mul_add(d, derivative).pin(s);
        if matches!(self.bend, Bend::High) {
            let r = high.mul_add(0.5, r);
            return (r.mul_add(d, first).mul_add(d, value), derivative);
        }
        let (square, rest) = d.two_prod(s, d);
        let half = high * 0.5;
        let low = r.mul_add(d, first).mul_add(d, value);
        (half.mul_add(square, half.mul_add(rest, low)), derivative)
    }
}
