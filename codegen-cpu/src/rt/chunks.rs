//! Chunks: parts of a domain that fit a cache, for calls that compute each of them in several passes.

use op_dsl_ir::bind::MAX_RANK;

/// Maximum number of elements in a chunk, unless a single index of a dimension has more.
///
/// Scratch memory for one sum is then 64 KiB, so that several fit the second-level cache of every processor in use.
pub(super) const CHUNK: usize = 16 << 10;
/// Minimum number of columns of the pieces that long rows are cut into.
///
/// The accumulators of a piece then take 8 KiB, a part of the first-level cache. With whole rows of 8192 elements, the gradient of
/// PReLU takes 1.49 ns per element, with these pieces 1.36 (8192 x 8192 in f32, one thread, Intel Xeon, AVX-512, November 2026).
const COLUMNS: usize = 1 << 10;

/// The chunks of a domain: boxes of at most about [`CHUNK`] elements.
///
/// A chunk has one index of each dimension before `dim`, up to `rows` indices of `dim`, all of those between, and up to `columns`
/// of the last dimension. If `dim` is the last dimension, it has the columns only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunks {
    dim: usize,
    rows: usize,
    columns: usize,
    /// Number of chunks along `dim` and along the last dimension.
    cuts: [usize; 2],
    /// Number of chunks in all.
    pub count: usize,
    /// Number of elements of the largest chunk.
    pub longest: usize,
}

impl Chunks {
    /// Cuts a domain of these sizes into chunks, and cuts rows too if they are long.
    ///
    /// A chunk of several rows that are cut short needs fewer accumulators than a chunk with as many elements of one row, because
    /// an accumulator adds a column.
    pub fn of(sizes: &[usize]) -> Chunks {
        let last = sizes.len() - 1;
        let others: usize = sizes[..last].iter().product();
        Chunks::cut(sizes, sizes[last].min(COLUMNS.max(CHUNK / others / COLUMNS * COLUMNS)))
    }

    /// Cuts a domain of these sizes between whole rows.
    pub fn of_rows(sizes: &[usize]) -> Chunks {
        Chunks::cut(sizes, sizes[sizes.len() - 1])
    }

    fn cut(sizes: &[usize], columns: usize) -> Chunks {
        let last = sizes.len() - 1;
        let (mut dim, mut rows, mut inner) = (last, 1, columns);
        while dim > 0 && (dim == last || rows == sizes[dim]) && rows * inner < CHUNK {
            inner *= rows;
            dim -= 1;
            rows = (CHUNK / inner).clamp(1, sizes[dim]);
        }
        let along = if dim < last { sizes[dim].div_ceil(rows) } else { 1 };
        let cuts = [along, sizes[last].div_ceil(columns)];
        let count = sizes[..dim].iter().product::<usize>() * cuts[0] * cuts[1];
        Chunks { dim, rows, columns, cuts, count, longest: rows * inner }
    }

    /// Sets `start` to the first index of a chunk along each dimension of a domain of these sizes.
    ///
    /// In place, because a copy would wait for the numbers, see [`Line::new`](super::row_loop::Line::new).
    #[inline]
    pub fn place(&self, chunk: usize, sizes: &[usize], start: &mut [usize; MAX_RANK]) {
        let (last, [along, cuts]) = (sizes.len() - 1, self.cuts);
        let mut rest = chunk;
        start[last] = 0;
        if cuts > 1 {
            (start[last], rest) = (rest % cuts * self.columns, rest / cuts);
        }
        if self.dim < last {
            start[self.dim] = rest;
            if self.dim > 0 {
                (start[self.dim], rest) = (rest % along, rest / along);
            }
            start[self.dim] *= self.rows;
        }
        for d in (0..self.dim).rev() {
            (start[d], rest) = (rest % sizes[d], rest / sizes[d]);
        }
    }

    /// Returns the number of indices of `dim` and of columns in the chunk at `start`.
    #[inline]
    pub fn shape(&self, start: &[usize; MAX_RANK], sizes: &[usize]) -> [usize; 2] {
        let last = sizes.len() - 1;
        let columns = self.columns.min(sizes[last] - start[last]);
        let rows =
            if self.dim < last { self.rows.min(sizes[self.dim] - start[self.dim]) } else { 1 };
        [rows, columns]
    }

    /// Returns the number of indices of a chunk of this shape along each dimension of a domain of these sizes.
    pub fn sizes(&self, [rows, columns]: [usize; 2], sizes: &[usize]) -> [usize; MAX_RANK] {
        let (mut size, last) = ([1; MAX_RANK], sizes.len() - 1);
        size[self.dim..sizes.len()].copy_from_slice(&sizes[self.dim..]);
        size[self.dim] = rows;
        size[last] = columns;
        size
    }
}
