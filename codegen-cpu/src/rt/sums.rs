//! Outputs with fewer elements than the domain: sums over the elements which share an element of a broadcast input, and numbers of
//! rows.
//!
//! The gradient with respect to a broadcast input is such a sum: for `y = x + b` with `b` of shape `[n]`, it is the sum of `dy` over
//! all dimensions but the last. Kernels are elementwise, so the domain is computed in chunks that fit a cache:
//!
//! ```text
//! kernel   chunk of the domain -> scratch memory for the outputs that are sums, tensors for all others
//! add      scratch memory      -> accumulators in f64, one set per group of chunks
//!          scratch memory      -> numbers of rows, which are those of their first elements
//! finish   groups in order     -> outputs, rounded once
//! ```
//!
//! Chunks and groups follow from shapes alone, and so does the order of additions. No bit depends on threads, layout or SIMD level.
//! In f64 the additions lose nothing that shows in f32: the error of a sum is that of its terms.

use super::chunks::Chunks;
use super::elem::El;
use super::job::Job;
use super::options::Options;
use super::passes::{Pass, Place};
use super::reduce::{Term, sum};
use super::row_loop::finish_streaming;
use super::rows::{Rows, Stages};
use super::simd::{AtLevel, Isa};
use super::stream::Stream;
use super::streams::{Call, over_domain};
use super::threads;
use crate::with_element;
use op_dsl_ir::bind::{Bound, MAX_RANK};
use op_dsl_ir::op::{Kind, Part};
use op_dsl_ir::{DType, Stored};
use std::cell::RefCell;
use std::sync::Mutex;

/// Maximum number of groups, which is enough to balance threads.
///
/// It does not depend on the number of threads, because results must not either.
const GROUPS: usize = 64;
/// Minimum number of elements of the domain per accumulator of a group.
///
/// It bounds the memory of accumulators by a quarter of that of a stream in f32.
const PER_ACCUMULATOR: usize = 8;

/// Number of bytes of tensors from which on row functions prefetch the next chunk: that of a second-level cache.
///
/// Prefetching also gains where tensors are in the third level: on 65536x64 in f32 the gradient of softmax takes 1.05 ns per element
/// where it took 1.28 (Zen 5, November 2026).
const CACHE: usize = 1 << 20;

/// Returns whether some output of the call is a sum of more than one element, or has one number per row.
pub(super) fn has_sums(call: &Call<'_>) -> bool {
    (0..call.outputs.len()).any(|output| is_sum(call, output) || is_per_row(call, output))
}

/// Returns whether an output has one number per row.
fn is_per_row(call: &Call<'_>, output: usize) -> bool {
    call.def.outputs[output].kind == Kind::PerRow
}

/// Returns whether an output is a sum: the definition says so, and it does not have the shape of the domain.
///
/// With row functions it is one in any shape, because kernels write its terms in f32.
fn is_sum(call: &Call<'_>, output: usize) -> bool {
    let whole = call.bound.shape(call.def.outputs[output].kind);
    let has_rows = || !call.def.specs[call.bound.spec].stages.is_empty();
    call.def.sum(output).is_some() && (*call.outputs[output].raw().shape != *whole || has_rows())
}

/// Computes a job whose domain has elements, and which has row functions or outputs that are sums.
///
/// The job's streams must have the dimensions of the domain, of which there is at least one.
pub(super) fn run(job: &Job, call: &Call<'_>, rows: Option<&Rows<'_>>, options: &Options) {
    let work = Work::new(job, call, rows, options);
    let mut all = vec![0.0; work.groups.count * work.accumulators];
    let mut rest = &mut all[..];
    let groups = Mutex::new((0..work.groups.count).map(|group| {
        let accumulators;
        (accumulators, rest) = core::mem::take(&mut rest).split_at_mut(work.accumulators);
        (group, accumulators)
    }));
    let next = || groups.lock().ok().and_then(|mut groups| groups.next());
    let wanted = if job.alone { 1 } else { threads::number(options.threads, job.bytes()) };
    threads::on_each(wanted.min(work.groups.count), &|| {
        let mut memory = Memory { scratch: core::ptr::null_mut(), passes: None };
        let lines = work.lines();
        // A thread that is ending has none any more.
        let mut scratch = SCRATCH.try_with(RefCell::take).unwrap_or_default();
        scratch.resize(lines.max(scratch.len()), Line::default());
        while let Some((group, accumulators)) = next() {
            memory.scratch = scratch.as_mut_ptr();
            work.run_group(group, accumulators, &mut memory);
        }
        let _ = SCRATCH.try_with(|kept| kept.replace(scratch));
    });
    let (total, others) = all.split_at_mut(work.accumulators);
    for group in others.chunks(work.accumulators.max(1)) {
        total.iter_mut().zip(group).for_each(|(total, partial)| *total += partial);
    }
    work.sums.iter().for_each(|sum| sum.finish(total));
}

