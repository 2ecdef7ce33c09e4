//! Calls of the memory-vector API, and the types of their results.

use crate::arch::Round;
use op_dsl_ir::DType;

/// A vector call of AscendC.
#[allow(missing_docs)] // they are AscendC's own names
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    Abs,
    Exp,
    Ln,
    Sqrt,
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    Adds,
    Muls,
    Maxs,
    Mins,
    /// `dst += src * scalar`
    Axpy,
    /// `dst = dst * src0 + src1`
    FusedMulAdd,
    Compare(Compare),
    Compares(Compare),
    /// `dst = mask ? src0 : src1`
    Select,
    Cast(Round),
    Duplicate,
}

impl Api {
    /// Returns the name of the call in AscendC.
    pub const fn name(self) -> &'static str {
        match self {
            Api::Abs => "Abs",
            Api::Exp => "Exp",
            Api::Ln => "Ln",
            Api::Sqrt => "Sqrt",
            Api::Add => "Add",
            Api::Sub => "Sub",
            Api::Mul => "Mul",
            Api::Div => "Div",
            Api::Max => "Max",
            Api::Min => "Min",
            Api::Adds => "Adds",
            Api::Muls => "Muls",
            Api::Maxs => "Maxs",
            Api::Mins => "Mins",
            Api::Axpy => "Axpy",
            Api::FusedMulAdd => "FusedMulAdd",
            Api::Compare(_) => "Compare",
            Api::Compares(_) => "Compares",
            Api::Select => "Select",
            Api::Cast(_) => "Cast",
            Api::Duplicate => "Duplicate",
        }
    }

    /// Returns true if the call also reads its destination, which is the buffer of its first argument.
    pub const fn accumulates(self) -> bool {
        matches!(self, Api::Axpy | Api::FusedMulAdd)
    }

    /// Returns true if the call is arithmetic on two vectors.
    pub const fn is_binary(self) -> bool {
        matches!(self, Api::Add | Api::Sub | Api::Mul | Api::Div | Api::Max | Api::Min)
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a == b`
    Eq,
}

impl Compare {
    /// Returns the comparison with its sides swapped; for example, `a < b` becomes `b > a`.
    pub const fn flipped(self) -> Compare {
        match self {
            Compare::Lt => Compare::Gt,
            Compare::Le => Compare::Ge,
            Compare::Gt => Compare::Lt,
            Compare::Ge => Compare::Le,
            Compare::Eq => Compare::Eq,
        }
    }
}

/// The type of a value that a vector call computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// One number per element.
    Data(DType),
    /// One truth value per element, in a byte.
    Byte,
    /// One truth value per element, in a bit.
    Mask,
}

/// The type in which vectors are computed: one `float` per element.
pub const F32: Type = Type::Data(DType::F32);
