//! A call as the driver runs it: streams over one domain (index space), in as few dimensions as possible.

use super::abi::{BlockFn, Interleave, MAX_SCALARS, MAX_STREAMS, Pitches};
use super::block::Kernels;
use super::converters::Converters;
use super::simd::Level;
use super::stream::{OutOfView, Stream, extent};
use super::view::{Raw, contiguous_strides};
use arrayvec::ArrayVec;
use op_dsl_ir::bind::{Bound, MAX_RANK};
use op_dsl_ir::program::Program;
use op_dsl_ir::{DType, Stored};

/// Minimum number of vectors in a row that is worth a kernel run of its own.
///
/// Several shorter rows are computed by one run.
const ROW_VECTORS: usize = 4;
/// Value of [`ROW_VECTORS`] for calls in place whose rows are not whole steps.
///
/// It is larger because the remainder of each such row goes through padded copies.
const ROW_VECTORS_IN_PLACE: usize = 12;

/// Position of a stream's rows in a contiguous tensor, in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// Index of the first element of the first row.
    pub start: usize,
    /// Distance from the start of one row to the start of the next.
    pub pitch: usize,
    /// Distance from one element of a row to the next.
    pub step: usize,
}

/// State of a call: the kernel, the domain (index space) and the streams over the domain.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub kernel: BlockFn,
    /// Program to run, if the kernel is the interpreter.
    pub program: Option<&'static Program>,
    /// Kernels that convert inputs of other element types to the kernel's element type.
    pub converters: Converters,
    pub level: Level,
    /// Element type of the kernel.
    pub dtype: DType,
    /// Number of elements that the kernel computes per step.
    pub step: usize,
    /// Whether an output is also an input, so that no element may be computed twice.
    pub in_place: bool,
    /// Whether inputs come from memory, although no stores are non-temporal, because the call is in place.
    pub prefetches: bool,
    /// For each stream, the bytes to the same element of the next chunk of rows; 0 if there is none.
    pub next_chunk: Pitches,
    /// Whether this run prefetches the next chunk.
    pub prefetches_next: bool,
    /// Whether the kernel adds the terms of each row, and then whether it does not store them.
    pub sums: Option<bool>,
    /// Whether the calling thread must work alone, because some tensor is a view of `Cell`s.
    ///
    /// The thread must then not wait for other threads either.
    pub alone: bool,
    pub scalars: [f32; MAX_SCALARS],
    scalar_count: usize,
    /// Values of the attributes in f64, for calls on f64.
    pub doubles: [f64; MAX_SCALARS],
    /// Whether the domain has two dimensions and the kernel can access the rows of every stream in place.
    pub dense: bool,
    pub rank: usize,
    pub size: [usize; MAX_RANK],
    streams: ArrayVec<Stream, MAX_STREAMS>,
    input_count: usize,
    /// Layout of each stream: contiguous, or interleaved with a neighbour.
    pub turns: [Interleave; MAX_STREAMS],
    /// For each stream, whether the kernel reads it as a mask.
    pub masks: [bool; MAX_STREAMS],
    /// Bit `k` is 1 if input `k` has one number for all elements of a row, the last dimension of the domain.
    pub of_rows: u16,
    /// For each input, the type in which the kernel reads it, if that is not the kernel's.
    pub own: [Option<Stored>; MAX_STREAMS],
}

impl Job {
    #[inline]
    pub fn new(
        bound: &Bound,
        dtype: DType,
        kernel: BlockFn,
        converters: Converters,
        level: Level,
    ) -> Job {
        let mut size = [1; MAX_RANK];
        size[..bound.domain.len()].copy_from_slice(&bound.domain);
        Job {
            kernel,
            program: None,
            converters,
            level,
            dtype,
            step: Kernels::step(dtype, level),
            in_place: false,
            prefetches: false,
            next_chunk: [0; MAX_STREAMS],
            prefetches_next: false,
            sums: None,
            alone: false,
            scalars: [0.0; MAX_SCALARS],
            scalar_count: 0,
            doubles: [0.0; MAX_SCALARS],
            dense: false,
            rank: bound.domain.len(),
            size,
            streams: ArrayVec::new(),
            input_count: 0,
            turns: [Interleave::Alone; MAX_STREAMS],
            masks: [false; MAX_STREAMS],
            of_rows: 0,
            own: [None; MAX_STREAMS],
        }
    }

    pub fn add_scalar(&mut self, v: f32) {
        self.scalars[self.scalar_count] = v;
        self.scalar_count += 1;
    }

