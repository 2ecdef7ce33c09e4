//! Functions of all elements of a row, in an order that follows from their number alone.

use super::elem::El;
use super::simd::{AtLevel, Isa};
use super::step::{Floats, PAIR};
use fearless_simd::prelude::*;
use op_dsl_ir::op::RowFunction;

/// Number of partial sums of a row, which are added pairwise at its end: four vectors of the widest SIMD level.
///
/// An addition takes three cycles and two start in each, so that fewer vectors would wait for each other.
const PARTIAL: usize = 32;

/// A type of the terms that are added in f64.
pub(super) trait Term: Copy + Into<f64> {
    /// Converts as many terms as two vectors of `f32` have, to four vectors in order.
    fn wide<S: Isa>(s: S, terms: &[Self]) -> [[S::f64s; 2]; 2];
}

impl<E: El + Into<f64>> Term for E {
    #[inline(always)]
    fn wide<S: Isa>(s: S, terms: &[E]) -> [[S::f64s; 2]; 2] {
        let [first, second] = pair(s, terms).0;
        let ((a, b), (c, d)) = (first.widen(), second.widen());
        [[a, b], [c, d]]
    }
}

impl Term for f64 {
    #[inline(always)]
    fn wide<S: Isa>(s: S, terms: &[f64]) -> [[S::f64s; 2]; 2] {
        let vector = |k: usize| S::f64s::from_slice(s, &terms[k * S::f64s::LEN..][..S::f64s::LEN]);
        [[vector(0), vector(1)], [vector(2), vector(3)]]
    }
}

/// Loads two vectors of elements, in memory order, so that results do not depend on how a row is stored.
#[inline(always)]
fn pair<S: Isa, E: El>(s: S, elements: &[E]) -> Floats<S> {
    let elements = &elements[..PAIR * S::f32s::LEN];
    // SAFETY: the slice has as many elements as two vectors.
    E::to_memory_order(unsafe { E::load(s, elements.as_ptr()) })
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
        for k in (0..count).step_by(PAIR) {
            let [[a, b], [c, d]] = T::wide(s, &chunk[k * S::f32s::LEN..][..PAIR * S::f32s::LEN]);
            pairs[k] = [pairs[k][0] + a, pairs[k][1] + b];
            pairs[k + 1] = [pairs[k + 1][0] + c, pairs[k + 1][1] + d];
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

/// Number of partial maxima of a row: the lanes of the widest vector, because a maximum is exact in any order.
const LANES: usize = 16;

/// Returns the largest element of a row; NaN if any is NaN.
#[inline(always)]
fn largest<S: Isa, E: El>(s: S, row: &[E]) -> f32 {
    let low = S::f32s::splat(s, f32::NEG_INFINITY);
    let (mut partial, mut total) = ([low; 4], [S::f32s::splat(s, 0.0); 4]);
    // Loops, because closures of iterators would be compiled without the level's instructions.
    let mut steps = row.chunks_exact(4 * S::f32s::LEN);
    for step in &mut steps {
        for from in [0, PAIR] {
            let x = pair(s, &step[from * S::f32s::LEN..]).0;
            for k in 0..PAIR {
                partial[from + k] = partial[from + k].max(x[k]);
                total[from + k] += x[k];
            }
        }
    }
    let mut pairs = steps.remainder().chunks_exact(PAIR * S::f32s::LEN);
    for elements in &mut pairs {
        let x = pair(s, elements).0;
        for k in 0..PAIR {
            partial[k] = partial[k].max(x[k]);
            total[k] += x[k];
        }
    }
    let ([a, b, c, d], [i, j, k, l]) = (partial, total);
    let total = (i + j) + (k + l);
    // A NaN makes the total NaN, and so do infinities of both signs.
    if !total.simd_eq(total).all_true() && row.iter().any(|x| x.to_f32().is_nan()) {
        return f32::NAN;
    }
    let mut all = [f32::NEG_INFINITY; LANES];
    all[..S::f32s::LEN].copy_from_slice(a.max(b).max(c.max(d)).as_slice());
    for n in [8, 4, 2, 1] {
        for i in 0..n {
            all[i] = if all[i + n] > all[i] { all[i + n] } else { all[i] };
        }
    }
    let larger = |m: f32, x: f32| if x > m || x.is_nan() { x } else { m };
    pairs.remainder().iter().map(|x| x.to_f32()).fold(all[0], larger)
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
}

impl<'r, E: El + Into<f64>, R: Fn(usize) -> &'r [E]> AtLevel for Reduce<'_, R> {
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
                        let m = f64::from(largest(s, row));
                        *value = if m > *value || m.is_nan() { m } else { *value };
                    }),
                }
            },
        );
    }
}
