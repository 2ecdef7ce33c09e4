//! What can be wrong with a call, one line each.

use super::simd::Level;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::{BindError, MAX_RANK};

/// Why a view could not be made or an operator could not run. Nothing was written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The attributes, shapes or element types do not fit the operator.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The view does not describe elements that are there.
    #[error(transparent)]
    View(#[from] ViewError),
    /// An output shares elements with an input without being it.
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
    /// A number of rows is negative.
    #[error("{op}: tensor `{tensor}`: entry {at} is {got}; a number of rows is 0 or more")]
    RowCount {
        /// The operator.
        op: String,
        /// The tensor.
        tensor: String,
        /// Which of its entries.
        at: usize,
        /// The entry.
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
    /// This CPU, or this build, lacks the level asked for.
    #[error("{op}: this CPU or this build does not have level {}; allowed: {available}", level.name())]
    Level {
        /// The operator.
        op: String,
        /// What was asked for.
        level: Level,
        /// What there is.
        available: String,
    },
    /// A stream leaves the view that it was laid over. No call should bring this about; it is asked
    /// before memory is touched.
    #[error("{op}: a tensor was to be used beyond its own elements; please report this")]
    OutOfView {
        /// The operator.
        op: String,
    },
    /// The operator's description and its kernels contradict each other.
    #[error("{op}: its kernels do not match its description ({what})")]
    Kernels {
        /// The operator.
        op: String,
        /// Where they differ.
        what: &'static str,
    },
}

/// Why a view could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// Too many dimensions.
    #[error("a view of rank {got}; allowed: 0 to {MAX_RANK}")]
    Rank {
        /// How many came.
        got: usize,
    },
    /// Not one stride per dimension.
    #[error("{strides} strides for {rank} dimensions; there must be one for each")]
    Strides {
        /// How many strides came.
        strides: usize,
        /// How many dimensions.
        rank: usize,
    },
    /// The shape or the strides reach further than addresses do.
    #[error("shape {shape:?} with strides {strides:?} overflows the address space")]
    Overflow {
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
    },
    /// Elements outside the buffer.
    #[error(
        "shape {shape:?} with strides {strides:?} spans elements {first} to {last} of a buffer of \
         {len}"
    )]
    OutOfBounds {
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
        /// Least element touched.
        first: isize,
        /// Greatest element touched.
        last: isize,
        /// Elements there are.
        len: usize,
    },
    /// The elements are of another type.
    #[error("the view holds {got}, not {wanted}")]
    DType {
        /// What was asked for.
        wanted: Stored,
        /// What there is.
        got: Stored,
    },
    /// Truth values or counts of rows where numbers belong.
    #[error("an output holds numbers; masks and counts of rows are inputs")]
    NoNumbers,
    /// Others may write the elements while the array view would live.
    #[error(
        "a view of cells or raw parts is no array view, as others may write it; only one of a slice or an \
         array is"
    )]
    NotBorrowed,
    /// Two places of an output are, or may be, one element.
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
