//! Blocking: cuts the domain of a job into boxes, and decides which streams pass through scratch memory.

use super::abi::{Interleave, MAX_STREAMS};
use super::job::Job;
use super::stream::Stream;

/// Bytes of scratch memory per thread: three quarters of the smallest L1 data cache in use, because the streams themselves need the
/// rest.
pub(super) const SCRATCH: usize = 24 << 10;
/// Columns and rows of a tile, the box for streams whose columns are contiguous in memory.
///
/// Both are whole cache lines of every element type.
const TILE: (usize, usize) = (64, 32);
/// Maximum number of columns per kernel run where a staged input repeats one element along its rows.
///
/// Scratch memory then holds so many copies of the element.
const PIECE: usize = 512;
/// Maximum number of elements in a box that needs no scratch memory.
///
/// It is large enough to amortise the computation of the box's address.
const BOX: usize = 32 << 10;

/// The staged streams: those that pass through scratch memory, which is divided into a slot for each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staging {
    pub staged: [bool; MAX_STREAMS],
    pub count: usize,
    /// Bytes of one slot, without the padding of one kernel step that follows it.
    pub slot: usize,
    /// Maximum number of elements in one slot.
    capacity: usize,
}

impl Staging {
    fn of(job: &Job, needs: impl Fn(usize) -> bool) -> Staging {
        let mut staged = [false; MAX_STREAMS];
        (0..job.streams().len()).for_each(|k| staged[k] = needs(k));
        let count = staged.iter().filter(|staged| **staged).count();
        let slot = SCRATCH.checked_div(count).unwrap_or(0) / 256 * 256;
        // A slot holds the kernel's element type and the stream's own.
        let largest = job.streams().iter().fold(job.dtype.size(), |n, s| n.max(s.dtype.size()));
        Staging { staged, count, slot, capacity: slot >> largest.trailing_zeros() }
    }

    fn streams<'s>(&'s self, job: &'s Job) -> impl Iterator<Item = &'s Stream> {
        job.streams().iter().zip(&self.staged).filter(|(_, staged)| **staged).map(|(s, _)| s)
    }
}

/// Partition of the domain (the index space of a call) into boxes, each computed by one thread.
///
/// A box is one index of the dimensions before `dim`, up to `rows` indices of dimension `dim`, all indices of the dimensions
/// between, and up to `columns` indices of the innermost.
#[derive(Clone, Debug)]
pub(super) struct Boxes {
    pub dim: usize,
    pub rows: usize,
    pub columns: usize,
    /// If true, the kernel runs once over all elements of a box, else once per row.
    pub packed: bool,
    pub staging: Staging,
    /// Maximum number of columns per kernel run.
    ///
    /// Streams that repeat an element along their rows have no more columns than this in scratch memory.
    pub piece: usize,
    /// Number of boxes that dimension `dim` is cut into.
    pub row_cuts: usize,
    /// Number of boxes that the innermost dimension is cut into.
    pub column_cuts: usize,
    pub count: usize,
}

impl Boxes {
    /// Cuts the domain of a job into boxes, at least `parts` of them if it has enough elements.
    ///
    /// The job must have the form that [`Job::collapse`] produces.
    pub fn new(job: &mut Job, parts: usize) -> Boxes {
        let last = job.rank - 1;
        let columns = job.size[last];
        let several = job.size[..last].iter().any(|&n| n > 1);
        let boxes = if several && columns < job.least_columns(columns) && job.of_rows == 0 {
            Boxes::packed(job, parts)
        } else {
            let staging = Staging::of(job, |k| !job.is_row(k));
            if staging.count > 0 && job.rank > 2 {
                job.favour_transposed();
            }
            match staging.streams(job).any(|s| job.is_transposed(s)) {
                true => Boxes::tiled(job, staging, parts),
                false => Boxes::rows(job, staging, parts),
            }
        };
        // Staged streams are not interleaved, because each has its own slot.
        for (turn, _) in job.turns.iter_mut().zip(&boxes.staging.staged).filter(|(_, s)| **s) {
            *turn = Interleave::Alone;
        }
        boxes
    }

    /// Cuts a domain whose rows are too short to be worth one kernel run per row.
    ///
    /// A box holds as many whole inner dimensions as fit, and one kernel run covers all its elements.
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

    /// Cuts the domain into boxes of whole rows, at least `parts` of them if it has enough elements.
    ///
    /// A row is cut only if it has more elements than a box may have.
    fn rows(job: &Job, staging: Staging, parts: usize) -> Boxes {
        let most = share(job, parts, room(job, &staging));
        Boxes::across(job, staging, most, most)
    }

    /// Cuts the domain into tiles: about `TILE.0` columns, and a multiple of `TILE.1` rows if they fit.
    ///
    /// Transposed streams, whose columns are contiguous in memory, are then accessed by whole cache lines.
    fn tiled(job: &Job, staging: Staging, parts: usize) -> Boxes {
        let most = share(job, parts, room(job, &staging));
        let mut boxes = Boxes::across(job, staging, most, TILE.0);
        if boxes.rows > TILE.1 {
            boxes.rows -= boxes.rows % TILE.1;
        }
        boxes.counted(job)
    }

    /// Cuts the domain into boxes of at most `most` elements and about `widest` columns.
    fn across(job: &Job, staging: Staging, most: usize, widest: usize) -> Boxes {
        let mut columns = job.size[job.rank - 1];
        if columns > widest {
            // Pieces of nearly equal width, each a whole number of cache lines.
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

    /// Creates boxes of one row of `columns` columns; `counted` must then set the number of boxes.
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

/// Returns the maximum number of elements in a box.
///
/// It is the capacity of a slot of scratch memory if a staged stream does not repeat one element along its rows, because that stream
/// needs memory for each element.
fn room(job: &Job, staging: &Staging) -> usize {
    match staging.streams(job).any(|s| s.strides[job.rank - 1] != 0) {
        true => staging.capacity,
        false => BOX,
    }
}

/// Limits the box size `room`, in elements, to the size at which the job has `parts` equal boxes.
///
/// The result is at least 64 elements.
fn share(job: &Job, parts: usize, room: usize) -> usize {
    let share = if parts > 1 { job.elements().div_ceil(parts) } else { room };
    room.min(share.next_multiple_of(64)).max(64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt::job::tests::{job, rows};
    use crate::rt::view::View;
    use half::f16;
    use op_dsl_ir::DType;
    use op_dsl_ir::bind::Bound;

    /// Checks that inputs of other types are staged in scratch memory, and that outputs are not.
    ///
    /// A kernel stores any element type directly, but loads only its own.
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
            job.add_rows(input.raw(), input.dtype(), rows(0, 600)).expect("within its view");
            job.end_inputs();
            job.add_rows(output.raw(), output.dtype(), rows(0, 600)).expect("within its view");
            let staging = Boxes::new(&mut job, 1).staging;
            assert_eq!(staging.count, staged, "{dtype}: {} -> {}", input.dtype(), output.dtype());
        }
    }
}
