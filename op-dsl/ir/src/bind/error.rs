//! What can be wrong with the attributes, shapes and element types of a call.

use super::MAX_RANK;
use crate::Stored;
use crate::op::Text;

/// What is wrong with a call, and of which operator.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{op}: {what}")]
pub struct BindError {
    /// The operator's name.
    pub op: Text,
    /// What is wrong. Boxed, so that calls which are right pass little around.
    pub what: Box<Wrong>,
}

/// The result of one check.
pub(super) type Checked<T> = Result<T, Box<Wrong>>;

/// What can be wrong with the attributes, shapes or element types of a call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Wrong {
    /// More or fewer inputs or outputs than the operator has.
    #[error("got {got} {role} tensors; takes {want} ({names})")]
    Count {
        /// `input` or `output`.
        role: &'static str,
        /// How many came.
        got: usize,
        /// How many it takes.
        want: usize,
        /// Their names.
        names: String,
    },
    /// More or fewer attribute values than the operator has.
    #[error("got {got} attribute values; takes {want} ({names})")]
    AttrCount {
        /// How many came.
        got: usize,
        /// How many it takes.
        want: usize,
        /// Their names.
        names: String,
    },
    /// No attribute of that name.
    #[error("no attribute `{name}`; it has {names}")]
    UnknownAttr {
        /// The name asked for.
        name: String,
        /// The names there are.
        names: String,
    },
    /// A value that the attribute cannot have.
    #[error("attribute `{attr}` cannot be {got}; allowed: {allowed}")]
    AttrValue {
        /// The attribute.
        attr: Text,
        /// The value.
        got: String,
        /// What it can be.
        allowed: String,
    },
    /// Attribute values, each allowed, for which there is no formula.
    #[error("no formula for this combination of attributes")]
    NoSpec,
    /// An input that is not optional was left out.
    #[error("tensor `{tensor}` is missing; it may not be left out")]
    Missing {
        /// The tensor.
        tensor: Text,
    },
    /// Too few or too many dimensions.
    #[error("tensor `{tensor}` has rank {got}; allowed: {min} to {MAX_RANK}")]
    Rank {
        /// The tensor.
        tensor: Text,
        /// Its rank.
        got: usize,
        /// The least rank.
        min: usize,
    },
    /// The counts of rows are no list of some.
    #[error(
        "tensor `{tensor}` has shape {got:?}; allowed: one dimension of 1 or more, since its sum is a number of \
         rows{}", if *.optional { "; leave it out to compute all rows" } else { "" }
    )]
    RowCounts {
        /// The tensor.
        tensor: Text,
        /// Its shape.
        got: Vec<usize>,
        /// Whether it may be left out.
        optional: bool,
    },
    /// The split dimension has no middle.
    #[error(
        "tensor `{tensor}` has shape {shape:?}; dimension {dim} is cut in two and must be even"
    )]
    OddSplit {
        /// The tensor.
        tensor: Text,
        /// Its shape.
        shape: Vec<usize>,
        /// The dimension, counted from the outermost.
        dim: usize,
    },
    /// Not the shape that follows from the other tensors.
    #[error("tensor `{tensor}` has shape {got:?}; must be {want:?}, which follows from {from}")]
    Shape {
        /// The tensor.
        tensor: Text,
        /// Its shape.
        got: Vec<usize>,
        /// The shape it must have.
        want: Vec<usize>,
        /// The tensors that ask for it.
        from: String,
    },
    /// Not broadcastable.
    #[error(
        "tensor `{tensor}` of shape {got:?} cannot be broadcast with {with:?}; dimensions must be equal or 1"
    )]
    Broadcast {
        /// The tensor.
        tensor: Text,
        /// Its shape.
        got: Vec<usize>,
        /// What the tensors before it broadcast to.
        with: Vec<usize>,
    },
    /// An element type that the operator does not take, or one that differs.
    #[error("tensor `{tensor}` has dtype {got}; allowed: {allowed}")]
    DType {
        /// The tensor.
        tensor: Text,
        /// Its element type.
        got: Stored,
        /// What it can be.
        allowed: String,
    },
    /// More elements than can be addressed.
    #[error("tensor `{tensor}`: the number of elements of shape {shape:?} overflows")]
    Overflow {
        /// The tensor.
        tensor: Text,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// No elements, where the operator wants some.
    #[error("tensor `{tensor}` of shape {shape:?} is empty, which this operator does not allow")]
    Empty {
        /// The tensor.
        tensor: Text,
        /// Its shape.
        shape: Vec<usize>,
    },
}

/// A check that failed.
#[cold]
pub(super) fn refuse<T>(what: Wrong) -> Checked<T> {
    Err(Box::new(what))
}

/// Names in a row, for a message.
pub(super) fn join<'a>(names: impl Iterator<Item = &'a Text>) -> String {
    let names: Vec<&str> = names.map(|n| &**n).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
