//! Errors in the attributes, shapes and element types of a call.

use super::MAX_RANK;
use crate::Stored;
use crate::op::Text;

/// An error in a call, with the name of the operator.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{op}: {what}")]
pub struct BindError {
    /// The operator's name.
    pub op: Text,
    /// The error, boxed so that a call without one returns a small `Result`.
    pub what: Box<Wrong>,
}

/// Result of one check; the caller adds the operator's name to the error.
pub(super) type Checked<T> = Result<T, Box<Wrong>>;

/// An error in the attributes, shapes or element types of a call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Wrong {
    /// More or fewer inputs or outputs than the operator has.
    #[error("got {got} {role} tensors; takes {want} ({names})")]
    Count {
        /// Role of the tensors: `input` or `output`.
        role: &'static str,
        /// Number of tensors that the call passes.
        got: usize,
        /// Number of tensors that the operator takes.
        want: usize,
        /// Names of the tensors that the operator takes.
        names: String,
    },
    /// More or fewer attribute values than the operator has.
    #[error("got {got} attribute values; takes {want} ({names})")]
    AttrCount {
        /// Number of attribute values that the call passes.
        got: usize,
        /// Number of attribute values that the operator takes.
        want: usize,
        /// Names of the attributes.
        names: String,
    },
    /// The operator has no attribute of that name.
    #[error("no attribute `{name}`; it has {names}")]
    UnknownAttr {
        /// The name that no attribute has.
        name: String,
        /// Names of the operator's attributes.
        names: String,
    },
    /// A value that the attribute cannot have.
    #[error("attribute `{attr}` cannot be {got}; allowed: {allowed}")]
    AttrValue {
        /// Name of the attribute.
        attr: Text,
        /// The value passed, as text.
        got: String,
        /// The allowed values, as text.
        allowed: String,
    },
    /// A combination of allowed attribute values that has no formula.
    #[error("no formula for this combination of attributes")]
    NoSpec,
    /// An input that is not optional was left out.
    #[error("tensor `{tensor}` is missing; it may not be left out")]
    Missing {
        /// Name of the tensor.
        tensor: Text,
    },
    /// Too few or too many dimensions.
    #[error("tensor `{tensor}` has rank {got}; allowed: {min} to {MAX_RANK}")]
    Rank {
        /// Name of the tensor.
        tensor: Text,
        /// Rank of the tensor that was passed.
        got: usize,
        /// The lowest rank that is allowed for the tensor.
        min: usize,
    },
    /// A tensor of row counts that is not one-dimensional, or that is empty.
    #[error(
        "tensor `{tensor}` has shape {got:?}; allowed: one dimension of 1 or more, since its sum is a number of \
         rows{}", if *.optional { "; leave it out to compute all rows" } else { "" }
    )]
    RowCounts {
        /// Name of the tensor.
        tensor: Text,
        /// Shape of the tensor that was passed.
        got: Vec<usize>,
        /// Whether the tensor may be left out.
        optional: bool,
    },
    /// An odd length along the split dimension, which cannot be halved.
    #[error(
        "tensor `{tensor}` has shape {shape:?}; dimension {dim} is cut in two and must be even"
    )]
    OddSplit {
        /// Name of the tensor.
        tensor: Text,
        /// Shape of the tensor.
        shape: Vec<usize>,
        /// The split dimension, counted from the outermost.
        dim: usize,
    },
    /// A shape other than the one that follows from the other tensors.
    #[error("tensor `{tensor}` has shape {got:?}; must be {want:?}, which follows from {from}")]
    Shape {
        /// Name of the tensor.
        tensor: Text,
        /// Shape of the tensor that was passed.
        got: Vec<usize>,
        /// The shape that the tensor must have.
        want: Vec<usize>,
        /// The tensors from which the required shape follows, as text.
        from: String,
    },
    /// A shape that cannot be broadcast with the shapes of the tensors before it.
    #[error(
        "tensor `{tensor}` of shape {got:?} cannot be broadcast with {with:?}; dimensions must be equal or 1"
    )]
    Broadcast {
        /// Name of the tensor.
        tensor: Text,
        /// Shape of the tensor that was passed.
        got: Vec<usize>,
        /// The broadcast shape of the tensors before this one.
        with: Vec<usize>,
    },
    /// An input that lies along a dimension and is neither as long as that nor of one element.
    #[error(
        "tensor `{tensor}` has shape [{got}], along dimension {dim} of {with:?}; allowed: {}",
        .with.get(*.dim).filter(|n| **n != 1).map_or("[1]".into(), |n| format!("[1], [{n}]"))
    )]
    Along {
        /// Name of the tensor.
        tensor: Text,
        /// Number of elements of the tensor that was passed.
        got: usize,
        /// The dimension that it lies along, counted from the outermost.
        dim: usize,
        /// The broadcast shape of the other tensors.
        with: Vec<usize>,
    },
    /// An element type that the operator does not take, or that differs from that of other tensors.
    #[error("tensor `{tensor}` has dtype {got}; allowed: {allowed}")]
    DType {
        /// Name of the tensor.
        tensor: Text,
        /// Element type of the tensor that was passed.
        got: Stored,
        /// The allowed element types, as text.
        allowed: String,
    },
    /// More elements than can be addressed.
    #[error("tensor `{tensor}`: the number of elements of shape {shape:?} overflows")]
    Overflow {
        /// Name of the tensor.
        tensor: Text,
        /// Shape of the tensor.
        shape: Vec<usize>,
    },
    /// Rows without elements, of which an output has one number each.
    #[error(
        "tensor `{tensor}` has one number per row, and rows of shape {domain:?} have no elements"
    )]
    EmptyRow {
        /// Name of the output.
        tensor: Text,
        /// Sizes of the iteration domain.
        domain: Vec<usize>,
    },
    /// A tensor without elements, which the operator does not allow.
    #[error("tensor `{tensor}` of shape {shape:?} is empty, which this operator does not allow")]
    Empty {
        /// Name of the tensor.
        tensor: Text,
        /// Shape of the tensor.
        shape: Vec<usize>,
    },
}

/// Returns `what` as the error of a failed check.
#[cold]
pub(super) fn refuse<T>(what: Wrong) -> Checked<T> {
    Err(Box::new(what))
}

/// Joins names by commas for a message; returns `none` if there are no names.
pub(super) fn join<'a>(names: impl Iterator<Item = &'a Text>) -> String {
    let names: Vec<&str> = names.map(|n| &**n).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
