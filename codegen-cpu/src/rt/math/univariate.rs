//! Any smooth function of one value, by the tables that were fitted to it while the operator was
//! compiled.
//!
//! `op_dsl_fit` says what a table is, and its `Table::eval` is what is done here lane by lane:
//!
//! ```text
//! z = |x| or x            as the function's symmetry has it, held inside where its limit is reached
//! i = floor(z * scale)    the segment
//! d = z - C[i]
//! p = A[0][i] + d (A[1][i] + d (A[2][i] + ..))
//! f(x) from p             by the symmetry
//! ```
//!
//! Lanes beyond a table are evaluated in f64, out of line, and blended: the value of an element
//! depends on nothing but the element.

use super::minmax::{at_least, at_most};
use super::table::{Lut, MAGIC};
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, Mask, by_pairs, each};
use crate::rt::wide::Wide;
use fearless_simd::prelude::*;
use op_dsl_fit::{Centring, Design, End, Index, Side, Symmetry};
use op_dsl_ir::DType;

/// One number per segment.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Column<const N: usize>(pub [f32; N]);

/// A table of `N` segments.
#[derive(Clone, Copy, Debug)]
pub struct Table<const N: usize> {
    /// How its segments are evaluated.
    pub design: Design,
    /// How a segment is found.
    pub index: Index,
    /// Segments to the unit.
    pub scale: f32,
    /// The first segment's number.
    pub first: i32,
    /// The least `z` inside, and the least beyond.
    pub within: [f32; 2],
    /// What is beyond either.
    pub ends: [End; 2],
    /// Where polynomials are centred, if each by itself.
    pub centres: &'static Column<N>,
    /// What the last step adds, if it adds anything.
    pub high: &'static Column<N>,
    /// Coefficients, lowest power first.
    pub a: &'static [Column<N>],
}

/// A function of one value.
pub trait Univariate: 'static {
    /// Its tables of 32 segments, in the order of element types; none where the function has none.
    const WIDE: [Option<Table<32>>; DType::COUNT];
    /// The same of 8.
    const NARROW: [Option<Table<8>>; DType::COUNT];

    /// The function in f64, wherever its variable lies.
    fn everywhere<S: Isa, const W: usize>(s: S, x: Wide<S, W>) -> Wide<S, W>;
}

/// Whether the function has a table for an element type at a level.
pub const fn has_table<U: Univariate, S: Isa, E: El>() -> bool {
    match S::WIDE_LUT {
        true => table::<U, S, E, 32>().is_some(),
        false => table::<U, S, E, 8>().is_some(),
    }
}

/// The table for an element type at a level; only levels with FMA and short look-ups have any.
const fn table<U: Tables<N>, S: Isa, E: El, const N: usize>() -> Option<Table<N>> {
    if S::FMA && S::INLINE_LUT { U::TABLES[E::DTYPE as usize] } else { None }
}

/// A function by its table; in f64 where it has none.
#[inline(always)]
pub fn univariate<U: Univariate, S: Isa, E: El, const W: usize>(
    s: S,
    x: Floats<S, W>,
) -> Floats<S, W> {
    if const { S::WIDE_LUT } {
        tabled::<U, S, E, W, 32>(s, x)
    } else {
        tabled::<U, S, E, W, 8>(s, x)
    }
}

/// The tables of a width.
trait Tables<const N: usize> {
    const TABLES: [Option<Table<N>>; DType::COUNT];
}

impl<U: Univariate> Tables<32> for U {
    const TABLES: [Option<Table<32>>; DType::COUNT] = U::WIDE;
}

impl<U: Univariate> Tables<8> for U {
    const TABLES: [Option<Table<8>>; DType::COUNT] = U::NARROW;
}

#[inline(always)]
fn tabled<U, S, E, const W: usize, const N: usize>(s: S, x: Floats<S, W>) -> Floats<S, W>
where
    U: Univariate + Tables<N>,
    S: Isa,
    E: El,
    [f32; N]: Lut,
{
    let Some(table) = (const { table::<U, S, E, N>() }) else {
        return U::everywhere(s, x.wide()).narrow();
    };
    if !table.all_inside(s, x) {
        return by_pairs!([x] => far::<U, S, E, N>(s, x.bits()));
    }
    table.value(s, x)
}

/// [`tabled`] where some lane is beyond the table.
#[cold]
#[inline(never)]
fn far<U, S, E, const N: usize>(s: S, x: Bits<S>) -> Floats<S>
where
    U: Univariate + Tables<N>,
    S: Isa,
    E: El,
    [f32; N]: Lut,
{
    s.vectorize(
        #[inline(always)]
        || {
            let x = x.floats();
            let everywhere = || U::everywhere(s, x.wide()).narrow();
            let Some(table) = (const { table::<U, S, E, N>() }) else { return everywhere() };
            let (near, outside) = (table.value(s, x), table.outside(s, x));
            if outside.any_true() { outside.select(everywhere(), near) } else { near }
        },
    )
}

