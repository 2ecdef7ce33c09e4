//! Smooth univariate functions, by the tables that were fitted when the operator was compiled.
//!
//! Lanes inside the table range evaluate polynomials ([`Table`]). Beyond it the tails are mostly exponentials, then straight
//! lines ([`tail`](super::tail)). Lanes that no tail covers take the slow path ([`tabled`](crate::rt::tabled)).

use super::double_float::{self, DoubleFloat, Variable};
pub use super::polynomial::Table;
pub use super::table::Column;
use super::table::Lut;
use super::tail::{Beyond, LARGE};
use crate::rt::elem::{El, is_single};
use crate::rt::simd::Isa;
use crate::rt::step::{Floats, Mask, PAIR};
use op_dsl_fit::{End, Side, Symmetry};
use op_dsl_ir::DType;

/// A univariate function with tables.
pub trait Univariate: 'static {
    /// Whether the argument is the product of a value and an attribute, which is kept in double-float.
    const SCALED: bool;
    /// Whether f32 formulas need the function's value in double-float, for tables of 32 and of 8 segments.
    ///
    /// They do if the formula multiplies the value further.
    const TWO: [bool; 2];
    /// Whether the function is 0 at 0, and the formula multiplies its value or computes its argument as a product.
    ///
    /// Digits that are lost at a tiny argument then matter, because a factor can make a normal number of the tiny value. For
    /// example, `x sigmoid(beta x)` is `f(t) / beta` with `t = beta x`.
    const VANISHES: bool;
    /// Tables of 32 segments, one per element type in the order of `DType`; `None` where there is none.
    const WIDE: [Option<Table<32>>; DType::COUNT];
    /// Tables of 8 segments, one per element type in the order of `DType`; `None` where there is none.
    const NARROW: [Option<Table<8>>; DType::COUNT];
}

/// Bound on arguments that are products with an attribute; larger ones take the slow path in f64.
///
/// A factor of the function's value may be as small as the product is large, and one rounding would turn the largest number into
/// an infinity.
const SCALED_END: f32 = 1.844_674_4e19;

/// The tables of a function that have `N` segments, one per element type.
pub(super) trait Tables<const N: usize> {
    const TABLES: [Option<Table<N>>; DType::COUNT];
}

impl<U: Univariate> Tables<32> for U {
    const TABLES: [Option<Table<32>>; DType::COUNT] = U::WIDE;
}

impl<U: Univariate> Tables<8> for U {
    const TABLES: [Option<Table<8>>; DType::COUNT] = U::NARROW;
}

/// Returns the table of `N` segments that a SIMD level uses for an element type.
///
/// Returns `None` if the function has none, or the level lacks FMA or look-ups of one or two instructions.
pub(super) const fn table<U: Tables<N>, S: Isa, E: El, const N: usize>() -> Option<Table<N>> {
    if S::FMA && S::INLINE_LUT { U::TABLES[E::DTYPE as usize] } else { None }
}

/// Evaluates `$f` with `$table` bound to the table that a SIMD level uses, or `$none` without a table.
///
/// It is a macro because rustc would compile a closure in the module of `Option::map`, together with all other closures passed to
/// it, and not in the module of the function that contains it.
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

/// Returns whether the function has a table for an element type at a SIMD level.
pub const fn has_table<U: Univariate, S: Isa, E: El>() -> bool {
    match S::WIDE_LUT {
        true => table::<U, S, E, 32>().is_some(),
        false => table::<U, S, E, 8>().is_some(),
    }
}

/// Returns whether the function's value is needed in double-float at a SIMD level.
const fn is_two<U: Univariate, S: Isa>() -> bool {
    U::TWO[!S::WIDE_LUT as usize]
}

/// Evaluates a function by its table, in lanes inside the table range.
///
/// The result is NaN if the SIMD level has no table.
#[inline(always)]
pub fn inside<U: Univariate, S: Isa, E: El, const W: usize>(
    s: S,
    x: Variable<S, W>,
) -> DoubleFloat<S, W> {
    let low = if const { U::SCALED && is_single::<E>() } { Some(x.is.low) } else { None };
    with_table!(U, S, E, table => match const { is_two::<U, S>() && is_single::<E>() } {
        true => table.two(s, x.is),
        false => DoubleFloat::exact(s, table.value(s, x.is.high, low)),
    }, DoubleFloat::exact(s, Floats::splat(s, f32::NAN)))
}

