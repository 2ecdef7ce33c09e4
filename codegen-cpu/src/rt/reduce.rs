//! Functions of all elements of a row, in an order that follows from their number alone.

use super::simd::{AtLevel, Isa};
use fearless_simd::prelude::*;
use op_dsl_ir::op::RowFunction;

/// Number of partial sums of a row, which are added pairwise at its end: two vectors of the widest SIMD level.
const PARTIAL: usize = 16;

/// Returns the sum of a row: [`PARTIAL`] interleaved partial sums, which are added pairwise.
#[inline(always)]
pub(super) fn sum<T: Copy + Into<f64>>(row: &[T]) -> f64 {
    let mut partial = [0.0; PARTIAL];
    let mut chunks = row.chunks_exact(PARTIAL);
    for chunk in &mut chunks {
        partial.iter_mut().zip(chunk).for_each(|(to, x)| *to += (*x).into());
    }
    partial.iter_mut().zip(chunks.remainder()).for_each(|(to, x)| *to += (*x).into());
    let mut n = PARTIAL;
    while n > 1 {
        n /= 2;
        (0..n).for_each(|i| partial[i] += partial[i + n]);
    }
    partial[0]
}

/// Returns the largest element of a row; NaN if any is NaN.
#[inline(always)]
fn largest<S: Isa>(s: S, row: &[f32]) -> f32 {
    let low = S::f32s::splat(s, f32::NEG_INFINITY);
    let (mut partial, mut are_numbers) = ([low; 4], low.simd_eq(low));
    // Loops, because closures of iterators would be compiled without the level's instructions.
    let mut steps = row.chunks_exact(4 * S::f32s::LEN);
    for step in &mut steps {
        for (k, partial) in partial.iter_mut().enumerate() {
            let x = S::f32s::from_slice(s, &step[k * S::f32s::LEN..][..S::f32s::LEN]);
            *partial = partial.max(x);
            are_numbers &= x.simd_eq(x);
        }
    }
    let mut vectors = steps.remainder().chunks_exact(S::f32s::LEN);
    for vector in &mut vectors {
        let x = S::f32s::from_slice(s, vector);
        partial[0] = partial[0].max(x);
        are_numbers &= x.simd_eq(x);
    }
    if !are_numbers.all_true() {
        return f32::NAN;
    }
    let larger = |m: f32, x: f32| if x > m || x.is_nan() { x } else { m };
    let [a, b, c, d] = partial;
    let mut all = [f32::NEG_INFINITY; PARTIAL];
    all[..S::f32s::LEN].copy_from_slice(a.max(b).max(c.max(d)).as_slice());
    let mut n = PARTIAL;
    while n > 1 {
        n /= 2;
        (0..n).for_each(|i| all[i] = larger(all[i], all[i + n]));
    }
    vectors.remainder().iter().fold(all[0], |m, x| larger(m, *x))
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
                        rows.for_each(|(row, value)| *value += sum(row));
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
