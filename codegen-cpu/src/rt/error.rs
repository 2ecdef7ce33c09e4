//! Errors of a call, with one line of message each.

use super::simd::Level;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::{BindError, MAX_RANK};

/// Reason why a view could not be created or an operator could not run. Nothing was written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The attributes, shapes or element types do not match the operator.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The view does not describe elements of its buffer.
    #[error(transparent)]
    View(#[from] ViewError),
    /// An output shares elements with an input, but not at the same indices.
    #[error(
        "{op}: output `{output}` overlaps input `{input}`; they must be the same elements in the \
         same places, or share none"
    )]
    Overlap {
        /// Name of the operator.
        op: String,
        /// Name of the output that overlaps the input.
        output: String,
        /// Name of the input that the output overlaps.
        input: String,
    },
    /// A row count is negative.
    #[error("{op}: tensor `{tensor}`: entry {at} is {got}; a number of rows is 0 or more")]
    RowCount {
        /// Name of the operator.
        op: String,
        /// Name of the tensor.
        tensor: String,
        /// Index of the negative entry.
        at: usize,
        /// Value of the negative entry.
        got: i64,
    },
    /// Two outputs share elements.
    #[error("{op}: outputs `{first}` and `{second}` overlap; outputs must share no elements")]
    OutputOverlap {
        /// Name of the operator.
        op: String,
        /// Name of one of the two outputs.
        first: String,
        /// Name of the other output.
        second: String,
    },
    /// No output of the operator is the new value of an input.
    #[error(
        "{op}: no output is the new value of an input; allowed: operators with `updates(..)`, or `run` with views of cells"
    )]
    NotInPlace {
        /// Name of the operator.
        op: String,
    },
    /// A call in place has another number of tensors than the operator.
    #[error(
        "{op}: called in place with {} inputs and {} tensors to update; it has {} and {}",
        got[0], got[1], wanted[0], wanted[1]
    )]
    InPlaceCount {
        /// Name of the operator.
        op: String,
        /// Numbers of other inputs and of tensors to update in the call.
        got: [usize; 2],
        /// Numbers that the operator has.
        wanted: [usize; 2],
    },
    /// This CPU, or this build, lacks the requested SIMD level.
    #[error("{op}: this CPU or this build does not have level {}; allowed: {available}", level.name())]
    Level {
        /// Name of the operator.
        op: String,
        /// SIMD level that the options request.
        level: Level,
        /// Names of the available levels.
        available: String,
    },
    /// A stream leaves the view that it was created from.
    ///
    /// No call should cause this; it is checked before memory is touched.
    #[error("{op}: a tensor was to be used beyond its own elements; please report this")]
    OutOfView {
        /// Name of the operator.
        op: String,
    },
    /// The operator's definition and its kernels contradict each other.
    #[error("{op}: its kernels do not match its description ({what})")]
    Kernels {
        /// Name of the operator.
        op: String,
        /// Property that differs between them, for example `input streams`.
        what: &'static str,
    },
}

/// Reason why a view could not be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The view has too many dimensions.
    #[error("a view of rank {got}; allowed: 0 to {MAX_RANK}")]
    Rank {
        /// Number of dimensions of the view; at most 8 are allowed.
        got: usize,
    },
    /// The number of strides differs from the rank.
    #[error("{strides} strides for {rank} dimensions; there must be one for each")]
    Strides {
        /// Number of strides that the caller gave.
        strides: usize,
        /// Number of dimensions of the shape, which is how many strides are needed.
        rank: usize,
    },
    /// The shape or the strides exceed the address space.
    #[error("shape {shape:?} with strides {strides:?} overflows the address space")]
    Overflow {
        /// Sizes of the view's dimensions.
        shape: Vec<usize>,
        /// Strides of the view, in elements.
        strides: Vec<isize>,
    },
    /// The view reaches elements outside the buffer.
    #[error(
        "shape {shape:?} with strides {strides:?} spans elements {first} to {last} of a buffer of \
         {len}"
    )]
    OutOfBounds {
        /// Sizes of the view's dimensions.
        shape: Vec<usize>,
        /// Strides of the view, in elements.
        strides: Vec<isize>,
        /// Index in the buffer of the least element that the view reaches.
        first: isize,
        /// Index in the buffer of the greatest element that the view reaches.
        last: isize,
        /// Number of elements in the buffer.
        len: usize,
    },
    /// The view's elements have another type than the requested one.
    #[error("the view holds {got}, not {wanted}")]
    DType {
        /// Element type that the caller requested.
        wanted: Stored,
        /// Element type of the view.
        got: Stored,
    },
    /// Elements that are not whole bytes, which no output has.
    #[error("elements of {got} are not whole bytes, as those of an output are")]
    NotBytes {
        /// Storage type of the view.
        got: Stored,
    },
    /// An `ndarray` view was requested of cells or raw memory, which others may write while it lives.
    #[error(
        "a view of cells or raw parts is no array view, as others may write it; only one of a slice or an \
         array is"
    )]
    NotBorrowed,
    /// Two indices of an output share an element, or might.
    #[error(
        "an output of shape {shape:?} with strides {strides:?} may write an element twice; each \
         index must have an element of its own"
    )]
    SelfOverlap {
        /// Sizes of the view's dimensions.
        shape: Vec<usize>,
        /// Strides of the view, in elements.
        strides: Vec<isize>,
    },
}
