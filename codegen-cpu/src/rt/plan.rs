//! A call as the driver sees it: streams over one domain, and how the domain is cut into boxes.

use super::block::{BlockFn, Kernels, MAX_SCALARS, MAX_STREAMS};
use super::convert::Converters;
use super::simd::Level;
use super::stream::{OutOfView, Stream, extent};
use super::view::Raw;
use arrayvec::ArrayVec;
use op_dsl_ir::DType;
use op_dsl_ir::bind::{Bound, MAX_RANK};

/// Bytes of one worker's scratch memory: three quarters of the smallest first-level cache in use.
pub(super) const SCRATCH: usize = 24 << 10;
/// Least vectors in a row for the kernel to run on it where it is; shorter rows are packed.
const ROW_VECTORS: usize = 4;
/// The same when what is left of a row after whole steps must go through padded copies.
const ROW_VECTORS_IN_PLACE: usize = 12;
/// Columns and rows of tiles for transposed streams: whole cache lines of every type both ways.
const TILE: (usize, usize) = (64, 32);
/// Elements that a stream which repeats one element along its rows keeps in its slot.
const PIECE: usize = 512;
/// Elements of a box that needs no scratch memory: what pays for finding its place.
const BOX: usize = 32 << 10;

/// Everything a call runs: the kernel, the domain and the streams over it.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub kernel: BlockFn,
    /// For inputs of other types.
    pub converters: Converters,
    pub level: Level,
    /// Element type of the kernel.
    pub dtype: DType,
    /// Elements per step of the kernel.
    pub step: usize,
    /// Whether some output is an input, so that nothing may be computed twice.
    pub in_place: bool,
    /// Whether the calling thread must work alone, and not wait.
    pub alone: bool,
    pub scalars: [f32; MAX_SCALARS],
    scalar_count: usize,
    /// Two dimensions, and every stream one of rows of neighbours.
    pub dense: bool,
    pub rank: usize,
    pub size: [usize; MAX_RANK],
    streams: ArrayVec<Stream, MAX_STREAMS>,
    input_count: usize,
}

impl Job {
    #[inline]
    pub fn new(bound: &Bound, kernel: BlockFn, converters: Converters, level: Level) -> Job {
        let mut size = [1; MAX_RANK];
        size[..bound.domain.len()].copy_from_slice(&bound.domain);
        Job {
            kernel,
            converters,
            level,
            dtype: bound.dtype,
            step: Kernels::step(bound.dtype, level),
            in_place: false,
            alone: false,
            scalars: [0.0; MAX_SCALARS],
            scalar_count: 0,
            dense: false,
            rank: bound.domain.len(),
            size,
            streams: ArrayVec::new(),
            input_count: 0,
        }
    }

    pub fn add_scalar(&mut self, v: f32) {
        self.scalars[self.scalar_count] = v;
        self.scalar_count += 1;
    }

    /// Adds an input or, after [`Job::end_inputs`], an output. The sizes of the domain are known by then.
    pub fn add(&mut self, view: &Raw, stream: Stream) -> Result<(), OutOfView> {
        let (own, used) = (view.extent(), extent(&stream, self.sizes()));
        if used.0 < own.0 || used.1 > own.1 {
            return Err(OutOfView);
        }
        self.streams.push(stream);
        Ok(())
    }

    /// The same for rows of neighbours of a dense view: the first starts so many elements from its first, and
    /// the next so many from there. The domain has two dimensions.
    #[inline]
    pub fn add_rows(&mut self, view: &Raw, start: usize, pitch: usize) -> Result<(), OutOfView> {
        let (size, [rows, columns, ..]) = (view.dtype.size(), self.size);
        if start + (rows - 1) * pitch + columns > view.count || !view.dense {
            return Err(OutOfView);
        }
        let mut strides = [0; MAX_RANK];
        (strides[0], strides[1]) = ((pitch * size) as isize, size as isize);
        let ptr = view.ptr.wrapping_add(start * size);
        self.streams.push(Stream { ptr, dtype: view.dtype, strides });
        Ok(())
    }

    /// What is added from now on is an output.
    pub fn end_inputs(&mut self) {
        self.input_count = self.streams.len();
    }

    /// Makes input `k` another name of input `of`.
    pub fn alias_input(&mut self, k: usize, of: usize) {
        self.streams[k] = self.streams[of];
    }

