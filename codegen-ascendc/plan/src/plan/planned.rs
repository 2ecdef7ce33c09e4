//! The result of planning: one specialisation of an operator on one target, with all decisions made.

use super::accuracy::Accuracy;
use super::cost::Cost;
use super::instr::{Buffer, Instr};
use super::registers::Registers;
use super::skipped::picked;
use crate::arch::{Inaccurate, Soc};
use crate::sequence::form::{Digits, Limits};
use crate::sequence::{Api, Overload, Scalar};
use crate::tiling::Need;
use op_dsl_ir::op::Rule;
use op_dsl_ir::{DType, Graph, Id, Prim};

/// One specialisation of an operator on one target, lowered to vector calls.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the operator.
    pub op: String,
    /// Index of the specialisation.
    pub spec: usize,
    /// Element type of the tensors.
    pub dtype: DType,
    /// The target: a system on chip.
    pub soc: &'static Soc,
    /// Promise about results at infinite inputs: exact limits, or none.
    pub limits: Limits,
    /// Accuracy class of the sequences of vector calls that compute the primitives.
    pub digits: Digits,
    /// The graph that was lowered: that of the specialisation, or a rewritten one.
    ///
    /// Where a univariate function is computed by a sequence of its own, its value is an additional stream of this graph, numbered
    /// after those of the operator. Uniform scalars refer to nodes of this graph.
    pub graph: Graph,
    /// Names of the primitives of the formula that are not correctly rounded.
    pub functions: Vec<&'static str>,
    /// Smooth primitives of the graph, each with the name of the sequence of vector calls for it.
    pub forms: Vec<(Prim, &'static str)>,
    /// Names of the input streams; `None` for streams that are not read.
    pub inputs: Vec<Option<String>>,
    /// Names of the output streams.
    pub outputs: Vec<String>,
    /// The vector calls that process 64 elements at a time in registers.
    ///
    /// `None` if the plan calls on tensors instead, as listed in `instrs`.
    pub registers: Option<Registers>,
    /// The vector calls that process a tile in UB; empty if the plan computes in registers.
    pub instrs: Vec<Instr>,
    /// Vectors of equal numbers, filled once per kernel, 256 bytes each.
    pub splats: Vec<Scalar>,
    /// Number of temporary buffers of `float`.
    pub temps: usize,
    /// Number of temporary buffers of the tensors' 16-bit type.
    pub halves: usize,
    /// Number of temporary buffers of mask bits.
    pub masks: usize,
    /// UB (unified buffer) requirement of a tile.
    pub need: Need,
    /// Elements of the largest tile that fits into the UB that the platform reports for `soc`.
    pub tile: u64,
    /// Estimated cost of the largest tile.
    pub cost: Cost,
    /// Largest error found, over default and other values of the attributes.
    pub accuracy: Accuracy,
    /// Input streams at whose infinities the plan gives NaN in places where the formula is infinite.
    pub lost: Vec<usize>,
    /// Plans of the stages of a formula with row functions, whose calls the kernel makes instead of `instrs`.
    pub rows: Option<Box<RowPlans>>,
}

impl Plan {
    /// Number of type conversions among [`Cost::calls`].
    pub fn casts(&self) -> usize {
        let on_tensors = self.instrs.iter().filter(|i| matches!(i.api, Api::Cast(_))).count();
        on_tensors + self.registers.as_ref().map_or(0, |r| r.work(self.soc.arch).casts)
    }

    /// Returns the bound of a clamp that the kernel skips where attributes make the bound infinite.
    ///
    /// The bound is a node of the plan's graph. Returns `None` for all other calls.
    pub fn bound(&self, instr: &Instr) -> Option<Id> {
        picked(&self.graph, instr)
    }

    /// Returns true if some call processes only whole repeats of 256 bytes, as comparisons do.
    pub fn whole_repeats(&self) -> bool {
        self.masks > 0
            || self.instrs.iter().any(|i| i.overload == Overload::Repeats && i.api == Api::Select)
    }

    /// Bytes of UB per element of a tile.
    pub fn bytes_per_element(&self) -> f64 {
        self.need.dense.bits as f64 / 8.0
    }

    /// Bytes of UB that the largest tile occupies.
    pub fn ub_used(&self) -> u64 {
        // Rows of the largest tile have one buffer in each queue.
        let rows = self.need.small.filter(|_| self.rows.is_some());
        let used = rows.unwrap_or(self.need.dense);
        used.fixed + self.tile * used.bits / 8
    }

    /// Returns the plans whose vector calls the kernel makes: those of its parts, or this plan if it has none.
    pub fn kernels(&self) -> Vec<&Plan> {
        self.rows.as_ref().map_or_else(|| vec![self], |rows| rows.all().collect())
    }