/// Writes the sums of a domain without elements, which are zeros.
pub(super) fn clear(call: &Call<'_>) {
    for sum in call.def.sums.iter() {
        let raw = call.outputs[sum.output].raw();
        let whole = Bound { domain: raw.shape, ..Bound::default() };
        let mut size = [1; MAX_RANK];
        size[..raw.shape.len()].copy_from_slice(&raw.shape);
        let target = over_domain(raw, &raw.shape, &whole, Part::Whole);
        Sum { stream: 0, target, size, pitch: [0; MAX_RANK], first: 0 }.finish(&[0.0]);
    }
}

/// One cache line of scratch memory.
#[derive(Clone, Default)]
#[repr(align(64))]
#[allow(dead_code)] // read and written through pointers
struct Line([f32; LINE]);

/// Number of elements in a line.
const LINE: usize = 16;

thread_local! {
    /// Scratch memory of a thread, which is kept because fresh pages take longer to get than a small call takes.
    static SCRATCH: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// An output stream that is a sum.
struct Sum {
    /// Index among the job's streams.
    stream: usize,
    /// The stream over its tensor, with stride 0 along the dimensions that are summed.
    target: Stream,
    /// Sizes of the dimensions of the domain, 1 where they are summed.
    size: [usize; MAX_RANK],
    /// Distance of accumulators along each dimension of the domain, 0 where it is summed.
    pitch: [usize; MAX_RANK],
    /// Index of the sum's first accumulator in those of a group.
    first: usize,
}

impl Sum {
    /// Describes an output stream of a job, with accumulators from `first` on.
    fn new(job: &Job, stream: usize, first: usize) -> Sum {
        let target = job.streams()[stream];
        let (mut size, mut pitch, mut next) = ([1; MAX_RANK], [0; MAX_RANK], 1);
        for d in (0..job.rank).rev().filter(|d| target.strides[*d] != 0) {
            (size[d], pitch[d]) = (job.size[d], next);
            next *= job.size[d];
        }
        Sum { stream, target, size, pitch, first }
    }

    /// Rounds the sums and writes them to their tensor.
    fn finish(&self, total: &[f64]) {
        // The innermost dimension that is not summed is a loop of its own, because the division of an index takes longer than the rest.
        let inner = self.size.iter().rposition(|n| *n != 1).unwrap_or(0);
        let outer: usize = self.size[..inner].iter().product();
        for i in 0..outer {
            let (mut rest, mut at, mut place) = (i, self.first, self.target.ptr);
            for d in (0..inner).rev() {
                let index = rest % self.size[d];
                rest /= self.size[d];
                at += index * self.pitch[d];
                place = place.wrapping_offset(self.target.strides[d] * index as isize);
            }
            for index in 0..self.size[inner] {
                let place = place.wrapping_offset(self.target.strides[inner] * index as isize);
                // SAFETY: the index is within the output, whose view vouches for the element.
                unsafe { store(self.target.dtype, place, total[at + index * self.pitch[inner]]) }
            }
        }
    }
}

/// Rounds a number and writes it as an element of type `dtype`.
///
/// # Safety
/// `place` must be valid for a write of one element; it need not be aligned.
unsafe fn store(dtype: Stored, place: *mut u8, number: f64) {
    // SAFETY: as required of the caller.
    unsafe {
        let Some(dtype) = dtype.number() else {
            return place.cast::<f64>().write_unaligned(number);
        };
        with_element!(dtype, E => place.cast::<E>().write_unaligned(E::from_f32(number as f32)))
    }
}

/// Memory of a thread, and what it has prepared for chunks of one shape.
struct Memory<'a> {
    /// Scratch memory with as many lines as [`Work::lines`] says.
    scratch: *mut Line,
    passes: Option<Passes<'a>>,
}