    /// Makes input `k` a zero, repeated everywhere.
    pub fn zero_input(&mut self, k: usize) {
        static ZERO: [u8; 4] = [0; 4];
        let ptr = ZERO.as_ptr().cast_mut(); // inputs are only read
        self.streams[k] = Stream { ptr, dtype: self.dtype, strides: [0; MAX_RANK] };
    }

    pub fn inputs(&self) -> &[Stream] {
        &self.streams[..self.input_count]
    }

    pub fn outputs(&self) -> &[Stream] {
        &self.streams[self.input_count..]
    }

    /// Inputs, then outputs.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    fn streams_mut(&mut self) -> &mut [Stream] {
        &mut self.streams
    }

    /// The type in which the kernel reads or writes stream `k`: an output's own, but that of the kernel for all inputs.
    pub fn walked(&self, k: usize) -> DType {
        if k < self.input_count { self.dtype } else { self.streams[k].dtype }
    }

    pub fn input_count(&self) -> usize {
        self.input_count
    }

    pub fn sizes(&self) -> &[usize] {
        &self.size[..self.rank]
    }

    /// Makes the domain one of two dimensions, as [`Job::collapse`] leaves it.
    pub fn set_sizes(&mut self, rows: usize, columns: usize) {
        self.rank = 2;
        (self.size[0], self.size[1]) = (rows, columns);
    }

    /// Elements of the domain; it has some.
    pub fn elements(&self) -> usize {
        self.sizes().iter().product()
    }

    /// Bytes that a run reads and writes if every stream is read once.
    pub fn bytes(&self) -> usize {
        let per_element: usize = self.streams().iter().map(|s| s.dtype.size()).sum();
        self.elements().saturating_mul(per_element)
    }

    /// Reorders, flips and joins dimensions, which changes no element's value: the first output
    /// runs forward, its shortest stride innermost, in as few dimensions as all streams allow,
    /// but at least two.
    pub fn collapse(&mut self) {
        let mut rank = 0;
        for d in 0..self.rank {
            if self.size[d] > 1 {
                self.copy_dim(d, rank);
                rank += 1;
            }
        }
        self.rank = rank;
        let key = |job: &Job, d: usize| job.outputs().first().map_or(0, |o| o.strides[d].abs());
        for d in 1..rank {
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
        for d in (1..rank).rev() {
            // Does dimension d - 1 go on where d ends, for every stream?
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

    /// Moves a dimension inward, those between one place outward.
    fn rotate_dims(&mut self, from: usize, to: usize) {
        self.size[from..=to].rotate_left(1);
        for s in self.streams_mut() {
            s.strides[from..=to].rotate_left(1);
        }
    }

    /// Columns of the shortest rows that the kernel runs on where they are, if there are several.
    fn least_columns(&self, columns: usize) -> usize {
        match self.in_place && !columns.is_multiple_of(self.step) {
            true => ROW_VECTORS_IN_PLACE * self.level.lanes(),
            false => ROW_VECTORS * self.level.lanes(),
        }
    }

    /// Whether the kernel can walk along all rows where they are, one after the other.
    pub fn is_plain(&self) -> bool {
        let [rows, columns, ..] = self.size;
        self.dense && (rows == 1 || columns >= self.least_columns(columns))
    }

    /// Whether the kernel can walk along a stream's innermost dimension.
    fn is_row(&self, k: usize) -> bool {
        let (s, last) = (&self.streams[k], self.rank - 1);
        let dense = self.size[last] == 1 || s.strides[last] == s.dtype.size() as isize;
        dense && s.dtype == self.walked(k)
    }

    /// Whether the kernel can walk along all of a stream's dimensions as if they were one.
    fn is_line(&self, k: usize) -> bool {
        let s = &self.streams[k];
        let mut next = s.dtype.size() as isize;
        let mut dense = s.dtype == self.walked(k);
        for (&n, &stride) in self.sizes().iter().zip(&s.strides).rev() {
            dense &= n == 1 || stride == next;
            next = next.wrapping_mul(n as isize);
        }
        dense
    }

    /// Whether a stream's neighbours along its columns lie further apart than along its rows.
    fn is_transposed(&self, s: &Stream) -> bool {
        let last = self.rank - 1;
        let rows = s.strides[last - 1].unsigned_abs();
        rows > 0 && rows < s.strides[last].unsigned_abs()
    }

    /// Brings the dimension along which some transposed stream is dense next to the innermost,
    /// so that tiles hold whole cache lines of it.
    fn favour_transposed(&mut self) {
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

/// Which streams pass through scratch memory, a slot for each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staging {
    pub staged: [bool; MAX_STREAMS],
    pub count: usize,
    /// Bytes of a slot, without the padding.
    pub slot: usize,
    /// Elements that a slot holds.
    capacity: usize,
}

impl Staging {
    fn of(job: &Job, needs: impl Fn(usize) -> bool) -> Staging {
        let mut staged = [false; MAX_STREAMS];
        (0..job.streams().len()).for_each(|k| staged[k] = needs(k));
        let count = staged.iter().filter(|staged| **staged).count();
        let slot = SCRATCH.checked_div(count).unwrap_or(0) / 256 * 256;
        // In the kernel's type, and in its own.
        let largest = job.streams().iter().fold(job.dtype.size(), |n, s| n.max(s.dtype.size()));
        Staging { staged, count, slot, capacity: slot >> largest.trailing_zeros() }
    }

    fn streams<'s>(&'s self, job: &'s Job) -> impl Iterator<Item = &'s Stream> {
        job.streams().iter().zip(&self.staged).filter(|(_, staged)| **staged).map(|(s, _)| s)
    }
}

/// How the domain is cut into boxes, each of which is worked on at once.
///
/// A box is one index of the dimensions before `dim`, up to `rows` of dimension `dim`, all of
/// those between, and up to `columns` of the innermost.
#[derive(Clone, Debug)]
pub(super) struct Boxes {
    pub dim: usize,
    pub rows: usize,
    pub columns: usize,
    /// The kernel runs once over all elements of a box, else once per row.
    pub packed: bool,
    pub staging: Staging,
    /// How many columns the kernel takes at once; streams that repeat an element along their rows
    /// have no more of them in scratch memory.
    pub piece: usize,
    /// Pieces of dimension `dim`.
    pub row_cuts: usize,
    /// Pieces of the innermost dimension.
    pub column_cuts: usize,
    /// How many boxes there are.
    pub count: usize,
}

impl Boxes {
    /// Cuts a collapsed job, into at least `parts` boxes if it is large enough.
    pub fn new(job: &mut Job, parts: usize) -> Boxes {
        let last = job.rank - 1;
        let columns = job.size[last];
        let several = job.size[..last].iter().any(|&n| n > 1);
        if several && columns < job.least_columns(columns) {
            return Boxes::packed(job, parts);
        }
        let staging = Staging::of(job, |k| !job.is_row(k));
        if staging.count > 0 && job.rank > 2 {
            job.favour_transposed();
        }
        match staging.streams(job).any(|s| job.is_transposed(s)) {
            true => Boxes::tiled(job, staging, parts),
            false => Boxes::rows(job, staging, parts),
        }
    }

    /// Rows too short for the kernel, one after the other: whole inner dimensions for as long as they fit.
    fn packed(job: &Job, parts: usize) -> Boxes {
        let last = job.rank - 1;
        let staging = Staging::of(job, |k| !job.is_line(k));
        let room = if staging.count > 0 { staging.capacity } else { BOX };
        let (most, mut inner, mut dim) = (share(job, parts, room), job.size[last], last - 1);
        while dim > 0 && inner * job.size[dim] < most {
            inner *= job.size[dim];
            dim -= 1;
        }
        let (rows, columns) = ((most / inner).max(1), job.size[last]);
        Boxes { dim, rows, packed: true, ..Boxes::of(job, staging, columns) }.counted(job)
    }

    /// Rows where they are, or beside others that are brought there; cut only if they are long.
    fn rows(job: &Job, staging: Staging, parts: usize) -> Boxes {
        let most = share(job, parts, room(job, &staging));
        Boxes::across(job, staging, most, most)
    }

    /// Tiles of whole cache lines both ways, for streams that lie the other way round.
    fn tiled(job: &Job, staging: Staging, parts: usize) -> Boxes {
        let most = share(job, parts, room(job, &staging));
        let mut boxes = Boxes::across(job, staging, most, TILE.0);
        if boxes.rows > TILE.1 {
            boxes.rows -= boxes.rows % TILE.1;
        }
        boxes.counted(job)
    }

    /// Boxes of at most `most` elements and about `widest` columns.
    fn across(job: &Job, staging: Staging, most: usize, widest: usize) -> Boxes {
        let mut columns = job.size[job.rank - 1];
        if columns > widest {
            // Of nearly equal width, each a whole number of cache lines.
            columns = columns.div_ceil(columns.div_ceil(widest)).next_multiple_of(64);
        }
        let mut boxes = Boxes::of(job, staging, columns);
        boxes.rows = (most / columns).max(1);
        if staging.streams(job).any(|s| s.strides[job.rank - 1] == 0) {
            boxes.piece = PIECE.min(boxes.piece);
            boxes.rows = boxes.rows.min(staging.capacity / boxes.piece).max(1);
        }
        boxes.counted(job)
    }

    /// Of one row each, not counted yet.
    fn of(job: &Job, staging: Staging, columns: usize) -> Boxes {
        let last = job.rank - 1;
        Boxes {
            dim: last - 1,
            rows: 1,
            columns,
            packed: false,
            staging,
            piece: job.size[last],
            row_cuts: 1,
            column_cuts: 1,
            count: 1,
        }
    }

    fn counted(mut self, job: &Job) -> Boxes {
        self.row_cuts = job.size[self.dim].div_ceil(self.rows);
        self.column_cuts = job.size[job.rank - 1].div_ceil(self.columns);
        let outer: usize = job.size[..self.dim].iter().product();
        self.count = outer * self.row_cuts * self.column_cuts;
        self
    }
}

/// Elements in a box whose rows stay where they are, or are copied: as many as a slot holds, if a stream needs a
/// place for each.
fn room(job: &Job, staging: &Staging) -> usize {
    match staging.streams(job).any(|s| s.strides[job.rank - 1] != 0) {
        true => staging.capacity,
        false => BOX,
    }
}

/// The same, but at least so many boxes.
fn share(job: &Job, parts: usize, room: usize) -> usize {
    let share = if parts > 1 { job.elements().div_ceil(parts) } else { room };
    room.min(share.next_multiple_of(64)).max(64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt::convert::converters;
    use crate::rt::floor::floor_kernels;
    use crate::rt::view::View;
    use half::f16;

    fn job(bound: &Bound) -> Job {
        let (kernels, level) = (floor_kernels(1, 1).expect("one in, one out"), Level::best());
        let kernel = kernels.get(bound.dtype, level).expect("of this machine");
        Job::new(bound, kernel, converters(level).expect("of this machine"), level)
    }

    /// The kernel writes any type where it belongs; it reads its own only.
    #[test]
    fn conversions_pass_through_scratch_memory_on_their_way_in_only() {
        let (half, float) = ([f16::ZERO; 600], [0f32; 600]);
        let half = View::new(&half, &[600]).expect("a view");
        let float = View::new(&float, &[600]).expect("a view");
        for (dtype, input, output, staged) in [
            (DType::F16, &half, &float, 0),
            (DType::F32, &float, &half, 0),
            (DType::F32, &half, &float, 1),
            (DType::F32, &half, &half, 1),
        ] {
            let bound = Bound { domain: input.raw().shape, dtype, ..Bound::default() };
            let mut job = job(&bound);
            job.set_sizes(1, 600);
            job.add_rows(input.raw(), 0, 600).expect("within its view");
            job.end_inputs();
            job.add_rows(output.raw(), 0, 600).expect("within its view");
            let staging = Boxes::new(&mut job, 1).staging;
            assert_eq!(staging.count, staged, "{dtype}: {} -> {}", input.dtype(), output.dtype());
        }
    }

    /// The last line of defence: whatever a stream was laid by, memory of others is out of its reach.
    #[test]
    fn a_stream_beyond_its_view_is_refused() {
        let data = [0f32; 12];
        let view = View::strided(&data, &[2, 3], &[4, 1], 2).expect("elements 2 to 8");
        let bound = Bound { domain: view.raw().shape, dtype: DType::F32, ..Bound::default() };
        let add = |start: isize, row, element| {
            let mut strides = [0; MAX_RANK];
            (strides[0], strides[1]) = (row, element);
            let ptr = view.raw().ptr.wrapping_offset(4 * start);
            job(&bound).add(view.raw(), Stream { ptr, dtype: DType::F32, strides })
        };
        assert_eq!(add(0, 16, 4), Ok(()));
        for (start, row, element) in [(1, 16, 4), (-1, 16, 4), (0, 20, 4), (0, 16, 8)] {
            assert_eq!(add(start, row, element), Err(OutOfView));
        }
        let dense = View::new(&data, &[4, 3]).expect("twelve elements");
        assert_eq!(job(&bound).add_rows(dense.raw(), 3, 6), Ok(()));
        for (view, start, pitch) in [(&dense, 4, 6), (&dense, 3, 7), (&view, 0, 3)] {
            assert_eq!(job(&bound).add_rows(view.raw(), start, pitch), Err(OutOfView));
        }
    }
}
