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
//! Where a variable is a product, what its rounding lost is added to `d` (see [`two`]). Beyond a table
//! functions are mostly exponentials, then straight ([`beyond`](super::beyond)); lanes that are not even there are
//! evaluated otherwise ([`tabled`](crate::rt::tabled)).

use super::beyond::Beyond;
use super::minmax::{at_least, at_most};
use super::table::{Lut, MAGIC};
use super::two::{self, Two, Variable, is_single};
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, Mask, PAIR, each};
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
    /// Whether its variable is a product, of which the part below the last place counts.
    const SCALED: bool;
    /// Whether its value is wanted as two floats in f32, for what else it is multiplied by.
    const TWO: bool;
    /// Its tables of 32 segments, in the order of element types; none where the function has none.
    const WIDE: [Option<Table<32>>; DType::COUNT];
    /// The same of 8.
    const NARROW: [Option<Table<8>>; DType::COUNT];
}

/// A product from here on is evaluated otherwise: what multiplies the function may be as small as the product is
/// large, and one rounding would make the largest number an infinity.
const SCALED_END: f32 = 1.844_674_4e19;

/// The tables of a width.
pub(super) trait Tables<const N: usize> {
    const TABLES: [Option<Table<N>>; DType::COUNT];
}

impl<U: Univariate> Tables<32> for U {
    const TABLES: [Option<Table<32>>; DType::COUNT] = U::WIDE;
}

impl<U: Univariate> Tables<8> for U {
    const TABLES: [Option<Table<8>>; DType::COUNT] = U::NARROW;
}

/// The table for an element type at a level; only levels with FMA and short look-ups have any.
pub(super) const fn table<U: Tables<N>, S: Isa, E: El, const N: usize>() -> Option<Table<N>> {
    if S::FMA && S::INLINE_LUT { U::TABLES[E::DTYPE as usize] } else { None }
}

/// An expression of the table `$table` that a level has, or `$none`. No closure: it would be compiled with all others
/// that an `Option` is mapped by, and not with its function.
macro_rules! with_table {
    ($U:ident, $S:ident, $E:ident, $table:ident => $f:expr, $none:expr) => {
        if const { $S::WIDE_LUT } {
            match const { table::<$U, $S, $E, 32>() } {
                Some($table) => $f,
                None => $none,
            }
        } else {
            match const { table::<$U, $S, $E, 8>() } {
                Some($table) => $f,
                None => $none,
            }
        }
    };
}

pub(super) use with_table;

/// Whether the function has a table for an element type at a level.
pub const fn has_table<U: Univariate, S: Isa, E: El>() -> bool {
    match S::WIDE_LUT {
        true => table::<U, S, E, 32>().is_some(),
        false => table::<U, S, E, 8>().is_some(),
    }
}

/// A function by its table, of lanes that are inside. NaN where it has none.
#[inline(always)]
pub fn inside<U: Univariate, S: Isa, E: El, const W: usize>(s: S, x: Variable<S, W>) -> Two<S, W> {
    let low = if const { U::SCALED && is_single::<E>() } { Some(x.is.low) } else { None };
    with_table!(U, S, E, table => match const { U::TWO && is_single::<E>() } {
        true => table.two(s, x.is),
        false => Two::exact(s, table.value(s, x.is.high, low)),
    }, Two::exact(s, Floats::splat(s, f32::NAN)))
}

/// Whether all lanes are inside the table; a NaN may be or not.
#[inline(always)]
pub fn all_inside<U: Univariate, S: Isa, E: El, const W: usize>(s: S, x: Variable<S, W>) -> bool {
    with_table!(U, S, E, table => {
        table.all_inside(s, x.is.high, U::SCALED && is_single::<E>())
            && !(const { loses::<U, S, E>() } && two::any_tiny(x.of))
    }, false)
}

/// A function by its table and what is known of it beyond, and the lanes that have to be evaluated otherwise; no NaN
/// is among them.
#[inline(always)]
pub fn anywhere<U: Univariate + Beyond, S: Isa, E: El>(
    s: S,
    x: Variable<S, PAIR>,
) -> (Two<S, PAIR>, Mask<S>) {
    let nothing = Two::exact(s, Floats::splat(s, f32::NAN));
    with_table!(U, S, E, table => {
        let mut missed = table.outside(s, x.is.high, U::SCALED && is_single::<E>());
        let mut value = nothing;
        if !missed.all_true() {
            value = inside::<U, S, E, PAIR>(s, x);
        }
        // Each end by itself: a loop over both would have the table copied to the stack, and wait for that.
        table.beyond::<U, S, E>(s, x.is, 0, &mut value, &mut missed);
        table.beyond::<U, S, E>(s, x.is, 1, &mut value, &mut missed);
        if const { loses::<U, S, E>() } { missed = missed | two::tiny(x.of) }
        (value, missed)
    }, (nothing, x.of.simd_eq(x.of)))
}