/// The passes over a chunk.
struct Passes<'a> {
    /// The chunks' shape, see [`Chunks::shape`], and their sizes along each dimension of the domain.
    shape: [usize; 2],
    sizes: Place,
    stages: Option<Stages<'a>>,
    results: Pass,
}

/// Consecutive chunks whose elements are added to accumulators of their own.
struct Groups {
    /// Number of chunks in a group.
    chunks: usize,
    count: usize,
}

/// A job with sums or row functions, as all threads see it.
struct Work<'a> {
    job: &'a Job,
    call: &'a Call<'a>,
    rows: Option<&'a Rows<'a>>,
    /// Whether stores of results are non-temporal.
    streaming: bool,
    /// Whether chunks of rows come from memory, because the tensors are larger than a second-level cache.
    is_from_memory: bool,
    sums: Vec<Sum>,
    /// Output streams with one number per row, by their index among the job's streams.
    per_row: Vec<usize>,
    chunks: Chunks,
    groups: Groups,
    /// Number of accumulators of a group.
    accumulators: usize,
    /// Type of the terms that the kernel writes: f64 in a call on f64, else f32.
    terms: Stored,
}

// SAFETY: as for the driver's `Work`: chunks are disjoint, and each is computed once. Outputs share no elements with each other, and
// with inputs only at the same index. The sums' tensors are written by the caller's thread, after all chunks.
unsafe impl Sync for Work<'_> {}

