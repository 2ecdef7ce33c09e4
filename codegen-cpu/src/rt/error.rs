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
        /// The operator.
        op: String,
        /// The output.
        output: String,
        /// The input.
        input: String,
    },
    /// A row count is negative.
    #[error("{op}: tensor `{tensor}`: entry {at} is {got}; a number of rows is 0 or more")]
    RowCount {
        /// The operator.
        op: String,
        /// The tensor.
        tensor: String,
        /// Index of the entry.
        at: usize,
        /// Value of the entry.
        got: i64,
    },
    /// Two outputs share elements.
    #[error("{op}: outputs `{first}` and `{second}` overlap; outputs must share no elements")]
    OutputOverlap {
        /// The operator.
        op: String,
        /// One output.
        first: String,
        /// The other.
        second: String,
    },
    /// This CPU, or this build, lacks the requested SIMD level.
    #[error("{op}: this CPU or this build does not have level {}; allowed: {available}", level.name())]
    Level {
        /// The operator.
        op: String,
        /// Requested level.
        level: Level,
        /// Names of the available levels.
        available: String,
    },
    /// A stream leaves the view that it was created from.
    ///
    /// No call should cause this; it is checked before memory is touched.
    #[error("{op}: a tensor was to be used beyond its own elements; please report this")]
    OutOfView {
        /// The operator.
        op: String,
    },
    /// The operator's definition and its kernels contradict each other.
    #[error("{op}: its kernels do not match its description ({what})")]
    Kernels {
        /// The operator.
        op: String,
        /// The mismatch.
        what: &'static str,
    },
}

/// Reason why a view could not be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// Too many dimensions.
    #[error("a view of rank {got}; allowed: 0 to {MAX_RANK}")]
    Rank {
        /// Number of dimensions.
        got: usize,
    },
    /// The number of strides differs from the rank.
    #[error("{strides} strides for {rank} dimensions; there must be one for each")]
    Strides {
        /// Number of strides.
        strides: usize,
        /// Number of dimensions.
        rank: usize,
    },
    /// The shape or the strides exceed the address space.
    #[error("shape {shape:?} with strides {strides:?} overflows the address space")]
    Overflow {
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
    },
    /// The view reaches elements outside the buffer.
    #[error(
        "shape {shape:?} with strides {strides:?} spans elements {first} to {last} of a buffer of \
         {len}"
    )]
    OutOfBounds {
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
        /// Least element reached.
        first: isize,
        /// Greatest element reached.
        last: isize,
        /// Number of elements in the buffer.
        len: usize,
    },
    /// The elements have another type.
    #[error("the view holds {got}, not {wanted}")]
    DType {
        /// Requested type.
        wanted: Stored,
        /// Actual type.
        got: Stored,
    },
    /// A mask or row count where numbers are required.
    #[error("an output holds numbers; masks and counts of rows are inputs")]
    NoNumbers,
    /// The elements may be written by others during the lifetime of the array view.
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
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
    },
}
