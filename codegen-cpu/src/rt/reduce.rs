//! Functions of all elements of a row, in an order that follows from their number alone.

use super::abi::ALIGN;
use super::simd::{AtLevel, Isa};
use fearless_simd::prelude::*;
use op_dsl_ir::op::RowFunction;

/// Number of partial sums of a row, which are added pairwise at its end: four vectors of the widest SIMD level.
///
/// An addition takes three cycles and two start in each, so that fewer vectors would wait for each other.
const PARTIAL: usize = 32;

/// A type of the terms that are added in f64.
pub(super) trait Term: Copy + Into<f64> {
    /// Converts as many terms as a vector of `f32` has, to two vectors in order.
    fn wide<S: Isa>(s: S, terms: &[Self]) -> [S::f64s; 2];
}

impl Term for f32 {
    #[inline(always)]
    fn wide<S: Isa>(s: S, terms: &[f32]) -> [S::f64s; 2] {
        let (low, high) = S::f32s::from_slice(s, terms).widen();
        [low, high]
    }
}

impl Term for f64 {
    #[inline(always)]
    fn wide<S: Isa>(s: S, terms: &[f64]) -> [S::f64s; 2] {
        let (low, high) = terms.split_at(S::f64s::LEN);
        [S::f64s::from_slice(s, low), S::f64s::from_slice(s, high)]
    }
}

/// Returns the sum of a row: [`PARTIAL`] interleaved partial sums, which are added pairwise.
#[inline(always)]
pub(super) fn sum<S: Isa, T: Term>(s: S, row: &[T]) -> f64 {
    // Pairs of vectors; levels with longer vectors use the first of them.
    let mut pairs = [[S::f64s::splat(s, 0.0); 2]; PARTIAL / 4];
    let count = const { PARTIAL / S::f32s::LEN };
    let mut chunks = row.chunks_exact(PARTIAL);
    for chunk in &mut chunks {
        // A loop over indices, because closures of iterators would be compiled without the level's instructions.
        for k in 0..count {
            let [low, high] = T::wide(s, &chunk[k * S::f32s::LEN..][..S::f32s::LEN]);
            pairs[k] = [pairs[k][0] + low, pairs[k][1] + high];
        }
    }
    let mut partial = [0.0; PARTIAL];
    for k in 0..count {
        let (low, high) = partial[k * S::f32s::LEN..].split_at_mut(S::f64s::LEN);
        low.copy_from_slice(pairs[k][0].as_slice());
        high[..S::f64s::LEN].copy_from_slice(pairs[k][1].as_slice());
    }
    for (to, x) in partial.iter_mut().zip(chunks.remainder()) {
        *to += (*x).into();
    }
    // Constant bounds, so that each pass is a few instructions.
    for n in const { [16, 8, 4, 2, 1] } {
        for i in 0..n {
            partial[i] += partial[i + n];
        }
    }
    partial[0]
}

/// Number of partial maxima of a row: the lanes of the widest vector.
const LANES: usize = 16;

/// Returns the largest element of a row; NaN if any is NaN. Asks for memory `ahead` bytes after each load, unless that is 0.
#[inline(always)]
fn largest<S: Isa>(s: S, row: &[f32], ahead: usize) -> f32 {
    let low = S::f32s::splat(s, f32::NEG_INFINITY);
    let (mut partial, mut total) = ([low; 4], [S::f32s::splat(s, 0.0); 4]);
    // Loops, because closures of iterators would be compiled without the level's instructions.
    let mut steps = row.chunks_exact(4 * S::f32s::LEN);
    for step in &mut steps {
        if ahead != 0 {
            for line in (0..size_of_val(step)).step_by(ALIGN) {
                s.prefetch(step.as_ptr().cast::<u8>().wrapping_add(ahead + line));
            }
        }
        for (k, (partial, total)) in partial.iter_mut().zip(&mut total).enumerate() {
            let x = S::f32s::from_slice(s, &step[k * S::f32s::LEN..][..S::f32s::LEN]);
            *partial = partial.max(x);
            *total += x;
        }
    }
    let mut vectors = steps.remainder().chunks_exact(S::f32s::LEN);
    for vector in &mut vectors {
        let x = S::f32s::from_slice(s, vector);
        partial[0] = partial[0].max(x);
        total[0] += x;
    }
    let ([a, b, c, d], [i, j, k, l]) = (partial, total);
    let total = (i + j) + (k + l);
    // A NaN makes the total NaN, and so do infinities of both signs.
    if !total.simd_eq(total).all_true() && row.iter().any(|x| x.is_nan()) {
        return f32::NAN;
    }
    let mut all = [f32::NEG_INFINITY; LANES];
    all[..S::f32s::LEN].copy_from_slice(a.max(b).max(c.max(d)).as_slice());
    for n in [8, 4, 2, 1] {
        for i in 0..n {
            all[i] = if all[i + n] > all[i] { all[i + n] } else { all[i] };
        }
    }
    let larger = |m: f32, x: &f32| if *x > m || x.is_nan() { *x } else { m };
    vectors.remainder().iter().fold(all[0], larger)
}

/// Returns the value of a row function before any term.
pub(super) fn start(function: RowFunction) -> f64 {
    match function {
        RowFunction::Sum | RowFunction::Mean => 0.0,
        RowFunction::Max => f64::NEG_INFINITY,
    }
}

/// Completes the values of rows of `columns` terms.
pub(super) fn finish(function: RowFunction, columns: usize, values: &mut [f64]) {
    if function == RowFunction::Mean {
        values.iter_mut().for_each(|value| *value /= columns as f64);
    }
}

/// Takes the terms of some columns of rows into the values of a row function.
pub(super) struct Reduce<'a, R> {
    pub function: RowFunction,
    /// Returns the terms of a row.
    pub row: R,
    /// For each row, the value over the columns before these.
    pub values: &'a mut [f64],
    /// Prefetch distance in bytes if the terms come from memory, else 0.
    pub ahead: usize,
}

impl<'r, R: Fn(usize) -> &'r [f32]> AtLevel for Reduce<'_, R> {
    type Output = ();

    fn at<S: Isa>(self, s: S) {
        s.vectorize(
            #[inline(always)]
            || {
                let rows = self.values.iter_mut().enumerate();
                let rows = rows.map(|(row, value)| ((self.row)(row), value));
                match self.function {
                    RowFunction::Sum | RowFunction::Mean => {
                        rows.for_each(|(row, value)| *value += sum(s, row));
                    }
                    RowFunction::Max => rows.for_each(|(row, value)| {
                        let m = f64::from(largest(s, row, self.ahead));
                        *value = if m > *value || m.is_nan() { m } else { *value };
                    }),
                }
            },
        );
    }
}