    /// Adds an input stream or, after [`Job::end_inputs`], an output stream, of the tensor `view`.
    ///
    /// The domain's sizes must be set. Returns an error if the stream leaves the tensor.
    pub fn add(&mut self, view: &Raw, stream: Stream) -> Result<(), OutOfView> {
        let (own, used) = (view.extent(), extent(&stream, self.sizes()));
        if used.0 < own.0 || used.1 > own.1 {
            return Err(OutOfView);
        }
        self.streams.push(stream);
        Ok(())
    }

    /// Adds a stream over the rows `at` of a contiguous tensor, whose elements kernels see as type `dtype` of the same size.
    ///
    /// The domain must have two dimensions. Returns an error if the stream leaves the tensor, or if the tensor is not contiguous.
    #[inline]
    pub fn add_rows(&mut self, view: &Raw, dtype: Stored, at: Rows) -> Result<(), OutOfView> {
        let (size, [rows, columns, ..]) = (view.dtype.size(), self.size);
        let last = at.start + (rows - 1) * at.pitch + (columns - 1) * at.step;
        if last >= view.count || !view.dense {
            return Err(OutOfView);
        }
        let mut strides = [0; MAX_RANK];
        (strides[0], strides[1]) = ((at.pitch * size) as isize, (at.step * size) as isize);
        let ptr = view.ptr.wrapping_add(at.start * size);
        self.streams.push(Stream { ptr, origin: ptr, dtype, strides });
        Ok(())
    }

    /// Adds an input stream that reads a single zero for all elements, until [`Job::set_input`].
    pub fn add_zeros(&mut self) {
        self.streams.push(zeros());
    }

    /// Replaces input `k`.
    pub fn set_input(&mut self, k: usize, stream: Stream) {
        debug_assert!(k < self.input_count);
        self.streams[k] = stream;
    }

    /// Replaces the outputs by one that is contiguous, with the dimensions of the domain.
    pub fn set_sole_output(&mut self, ptr: *mut u8, dtype: Stored) {
        self.streams.truncate(self.input_count);
        self.streams.push(zeros());
        self.set_contiguous(self.input_count, ptr, dtype);
        self.in_place = false;
    }

    /// Sets the kernel; false if there is none for the job's level.
    ///
    /// The kernels must have as many inputs and outputs as the job.
    pub fn set_kernel(&mut self, kernels: &Kernels) -> bool {
        let Some(kernel) = kernels.get(self.dtype, self.level) else { return false };
        (self.kernel, self.program) = (kernel, kernels.program(self.dtype));
        self.read_as(kernels);
        true
    }

    /// Brings the job into the form that the driver takes.
    pub fn finish(&mut self, kernels: &Kernels) {
        self.collapse();
        self.take_turns(kernels);
        self.dense = self.rank == 2 && self.is_dense();
    }

    /// Marks the inputs that the kernels read as masks, and replaces those that they do not read.
    ///
    /// An input that the kernel does not read may lie anywhere. It becomes an alias of one that is read, so that it costs nothing
    /// and overlaps nothing.
    pub fn read_as(&mut self, kernels: &Kernels) {
        let reads = kernels.reads();
        // An input with one element for each of the domain, if there is one: it costs least to walk along.
        let read =
            |of_rows| (0..reads.len()).find(|k| reads[*k] && kernels.of_rows()[*k] == of_rows);
        let read = read(false).or(read(true));
        self.of_rows = 0;
        for (k, is_read) in reads.iter().enumerate() {
            let other = if *is_read { Some(k) } else { read };
            self.masks[k] = other.is_some_and(|k| kernels.masks()[k]);
            self.own[k] = other.and_then(|k| kernels.own()[k]);
            self.of_rows |= u16::from(other.is_some_and(|k| kernels.of_rows()[k])) << k;
            match other {
                Some(other) => self.alias_input(k, other),
                None => self.zero_input(k),
            }
        }
    }

    /// Redirects stream `k` to contiguous memory with the dimensions of the domain.
    pub fn set_contiguous(&mut self, k: usize, ptr: *mut u8, dtype: Stored) {
        let strides = contiguous_strides(self.sizes()).map(|stride| stride * dtype.size() as isize);
        self.streams[k] = Stream { ptr, origin: ptr, dtype, strides };
    }

    /// Ends the inputs: streams added from now on are outputs.
    pub fn end_inputs(&mut self) {
        self.input_count = self.streams.len();
    }

    /// Makes input `k` read the same elements as input `of`.
    pub fn alias_input(&mut self, k: usize, of: usize) {
        self.streams[k] = self.streams[of];
    }

