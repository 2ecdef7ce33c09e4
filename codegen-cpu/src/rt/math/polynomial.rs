//! Piecewise polynomials: a table with one polynomial per segment of a function.
//!
//! `op_dsl_fit::Table` defines it, and its `eval` computes the same lane by lane:
//!
//! ```text
//! z = |x| or x            by the function's symmetry, clamped at ends where the limit is reached
//! i = floor(z * scale)    the segment
//! d = z - C[i]
//! p = A[0][i] + d (A[1][i] + d (A[2][i] + ..))
//! f(x) from p             by the symmetry
//! ```
//!
//! Values that are multiplied are rounded once on either side, because the symmetry takes part in the last steps
//! (`Design::once`).
//!
//! Where a variable is a product, its rounding error is added to `d` (see [`double_float`](super::double_float)).

use super::double_float::DoubleFloat;
use super::minmax::{at_least, at_most};
use super::table::{Column, Lut, MAGIC};
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, Mask, each};
use fearless_simd::prelude::*;
use op_dsl_fit::{Centring, Design, End, Index, Side, Symmetry};

/// Table of a piecewise polynomial of `N` segments.
///
/// Its argument `z` is `x` or, by a symmetry of the function, `|x|`.
#[derive(Clone, Copy, Debug)]
pub struct Table<const N: usize> {
    /// Evaluation scheme that all segments share.
    pub design: Design,
    /// Method that computes the number of the segment that contains `z`.
    pub index: Index,
    /// Number of segments per unit of `z`.
    pub scale: f32,
    /// Value of `z * scale`, as an integer, in the first segment.
    pub first: i32,
    /// Table range: the least `z` inside, and the least `z` above it.
    pub within: [f32; 2],
    /// Treatment of numbers below the range, and of numbers above it.
    pub ends: [End; 2],
    /// Centres of the segments' polynomials, used if `design.centring` is `Own`.
    pub centres: &'static Column<N>,
    /// High parts of the coefficients of `d^power`, which are double-floats at zeros of the function.
    ///
    /// The last step multiplies them. `d` is the distance from the segment's centre and `power` is `design.power`. If that is 0, the
    /// column is unused.
    pub high: &'static Column<N>,
    /// Coefficients of the polynomials, one column (a number per segment) per power, lowest first.
    pub a: &'static [Column<N>],
}