impl<const N: usize> Table<N>
where
    [f32; N]: Lut,
{
    const fn is_folded(&self) -> bool {
        !matches!(self.design.symmetry, Symmetry::None)
    }

    /// Whether numbers below the table, or beyond it, are evaluated otherwise.
    const fn leaves(&self, end: usize) -> bool {
        matches!(self.ends[end], End::SlowPath) && (end == 1 || !self.is_folded())
    }

    #[inline(always)]
    fn fold<S: Isa, const W: usize>(&self, _: S, x: Floats<S, W>) -> Floats<S, W> {
        if self.is_folded() { x.abs() } else { x }
    }

    /// Whether all lanes are inside; a NaN may be or not.
    #[inline(always)]
    fn all_inside<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> bool {
        let z = self.fold(s, x);
        let mut inside = None;
        // Of a number and a NaN, `max` and `min` are the second operand on some levels. The extreme so far is
        // the second: a NaN may take its place only where the NaN then stays.
        if self.leaves(1) {
            let largest = z.fold(|z, largest| z.max(largest));
            inside = Some(largest.simd_lt(S::f32s::splat(s, self.within[1])));
        }
        if self.leaves(0) {
            let least = z.fold(|z, least| z.min(least));
            let above = least.simd_ge(S::f32s::splat(s, self.within[0]));
            inside = Some(inside.map_or(above, |inside| inside & above));
        }
        inside.is_none_or(|inside| inside.all_true())
    }

    /// Lanes that are evaluated otherwise; no NaN.
    #[inline(always)]
    pub fn outside<S: Isa>(&self, s: S, x: Floats<S>) -> Mask<S> {
        let z = self.fold(s, x);
        let beyond = |end: usize| if self.leaves(end) { self.within[end] } else { f32::NAN };
        z.simd_ge(beyond(1)) | z.simd_lt(beyond(0))
    }

    /// The value of lanes inside.
    #[inline(always)]
    pub fn value<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> Floats<S, W> {
        let z = self.held(s, self.fold(s, x));
        self.finish(s, self.polynomial(s, z), x)
    }

    /// Held inside where the function stands still beyond.
    #[inline(always)]
    fn held<S: Isa, const W: usize>(&self, s: S, z: Floats<S, W>) -> Floats<S, W> {
        let [low, high] = self.within;
        let mut z = z;
        if matches!(self.ends[1], End::Clamp) {
            let last = S::f32s::splat(s, high.next_down());
            z = Floats(each!(s, k => at_most(s, z.0[k], last)));
        }
        if matches!(self.ends[0], End::Clamp) && !self.is_folded() {
            let first = S::f32s::splat(s, low);
            z = Floats(each!(s, k => at_least(s, z.0[k], first)));
        }
        z
    }

    /// The segment in the last bits, and the whole number below `z * scale` where it is asked for.
    #[inline(always)]
    fn segment<S: Isa, const W: usize>(&self, s: S, z: Floats<S, W>) -> (Bits<S, W>, Floats<S, W>) {
        let shift = MAGIC - self.first as f32;
        let t = match self.index {
            Index::Down => Floats(each!(s, k => s.mul_add_down(z.0[k], self.scale, shift))),
            Index::Nearest => z.mul_add(self.scale, shift),
            Index::Product => {
                let scaled = z * self.scale;
                let whole = Floats(each!(s, k => scaled.0[k].floor()));
                // What is below a whole number of no more digits than these has its last bits.
                return ((whole + shift).bits(), whole);
            }
        };
        (t.bits(), t - shift)
    }

    #[inline(always)]
    fn polynomial<S: Isa, const W: usize>(&self, s: S, z: Floats<S, W>) -> Floats<S, W> {
        let (ix, whole) = self.segment(s, z);
        let d = match self.design.centring {
            Centring::Own => z - self.centres.0.lut(s, ix),
            Centring::Equal => whole.mul_add(-(1.0 / self.scale), z),
            Centring::Origin => z,
        };
        let degree = self.a.len() - 1;
        let mut p = self.a[degree].0.lut(s, ix);
        for k in (0..degree).rev() {
            p = p.mul_add(d, self.a[k].0.lut(s, ix)).pin(s);
        }
        if self.design.power == 0 {
            return p;
        }
        let high = self.high.0.lut(s, ix);
        let (square, rest) = d.two_prod(s, d);
        match self.design.power {
            1 => d.mul_add(high, p),
            2 => square.mul_add(high, rest.mul_add(high, p)),
            _ => d.mul_add(square.mul_add(high, rest * high), p),
        }
    }

    /// The function's value from the table's.
    #[inline(always)]
    fn finish<S: Isa, const W: usize>(
        &self,
        s: S,
        p: Floats<S, W>,
        x: Floats<S, W>,
    ) -> Floats<S, W> {
        let (side, other) = match self.design.symmetry {
            Symmetry::None | Symmetry::Even => return p,
            Symmetry::Odd => return p.flipped(x),
            Symmetry::Point { sum, side } => (side, Floats::splat(s, sum) - p),
            Symmetry::Linear { slope, side } => (side, x.mul_add(Floats::splat(s, slope), p)),
        };
        match side {
            Side::Positive => x.if_positive(s, p, other),
            Side::Negative => x.if_positive(s, other, p),
        }
    }
}
