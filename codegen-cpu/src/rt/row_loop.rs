//! Row loop: turns rows into kernel calls, with heads, tails and non-temporal stores.
//!
//! A tail shorter than a step is padded or overlaps the step before. No other code computes it, so that results do not depend
//! on position.

use super::abi::{ALIGN, Interleave, MAX_STREAMS, Pitches, Streams};
use super::job::Job;
use super::prefetch;
use super::scratch::copy_line;
use core::mem::MaybeUninit;

/// Bytes of the longest kernel step: four vectors of 64 bytes.
pub(super) const STEP_BYTES: usize = 256;
/// Minimum number of vectors per row for non-temporal stores.
///
/// In shorter rows these stores gain less than they cost, because each row has to be aligned to cache lines first.
const STREAMING_VECTORS: usize = 32;

/// Runs the kernel along rows of contiguous elements.
pub(super) struct Line<'a> {
    job: &'a Job,
    /// Argument of the kernel's next run, with the start address of each stream.
    io: &'a mut Streams,
    streaming: bool,
}

impl<'a> Line<'a> {
    /// Creates the row loop of a job with the kernel argument `io`, which [`Line::argument`] has returned.
    ///
    /// The argument stays where it is: in a copy of what was just written, vectors would have to wait for single numbers that are still
    /// on their way to the cache, and these for all stores before them.
    pub fn new(job: &'a Job, streaming: bool, io: &'a mut Streams) -> Line<'a> {
        io.next_chunk = match job.prefetches_next {
            true => job.next_chunk.as_ptr(),
            false => core::ptr::null(),
        };
        Line { job, io, streaming }
    }

    /// Returns the kernel argument of a job's runs, without start addresses.
    pub fn argument(job: &Job, streaming: bool) -> Streams {
        let (scalar, turns, program) = (job.scalars, job.turns, job.program);
        let (of_rows, doubles) = (job.of_rows, job.doubles.as_ptr());
        let mut io = Streams { scalar, turns, of_rows, doubles, program, ..Streams::of(job.dtype) };
        for k in 0..job.streams().len() {
            io.stored[k] = job.walked(k);
        }
        let prefetches = streaming || job.prefetches;
        io.ahead = if prefetches { prefetch::distance() } else { 0 };
        io
    }

    /// Sets the start address of the next run in each stream.
    #[inline]
    pub fn start_at(&mut self, places: impl Iterator<Item = *mut u8>) {
        self.io.start.iter_mut().zip(places).for_each(|(to, place)| *to = place);
    }

    /// Runs the kernel over `rows` rows of `n` elements of every stream.
    ///
    /// The first row is at the start that [`Line::start_at`] has set. Each further row is `pitch` bytes after the one before, in each
    /// stream.
    pub fn run_rows(&mut self, rows: usize, n: usize, pitch: &Pitches) {
        let job = self.job;
        let (head, steps) = (self.head(n), n >> job.step.trailing_zeros());
        let mut outputs = pitch[..job.streams().len()].iter().skip(job.input_count());
        let aligned = head == Some(0) && outputs.all(|by| by % ALIGN as isize == 0);
        if steps * job.step == n && (aligned || !self.streams_out(n)) {
            // Fast path: all rows are whole steps with aligned starts, so no row needs a test of its own.
            return self.run_steps(rows, steps, pitch, aligned);
        }
        if job.of_rows != 0 && steps > 0 && !job.in_place && !self.streams_out(n) {
            // Rows end with one more step, which overlaps the step before as in [`Line::run`].
            self.run_steps(rows, steps, pitch, false);
            self.shift((n - job.step) as isize);
            return self.run_steps(rows, 1, pitch, false);
        }
        let mut start = *self.io;
        for _ in 0..rows {
            self.io.start = start.start;
            self.run(n, self.head(n));
            start.advance(pitch);
        }
    }

    /// Runs the kernel over `steps` steps of each row, with non-temporal stores if `nt`.
    ///
    /// Kernels with a number for each row compute all rows in one run, because short rows take less time than a run's start.
    fn run_steps(&mut self, rows: usize, steps: usize, pitch: &Pitches, nt: bool) {
        let kernel = self.job.kernel;
        if self.job.of_rows != 0 {
            (self.io.rows, self.io.pitch) = (rows, *pitch);
            // SAFETY: every stream has `steps` steps in each of `rows` rows; with `nt`, all outputs start at a cache line.
            unsafe { kernel(self.io, steps, nt) };
            self.io.rows = 1;
            return;
        }
        for _ in 0..rows {
            // SAFETY: as above, for one row.
            unsafe { kernel(self.io, steps, nt) };
            self.io.advance(pitch);
        }
    }

    /// Runs a kernel that adds its terms over rows of `n` elements, as many as there are `sums`, to which it adds those of each row.
    pub fn run_sums(&mut self, sums: &mut [f64], n: usize, pitch: &Pitches, sums_only: bool) {
        let steps = n >> self.job.step.trailing_zeros();
        let io = &mut *self.io;
        (io.rows, io.pitch) = (sums.len(), *pitch);
        (io.sums, io.sums_only, io.rest) =
            (sums.as_mut_ptr(), sums_only, n - steps * self.job.step);
        // SAFETY: every stream has `n` elements in each row, at least a step, and there is a sum for each row.
        unsafe { (self.job.kernel)(io, steps, false) };
    }

    /// Returns whether rows of `n` elements use non-temporal stores where the rows' alignment permits.
    fn streams_out(&self, n: usize) -> bool {
        self.streaming && n >= STREAMING_VECTORS * self.job.level.lanes()
    }

    /// Returns how many elements of a row come before the first whole cache line of the outputs.
    ///
    /// Returns `None` if a row of `n` elements does not use non-temporal stores, or if the number differs between outputs.
    pub fn head(&self, n: usize) -> Option<usize> {
        if self.streams_out(n) { self.elements_to_line() } else { None }
    }

    /// Runs the kernel over `n` elements of every stream.
    ///
    /// With a `head` (see [`Line::head`]), the first `head` elements are stored as usual, and the whole steps that follow with
    /// non-temporal stores.
    pub fn run(&mut self, n: usize, head: Option<usize>) {
        let job = self.job;
        if let Some(head) = head {
            self.run_head(head);
        }
        let rest = n - head.unwrap_or(0);
        let steps = rest >> job.step.trailing_zeros(); // a power of two
        // SAFETY: `steps` whole steps of every stream are left; after a head they start at a cache line.
        unsafe { (job.kernel)(self.io, steps, head.is_some()) };
        let rest = rest - steps * job.step;
        if rest == 0 {
            return;
        }
        self.shift((steps * job.step) as isize);
        if job.in_place || head.is_some() || n < job.step {
            // The remainder must not be computed twice: in place, because the first run has changed the inputs; after
            // non-temporal stores, because the line would be fetched again.
            return self.run_part(rest);
        }
        // Repeats the last step at an offset, overlapping finished elements, which receive the same bits.
        self.shift(rest as isize - job.step as isize);
        // SAFETY: the step ends where the streams end and does not start before them.
        unsafe { (job.kernel)(self.io, 1, false) };
    }

    /// Advances the start of the kernel's next run by `elements` elements, in each stream.
    fn shift(&mut self, elements: isize) {
        let job = self.job;
        for (k, p) in self.io.start.iter_mut().enumerate().take(job.streams().len()) {
            *p = p.wrapping_offset(elements * job.pace(k) as isize);
        }
    }

    /// Returns the number of elements from the next run's start to the next cache line of the outputs.
    ///
    /// Returns `None` if the number differs between outputs.
    fn elements_to_line(&self) -> Option<usize> {
        let job = self.job;
        let outputs = stretches(self.io, job).filter(|s| s.stream >= job.input_count());
        let mut outputs = outputs.map(|Stretch { start, pace, .. }| {
            let bytes = start.addr().wrapping_neg() % ALIGN;
            bytes.is_multiple_of(pace).then_some(bytes / pace)
        });
        let first = outputs.next()??;
        outputs.all(|other| other == Some(first)).then_some(first)
    }

    /// Runs the kernel over the first `head` elements, less than a cache line, and advances past them.
    fn run_head(&mut self, head: usize) {
        let job = self.job;
        if head == 0 {
            return;
        }
        let steps = head / job.step;
        let rest = head - steps * job.step;
        // SAFETY: `steps` whole steps are in the head.
        unsafe { (job.kernel)(self.io, steps, false) };
        self.shift((steps * job.step) as isize);
        self.run_part(rest);
        self.shift(rest as isize);
    }

    /// Runs the kernel over `n` elements, less than a step, in copies of them that are padded with zeros.
    fn run_part(&mut self, n: usize) {
        let job = self.job;
        if n == 0 {
            return;
        }
        #[repr(align(64))]
        struct Parts([Part; MAX_STREAMS]);
        type Part = [u8; STEP_BYTES];
        let mut parts = MaybeUninit::<Parts>::uninit();
        let mut io = *self.io;
        // SAFETY: `n` elements of each stream are left of the row; a part has room for a step, and two adjacent parts have room
        // for two interleaved streams.
        unsafe {
            let first = (&raw mut (*parts.as_mut_ptr()).0).cast::<Part>();
            let part = |s: &Stretch| first.add(s.stream).cast::<u8>();
            first.write_bytes(0, job.streams().len());
            // A number for all elements stays where it is.
            for s in stretches(self.io, job).filter(|s| s.pace != 0) {
                if s.stream < job.input_count() {
                    copy_line(s.start, part(&s), n * s.pace);
                }
                for k in s.stream..s.stream + s.streams {
                    let at = self.io.start[k].addr() - s.start.addr();
                    io.start[k] = part(&s).wrapping_add(at);
                }
            }
            (job.kernel)(&io, 1, false);
            for s in stretches(self.io, job).filter(|s| s.stream >= job.input_count()) {
                copy_line(part(&s), s.start, n * s.pace);
            }
        }
    }
}

/// A range of memory that the kernel walks along: one stream, or two interleaved ones.
struct Stretch {
    /// Index of the first stream in this range; `streams` is the number of them.
    stream: usize,
    streams: usize,
    start: *mut u8,
    /// Bytes from one element to the next or, with two streams, from one pair of elements to the next.
    pace: usize,
}

/// Iterates over the memory ranges of all streams; two interleaved streams are one range.
fn stretches<'a>(io: &'a Streams, job: &'a Job) -> impl Iterator<Item = Stretch> + 'a {
    let mut next = 0;
    core::iter::from_fn(move || {
        let stream = next;
        let turn = job.turns.get(stream).filter(|_| stream < job.streams().len())?;
        let streams = if *turn == Interleave::Alone { 1 } else { 2 };
        next += streams;
        let start = io.start[stream + usize::from(*turn == Interleave::Second)];
        Some(Stretch { stream, streams, start, pace: job.pace(stream) })
    })
}

/// Issues a store fence, so that other threads see the non-temporal stores.
pub(super) fn finish_streaming() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64.
    unsafe {
        core::arch::x86_64::_mm_sfence()
    };
}
