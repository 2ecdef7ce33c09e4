//! Passes over the chunks of a domain: what is the same for all chunks of a shape is prepared once.

use super::abi::{MAX_STREAMS, Pitches, Streams};
use super::driver;
use super::job::Job;
use super::options::Options;
use super::row_loop::Line;
use super::stream::Stream;
use arrayvec::ArrayVec;
use core::ops::Range;
use op_dsl_ir::bind::MAX_RANK;

/// Index of an element in each dimension of a domain.
pub(super) type Place = [usize; MAX_RANK];

/// A job on one chunk of a domain, whose streams move to other chunks of the same shape.
///
/// Preparing a job, which joins dimensions and finds interleaved streams, takes as long as to compute some hundred elements.
pub(super) struct Pass {
    pub job: Job,
    /// Number of dimensions of the domain.
    rank: usize,
    streaming: bool,
    /// Kernel argument and pitches of the rows, if the kernel can run on all rows in place.
    plain: Option<(Streams, Pitches)>,
    /// For each stream, its address in the chunk at index 0 of every dimension.
    first: ArrayVec<*mut u8, MAX_STREAMS>,
    /// For each stream, the bytes that it moves for each index of a dimension of the domain; 0 in scratch memory.
    strides: ArrayVec<[isize; MAX_RANK], MAX_STREAMS>,
    /// For each stream, the bytes that it moves for each column where a row is cut.
    columns: ArrayVec<isize, MAX_STREAMS>,
    /// Whether the job prefetches the next chunk, if there is one, and how far that was last, in each dimension.
    prefetches_next: bool,
    next: [isize; MAX_RANK],
}

impl Pass {
    /// Prepares a job on the chunk at index 0 of every dimension, with non-temporal stores if `streaming`.
    ///
    /// Streams in `scratch` memory stay in place, except where a row is cut. `finish` brings the job into
    /// the form that the driver takes.
    pub fn new(
        mut job: Job,
        scratch: &Range<usize>,
        streaming: bool,
        finish: impl FnOnce(&mut Job),
    ) -> Pass {
        let (rank, last) = (job.rank, job.rank - 1);
        let moves = |s: &Stream| {
            let is_scratch = scratch.contains(&s.ptr.addr());
            if is_scratch { [0; MAX_RANK] } else { s.strides }
        };
        let strides = job.streams().iter().map(moves).collect();
        let columns = job.streams().iter().map(|s| s.strides[last]).collect();
        finish(&mut job);
        let first = job.streams().iter().map(|s| s.ptr).collect();
        let plain = job.is_plain().then(|| {
            let mut pitch: Pitches = [0; MAX_STREAMS];
            pitch.iter_mut().zip(job.streams()).for_each(|(pitch, s)| *pitch = s.strides[0]);
            (Line::argument(&job, streaming), pitch)
        });
        let prefetches_next = job.prefetches_next;
        Pass {
            job,
            rank,
            streaming,
            plain,
            first,
            strides,
            columns,
            prefetches_next,
            next: [0; MAX_RANK],
        }
    }

    /// Returns whether the kernel can run on all rows in place.
    pub fn is_plain(&self) -> bool {
        self.plain.is_some()
    }

    /// Lets the last output stay in place, where parts of a row follow each other.
    pub fn fix_output(&mut self) {
        self.columns.last_mut().into_iter().for_each(|bytes| *bytes = 0);
    }

    /// Moves the streams to the chunk at `place`, from `column` on; the job may prefetch the chunk at `next`.
    pub fn move_to(&mut self, place: &Place, column: usize, next: Option<&Place>) {
        let rank = self.rank;
        let moved = self.job.streams_mut().iter_mut().zip(&self.first);
        for ((s, first), (strides, bytes)) in moved.zip(self.strides.iter().zip(&self.columns)) {
            let mut bytes = bytes * column.cast_signed();
            for d in 0..rank {
                bytes += strides[d] * place[d].cast_signed();
            }
            s.ptr = first.wrapping_offset(bytes);
        }
        self.job.prefetches_next = self.prefetches_next && next.is_some();
        let Some(next) = next.filter(|_| self.prefetches_next) else { return };
        let to = |d: usize| next[d].cast_signed() - place[d].cast_signed();
        if (0..rank).all(|d| self.next[d] == to(d)) {
            return;
        }
        (0..rank).for_each(|d| self.next[d] = to(d));
        for (bytes, strides) in self.job.next_chunk.iter_mut().zip(&self.strides) {
            *bytes = (0..rank).map(|d| strides[d] * to(d)).sum();
        }
    }

    /// Runs the job on the chunk that it has moved to, on this thread.
    ///
    /// `sums` receives what a kernel that adds its terms computes, see [`Job::sums`]. Where stores are non-temporal,
    /// [`finish_streaming`](super::row_loop::finish_streaming) must follow the last chunk.
    pub fn run(&mut self, sums: &mut [f64]) {
        let Some((io, pitch)) = &mut self.plain else {
            let options =
                Options { threads: 1, streaming: Some(self.streaming), ..Options::default() };
            return driver::run(&mut self.job.clone(), &options);
        };
        let job = &self.job;
        let mut line = Line::new(job, self.streaming, io);
        line.start_at(job.streams().iter().map(|s| s.ptr));
        match job.sums {
            None => line.run_rows(job.size[0], job.size[1], pitch),
            Some(sums_only) => line.run_sums(sums, job.size[1], pitch, sums_only),
        }
    }
}
