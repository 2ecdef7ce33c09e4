//! Driver: cuts the domain of a call into boxes, and these into rows, on which it runs the kernel.
//!
//! Every element passes through the same vector body whatever the layout, so that no bit depends on position, split or thread count.

use super::abi::{MAX_STREAMS, Streams};
use super::block::Kernels;
use super::blocking::{Boxes, SCRATCH};
use super::job::Job;
use super::mask_bits::spread;
use super::options::Options;
use super::row_loop::{Line, STEP_BYTES, finish_streaming};
use super::scratch::Strided;
use super::stream::Stream;
use super::threads;
use arrayvec::ArrayVec;
use core::ops::Range;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::MAX_RANK;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Average number of times that a thread claims a range of boxes to compute.
///
/// There are several, because threads differ in speed, and few, because each claim is an atomic operation.
const CLAIMS: usize = 8;

/// Runs a job: divides its domain into boxes, and these among threads.
///
/// The job must have the form that [`Job::collapse`] produces, and its domain must have elements.
pub(super) fn run(job: &mut Job, options: &Options) {
    let threads = if job.alone { 1 } else { threads::number(options.threads, job.bytes()) };
    let per_element: usize = job.outputs().iter().map(|s| s.dtype.size()).sum();
    let written = job.elements().saturating_mul(per_element);
    let is_large = job.level.streams(written);
    let streaming = options.streaming.unwrap_or(is_large && !job.in_place);
    job.prefetches = options.streaming.unwrap_or(is_large);
    if threads == 1 && job.is_plain() {
        return rows(job, streaming);
    }
    let boxes = Boxes::new(job, if threads > 1 { threads * CLAIMS } else { 1 });
    let (job, count) = (&*job, boxes.count);
    let threads = threads.min(count);
    let mut work = Work { job, boxes: &boxes, streaming, next: AtomicUsize::new(0), claim: count };
    if threads > 1 {
        work.claim = count.div_ceil(threads * CLAIMS);
        threads::on_each(threads, &|| work.claim_boxes());
    } else {
        work.run(0..count);
    }
}

/// Runs the kernel over each row of the domain in place, without boxes, on this thread.
///
/// Most calls need no more than this, and to locate one box is a tenth of the cost of a small call.
fn rows(job: &Job, streaming: bool) {
    let mut io = Line::argument(job, streaming);
    let mut line = Line::new(job, streaming, &mut io);
    let mut pitch = [0; MAX_STREAMS];
    pitch.iter_mut().zip(job.streams()).for_each(|(pitch, s)| *pitch = s.strides[0]);
    line.start_at(job.streams().iter().map(|s| s.ptr));
    line.run_rows(job.size[0], job.size[1], &pitch);
    if streaming {
        finish_streaming();
    }
}

/// State that the worker threads of a job share.
struct Work<'a> {
    job: &'a Job,
    boxes: &'a Boxes,
    streaming: bool,
    /// Index of the first box that no worker has claimed.
    next: AtomicUsize,
    /// Number of boxes that a worker claims at a time.
    claim: usize,
}

// SAFETY: the pointers in the job are read and written only by `Worker`, whose boxes are disjoint because `next` hands each out
// once. Outputs share no elements with each other, and none with inputs except at the same index, hence in the same box. The
// caller of the operator waits for the workers while it holds the views.
unsafe impl Sync for Work<'_> {}

impl Work<'_> {
    fn claim_boxes(&self) {
        loop {
            let first = self.next.fetch_add(self.claim, Ordering::Relaxed);
            if first >= self.boxes.count {
                return;
            }
            self.run(first..self.boxes.count.min(first + self.claim));
        }
    }

    fn run(&self, boxes: Range<usize>) {
        if self.boxes.staging.count > 0 {
            self.run_with_scratch(boxes);
        } else {
            self.run_in(boxes, None);
        }
    }

    /// Computes the boxes with scratch memory on the stack.
    ///
    /// This is out of line, so that only layouts which need scratch memory pay for its stack space.
    #[inline(never)]
    fn run_with_scratch(&self, boxes: Range<usize>) {
        let mut memory = Memory([0; SCRATCH + MAX_STREAMS * STEP_BYTES]);
        let null = core::ptr::null_mut();
        let none = Slot { memory: null, held: null, rows: 0, columns: 0 };
        let mut slots = [none; MAX_STREAMS];
        let mut next = memory.0.as_mut_ptr();
        for (slot, _) in
            slots.iter_mut().zip(&self.boxes.staging.staged).filter(|(_, staged)| **staged)
        {
            slot.memory = next;
            next = next.wrapping_add(self.boxes.staging.slot + STEP_BYTES);
        }
        self.run_in(boxes, Some(&mut slots));
    }

    fn run_in(&self, boxes: Range<usize>, slots: Option<&mut [Slot; MAX_STREAMS]>) {
        let outputs = || &self.boxes.staging.staged[self.job.input_count()..];
        let outputs_staged = self.boxes.staging.count > 0 && outputs().contains(&true);
        let streaming = self.streaming && !outputs_staged;
        let mut io = Line::argument(self.job, streaming);
        let mut worker = Worker {
            work: self,
            line: Line::new(self.job, streaming, &mut io),
            tracks: ArrayVec::new(),
            slots,
        };
        for i in boxes {
            worker.one_box(i);
        }
        if self.streaming {
            finish_streaming();
        }
    }
}

