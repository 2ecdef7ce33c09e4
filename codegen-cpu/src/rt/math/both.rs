//! Any smooth function of one value and its derivative, by one look-up of both.
//!
//! `op_dsl_fit` says what a joint table is, and its `Joint::eval` is what is done here lane by lane:
//!
//! ```text
//! z = |x| or x                     as the function's symmetry has it
//! i = floor(z * scale)             the segment
//! d = z - C[i] or C[i] - z         in the direction of x on the table's own side
//! r = A[2][i] + d (A[3][i] + ..)   and its derivative r'
//! f(x)  from A[0][i] + d (A[1][i] + d r)
//! f'(x) from A[1][i] + d (2 r + d r')
//! ```

use super::beyond::{self, Tail};
use super::polynomial::{Table, finish};
use super::table::{Column, Lut};
use super::two::{self, Two, Variable, is_single};
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, Mask, PAIR};
use op_dsl_fit::Bend;

/// A joint table of `N` segments.
#[derive(Clone, Copy, Debug)]
pub struct Both<const N: usize> {
    /// The function's own part: where segments are and are centred, coefficients, symmetry. It has no column `high`.
    pub table: Table<N>,
    /// The high parts of slopes at zeros of the function, if there are any.
    pub slopes: Option<&'static Column<N>>,
    /// Whether the bend is summed up from three times what is below it.
    pub thrice: bool,
    /// What becomes of zeros of the derivative.
    pub bend: Bend,
    /// The high parts of bends there; not looked at where nothing becomes of them.
    pub bends: &'static Column<N>,
}

/// A function and its derivative.
pub trait Joint: 'static {
    /// Their table in f32 of 32 segments, if there is one.
    const WIDE: Option<Both<32>>;
    /// The same of 8.
    const NARROW: Option<Both<8>>;
    /// Whether one of them is zero at zero: see [`Univariate`](super::univariate::Univariate).
    const VANISHES: bool;
    /// What each is beyond the table, for negative and for positive variables.
    const BEYOND: [[Tail; 2]; 2];
}

/// Whether there is a table for an element type at a level; only levels with FMA and short look-ups have any.
pub const fn has_table<J: Joint, S: Isa, E: El>() -> bool {
    let is_there = if S::WIDE_LUT { J::WIDE.is_some() } else { J::NARROW.is_some() };
    is_single::<E>() && S::FMA && S::INLINE_LUT && is_there
}

/// An expression of the table `$table` of a level, or `$none`.
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

/// Whether all lanes are inside; a NaN may be or not.
#[inline(always)]
pub fn all_inside<J: Joint, S: Isa, E: El, const W: usize>(s: S, x: Variable<S, W>) -> bool {
    with_both!(J, S, both => {
        both.table.all_inside(s, x.of, false) && !(const { J::VANISHES } && two::any_tiny(s, x.of))
    }, false)
}

/// The function and its derivative, of lanes inside.
#[inline(always)]
pub fn inside<J: Joint, S: Isa, E: El, const M: usize, const W: usize>(
    s: S,
    x: Variable<S, W>,
) -> [Two<S, W>; 2] {
    let (f, derivative) = with_both!(J, S, both => both.values(s, x.of), (x.of, x.of));
    [Two::exact(s, f), Two::exact(s, derivative)]
}

/// The function and its derivative wherever they are known, and the lanes where one is not.
#[inline(always)]
pub fn anywhere<J: Joint, S: Isa, E: El, const M: usize>(
    s: S,
    x: Variable<S, PAIR>,
) -> ([Two<S, PAIR>; 2], Mask<S>) {
    let mut values = [Two::exact(s, Floats::splat(s, f32::NAN)); 2];
    let outside = with_both!(J, S, both => both.table.outside(s, x.of, false), x.of.simd_eq(x.of));
    if !outside.all_true() {
        values = inside::<J, S, E, M, PAIR>(s, x);
    }
    let (values, mut missed) = beyond::of_each::<S, E, 2>(s, x.of, outside, values, &J::BEYOND);
    if const { J::VANISHES } {
        missed = missed | two::tiny(x.of);
    }
    (values, missed)
}

impl<const N: usize> Both<N>
where
    [f32; N]: Lut,
{
    /// The function and its derivative, of lanes inside.
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

    /// Both at the distance `d` from the centre, without the high parts of slopes.
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