    /// Makes input `k` read a single zero for all elements.
    pub fn zero_input(&mut self, k: usize) {
        self.streams[k] = Stream { dtype: self.dtype.into(), ..zeros() };
    }

    pub fn inputs(&self) -> &[Stream] {
        &self.streams[..self.input_count]
    }

    pub fn outputs(&self) -> &[Stream] {
        &self.streams[self.input_count..]
    }

    /// Returns all streams, inputs before outputs.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    pub fn streams_mut(&mut self) -> &mut [Stream] {
        &mut self.streams
    }

    /// Marks adjacent streams that are interleaved in memory and that the kernel can access together.
    ///
    /// For example, the two halves `a` and `b` of a tensor `[a b a b ..]` have stride 2 and starts one element apart. The job must
    /// have the form that [`Job::collapse`] produces.
    pub fn take_turns(&mut self, kernels: &Kernels) {
        for k in (0..self.streams.len()).filter(|k| kernels.turns()[*k]) {
            let [a, b] = [k, k + 1].map(|k| self.streams[k]);
            let size = a.dtype.size();
            let alike = a.strides == b.strides && a.dtype == b.dtype && a.dtype == self.walked(k);
            let last = self.rank - 1;
            if !alike || self.size[last] > 1 && a.strides[last] != 2 * size as isize {
                continue;
            }
            let turns = match b.ptr.addr().wrapping_sub(a.ptr.addr()).cast_signed() {
                d if d == size as isize => [Interleave::First, Interleave::Second],
                d if d == -(size as isize) => [Interleave::Second, Interleave::First],
                _ => continue,
            };
            self.turns[k..k + 2].copy_from_slice(&turns);
        }
    }

    /// Returns the bytes from one element of stream `k` to the next as the kernel walks along a row.
    pub fn pace(&self, k: usize) -> usize {
        if self.of_rows >> k & 1 == 1 {
            return 0;
        }
        self.walked(k).size() << u32::from(self.turns[k] != Interleave::Alone)
    }

    /// Returns the element type with which the kernel accesses stream `k`.
    ///
    /// Outputs have their own type, inputs the kernel's type or one of their own, and masks are bytes.
    pub fn walked(&self, k: usize) -> Stored {
        match self.masks[k] {
            true => Stored::Byte,
            false if k < self.input_count => self.own[k].unwrap_or(self.dtype.into()),
            false => self.streams[k].dtype,
        }
    }

    pub fn input_count(&self) -> usize {
        self.input_count
    }

    pub fn sizes(&self) -> &[usize] {
        &self.size[..self.rank]
    }

    /// Sets a domain of two dimensions, the form that [`Job::collapse`] produces.
    pub fn set_sizes(&mut self, rows: usize, columns: usize) {
        self.rank = 2;
        (self.size[0], self.size[1]) = (rows, columns);
    }

    /// Returns the number of elements of the domain, which is at least one.
    pub fn elements(&self) -> usize {
        self.sizes().iter().product()
    }

    /// Returns the bytes that a run reads and writes if every element of the streams is accessed once.
    pub fn bytes(&self) -> usize {
        let per_element: usize = self.streams().iter().map(|s| s.dtype.size()).sum();
        self.elements().saturating_mul(per_element)
    }

    /// Returns the type of input `k` if it has contiguous numbers in each row, the last dimension of the domain.
    pub fn contiguous(&self, k: usize) -> Option<DType> {
        let (s, last) = (&self.streams[k], self.rank - 1);
        let (dtype, size) = (s.dtype.number()?, s.dtype.size());
        let is_dense = self.size[last] == 1 || s.strides[last] == size as isize;
        (is_dense && s.ptr.addr().is_multiple_of(size)).then_some(dtype)
    }

    /// Returns the address of row `row` of stream `k`; rows are counted over all dimensions but the last.
    pub fn row(&self, k: usize, row: usize) -> *mut u8 {
        let (s, mut rest, mut bytes) = (&self.streams[k], row, 0);
        for d in (0..self.rank - 1).rev() {
            // The outermost dimension needs no division.
            let (index, outer) = if rest < self.size[d] {
                (rest, 0)
            } else {
                (rest % self.size[d], rest / self.size[d])
            };
            bytes += s.strides[d] * index as isize;
            rest = outer;
        }
        s.ptr.wrapping_offset(bytes)
    }

    /// Returns the minimum number of columns in a row that is worth a kernel run of its own.
    ///
    /// This is for rows that are accessed in place. `columns` is the number that they have.
    pub fn least_columns(&self, columns: usize) -> usize {
        match self.in_place && !columns.is_multiple_of(self.step) {
            true => ROW_VECTORS_IN_PLACE * self.level.lanes(),
            false => ROW_VECTORS * self.level.lanes(),
        }
    }

    /// Returns whether rows may not be joined, because the kernel has a number for each of them.
    pub fn keeps_rows(&self) -> bool {
        self.of_rows != 0 || self.sums.is_some()
    }

    /// Returns whether the kernel can run on all rows in place, without boxes or scratch memory.
    pub fn is_plain(&self) -> bool {
        let [rows, columns, ..] = self.size;
        let is_long = || rows == 1 || columns >= self.least_columns(columns);
        self.dense && (self.keeps_rows() || is_long())
    }

    /// Returns whether the kernel can access the rows of every stream in place.
    pub fn is_dense(&self) -> bool {
        (0..self.streams.len()).all(|k| self.is_row(k))
    }

    /// Returns whether the kernel can access rows of stream `k` in place, along the innermost dimension.
    pub fn is_row(&self, k: usize) -> bool {
        let (s, last) = (&self.streams[k], self.rank - 1);
        let dense = self.size[last] == 1 || s.strides[last] == self.pace(k) as isize;
        dense && s.dtype == self.walked(k)
    }

    /// Returns whether the kernel can access all elements of stream `k` in place, as one row.
    pub fn is_line(&self, k: usize) -> bool {
        let s = &self.streams[k];
        let mut next = self.pace(k) as isize;
        let mut dense = s.dtype == self.walked(k);
        for (&n, &stride) in self.sizes().iter().zip(&s.strides).rev() {
            dense &= n == 1 || stride == next;
            next = next.wrapping_mul(n as isize);
        }
        dense
    }
}