/// Returns whether the function's table is accurate in all lanes of `x`; either for a NaN.
#[inline(always)]
pub fn all_inside<U: Univariate, S: Isa, E: El, const W: usize>(s: S, x: Variable<S, W>) -> bool {
    with_table!(U, S, E, table => {
        table.all_inside(s, x.is.high, U::SCALED && is_single::<E>())
            && !(const { loses::<U, E>() } && double_float::any_tiny(s, x.of))
    }, false)
}

/// Evaluates a function by table and tails, and returns the mask of the lanes that neither covers.
///
/// No NaN is in the mask.
#[inline(always)]
pub fn anywhere<U: Univariate + Beyond, S: Isa, E: El>(
    s: S,
    x: Variable<S, PAIR>,
) -> (DoubleFloat<S, PAIR>, Mask<S>) {
    let nothing = DoubleFloat::exact(s, Floats::splat(s, f32::NAN));
    with_table!(U, S, E, table => {
        let mut missed = table.outside(s, x.is.high, U::SCALED && is_single::<E>());
        let mut value = nothing;
        if !missed.all_true() {
            value = inside::<U, S, E, PAIR>(s, x);
        }
        // One call per end, because a loop over both would copy the table to the stack, and wait for that.
        table.beyond::<U, S, E>(s, x.is, 0, &mut value, &mut missed);
        table.beyond::<U, S, E>(s, x.is, 1, &mut value, &mut missed);
        if const { loses::<U, E>() } { missed = missed | double_float::tiny(x.of) }
        (value, missed)
    }, (nothing, x.of.simd_eq(x.of)))
}

/// Returns whether tiny arguments take the slow path, because they would lose digits.
///
/// No number of f16 is so small.
pub(super) const fn loses<U: Univariate, E: El>() -> bool {
    U::VANISHES && E::DTYPE.has_f32_range()
}

/// Evaluation of arguments outside of the table range.
impl<const N: usize> Table<N>
where
    [f32; N]: Lut,
{
    /// Returns the mask of lanes beyond an end of the table range: 0 is the lower, 1 the upper end.
    ///
    /// Returns `None` if the end has no slow path. A folded table, which is indexed by `|x|`, has none at the lower end: negative `x`
    /// are beyond its upper end.
    #[inline(always)]
    fn outside_of<S: Isa>(&self, s: S, x: Floats<S>, end: usize) -> Option<Mask<S>> {
        if !matches!(self.ends[end], End::SlowPath) || end == 0 && self.is_folded() {
            return None;
        }
        let z = self.fold(s, x);
        let bound = self.within[end];
        Some(if end == 0 { z.simd_lt(bound) } else { z.simd_ge(bound) })
    }

    /// Evaluates the tail in the lanes beyond an end of the table range: 0 is the lower, 1 the upper end.
    ///
    /// Lanes that the tail covers receive its `value`, and are removed from `missed`.
    #[inline(always)]
    fn beyond<U: Univariate + Beyond, S: Isa, E: El>(
        &self,
        s: S,
        x: DoubleFloat<S, PAIR>,
        end: usize,
        value: &mut DoubleFloat<S, PAIR>,
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
                far = DoubleFloat::exact(s, far.high + far.low);
            }
        }
        *value = far.or(outside & has, *value);
        *missed = missed.without(has);
    }

    /// Evaluates the tail beyond an end of the table range: 0 is the lower, 1 the upper end.
    ///
    /// The mask has the lanes where the tail is defined.
    #[inline(always)]
    fn tail<U: Univariate + Beyond, S: Isa, E: El>(
        &self,
        s: S,
        x: DoubleFloat<S, PAIR>,
        end: usize,
    ) -> (DoubleFloat<S, PAIR>, Mask<S>) {
        let scaled = const { U::SCALED && is_single::<E>() };
        let [left, right] = &U::TAILS;
        if !self.is_folded() {
            return match end {
                0 => left.at::<S, E>(s, -x, -1.0, scaled),
                _ => right.at::<S, E>(s, x, 1.0, scaled),
            };
        }
        let z = DoubleFloat { high: x.high.abs(), low: x.low.flipped(x.high) };
        let (tail, sign) = match self.design.symmetry {
            Symmetry::Point { side: Side::Negative, .. }
            | Symmetry::Linear { side: Side::Negative, .. } => (left, -1.0),
            _ => (right, 1.0),
        };
        let (value, has) = tail.at::<S, E>(s, z, sign, scaled);
        (self.finish_two(s, value, x), has)
    }
}
