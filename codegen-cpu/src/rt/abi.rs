//! Calling interface of block kernels: their function type, and the argument that describes streams and scalars.

use op_dsl_ir::program::Program;
use op_dsl_ir::{DType, Stored};

/// A block kernel: runs an operator's formula over `steps` consecutive steps of its streams, in each of [`Streams::rows`] rows.
///
/// # Safety
/// - Every input pointer must be valid for reads, and every output pointer for writes, of `steps` steps in each row. Outputs, and inputs
///   of types of their own, are in these types, masks in bytes. Inputs with one number for all elements have no other.
/// - Interleaved streams must both be marked as such, follow each other in the argument order, be permitted by the body, and
///   lie as [`Interleave`] describes.
/// - An output may be one of the inputs. It may not overlap an input otherwise, unless each step is read before a part of it is
///   overwritten.
/// - With `nt` outputs are aligned to [`ALIGN`], in each row.
/// - More than one row requires inputs with one number for all elements of a row.
/// - [`Streams::next_chunk`] is null, or points to a number for each stream.
/// - [`Streams::sums`] is null, or points to a number for each row. Then each row has [`Streams::rest`] further elements of every stream,
///   and at least a step before them. The output must not be one of the inputs then.
/// - The CPU must support the SIMD level of the pointer.
pub type BlockFn = unsafe fn(io: &Streams, steps: usize, nt: bool);

/// Alignment in bytes that non-temporal stores require at any level.
pub const ALIGN: usize = 64;
/// Maximum number of input streams plus output streams of one operator.
pub const MAX_STREAMS: usize = op_dsl_ir::kernel::MAX_KERNEL_STREAMS;
/// Maximum number of run-time scalars of one operator.
pub const MAX_SCALARS: usize = 12;

/// Memory layout of a stream's elements: contiguous, or interleaved with another stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleave {
    /// Contiguous, without elements of another stream in between.
    Alone,
    /// Interleaved with a `Second` stream, in front of its elements: `a` in `[a b a b ..]`.
    First,
    /// Interleaved with a `First` stream, after its elements: `b` in `[a b a b ..]`.
    Second,
}

impl Interleave {
    /// Sorts a pair of streams into memory order, where `self` is the layout of the pair's first stream.
    #[inline(always)]
    pub(super) fn order<T>(self, [a, b]: [T; 2]) -> [T; 2] {
        if self == Interleave::Second { [b, a] } else { [a, b] }
    }
}

/// Argument of a block kernel: the streams (inputs and outputs in memory) and the scalars.
///
/// Start addresses come first, at the beginning of a cache line: a kernel reads them right after they were written, and reads that
/// cross a line wait for all earlier stores.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Streams {
    /// Start addresses: inputs, then outputs, in the order of the body.
    pub start: [*mut u8; MAX_STREAMS],
    /// Types of the elements, in the order of `start`.
    ///
    /// If an output has a type that kernels compute in, such as bf16, a result is first rounded to the kernel's type and then to
    /// that type. To all other types, such as integers, it is converted directly.
    pub stored: [Stored; MAX_STREAMS],
    /// Memory layout of each stream, in the order of `start`.
    pub turns: [Interleave; MAX_STREAMS],
    /// Bit `k` is 1 if stream `k` is an input with one number, of f32, for all elements.
    pub of_rows: u16,
    /// Number of rows to compute, each at a distance of [`Streams::pitch`] bytes from the one before.
    ///
    /// It is 1 where no input has one number for all elements of a row, because rows are then one longer row or runs of their own.
    pub rows: usize,
    /// For each stream, the bytes from one row to the next.
    pub pitch: Pitches,
    /// Run-time scalars: the values of numeric attributes, then those of functions of attributes.
    pub scalar: [f32; MAX_SCALARS],
    /// Values of the attributes in f64, an array of [`MAX_SCALARS`], in a call on f64; null in all others.
    pub doubles: *const f64,
    /// Program to run, for a kernel that is the interpreter; other kernels ignore it.
    pub program: Option<&'static Program>,
    /// Prefetch distance in bytes for inputs that come from memory; 0 disables it.
    ///
    /// They do in calls with non-temporal stores, and in calls in place that write as much. Prefetching helps because the reorder
    /// buffer holds too few steps to hide the latency.
    pub ahead: usize,
    /// For each stream, the bytes to the same element of the next chunk of rows, 0 if it is not prefetched.
    ///
    /// It replaces `ahead` in kernels with inputs that have one number for all elements of a row; null in all other calls.
    pub next_chunk: *const isize,
    /// For each row, the number to which a kernel of terms adds their sum; null if it adds none.
    pub sums: *mut f64,
    /// Whether a kernel that adds terms does not store them.
    pub sums_only: bool,
    /// Number of elements that each row has after its steps, less than a step of the driver; only kernels that add terms compute them.
    pub rest: usize,
}

/// For each stream, the bytes from one row to the next.
pub type Pitches = [isize; MAX_STREAMS];

impl Streams {
    /// Returns streams of type `dtype` with null addresses, zero scalars and no program.
    pub const fn of(dtype: DType) -> Streams {
        let start = [core::ptr::null_mut(); MAX_STREAMS];
        let stored = [Stored::Number(dtype); MAX_STREAMS];
        let (turns, scalar) = ([Interleave::Alone; MAX_STREAMS], [0.0; MAX_SCALARS]);
        let doubles = core::ptr::null();
        Streams {
            start,
            stored,
            turns,
            of_rows: 0,
            rows: 1,
            pitch: [0; MAX_STREAMS],
            scalar,
            doubles,
            program: None,
            ahead: 0,
            next_chunk: core::ptr::null(),
            sums: core::ptr::null_mut(),
            sums_only: false,
            rest: 0,
        }
    }

    /// Returns each row of the streams as streams of one row.
    pub(super) fn each_row(&self) -> impl Iterator<Item = Streams> {
        let mut next = Streams { rows: 1, ..*self };
        (0..self.rows).map(move |_| {
            let row = next;
            next.advance(&self.pitch);
            row
        })
    }

    /// Moves the start of every stream by its bytes of `pitch`.
    #[inline]
    pub(super) fn advance(&mut self, pitch: &Pitches) {
        for (p, by) in self.start.iter_mut().zip(pitch) {
            *p = p.wrapping_offset(*by);
        }
    }

    /// Loads the start address of stream `k` with a load of its own.
    ///
    /// The read is volatile because the driver writes each address just before the kernel reads it, and the compiler likes to
    /// read two at once. No single store that is still on its way to the cache holds both, so store forwarding fails: such a
    /// load waits until all stores before it have arrived, including those of the previous row. This took 70 ns a row in L2 and
    /// more in memory.
    #[inline(always)]
    pub(super) fn start(&self, k: usize) -> *mut u8 {
        // SAFETY: an element of the array.
        unsafe { (&raw const self.start[k]).read_volatile() }
    }
}