/// Scratch memory of one worker, which is divided into slots, one per staged stream.
#[repr(align(64))]
struct Memory([u8; SCRATCH + MAX_STREAMS * STEP_BYTES]);

/// Scratch memory of one staged stream, and the box whose elements it holds for reuse.
#[derive(Clone, Copy)]
struct Slot {
    memory: *mut u8,
    /// Address of the held box in the tensor; null if the slot is empty.
    held: *mut u8,
    rows: usize,
    columns: usize,
}

/// Returns sizes and strides of the box of stream `s` that starts at address `place`.
fn strided(
    job: &Job,
    boxes: &Boxes,
    s: &Stream,
    place: *mut u8,
    rows: usize,
    columns: usize,
) -> Strided {
    let rank = job.rank - boxes.dim;
    let (mut sizes, mut strides) = ([1; MAX_RANK], [0; MAX_RANK]);
    sizes[..rank].copy_from_slice(&job.size[boxes.dim..job.rank]);
    strides[..rank].copy_from_slice(&s.strides[boxes.dim..job.rank]);
    (sizes[0], sizes[rank - 1]) = (rows, columns);
    Strided { ptr: place, origin: s.origin, dtype: s.dtype, sizes, strides, rank }
}

/// Quotient and remainder, with a fast path for the divisor 1, which small calls have.
fn div_rem(n: usize, by: usize) -> (usize, usize) {
    if by == 1 { (n, 0) } else { (n / by, n % by) }
}

/// Address and strides with which the kernel runs along the rows of a box of one stream.
struct Track {
    base: *mut u8,
    /// Bytes from one row to the next.
    pitch: isize,
    /// Bytes from one column to the next; 0 if one element is repeated.
    step: usize,
}

struct Worker<'a> {
    work: &'a Work<'a>,
    line: Line<'a>,
    /// Location of the current box for each stream, in its tensor or in scratch memory.
    tracks: ArrayVec<Track, MAX_STREAMS>,
    /// Scratch memory of each stream; `None` if no stream passes through scratch memory.
    slots: Option<&'a mut [Slot; MAX_STREAMS]>,
}

