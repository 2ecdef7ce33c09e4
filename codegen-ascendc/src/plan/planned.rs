//! An operator on a target, with everything decided.

use super::accuracy::Accuracy;
use super::cost::Cost;
use super::instr::Instr;
use super::registers::Registers;
use crate::arch::Soc;
use crate::sequence::Scalar;
use crate::sequence::form::{Digits, Limits};
use op_dsl_ir::tiling::Need;
use op_dsl_ir::{DType, Graph, Prim};

/// An operator on a target.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The operator.
    pub op: String,
    /// Index of the specialisation.
    pub spec: usize,
    /// Element type of the tensors.
    pub dtype: DType,
    /// The target.
    pub soc: &'static Soc,
    /// What is promised at infinity.
    pub limits: Limits,
    /// The digits that its forms keep.
    pub digits: Digits,
    /// What was lowered: that of the specialisation, or the same with functions of one value apart,
    /// whose values are streams behind those of the operator. Scalars are nodes of it.
    pub graph: Graph,
    /// Names of the functions that its formula calls.
    pub functions: Vec<&'static str>,
    /// Smooth primitives and the forms they took.
    pub forms: Vec<(Prim, &'static str)>,
    /// Names of the input streams; `None` for those that are not read.
    pub inputs: Vec<Option<String>>,
    /// Names of the output streams.
    pub outputs: Vec<String>,
    /// The calls of a step of 64 elements, if they are on registers: then there are none on a tile.
    pub registers: Option<Registers>,
    /// The calls of a tile.
    pub instrs: Vec<Instr>,
    /// Hoisted vectors, 256 bytes each.
    pub splats: Vec<Scalar>,
    /// Temporary buffers in `float`.
    pub temps: usize,
    /// Temporary buffers in the tensors' 16-bit type.
    pub halves: usize,
    /// Temporary buffers of bits.
    pub masks: usize,
    /// What a tile needs of UB.
    pub need: Need,
    /// Elements of the largest tile, in the UB that the platform reports for `soc`.
    pub tile: u64,
    /// What it costs.
    pub cost: Cost,
    /// How far its results are off, where attributes are what they are by default.
    pub accuracy: Accuracy,
    /// Input streams whose infinities give NaN in places where the formula gives one.
    pub lost: Vec<usize>,
}
