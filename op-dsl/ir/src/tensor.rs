//! Tensors of a signature: what each holds, how it is stored, and the streams that it is for kernels.

use crate::Stored;
use crate::list::Text;

/// A tensor of an operator's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Name in CANN, for example `dy`.
    pub name: Text,
    /// Data that the tensor holds for each evaluation of the formula.
    pub kind: Kind,
    /// Element type that the tensor has in every call (a type of its own); `None` if it has the element type of the call.
    pub own: Option<Stored>,
    /// Whether any result depends on the tensor. Calls check an unused input as well.
    pub used: bool,
}

/// Data that a tensor holds for each evaluation of the formula, that is per element of the result.
///
/// The tensor's shape and its allowed storage types follow from the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One number per element.
    Whole,
    /// Two numbers per element, a gate and a value, so that the split dimension is twice as long.
    Gated,
    /// One mask bit per element, which formulas read as 0 or 1 and only test for being 0.
    Mask,
    /// One number per row, which is the same for all elements along the last dimension of the domain: the tensor has size 1 there.
    PerRow,
    /// No data: the tensor holds counts whose sum is the number of rows to compute.
    ///
    /// Rows are formed by the dimensions before the split dimension, and those that are not computed are zeros. An
    /// operator has at most one tensor of this kind, the last of its inputs.
    Rows,
}

impl Tensor {
    /// Returns the default storage type of the tensor in a call on tensors of type `element`.
    pub fn stored(&self, element: impl Into<Stored>) -> Stored {
        self.own.unwrap_or_else(|| self.kind.stored(element))
    }

    /// Returns whether the tensor may be stored so in a call on tensors of type `element`.
    pub fn takes(&self, stored: Stored, element: impl Into<Stored>) -> bool {
        let is_bits = self.kind == Kind::Mask && stored == Stored::Bit;
        self.seen(stored) == self.stored(element) || is_bits
    }

    /// Returns how kernels see the elements of the tensor if they are stored so: truth values may be bytes of `uint8`.
    pub fn seen(&self, stored: Stored) -> Stored {
        let is_truth = self.kind == Kind::Mask || self.own == Some(Stored::Byte);
        if is_truth && stored == Stored::Uint8 { Stored::Byte } else { stored }
    }

    /// Returns the names of the types that the tensor may be stored as, if it is an output or has a type of its own.
    pub fn stored_names(&self, element: impl Into<Stored>) -> String {
        match self.stored(element) {
            Stored::Byte => "bool, uint8".into(),
            stored => stored.to_string(),
        }
    }
}

impl Kind {
    /// Returns the kind in a word.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Whole => "whole",
            Kind::Gated => "gated",
            Kind::Mask => "mask",
            Kind::PerRow => "per row",
            Kind::Rows => "rows",
        }
    }

    /// Returns whether tensors of this kind hold numbers, of the call's element type or of a type of their own.
    pub const fn is_numbers(self) -> bool {
        matches!(self, Kind::Whole | Kind::Gated | Kind::PerRow)
    }

    /// Returns the parts of a tensor that are separate streams, in the order that graphs number them.
    pub const fn parts(self) -> &'static [Part] {
        match self {
            Kind::Whole | Kind::Mask | Kind::PerRow => &[Part::Whole],
            Kind::Gated => &[Part::Gate, Part::Value],
            Kind::Rows => &[],
        }
    }

    /// Returns the default storage type of a tensor of this kind in a call on tensors of type `element`.
    ///
    /// Masks are bytes, and row counts are 64-bit integers.
    pub fn stored(self, element: impl Into<Stored>) -> Stored {
        match self {
            Kind::Whole | Kind::Gated | Kind::PerRow => element.into(),
            Kind::Mask => Stored::Byte,
            Kind::Rows => Stored::Int64,
        }
    }
}

/// Split of gated tensors into a gate and a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Index of the attribute that holds the split dimension.
    pub dim: usize,
    /// Which of the two parts is the gate.
    pub gate: Gate,
    /// Layout of the parts: halves or alternating elements.
    pub pattern: Pattern,
}

/// The part of a gated tensor that is the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The first half, or the even elements if the parts are interleaved.
    Left,
    /// The second half, or the odd elements if the parts are interleaved.
    Right,
    /// The first part if the boolean attribute with this index is true, else the second.
    LeftIf(usize),
}

/// Layout of the two parts of a gated tensor along the split dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `[a a a b b b]`, where `a` are elements of the first part and `b` elements of the second.
    Halves,
    /// `[a b a b a b]`, where `a` are elements of the first part and `b` elements of the second.
    Interleaved,
    /// Interleaved if the boolean attribute with this index is true, else halves.
    InterleavedIf(usize),
}

/// One input or output stream of a graph: a tensor, or the gate or the value of a gated tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Index of the tensor among the operator's inputs or, for an output stream, among its outputs.
    pub tensor: usize,
    /// Part of the tensor that the stream reads or writes.
    pub part: Part,
}

/// The elements of a tensor that a stream reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All elements.
    Whole,
    /// The gate elements of a gated tensor.
    Gate,
    /// The value elements of a gated tensor.
    Value,
}