    /// Returns the name of a buffer: that of its stream, or for example `t0`, `h0`, `m0` for a temporary.
    pub fn buffer(&self, buffer: Buffer) -> String {
        match buffer {
            Buffer::In(k) => self.inputs[k].clone().unwrap_or_default(),
            Buffer::Out(k) => self.outputs[k].clone(),
            Buffer::Temp(k) => format!("t{k}"),
            Buffer::Half(k) => format!("h{k}"),
            Buffer::Mask(k) => format!("m{k}"),
        }
    }

    /// Describes the worst result; `None` if it is within the error budget.
    pub fn inaccurate(&self) -> Option<Inaccurate> {
        if let Some(rows) = &self.rows {
            return rows.plans().find_map(Plan::inaccurate);
        }
        let Accuracy { error, budget, worst: Some(worst) } = &self.accuracy else { return None };
        if self.accuracy.is_good() {
            return None;
        }
        let by = match self.functions.join(", ") {
            functions if functions.is_empty() => functions,
            functions => format!(" by {functions}"),
        };
        let read = self.inputs.iter().zip(&worst.streams);
        let at: Vec<String> =
            read.filter_map(|(name, v)| Some(format!("{} = {v:e}", name.as_ref()?))).collect();
        Some(Inaccurate {
            function: format!("`{}`{by}", self.outputs[worst.output]),
            at: at.join(", "),
            values: [worst.got, worst.want],
            ulp: [*error, *budget],
        })
    }
}

/// Plans of the stages of a formula with row functions, and of its results.
#[derive(Clone, Debug)]
pub struct RowPlans {
    /// The stages, in order.
    pub stages: Vec<RowStage>,
    /// The plan of the results that have a number per element; `None` if there are none.
    pub results: Option<Box<Plan>>,
    /// Number of input streams of the operator; those of stages follow.
    pub own: usize,
    /// Input streams of the operator that have one number per row.
    pub given: Vec<usize>,
    /// Output streams of the operator that have one number per row. The last stages compute them, in this order.
    pub returned: Vec<usize>,
    /// Output streams of the operator whose tensors hold integers of 8 bits, each with the plan that rounds a result to them.
    pub integers: Vec<(usize, Box<Plan>)>,
    /// Largest number of values of rows that one plan reads, each repeated along its row.
    pub repeated: usize,
}

/// A stage: the plan of its terms or value, and where the value is read.
#[derive(Clone, Debug)]
pub struct RowStage {
    /// How the value is computed.
    pub rule: Rule,
    /// Stream of the value, one number per row.
    pub value: usize,
    /// Stream of the terms, if a later stage reads them.
    pub terms: Option<usize>,
    /// Where the terms come from.
    pub from: Terms,
}

/// Source of the terms of a stage.
#[derive(Clone, Debug)]
pub enum Terms {
    /// The elements of this stream of the operator, as they are.
    Stream(usize),
    /// The vector calls of a plan.
    Plan(Box<Plan>),
}

impl RowPlans {
    /// Returns all plans: those of the formula, after those that round its results to integers.
    pub fn all(&self) -> impl Iterator<Item = &Plan> {
        self.integers.iter().map(|(_, plan)| &**plan).chain(self.plans())
    }

    /// Returns the plans of the formula: those of stages, then that of the results.
    pub fn plans(&self) -> impl Iterator<Item = &Plan> {
        self.stages.iter().filter_map(RowStage::plan).chain(self.results.as_deref())
    }

    /// Returns the streams with one number per row that a plan reads: values of stages, then inputs.
    pub fn values_of(&self, plan: &Plan) -> Vec<usize> {
        let is_read = |stream: &usize| plan.inputs.get(*stream).is_some_and(Option::is_some);
        let values = self.stages.iter().map(|stage| stage.value);
        values.chain(self.given.iter().copied()).filter(is_read).collect()
    }

    /// Returns the index of the column that holds a stream with one number per row: those of stages come first, then one for the
    /// length of the row, then those of inputs.
    pub fn column(&self, stream: usize) -> usize {
        let given = || self.given.iter().position(|given| *given == stream).unwrap_or(0);
        let stage = self.stages.iter().position(|stage| stage.value == stream);
        stage.unwrap_or_else(|| self.stages.len() + 1 + given())
    }

    /// Returns the stage that computes the `k`-th output with one number per row.
    pub fn returned_by(&self, k: usize) -> usize {
        self.stages.len() - self.returned.len() + k
    }

    /// Returns the streams with terms that later stages read.
    pub fn kept(&self) -> impl Iterator<Item = usize> {
        self.stages.iter().filter_map(|stage| stage.terms)
    }

    /// Returns the number of temporary buffers: of `float`, and of mask bits.
    pub fn temporaries(&self) -> [usize; 2] {
        let most = |of: fn(&Plan) -> usize| self.all().map(of).max().unwrap_or(0);
        [most(|plan| plan.temps), most(|plan| plan.masks)]
    }
}

impl RowStage {
    /// Returns the plan of the stage; `None` if its terms are elements of a stream.
    pub fn plan(&self) -> Option<&Plan> {
        match &self.from {
            Terms::Plan(plan) => Some(plan),
            Terms::Stream(_) => None,
        }
    }
}