impl<'a> Work<'a> {
    fn new(
        job: &'a Job,
        call: &'a Call<'a>,
        rows: Option<&'a Rows<'a>>,
        options: &Options,
    ) -> Work<'a> {
        let (mut sums, mut per_row) = (Vec::new(), Vec::new());
        let (mut stream, mut accumulators) = (job.input_count(), 0);
        for (k, tensor) in call.def.outputs.iter().enumerate() {
            let parts = tensor.kind.parts().len();
            if is_sum(call, k) {
                for stream in stream..stream + parts {
                    let sum = Sum::new(job, stream, accumulators);
                    accumulators += sum.size.iter().product::<usize>();
                    sums.push(sum);
                }
            }
            if is_per_row(call, k) {
                per_row.push(stream);
            }
            stream += parts;
        }
        let chunks = match rows.is_some() || !per_row.is_empty() {
            true => Chunks::of_rows(job.sizes()),
            false => Chunks::of(job.sizes()),
        };
        let fit = job.elements().checked_div(PER_ACCUMULATOR * accumulators).unwrap_or(GROUPS);
        let per_group = chunks.count.div_ceil(fit.clamp(1, GROUPS));
        let groups = Groups { chunks: per_group, count: chunks.count.div_ceil(per_group) };
        let written: usize = job.outputs().iter().map(|s| s.dtype.size()).sum();
        let is_large = job.level.streams(job.elements().saturating_mul(written));
        // Scratch memory must stay in the cache, and a kernel stores all its outputs alike.
        let has_scratch = !sums.is_empty() || !per_row.is_empty();
        let streaming = !has_scratch && options.streaming.unwrap_or(is_large && !job.in_place);
        let is_from_memory = rows.is_some() && job.bytes() > CACHE;
        let terms = match call.bound.element {
            Stored::Float64 => Stored::Float64,
            _ => DType::F32.into(),
        };
        Work {
            job,
            call,
            rows,
            streaming,
            is_from_memory,
            sums,
            per_row,
            chunks,
            groups,
            accumulators,
            terms,
        }
    }

    /// Returns how many outputs are computed in scratch memory.
    fn slots(&self) -> usize {
        self.sums.len() + self.per_row.len()
    }

    /// Returns how many lines of scratch memory a thread needs: those of outputs, then those of row functions.
    fn lines(&self) -> usize {
        let (longest, sizes) = (self.chunks.longest, self.job.sizes());
        let of_rows = self.rows.map_or(0, |rows| rows.floats(longest, sizes[sizes.len() - 1]));
        self.slots() * self.slot() + of_rows.div_ceil(LINE)
    }

    /// Returns how many lines the terms of an output take.
    fn slot(&self) -> usize {
        (self.chunks.longest * self.terms.size()).div_ceil(size_of::<Line>())
    }

    /// Computes the chunks of a group and adds their elements to the group's accumulators.
    fn run_group(&self, group: usize, accumulators: &mut [f64], memory: &mut Memory<'a>) {
        let first = group * self.groups.chunks;
        let end = self.chunks.count.min(first + self.groups.chunks);
        for chunk in first..end {
            let next = self.is_from_memory && chunk + 1 < end;
            self.run_chunk(chunk, next.then_some(chunk + 1), accumulators, memory);
        }
        if self.streaming {
            finish_streaming();
        }
    }

    /// Prepares the passes over chunks of this shape; all scratch memory has the addresses from `scratch` on.
    fn prepare(&self, shape: [usize; 2], scratch: *mut Line) -> Passes<'a> {
        let sizes = self.chunks.sizes(shape, self.job.sizes());
        let mut job = self.job.clone();
        (0..job.rank).for_each(|d| job.narrow(d, 0..sizes[d]));
        let slot = |k: usize| scratch.wrapping_add(k * self.slot()).cast::<f32>();
        let memory = scratch.addr()..scratch.wrapping_add(self.lines()).addr();
        let stages = self.rows.map(|rows| rows.prepare(&mut job, slot(self.slots()), &memory));
        let streams = self.sums.iter().map(|sum| sum.stream).chain(self.per_row.iter().copied());
        for (k, stream) in streams.enumerate() {
            job.set_contiguous(stream, slot(k).cast(), self.terms);
        }
        let results = Pass::new(job, &memory, self.streaming, |job| job.finish(self.call.kernels));
        Passes { shape, sizes, stages, results }
    }

    /// Computes a chunk; functions of rows then prefetch chunk `next`.
    fn run_chunk(
        &self,
        chunk: usize,
        next: Option<usize>,
        accumulators: &mut [f64],
        memory: &mut Memory<'a>,
    ) {
        let domain = self.job.sizes();
        let (mut start, mut next_start) = ([0; MAX_RANK], [0; MAX_RANK]);
        self.chunks.place(chunk, domain, &mut start);
        if let Some(next) = next {
            self.chunks.place(next, domain, &mut next_start);
        }
        let next = next.map(|_| &next_start);
        let scratch = memory.scratch;
        let slot = |k: usize| scratch.wrapping_add(k * self.slot()).cast::<f32>();
        let shape = self.chunks.shape(&start, domain);
        let is_prepared = memory.passes.as_ref().is_some_and(|passes| passes.shape == shape);
        if !is_prepared {
            memory.passes = Some(self.prepare(shape, scratch));
        }
        let Some(Passes { sizes, stages, results, .. }) = &mut memory.passes else { return };
        let last = self.job.rank - 1;
        if let Some(stages) = stages {
            stages.run(&start, next, last);
        }
        results.move_to(&start, 0, next);
        results.run(&mut []);
        let columns = sizes[last];
        let elements: usize = sizes[..=last].iter().product();
        for (k, sum) in self.sums.iter().enumerate() {
            let at: usize = start.iter().zip(&sum.pitch).map(|(i, pitch)| i * pitch).sum();
            let to = &mut accumulators[sum.first + at..];
            let level = self.job.level;
            // SAFETY: slot `k` has room for the largest chunk, and scratch memory is initialised. The kernel has run at this level, so that
            // the processor has it.
            unsafe {
                match self.terms {
                    Stored::Float64 => {
                        let values = core::slice::from_raw_parts(slot(k).cast::<f64>(), elements);
                        level.run(Add::new(sizes, &sum.pitch, values, to));
                    }
                    _ => {
                        let values = core::slice::from_raw_parts(slot(k), elements);
                        level.run(Add::new(sizes, &sum.pitch, values, to));
                    }
                }
            }
        }
        if self.per_row.is_empty() {
            return;
        }
        let mut job = self.job.clone();
        (0..job.rank).for_each(|d| job.narrow(d, start[d]..start[d] + sizes[d]));
        for (k, stream) in self.per_row.iter().enumerate() {
            let (terms, dtype) = (slot(self.sums.len() + k), job.streams()[*stream].dtype);
            for (row, place) in (0..elements / columns).map(|row| job.row(*stream, row)).enumerate()
            {
                // SAFETY: the terms of a row are in its slot, and its place is within the output, whose view vouches for it.
                unsafe {
                    let term = match self.terms {
                        Stored::Float64 => terms.cast::<f64>().add(row * columns).read(),
                        _ => terms.add(row * columns).read().into(),
                    };
                    store(dtype, place, term);
                }
            }
        }
    }
}

