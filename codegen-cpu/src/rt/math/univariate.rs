//! Any smooth function of one value, by the tables that were fitted to it while the operator was
//! compiled.
//!
//! Lanes inside its table are values of polynomials ([`Table`]). Beyond a table functions are mostly exponentials, then
//! straight ([`beyond`](super::beyond)); lanes that are not even there are evaluated otherwise
//! ([`tabled`](crate::rt::tabled)).

use super::beyond::{Beyond, LARGE};
pub use super::polynomial::Table;
pub use super::table::Column;
use super::table::Lut;
use super::two::{self, Two, Variable, is_single};
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Floats, Mask, PAIR};
use op_dsl_fit::{End, Side, Symmetry};
use op_dsl_ir::DType;

/// A function of one value.
pub trait Univariate: 'static {
    /// Whether its variable is a product, of which the part below the last place counts.
    const SCALED: bool;
    /// Whether its value is wanted as two floats in f32, for what else it is multiplied by: by tables of 32 segments, and of 8.
    const TWO: [bool; 2];
    /// Whether it is zero at zero, and something multiplies it, or its variable is a product: digits that a tiny variable
    /// loses are missed in results that are not tiny.
    const VANISHES: bool;
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

/// Whether a level gives the value as two floats.
const fn is_two<U: Univariate, S: Isa>() -> bool {
    U::TWO[!S::WIDE_LUT as usize]
}

/// A function by its table, of lanes that are inside. NaN where it has none.
#[inline(always)]
pub fn inside<U: Univariate, S: Isa, E: El, const W: usize>(s: S, x: Variable<S, W>) -> Two<S, W> {
    let low = if const { U::SCALED && is_single::<E>() } { Some(x.is.low) } else { None };
    with_table!(U, S, E, table => match const { is_two::<U, S>() && is_single::<E>() } {
        true => table.two(s, x.is),
        false => Two::exact(s, table.value(s, x.is.high, low)),
    }, Two::exact(s, Floats::splat(s, f32::NAN)))
}

/// Whether all lanes are inside the table; a NaN may be or not.
#[inline(always)]
pub fn all_inside<U: Univariate, S: Isa, E: El, const W: usize>(s: S, x: Variable<S, W>) -> bool {
    with_table!(U, S, E, table => {
        table.all_inside(s, x.is.high, U::SCALED && is_single::<E>())
            && !(const { loses::<U, E>() } && two::any_tiny(s, x.of))
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
        if const { loses::<U, E>() } { missed = missed | two::tiny(x.of) }
        (value, missed)
    }, (nothing, x.of.simd_eq(x.of)))
}

/// Whether tiny variables are evaluated otherwise. No number of f16 is so small.
pub(super) const fn loses<U: Univariate, E: El>() -> bool {
    U::VANISHES && !matches!(E::DTYPE, DType::F16)
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
        has = has & far.high.abs().simd_lt(LARGE);
        if const { U::SCALED } {
            has = has & x.high.abs().simd_lt(SCALED_END);
            if const { !is_two::<U, S>() } {
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
}