/// Returns a stream that is a single zero for all elements.
fn zeros() -> Stream {
    static ZERO: [u8; 4] = [0; 4];
    let ptr = ZERO.as_ptr().cast_mut(); // inputs are never written
    Stream { ptr, origin: ptr, dtype: DType::F32.into(), strides: [0; MAX_RANK] }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::rt::converters::converters;
    use crate::rt::floor::floor_kernels;
    use crate::rt::view::View;

    pub fn job(bound: &Bound) -> Job {
        let (kernels, level) = (floor_kernels(1, 1).expect("one in, one out"), Level::best());
        let kernel = kernels.get(bound.dtype, level).expect("of this machine");
        Job::new(bound, bound.dtype, kernel, converters(level).expect("of this machine"), level)
    }

    pub fn rows(start: usize, pitch: usize) -> Rows {
        Rows { start, pitch, step: 1 }
    }

    /// Checks that no stream of any shape reaches memory outside of its view.
    #[test]
    fn a_stream_beyond_its_view_is_refused() {
        const F32: Stored = Stored::Number(DType::F32);
        let data = [0f32; 12];
        let view = View::strided(&data, &[2, 3], &[4, 1], 2).expect("elements 2 to 8");
        let bound = Bound { domain: view.raw().shape, dtype: DType::F32, ..Bound::default() };
        let add = |start: isize, row, element| {
            let mut strides = [0; MAX_RANK];
            (strides[0], strides[1]) = (row, element);
            let ptr = view.raw().ptr.wrapping_offset(4 * start);
            job(&bound)
                .add(view.raw(), Stream { ptr, origin: ptr, dtype: DType::F32.into(), strides })
        };
        assert_eq!(add(0, 16, 4), Ok(()));
        for (start, row, element) in [(1, 16, 4), (-1, 16, 4), (0, 20, 4), (0, 16, 8)] {
            assert_eq!(add(start, row, element), Err(OutOfView));
        }
        let dense = View::new(&data, &[4, 3]).expect("twelve elements");
        assert_eq!(job(&bound).add_rows(dense.raw(), F32, rows(3, 6)), Ok(()));
        assert_eq!(
            job(&bound).add_rows(dense.raw(), F32, Rows { start: 1, pitch: 6, step: 2 }),
            Ok(())
        );
        for (view, start, pitch) in [(&dense, 4, 6), (&dense, 3, 7), (&view, 0, 3)] {
            assert_eq!(job(&bound).add_rows(view.raw(), F32, rows(start, pitch)), Err(OutOfView));
        }
        let beyond = Rows { start: 2, pitch: 6, step: 2 };
        assert_eq!(job(&bound).add_rows(dense.raw(), F32, beyond), Err(OutOfView));
    }
}