impl Worker<'_> {
    fn one_box(&mut self, i: usize) {
        let (job, boxes) = (self.work.job, self.work.boxes);
        let last = job.rank - 1;
        let (i, column_cut) = div_rem(i, boxes.column_cuts);
        let (mut outer, row_cut) = div_rem(i, boxes.row_cuts);
        let (row, column) = (row_cut * boxes.rows, column_cut * boxes.columns);
        let rows = boxes.rows.min(job.size[boxes.dim] - row);
        let columns = boxes.columns.min(job.size[last] - column);

        self.tracks.clear();
        for (k, s) in job.streams().iter().enumerate() {
            let (pitch, step) = (s.strides[boxes.dim], job.pace(k));
            let bytes = pitch * row as isize + s.strides[last] * column as isize;
            self.tracks.push(Track { base: s.ptr.wrapping_offset(bytes), pitch, step });
        }
        for d in (0..boxes.dim).rev() {
            let index = (outer % job.size[d]) as isize;
            outer /= job.size[d];
            for (place, s) in self.tracks.iter_mut().zip(job.streams()) {
                place.base = place.base.wrapping_offset(s.strides[d] * index);
            }
        }
        if self.slots.is_some() {
            self.stage(rows, columns);
        }
        if boxes.packed {
            let inner: usize = job.size[boxes.dim + 1..=last].iter().product();
            self.run_packed(rows * inner);
        } else if boxes.piece >= columns {
            let mut pitch = [0; MAX_STREAMS];
            pitch.iter_mut().zip(&self.tracks).for_each(|(pitch, track)| *pitch = track.pitch);
            self.start_at(0, 0);
            self.line.run_rows(rows, columns, &pitch);
        } else {
            (0..rows).for_each(|row| self.run_row(row, columns));
        }
        if self.slots.is_some() {
            self.unstage(rows, columns);
        }
    }

    /// Redirects staged streams to their slots in scratch memory, and copies the box of each input there.
    fn stage(&mut self, rows: usize, columns: usize) {
        let Work { job, boxes, .. } = *self.work;
        let Some(slots) = &mut self.slots else { return };
        for (k, s) in job.streams().iter().enumerate().filter(|(k, _)| boxes.staging.staged[*k]) {
            let slot = &mut slots[k];
            let place = core::mem::replace(&mut self.tracks[k].base, slot.memory);
            let is_input = k < job.input_count();
            // Only inputs can have a stride of 0.
            let repeats = |d: usize| is_input && !boxes.packed && s.strides[d] == 0;
            let element = job.walked(k).size();
            self.tracks[k].step = if repeats(job.rank - 1) { 0 } else { element };
            let columns = if repeats(job.rank - 1) { boxes.piece.min(columns) } else { columns };
            let rows = if repeats(boxes.dim) { 1 } else { rows };
            self.tracks[k].pitch = if rows == 1 { 0 } else { (columns * element) as isize };
            // The slot often holds these elements already, for example if the input is broadcast along every index that changed
            // since the last box. No output can have changed them, since an input that shares memory with an output has no stride
            // of 0.
            let held = slot.held == place && slot.columns == columns && slot.rows >= rows;
            (slot.held, slot.rows, slot.columns) = (place, rows, columns);
            if is_input && !held {
                let b = strided(job, boxes, s, place, rows, columns);
                // SAFETY: the box is within the domain, whose elements the view vouches for, and
                // fits the slot.
                unsafe { gather(job, b, job.walked(k), slot.memory) };
            }
        }
    }

    /// Copies the box of each staged output from scratch memory to its tensor.
    fn unstage(&mut self, rows: usize, columns: usize) {
        let Work { job, boxes, .. } = self.work;
        let Some(slots) = &self.slots else { return };
        let outputs = job.streams().iter().enumerate().skip(job.input_count());
        for (k, s) in outputs.filter(|(k, _)| boxes.staging.staged[*k]) {
            let b = strided(job, boxes, s, slots[k].held, rows, columns);
            // SAFETY: as in `stage`.
            unsafe { b.copy::<false>(slots[k].memory) };
        }
    }

    /// Runs the kernel once over all `n` elements of the current box, whose rows are contiguous.
    fn run_packed(&mut self, n: usize) {
        self.start_at(0, 0);
        self.line.run(n, self.line.head(n));
    }

    /// Runs the kernel over row `row` of the current box.
    fn run_row(&mut self, row: usize, columns: usize) {
        let piece = self.work.boxes.piece;
        let mut column = 0;
        while column < columns {
            self.start_at(row, column);
            let mut n = piece.min(columns - column);
            let head = self.line.head(n);
            if let (Some(1..), true) = (head, n < columns - column) {
                // Shortens the first piece, so that all further pieces start at a cache line.
                n = n / 64 * 64 - 64 + head.unwrap_or(0);
            }
            self.line.run(n, head);
            column += n;
        }
    }

    /// Sets the start address of the next kernel run in each stream: element (`row`, `column`) of the box.
    fn start_at(&mut self, row: usize, column: usize) {
        let at = |place: &Track| {
            let row = place.base.wrapping_offset(place.pitch * row as isize);
            row.wrapping_add(place.step * column)
        };
        self.line.start_at(self.tracks.iter().map(at));
    }
}

/// Copies the box `b` to scratch memory at `slot`, in the element type `to` that the kernel reads.
///
/// Elements that need conversion to a larger type are first copied to the upper part of the slot, those of the same or a
/// smaller type to the lower part, so that the converter reads each step before it overwrites it.
///
/// # Safety
/// The box must be valid for reads. The slot must be initialised and have room for its elements in whole steps of both types.
unsafe fn gather(job: &Job, b: Strided, to: Stored, slot: *mut u8) {
    // SAFETY: passed on from the caller; no tensor is in scratch memory.
    unsafe {
        match b.dtype {
            Stored::Number(own) if to == job.dtype && own != job.dtype => {
                let step = Kernels::step(own, job.level);
                let steps = b.elements().div_ceil(step);
                let from = slot.add(steps * step * job.dtype.size().saturating_sub(own.size()));
                b.copy::<true>(from);
                let mut io = Streams::of(job.dtype);
                (io.start[0], io.start[1]) = (from, slot);
                (job.converters[own as usize])(&io, steps, false);
            }
            Stored::Bit => spread(b, slot),
            _ => b.copy::<true>(slot),
        }
    }
}
