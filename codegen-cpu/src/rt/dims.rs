//! Dimensions of a call's domain: cut, joined and reordered, which changes no element's value.

use super::job::Job;
use super::stream::Stream;
use core::ops::Range;

impl Job {
    /// Restricts dimension `dim` of the domain and of all streams to a range of at least one index.
    pub fn narrow(&mut self, dim: usize, to: Range<usize>) {
        self.size[dim] = to.len();
        for s in self.streams_mut() {
            s.ptr = s.ptr.wrapping_offset(s.strides[dim] * to.start as isize);
        }
    }

    /// Reorders, flips and joins dimensions of the domain, which changes no element's value.
    ///
    /// The result has as few dimensions as all streams allow, but at least two. The first output runs forward, with its
    /// shortest stride innermost. For example, three contiguous streams over a domain `(8, 1, 4)` become one row of 32
    /// elements. Rows with a number for all their elements stay rows.
    pub fn collapse(&mut self) {
        let (mut rank, fixed) = (0, usize::from(self.keeps_rows()));
        for d in 0..self.rank {
            if self.size[d] > 1 || d + fixed == self.rank {
                self.copy_dim(d, rank);
                rank += 1;
            }
        }
        self.rank = rank;
        let key = |job: &Job, d: usize| job.outputs().first().map_or(0, |o| o.strides[d].abs());
        for d in 1..rank.saturating_sub(fixed) {
            let mut at = d;
            while at > 0 && key(self, at - 1) < key(self, at) {
                self.rotate_dims(at - 1, at);
                at -= 1;
            }
        }
        for d in 0..rank {
            if self.outputs().first().is_some_and(|o| o.strides[d] < 0) {
                let last = self.size[d] as isize - 1;
                for s in self.streams_mut() {
                    s.ptr = s.ptr.wrapping_offset(s.strides[d] * last);
                    s.strides[d] = -s.strides[d];
                }
            }
        }
        for d in (1..rank.saturating_sub(fixed)).rev() {
            // Dimensions d - 1 and d merge if d - 1 continues where d ends, for every stream.
            let n = self.size[d] as isize;
            let mut streams = self.streams().iter();
            if streams.all(|s| s.strides[d - 1] == s.strides[d].wrapping_mul(n)) {
                let joined = self.size[d - 1] * self.size[d];
                for e in d..self.rank {
                    self.copy_dim(e, e - 1);
                }
                self.size[d - 1] = joined;
                self.rank -= 1;
            }
        }
        while self.rank < 2 {
            for d in (0..self.rank).rev() {
                self.copy_dim(d, d + 1);
            }
            self.size[0] = 1;
            self.streams_mut().iter_mut().for_each(|s| s.strides[0] = 0);
            self.rank += 1;
        }
    }

    fn copy_dim(&mut self, from: usize, to: usize) {
        self.size[to] = self.size[from];
        for s in self.streams_mut() {
            s.strides[to] = s.strides[from];
        }
    }

    /// Moves dimension `from` inward to index `to`, and the dimensions in between one index outward.
    fn rotate_dims(&mut self, from: usize, to: usize) {
        self.size[from..=to].rotate_left(1);
        for s in self.streams_mut() {
            s.strides[from..=to].rotate_left(1);
        }
    }

    /// Returns whether elements of a stream are closer to those of the next row than of the next column.
    pub fn is_transposed(&self, s: &Stream) -> bool {
        let last = self.rank - 1;
        let rows = s.strides[last - 1].unsigned_abs();
        rows > 0 && rows < s.strides[last].unsigned_abs()
    }

    /// Moves a dimension along which some stream has a shorter stride next to the innermost dimension.
    ///
    /// Tiles then hold whole cache lines of that stream.
    pub fn favour_transposed(&mut self) {
        let last = self.rank - 1;
        for s in self.streams() {
            let stride = |d: usize| s.strides[d].unsigned_abs();
            let shorter = |d: &usize| stride(*d) > 0 && stride(*d) < stride(last);
            let best = (0..last).filter(shorter).min_by_key(|&d| stride(d));
            if let Some(d) = best.filter(|&d| self.size[d] >= 8) {
                return self.rotate_dims(d, last - 1);
            }
        }
    }
}