/// Whether a function has the digits of a variable that is the product of a small number: it is zero at zero. No number
/// of f16 is so small.
const fn loses<U: Univariate, S: Isa, E: El>() -> bool {
    U::SCALED
        && !matches!(E::DTYPE, DType::F16)
        && match S::WIDE_LUT {
            true => is_zero_at_zero(table::<U, S, E, 32>()),
            false => is_zero_at_zero(table::<U, S, E, 8>()),
        }
}

const fn is_zero_at_zero<const N: usize>(table: Option<Table<N>>) -> bool {
    let Some(table) = table else { return false };
    let mut k = 0;
    while k < N {
        if table.centres.0[k] == 0.0 && table.a[0].0[k] == 0.0 {
            return true;
        }
        k += 1;
    }
    false
}

impl<const N: usize> Table<N>
where
    [f32; N]: Lut,
{
    /// Whether segments are many, and so narrow.
    const IS_WIDE: bool = N >= 32;

    const fn is_folded(&self) -> bool {
        !matches!(self.design.symmetry, Symmetry::None)
    }

    /// What numbers have to be within to be inside, if any is outside: below the table, or beyond it. Products
    /// (`scaled`) are outside where the part below their last place is none beside a segment: it is added to
    /// numbers that are held inside.
    const fn bound(&self, end: usize, scaled: bool) -> Option<f32> {
        const FURTHEST: f32 = 1024.0;
        if end == 0 && self.is_folded() {
            return None;
        }
        let [low, high] = self.within;
        let size = FURTHEST * low.abs().max(high.abs());
        match self.ends[end] {
            End::SlowPath => Some(self.within[end]),
            _ if scaled && end == 0 => Some(-size),
            _ if scaled => Some(size),
            _ => None,
        }
    }

    #[inline(always)]
    pub(super) fn fold<S: Isa, const W: usize>(&self, _: S, x: Floats<S, W>) -> Floats<S, W> {
        if self.is_folded() { x.abs() } else { x }
    }

    /// Whether all lanes are inside; a NaN may be or not.
    #[inline(always)]
    pub fn all_inside<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>, scaled: bool) -> bool {
        let z = self.fold(s, x);
        let mut inside = None;
        // Of a number and a NaN, `max` and `min` are the second operand on some levels. The extreme so far is
        // the second: a NaN may take its place only where the NaN then stays.
        if let Some(bound) = self.bound(1, scaled) {
            let largest = z.fold(|z, largest| z.max(largest));
            inside = Some(largest.simd_lt(S::f32s::splat(s, bound)));
        }
        if let Some(bound) = self.bound(0, scaled) {
            let least = z.fold(|z, least| z.min(least));
            let above = least.simd_ge(S::f32s::splat(s, bound));
            inside = Some(inside.map_or(above, |inside| inside & above));
        }
        inside.is_none_or(|inside| inside.all_true())
    }

    /// Lanes that are evaluated otherwise; no NaN.
    #[inline(always)]
    pub fn outside<S: Isa>(&self, s: S, x: Floats<S>, scaled: bool) -> Mask<S> {
        let z = self.fold(s, x);
        let beyond = |end: usize| self.bound(end, scaled).unwrap_or(f32::NAN);
        z.simd_ge(beyond(1)) | z.simd_lt(beyond(0))
    }

    /// The value of lanes inside, at `x + low`.
    #[inline(always)]
    pub fn value<S: Isa, const W: usize>(
        &self,
        s: S,
        x: Floats<S, W>,
        low: Option<Floats<S, W>>,
    ) -> Floats<S, W> {
        let z = self.held(s, self.fold(s, x));
        let folded = low.map(|low| if self.is_folded() { low.flipped(x) } else { low });
        let Last { d, by, more, .. } = self.polynomial(s, z, folded, false);
        self.finish(s, d.mul_add(by, more), x)
    }

    /// The value of lanes inside as two floats, of a variable that is two: to less than a unit in the last place.
    #[inline(always)]
    pub fn two<S: Isa, const W: usize>(&self, s: S, x: Two<S, W>) -> Two<S, W> {
        let z = self.held(s, self.fold(s, x.high));
        let low = if self.is_folded() { x.low.flipped(x.high) } else { x.low };
        let Last { d, by, more, rest } = self.polynomial(s, z, Some(low), true);
        let (high, low) = if const { !Self::IS_WIDE } {
            let (product, lost) = d.two_prod(s, by);
            let (high, low) = product.two_sum(more);
            (high, low + lost)
        } else {
            let high = d.mul_add(by, more);
            // Beside a zero `more` is the small one, elsewhere `by` is 0.
            let low = match self.design.power {
                0 => d.mul_add(by, more - high),
                _ => d.mul_add(by, -high) + more,
            };
            (high, low)
        };
        self.finish_two(s, Two { high, low: low + rest }, x)
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
    pub(super) fn segment<S: Isa, const W: usize>(
        &self,
        s: S,
        z: Floats<S, W>,
    ) -> (Bits<S, W>, Floats<S, W>) {
        let shift = MAGIC - self.first as f32;
        let t = match self.index {
            Index::Down => Floats(each!(s, k => s.mul_add_down(z.0[k], self.scale, shift))),
            Index::Nearest => z.mul_add(self.scale, shift),
            Index::Product => {
                let scaled = z * self.scale;
                if self.is_folded() {
                    // No number is below zero, where the table starts: one operation instead of three.
                    let below = Bits(each!(s, k => scaled.0[k].to_int::<S::i32s>().bitcast()));
                    return (below, scaled);
                }
                let whole = Floats(each!(s, k => scaled.0[k].floor()));
                // What is below a whole number of no more digits than these has its last bits.
                return ((whole + shift).bits(), whole);
            }
        };
        (t.bits(), t - shift)
    }

    /// All but the last step, at `z + low`.
    #[inline(always)]
    fn polynomial<S: Isa, const W: usize>(
        &self,
        s: S,
        z: Floats<S, W>,
        low: Option<Floats<S, W>>,
        two: bool,
    ) -> Last<S, W> {
        let (ix, number) = self.segment(s, z);
        let near = match self.design.centring {
            Centring::Own => z - self.centres.0.lut(s, ix),
            Centring::Equal => number.mul_add(-(1.0 / self.scale), z),
            Centring::Origin => z,
        };
        let d = low.map_or(near, |low| near + low);
        let column = |k: usize| self.a[k].0.lut(s, ix);
        let last = self.a.len() - 1;
        let mut p = column(last);
        if self.design.pair {
            // The lower half is a coefficient of its own.
            p = (p.bits() << 16).floats().mul_add(d, p).pin(s);
        }
        for k in (1..last).rev() {
            p = p.mul_add(d, column(k)).pin(s);
        }
        let zero = Floats::splat(s, 0.0);
        let first = self.a[0].0.lut(s, ix);
        // What rounding took from `d`, times about the slope.
        let below = low.map_or(zero, |low| low - (d - near));
        if self.design.power == 0 {
            let rest = if const { Self::IS_WIDE } { zero } else { below * p };
            return Last { d, by: p, more: first, rest };
        }
        let whole = p.mul_add(d, first).pin(s);
        let high = self.high.0.lut(s, ix);
        let (square, lost) = d.two_prod(s, d);
        match self.design.power {
            1 if low.is_none() => Last { d, by: high, more: whole, rest: zero },
            1 if !two || const { Self::IS_WIDE } => {
                let rest = p.mul_add(d, first - whole);
                Last { d, by: high, more: below.mul_add(high, whole), rest }
            }
            1 => {
                let (product, lost) = p.two_prod(s, d);
                let (more, rest) = product.two_sum(first);
                Last { d, by: high, more, rest: below.mul_add(p + high, rest + lost) }
            }
            2 => Last { d: square, by: high, more: lost.mul_add(high, whole), rest: zero },
            _ => Last { d, by: square.mul_add(high, lost * high), more: whole, rest: zero },
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
        finish(s, self.design.symmetry, p, x)
    }
}

/// Beyond a table.
impl<const N: usize> Table<N>
where
    [f32; N]: Lut,
{
    /// Lanes beyond an end where the function is not held, if they are others than those beyond the other.
    #[inline(always)]
    fn outside_of<S: Isa>(&self, s: S, x: Floats<S>, end: usize) -> Option<Mask<S>> {
        if !matches!(self.ends[end], End::SlowPath) || end == 0 && self.is_folded() {
            return None;
        }
        let z = self.fold(s, x);
        let bound = self.within[end];
        Some(if end == 0 { z.simd_lt(bound) } else { z.simd_ge(bound) })
    }

    /// What is known of lanes beyond an end.
    #[inline(always)]
    fn beyond<U: Univariate + Beyond, S: Isa, E: El>(
        &self,
        s: S,
        x: Two<S, PAIR>,
        end: usize,
        value: &mut Two<S, PAIR>,
        missed: &mut Mask<S>,
    ) {
        let Some(outside) = self.outside_of(s, x.high, end) else { return };
        if !outside.any_true() {
            return;
        }
        let (mut far, mut has) = self.tail::<U, S, E>(s, x, end);
        // What leaves f32 may come back by what multiplies it.
        has = has & far.high.abs().simd_lt(f32::INFINITY);
        if const { U::SCALED } {
            has = has & x.high.abs().simd_lt(SCALED_END);
            if const { !U::TWO } {
                far = Two::exact(s, far.high + far.low);
            }
        }
        *value = far.or(outside & has, *value);
        *missed = missed.without(has);
    }

    /// The value beyond an end, and the lanes that have any.
    #[inline(always)]
    fn tail<U: Univariate + Beyond, S: Isa, E: El>(
        &self,
        s: S,
        x: Two<S, PAIR>,
        end: usize,
    ) -> (Two<S, PAIR>, Mask<S>) {
        let scaled = const { U::SCALED && is_single::<E>() };
        let [left, right] = &U::TAILS;
        if !self.is_folded() {
            return match end {
                0 => left.at::<S, E>(s, -x, -1.0, scaled),
                _ => right.at::<S, E>(s, x, 1.0, scaled),
            };
        }
        let z = Two { high: x.high.abs(), low: x.low.flipped(x.high) };
        let (tail, sign) = match self.design.symmetry {
            Symmetry::Point { side: Side::Negative, .. }
            | Symmetry::Linear { side: Side::Negative, .. } => (left, -1.0),
            _ => (right, 1.0),
        };
        let (value, has) = tail.at::<S, E>(s, z, sign, scaled);
        (self.finish_two(s, value, x), has)
    }

    /// The function's value from the table's as two floats.
    #[inline(always)]
    fn finish_two<S: Isa, const W: usize>(&self, s: S, p: Two<S, W>, x: Two<S, W>) -> Two<S, W> {
        let Two { high, low } = p;
        let value = self.finish(s, high, x.high);
        let (side, other) = match self.design.symmetry {
            Symmetry::None | Symmetry::Even => return p,
            Symmetry::Odd => return Two { high: value, low: low.flipped(x.high) },
            Symmetry::Point { sum, side } => (side, (-value + sum) - high - low),
            Symmetry::Linear { slope, side } => {
                let slope = Floats::splat(s, slope);
                (side, (x.high.mul_add(slope, -value) + high) + x.low.mul_add(slope, low))
            }
        };
        Two { high: value, low: side_of(s, side, x.high, low, other) }
    }
}

/// The last step of a polynomial: `d * by + more`.
struct Last<S: Isa, const W: usize> {
    d: Floats<S, W>,
    by: Floats<S, W>,
    more: Floats<S, W>,
    /// What `more` lost in rounding.
    rest: Floats<S, W>,
}

/// A function's value from that of its table.
#[inline(always)]
pub(super) fn finish<S: Isa, const W: usize>(
    s: S,
    symmetry: Symmetry,
    p: Floats<S, W>,
    x: Floats<S, W>,
) -> Floats<S, W> {
    let (side, other) = match symmetry {
        Symmetry::None | Symmetry::Even => return p,
        Symmetry::Odd => return p.flipped(x),
        Symmetry::Point { sum, side } => (side, Floats::splat(s, sum) - p),
        Symmetry::Linear { slope, side } => (side, x.mul_add(Floats::splat(s, slope), p)),
    };
    side_of(s, side, x, p, other)
}

/// What a table has on the side that it is of, and what it has on the other.
#[inline(always)]
pub(super) fn side_of<S: Isa, const W: usize>(
    s: S,
    side: Side,
    x: Floats<S, W>,
    own: Floats<S, W>,
    other: Floats<S, W>,
) -> Floats<S, W> {
    match side {
        Side::Positive => x.if_positive(s, own, other),
        Side::Negative => x.if_positive(s, other, own),
    }
}