/// Addition of a chunk's elements to the accumulators that they belong to.
struct Add<'a, T> {
    /// Sizes of the dimensions outside of a row, and the distance of accumulators along each.
    outer: Vec<(usize, usize)>,
    /// Number of elements of a row.
    columns: usize,
    /// Whether each element of a row has an accumulator of its own; otherwise the row has one.
    apart: bool,
    values: &'a [T],
    accumulators: &'a mut [f64],
}

impl<'a, T: Term> Add<'a, T> {
    /// Describes contiguous values with dimensions of these sizes, in as few dimensions as possible.
    fn new(
        sizes: &[usize],
        pitch: &[usize],
        values: &'a [T],
        accumulators: &'a mut [f64],
    ) -> Add<'a, T> {
        let mut outer: Vec<(usize, usize)> = Vec::new();
        for (&n, &pitch) in sizes.iter().zip(pitch).filter(|(n, _)| **n > 1) {
            match outer.last_mut() {
                Some(last) if last.1 == n * pitch => *last = (last.0 * n, pitch),
                _ => outer.push((n, pitch)),
            }
        }
        let (columns, pitch) = outer.pop().unwrap_or((1, 0));
        Add { outer, columns, apart: pitch != 0, values, accumulators }
    }

    #[inline(always)]
    fn run<S: Isa>(self, s: S) {
        let (rows, pitch) = self.outer.last().copied().unwrap_or((1, 0));
        let blocks = &self.outer[..self.outer.len().saturating_sub(1)];
        let columns = self.columns;
        for (block, values) in self.values.chunks_exact(rows * columns).enumerate() {
            let (mut at, mut rest) = (0, block);
            for &(n, pitch) in blocks.iter().rev() {
                (at, rest) = (at + rest % n * pitch, rest / n);
            }
            let accumulators = &mut self.accumulators[at..];
            if !self.apart {
                let rows = values.chunks_exact(columns).enumerate();
                rows.for_each(|(row, values)| accumulators[row * pitch] += sum(s, values));
            } else if pitch == 0 {
                add_rows(&mut accumulators[..columns], values);
            } else {
                let rows = values.chunks_exact(columns).enumerate();
                rows.for_each(|(row, values)| {
                    add_rows(&mut accumulators[row * pitch..][..columns], values);
                });
            }
        }
    }
}

impl<T: Term> AtLevel for Add<'_, T> {
    type Output = ();

    fn at<S: Isa>(self, s: S) {
        s.vectorize(
            #[inline(always)]
            || self.run(s),
        );
    }
}

/// Adds rows to accumulators, four rows at a time, because the accumulators are then loaded and stored once for all four.
#[inline(always)]
fn add_rows<T: Copy + Into<f64>>(accumulators: &mut [f64], rows: &[T]) {
    let n = accumulators.len();
    let mut fours = rows.chunks_exact(4 * n);
    for four in &mut fours {
        let (first, second) = four.split_at(2 * n);
        let ((a, b), (c, d)) = (first.split_at(n), second.split_at(n));
        for (i, to) in accumulators.iter_mut().enumerate() {
            *to += (a[i].into() + b[i].into()) + (c[i].into() + d[i].into());
        }
    }
    for row in fours.remainder().chunks_exact(n) {
        accumulators.iter_mut().zip(row).for_each(|(to, x)| *to += (*x).into());
    }
}