impl<const N: usize> Table<N>
where
    [f32; N]: Lut,
{
    /// Whether the table is wide: its segments are many, and therefore narrow.
    const IS_WIDE: bool = N >= 32;

    pub(super) const fn is_folded(&self) -> bool {
        !matches!(self.design.symmetry, Symmetry::None)
    }

    /// Returns the bound at an end of the table range (0 lower, 1 upper); `None` if no number is outside.
    ///
    /// A product with an attribute (`scaled`) has a bound even where it is clamped, far beyond the table. Its low part is added to
    /// the clamped number, so that part must be negligible compared with a segment.
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

    /// Returns a bound on `|x|` that tests both ends of the table range at once.
    ///
    /// Returns `None` if an end has no bound, or if the lesser bound in absolute value is below 0.9 times the other.
    const fn size_bound(&self, scaled: bool) -> Option<f32> {
        const NEARLY: f32 = 0.9;
        let (Some(low), Some(high)) = (self.bound(0, scaled), self.bound(1, scaled)) else {
            return None;
        };
        let (least, most) = ((-low).min(high), (-low).max(high));
        if least >= NEARLY * most { Some(least) } else { None }
    }

    /// Returns whether all lanes are inside the table range.
    ///
    /// It may return either for a NaN, and false for lanes near an end. `scaled` is true for a product with an attribute.
    #[inline(always)]
    pub fn all_inside<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>, scaled: bool) -> bool {
        if let (true, Some(bound)) = (S::HAS_MAX_SIZE, self.size_bound(scaled)) {
            // Two vectors at a time and no more. For a signalling NaN and a number the maximum is a quiet NaN, and for that NaN
            // and the next number it would be the number, so that the NaN would go unnoticed.
            let bound = S::f32s::splat(s, bound);
            let pair = |k: usize| s.max_size(x.0[k], x.0[k + 1]).simd_lt(bound);
            let inside = if const { W > 2 } { pair(0) & pair(2) } else { pair(0) };
            return inside.all_true();
        }
        let z = self.fold(s, x);
        let mut inside = None;
        // On some levels `max` and `min` of a number and a NaN return the second operand. The extreme so far is the second, so
        // that a NaN can take its place only where it then stays.
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

    /// Returns the mask of lanes that are outside of the table range. A NaN is never in the mask.
    #[inline(always)]
    pub fn outside<S: Isa>(&self, s: S, x: Floats<S>, scaled: bool) -> Mask<S> {
        let z = self.fold(s, x);
        let beyond = |end: usize| self.bound(end, scaled).unwrap_or(f32::NAN);
        z.simd_ge(beyond(1)) | z.simd_lt(beyond(0))
    }

    /// Evaluates the function at `x + low`, in lanes inside the table range.
    #[inline(always)]
    pub fn value<S: Isa, const W: usize>(
        &self,
        s: S,
        x: Floats<S, W>,
        low: Option<Floats<S, W>>,
    ) -> Floats<S, W> {
        let z = self.held(s, self.fold(s, x));
        let folded = low.map(|low| if self.is_folded() { low.flipped(x) } else { low });
        let Last { d, by, more, .. } = self.polynomial(s, x, z, folded, false);
        let value = d.mul_add(by, more);
        if self.design.once {
            return value;
        }
        // The line of a product takes its low part, which is up to half a unit of the result.
        match (self.design.symmetry, low) {
            (Symmetry::Linear { slope, side }, Some(low)) => {
                let slope = Floats::splat(s, slope);
                let other = x.mul_add(slope, low.mul_add(slope, value));
                side_of(s, side, x, value, other)
            }
            _ => self.finish(s, value, x),
        }
    }

    /// Evaluates the function in double-float at a double-float `x`, in lanes inside the table range.
    ///
    /// The error is less than one unit in the last place.
    #[inline(always)]
    pub fn two<S: Isa, const W: usize>(&self, s: S, x: DoubleFloat<S, W>) -> DoubleFloat<S, W> {
        let z = self.held(s, self.fold(s, x.high));
        let low = if self.is_folded() { x.low.flipped(x.high) } else { x.low };
        let Last { d, by, more, rest } = self.polynomial(s, x.high, z, Some(low), true);
        let (high, low) = if const { !Self::IS_WIDE } {
            let (product, lost) = d.two_prod(s, by);
            let (high, low) = product.two_sum(more);
            (high, low + lost)
        } else {
            let high = d.mul_add(by, more);
            // Near a zero `more` is the smaller term, elsewhere `by` is 0.
            let low = match self.design.power {
                0 => d.mul_add(by, more - high),
                _ => d.mul_add(by, -high) + more,
            };
            (high, low)
        };
        self.finish_two(s, DoubleFloat { high, low: low + rest }, x)
    }

    /// Applies the symmetry to the operands of the last step, if `design.once` is true.
    ///
    /// The function's values are then rounded once on either side of zero. `d` is the distance from the segment's centre, `below` its
    /// rounding error, and `lowest` the constant coefficient. All are returned for the side of zero that `x` is on. If the argument is
    /// a product, `design.once` is true for a point alone: the low part of the product has no place in a line.
    #[inline(always)]
    fn turned<S: Isa, const W: usize>(
        &self,
        s: S,
        x: Floats<S, W>,
        [d, below, lowest]: [Floats<S, W>; 3],
    ) -> [Floats<S, W>; 3] {
        match self.design.symmetry {
            Symmetry::Point { sum, side } if self.design.once => {
                // A flipped sign costs less than a choice of two numbers. Where vectors are wide, -0 counts as positive in that choice,
                // and no argument is a product, so that there is no `below`.
                let (d, below) = match side {
                    _ if const { Self::IS_WIDE } => (side_of(s, side, x, d, -d), below),
                    Side::Positive => (d.flipped(x), below.flipped(x)),
                    Side::Negative => (-d.flipped(x), -below.flipped(x)),
                };
                [d, below, side_of(s, side, x, lowest, Floats::splat(s, sum) - lowest)]
            }
            Symmetry::Linear { slope, side } if self.design.once => {
                let other = x.mul_add(Floats::splat(s, slope), lowest);
                [d, below, side_of(s, side, x, lowest, other)]
            }
            _ => [d, below, lowest],
        }
    }

    /// Clamps `z` to the table range, at ends beyond which the function is constant.
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

    /// Returns the segment's number in the low bits of each lane, and `floor(z * scale)`.
    ///
    /// The second value is only valid for tables whose centres are computed from it (`Centring::Equal`).
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
                    // One operation instead of three, because no number is below zero, where the table starts.
                    let below = Bits(each!(s, k => scaled.0[k].to_int::<S::i32s>().bitcast()));
                    return (below, scaled);
                }
                let whole = Floats(each!(s, k => scaled.0[k].floor()));
                // Adding 1.5 * 2^23 leaves the integer in the low bits of the sum, because it has fewer digits.
                return ((whole + shift).bits(), whole);
            }
        };
        (t.bits(), t - shift)
    }

    /// Evaluates the polynomial at `z + low` up to its last step, and returns the operands of that step.
    ///
    /// If `two` is true, the result is to be a double-float. Otherwise, if `design.once` is true, the operands are those for the side of
    /// zero that `x` is on.
    #[inline(always)]
    fn polynomial<S: Isa, const W: usize>(
        &self,
        s: S,
        x: Floats<S, W>,
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
            // The lower half of the highest coefficient is a coefficient of its own.
            p = (p.bits() << 16).floats().mul_add(d, p).pin(s);
        }
        for k in (1..last).rev() {
            p = p.mul_add(d, column(k)).pin(s);
        }
        let zero = Floats::splat(s, 0.0);
        let first = self.a[0].0.lut(s, ix);
        // Rounding error of `d`, to be multiplied by about the slope.
        let below = low.map_or(zero, |low| low - (d - near));
        // The low part of a double-float has what the sum of a symmetry rounds, so that the symmetry is applied to it last.
        let own = [d, below, first];
        let [d, below, first] = if two { own } else { self.turned(s, x, own) };
        if self.design.power == 0 {
            let rest = if const { Self::IS_WIDE } { zero } else { below * p };
            return Last { d, by: p, more: first, rest };
        }
        let whole = p.mul_add(d, first).pin(s);
        let high = self.high.0.lut(s, ix);
        let (square, lost) = d.two_prod(s, d);
        // `(d + below)^2` is `d^2 + 2 d below`, and its cube has `d^2 below` once more.
        let lost = if low.is_some() { (below + below).mul_add(d, lost) } else { lost };
        match self.design.power {
            1 if low.is_none() => Last { d, by: high, more: whole, rest: zero },
            1 if !two || const { Self::IS_WIDE } => {
                let rest = p.mul_add(d, first - whole);
                // Only at zeros, because elsewhere one more rounding would cost more than the rounding of `d`.
                Last { d, by: high, more: below.mul_add(high, whole), rest }
            }
            1 => {
                let (product, lost) = p.two_prod(s, d);
                let (more, rest) = product.two_sum(first);
                Last { d, by: high, more, rest: below.mul_add(p + high, rest + lost) }
            }
            2 => Last { d: square, by: high, more: lost.mul_add(high, whole), rest: zero },
            _ => {
                let by = square.mul_add(high, lost * high);
                let more = if low.is_some() { below.mul_add(by, whole) } else { whole };
                Last { d, by, more, rest: zero }
            }
        }
    }

    /// Computes `f(x)` from the table's value `p` at `|x|` or `x`, by the function's symmetry.
    #[inline(always)]
    fn finish<S: Isa, const W: usize>(
        &self,
        s: S,
        p: Floats<S, W>,
        x: Floats<S, W>,
    ) -> Floats<S, W> {
        finish(s, self.design.symmetry, p, x)
    }

    /// Computes `f(x)` from the table's value `p` by the function's symmetry, both in double-float.
    #[inline(always)]
    pub(super) fn finish_two<S: Isa, const W: usize>(
        &self,
        s: S,
        p: DoubleFloat<S, W>,
        x: DoubleFloat<S, W>,
    ) -> DoubleFloat<S, W> {
        let DoubleFloat { high, low } = p;
        let value = self.finish(s, high, x.high);
        let (side, other) = match self.design.symmetry {
            Symmetry::None | Symmetry::Even => return p,
            Symmetry::Odd => return DoubleFloat { high: value, low: low.flipped(x.high) },
            Symmetry::Point { sum, side } => (side, (-value + sum) - high - low),
            Symmetry::Linear { slope, side } => {
                let slope = Floats::splat(s, slope);
                (side, (x.high.mul_add(slope, -value) + high) + x.low.mul_add(slope, low))
            }
        };
        DoubleFloat { high: value, low: side_of(s, side, x.high, low, other) }
    }
}

/// Operands of the last step of a polynomial: `d * by + more`.
struct Last<S: Isa, const W: usize> {
    d: Floats<S, W>,
    by: Floats<S, W>,
    more: Floats<S, W>,
    /// Rounding error of `more`, for results in double-float.
    rest: Floats<S, W>,
}

/// Computes `f(x)` from the table's value `p` at `|x|` or `x`, by the function's symmetry.
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

/// Selects `own` where `x` is on the side of zero that the table covers, else `other`.
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
