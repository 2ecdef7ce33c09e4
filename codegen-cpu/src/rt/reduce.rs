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

/// Maximum number of elements of a step: four vectors of the widest SIMD level.
const STEP: usize = 64;

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

/// [`PARTIAL`] interleaved partial sums of a row: element `i` is added to partial sum `i % PARTIAL`.
pub(super) struct Sums<S: Isa> {
    /// Pairs of vectors; levels with longer vectors use the first of them.
    pairs: [[S::f64s; 2]; PARTIAL / 4],
}

impl<S: Isa> Sums<S> {
    /// Number of vectors of `f32` that have as many elements as there are partial sums.
    const VECTORS: usize = PARTIAL / S::f32s::LEN;

    #[inline(always)]
    pub fn new(s: S) -> Sums<S> {
        Sums { pairs: [[S::f64s::splat(s, 0.0); 2]; PARTIAL / 4] }
    }

    /// Adds vector `k` of the row.
    #[inline(always)]
    fn add(&mut self, k: usize, [low, high]: [S::f64s; 2]) {
        let pair = &mut self.pairs[k % Self::VECTORS];
        *pair = [pair[0] + low, pair[1] + high];
    }

    /// Returns the index of the sums of the first vector in step `i`.
    ///
    /// Where a step has as many elements as there are sums, or a multiple, it is a constant, so that the sums stay in registers.
    #[inline(always)]
    fn first<const W: usize>(i: usize) -> usize {
        if const { W.is_multiple_of(PARTIAL / S::f32s::LEN) } { 0 } else { i * W }
    }

    /// Adds step `i` of the row, whose elements are in the order of a kernel.
    #[inline(always)]
    pub fn add_step<const W: usize>(&mut self, i: usize, terms: Floats<S, W>) {
        let first = Self::first::<W>(i);
        for k in 0..W {
            let (low, high) = terms.0[k].widen();
            self.add(first + k, [low, high]);
        }
    }

    /// Adds the last `rest` elements of a row, which are those of the last step, after `steps` steps.
    #[inline(always)]
    pub fn add_rest<E: El, const W: usize>(
        &mut self,
        s: S,
        steps: usize,
        terms: Floats<S, W>,
        rest: usize,
    ) {
        // In memory they move to the front, and zeros follow. Zeros change no sum, because no sum is -0.
        let mut memory = [0f32; 2 * STEP];
        let step = W * S::f32s::LEN;
        for k in (0..W).step_by(PAIR) {
            let pair = E::to_memory_order(terms.pair(k)).0;
            for (n, vector) in pair.iter().enumerate() {
                memory[(k + n) * S::f32s::LEN..][..S::f32s::LEN].copy_from_slice(vector.as_slice());
            }
        }
        let (terms, first) = (&memory[step - rest..], Self::first::<W>(steps));
        let vector = |k: usize| S::f32s::from_slice(s, &terms[k * S::f32s::LEN..][..S::f32s::LEN]);
        for k in (0..W).step_by(PAIR) {
            let pair = E::from_memory_order(s, Floats([vector(k), vector(k + 1)]));
            for n in 0..PAIR {
                let (low, high) = pair.0[n].widen();
                self.add(first + k + n, [low, high]);
            }
        }
    }

    /// Brings the sums into memory order after steps in the order of `E`.
    #[inline(always)]
    pub fn in_memory_order<E: El>(mut self) -> Sums<S> {
        if const { E::IS_SPLIT } {
            for k in (0..Self::VECTORS).step_by(PAIR) {
                let ([a, b], [c, d]) = (self.pairs[k], self.pairs[k + 1]);
                let ((p, q), (r, t)) = (a.interleave(c), b.interleave(d));
                (self.pairs[k], self.pairs[k + 1]) = ([p, q], [r, t]);
            }
        }
        self
    }

    /// Returns the sum of the row, after its last terms.
    #[inline(always)]
    pub fn total(self, last: impl IntoIterator<Item = f64>) -> f64 {
        let mut partial = [0.0; PARTIAL];
        for k in 0..Self::VECTORS {
            let (low, high) = partial[k * S::f32s::LEN..].split_at_mut(S::f64s::LEN);
            low.copy_from_slice(self.pairs[k][0].as_slice());
            high[..S::f64s::LEN].copy_from_slice(self.pairs[k][1].as_slice());
        }
        for (to, x) in partial.iter_mut().zip(last) {
            *to += x;
        }
        // Constant bounds, so that each pass is a few instructions.
        for n in const { [16, 8, 4, 2, 1] } {
            for i in 0..n {
                partial[i] += partial[i + n];
            }
        }
        partial[0]
    }
}

/// Returns the sum of a row: [`PARTIAL`] interleaved partial sums, which are added pairwise.
#[inline(always)]
pub(super) fn sum<S: Isa, T: Term>(s: S, row: &[T]) -> f64 {
    let mut sums = Sums::new(s);
    let mut chunks = row.chunks_exact(PARTIAL);
    for chunk in &mut chunks {
        // A loop over indices, because closures of iterators would be compiled without the level's instructions.
        for k in (0..Sums::<S>::VECTORS).step_by(PAIR) {
            let [first, second] = T::wide(s, &chunk[k * S::f32s::LEN..][..PAIR * S::f32s::LEN]);
            sums.add(k, first);
            sums.add(k + 1, second);
        }
    }
    sums.total(chunks.remainder().iter().map(|x| (*x).into()))
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
