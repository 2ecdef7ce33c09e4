//! Lowers a graph to a straight-line program over columns of elements.
//!
//! An interpreter runs the program (`codegen-cpu/src/rt/interpreter`). A value that differs between elements is a
//! *column*. Numbers, attributes and values computed from these alone are *uniform*: they are computed once per call.
//! Columns share slots by liveness (linear scan), so that all of them stay in the first-level cache. A program is
//! data that depends on no SIMD level and no element type: macros write it as a constant beside the kernels.

pub mod arms;

use crate::analysis::Visit;
use crate::graph::{Graph, Id, Node};
use crate::list::List;
use crate::prim::{Prim, TABLE};
use crate::rounding::Arithmetic;
use crate::univariate::costs;
use arms::{Arm, arms};
use std::borrow::Cow;

/// The operation of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Loads the input stream whose index is the first argument.
    Load,
    /// The smaller of a value and a bound that is never NaN, see `math::at_most`.
    AtMost,
    /// The larger of a value and a bound that is never NaN.
    AtLeast,
    /// `e^x` to a few more digits than f32 has, see [`Program::of_rows`].
    ExpToF32,
    /// A primitive of the primitive table, for example an addition or an exponential.
    Call(Prim),
}

impl Op {
    /// Number of distinct operations: all primitives, and the four other variants.
    pub const COUNT: usize = TABLE.len() + 4;

    /// Returns the operation's index, below [`Op::COUNT`], in an array with one entry per operation.
    pub const fn index(self) -> usize {
        match self {
            Op::Call(prim) => prim as usize,
            Op::Load => TABLE.len(),
            Op::AtMost => TABLE.len() + 1,
            Op::AtLeast => TABLE.len() + 2,
            Op::ExpToF32 => TABLE.len() + 3,
        }
    }
}

/// Reference to a value: the slot of a column, or an index among the uniform values.
///
/// A column has one value per element, a uniform value one per call. Uniform values are numbered in this order:
/// constants, attributes, results computed from these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand(pub u16);

impl Operand {
    const COLUMN: u16 = 1 << 15;

    /// Returns the operand for the column in this slot.
    pub const fn column(slot: u16) -> Operand {
        Operand(slot | Self::COLUMN)
    }

    /// Returns true for a column (one value per element), false for a uniform value (one per call).
    pub const fn is_column(self) -> bool {
        self.0 & Self::COLUMN != 0
    }

    /// Returns the slot of a column, or the index of a uniform value.
    pub const fn index(self) -> usize {
        (self.0 & !Self::COLUMN) as usize
    }
}

/// `to = op(args)`, skipped if the instruction's guard does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Operation to compute.
    pub op: Op,
    /// Number of the instruction's guard, counted from 1; 0 if the instruction always runs.
    pub guard: u8,
    /// Column or uniform value that receives the result.
    pub to: Operand,
    /// Arguments of the operation; entries beyond the number that it takes are unused.
    ///
    /// The only argument of a load is the index of the input stream.
    pub args: [Operand; 3],
}

impl Instruction {
    /// Returns an instruction from the raw numbers of its operands.
    pub const fn new(op: Op, guard: u8, to: u16, [x, y, z]: [u16; 3]) -> Instruction {
        Instruction { op, guard, to: Operand(to), args: [Operand(x), Operand(y), Operand(z)] }
    }
}

/// A condition on attributes, under which the instructions of one branch of a `select` run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Number, from 1, of the guard under which the `select` with this branch runs; 0 if it always runs.
    pub outer: u8,
    /// The condition, which is a uniform value (one per call); zero means false.
    pub condition: Operand,
    /// Truth value that the condition must have for the guarded instructions to run.
    pub holds: bool,
}

/// A graph lowered to straight-line instructions for the interpreter.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Arithmetic of the evaluation; results are rounded to f32 in either case.
    pub arithmetic: Arithmetic,
    /// Values of the constants, which have the first indices among the uniform values (one per call).
    pub numbers: List<f64>,
    /// Number of attributes, which have the next indices among the uniform values after the constants.
    pub scalars: u16,
    /// Instructions, run once per call, that compute uniform values from constants and attributes.
    pub uniform: List<Instruction>,
    /// Conditions of branches of `select`s; those of an inner `select` come after those of the outer one.
    pub guards: List<Guard>,
    /// Instructions that compute columns, the values that differ between elements.
    pub code: List<Instruction>,
    /// Number of instructions in `code` that are functions, for example `exp`.
    ///
    /// A function takes far longer than arithmetic.
    pub functions: u16,
    /// Number of slots in scratch memory that the columns need.
    pub slots: u16,
    /// Number of input streams. Output streams are numbered after the inputs.
    pub inputs: u16,
    /// Bit `k` is 1 if input stream `k` is a mask (true or false per element).
    pub masks: u16,
    /// Bit `k` is 1 if output stream `k` has a type of its own, to which numbers in f32 are converted.
    pub results: u16,
    /// Whether some stream has numbers of a type of its own, so that all are computed as accurately as f32 needs them.
    pub is_mixed: bool,
    /// Operands that hold the graph's outputs, in their order.
    pub outputs: List<Operand>,
}

impl Program {
    /// Maximum number of slots for columns, limited by the interpreter's scratch memory.
    ///
    /// A slot holds one step of a column: the elements that the interpreter computes at a time.
    pub const MAX_SLOTS: usize = 192;
    /// Maximum number of uniform values: constants, attributes and results computed from these.
    pub const MAX_UNIFORM: usize = 1024;
    /// Maximum number of guards.
    ///
    /// The branches of any further `select` have no guard of their own: both run whenever the `select` runs.
    pub const MAX_GUARDS: usize = 63;

    /// Lowers a graph to a program. `masks` is true for each input stream that is a mask.
    ///
    /// Returns `None` if the graph has primitives that no target computes, or needs more memory than the interpreter
    /// has.
    pub fn of(graph: &Graph, masks: &[bool], arithmetic: Arithmetic) -> Option<Program> {
        Program::with(graph, masks, arithmetic, vec![false; graph.nodes.len()])
    }

    /// As [`Program::of`], for a graph of a formula with row functions.
    ///
    /// In f64, exponentials that are only multiplied and added then have no more digits than their results need.
    pub fn of_rows(graph: &Graph, masks: &[bool], arithmetic: Arithmetic) -> Option<Program> {
        let rounded = rounded_exponentials(graph, arithmetic);
        Program::with(graph, masks, arithmetic, rounded)
    }

    fn with(
        graph: &Graph,
        masks: &[bool],
        arithmetic: Arithmetic,
        rounded: Vec<bool>,
    ) -> Option<Program> {
        let composed = |node: &Node| matches!(node, Node::Call(prim, _) if prim.is_composed());
        if graph.nodes.iter().any(composed) {
            return None;
        }
        let planner = Planner::new(graph, rounded);
        let program = planner.program(masks, arithmetic);
        let fits = usize::from(program.slots) <= Self::MAX_SLOTS
            && program.uniform_values() <= Self::MAX_UNIFORM;
        fits.then_some(program)
    }

    /// Returns the number of instructions in `code` that are arithmetic, not functions such as `exp`.
    pub const fn arithmetic(&self) -> usize {
        let all = match &self.code {
            Cow::Borrowed(code) => code.len(),
            Cow::Owned(code) => code.len(),
        };
        all - self.functions as usize
    }

    /// Returns the number of uniform values: constants, attributes and results computed from these.
    pub fn uniform_values(&self) -> usize {
        self.numbers.len() + usize::from(self.scalars) + self.uniform.len()
    }
}

/// State of the lowering: the graph, its analyses, and the operands assigned so far.
struct Planner<'a> {
    graph: &'a Graph,
    is_uniform: Vec<bool>,
    numbers: Vec<bool>,
    arms: Vec<Option<Arm>>,
    /// Per node, whether it is an exponential of few digits.
    rounded: Vec<bool>,
    /// Operand that holds each node's value; `Operand(0)` until one is assigned.
    places: Vec<Operand>,
}

impl<'a> Planner<'a> {
    fn new(graph: &'a Graph, rounded: Vec<bool>) -> Planner<'a> {
        let places = vec![Operand(0); graph.nodes.len()];
        let (is_uniform, numbers) = (graph.uniform(), numbers(graph));
        Planner { graph, is_uniform, numbers, arms: arms(graph), rounded, places }
    }

    fn program(mut self, masks: &[bool], arithmetic: Arithmetic) -> Program {
        let graph = self.graph;
        let mut numbers = Vec::new();
        let mut scalars = 0;
        for (place, node) in self.places.iter_mut().zip(graph.nodes.iter()) {
            match *node {
                Node::Const(c) => {
                    *place = Operand(numbers.len() as u16);
                    numbers.push(c);
                }
                Node::Scalar(k) => scalars = scalars.max(k + 1),
                _ => {}
            }
        }
        let first = numbers.len() as u16;
        let mut uniform = Vec::new();
        for (k, node) in graph.nodes.iter().enumerate().filter(|(k, _)| self.is_uniform[*k]) {
            match *node {
                Node::Scalar(scalar) => self.places[k] = Operand(first + scalar),
                Node::Call(prim, args) => {
                    self.places[k] = Operand(first + scalars + uniform.len() as u16);
                    uniform.push(self.instruction(k, prim, args, 0));
                }
                Node::Const(_) | Node::Stream(_) => {}
            }
        }
        let (guards, guard_of) = self.guards();
        let (code, slots) = self.columns(&guard_of);
        let outputs = graph.outputs.iter().map(|id| self.places[id.index()]).collect();
        Program {
            arithmetic,
            numbers: Cow::Owned(numbers),
            scalars,
            uniform: Cow::Owned(uniform),
            guards: Cow::Owned(guards),
            functions: code.iter().filter(|instruction| is_function(instruction)).count() as u16,
            code: Cow::Owned(code),
            slots,
            inputs: masks.len() as u16,
            results: 0,
            is_mixed: false,
            masks: masks.iter().rev().fold(0, |bits, mask| bits << 1 | u16::from(*mask)),
            outputs: Cow::Owned(outputs),
        }
    }

    /// Returns the instruction for node `k`, a call whose arguments have operands in `places`.
    fn instruction(&self, k: usize, prim: Prim, args: [Id; 3], guard: u8) -> Instruction {
        let (op, args) = match (prim, args) {
            (Prim::Min | Prim::Max, [x, bound, _] | [bound, x, _])
                if self.numbers[bound.index()] =>
            {
                let op = if prim == Prim::Min { Op::AtMost } else { Op::AtLeast };
                (op, [x, bound, Id::NONE])
            }
            _ if self.rounded[k] => (Op::ExpToF32, args),
            _ => (Op::Call(prim), args),
        };
        let place = |id: Id| self.places.get(id.index()).copied().unwrap_or(Operand(0));
        Instruction { op, guard, to: self.places[k], args: args.map(place) }
    }

    /// Returns all guards, and per node the number of its guard, counted from 1 (0 if it has none).
    ///
    /// A select comes after the nodes of its branches, so going backwards numbers outer guards first.
    fn guards(&self) -> (Vec<Guard>, Vec<u8>) {
        let (mut known, mut guards): (Vec<Arm>, Vec<Guard>) = (Vec::new(), Vec::new());
        let mut own = vec![0; self.arms.len()];
        for k in (0..self.arms.len()).rev() {
            let Some(arm) = self.arms[k] else { continue };
            let (choice, holds) = arm;
            let place = known.iter().position(|other| *other == arm).unwrap_or(known.len());
            if place == Program::MAX_GUARDS {
                own[k] = own[choice];
                continue;
            }
            if place == known.len() {
                let condition = self.places[self.graph.nodes[choice].args()[0].index()];
                known.push(arm);
                guards.push(Guard { outer: own[choice], condition, holds });
            }
            own[k] = place as u8 + 1;
        }
        (guards, own)
    }

    /// Returns the instructions that compute all columns, and the number of slots that these need.
    ///
    /// Streams are loaded where they are first used. `guard_of` has the number of each node's guard.
    fn columns(&mut self, guard_of: &[u8]) -> (Vec<Instruction>, u16) {
        let graph = self.graph;
        let mut order = Vec::new();
        let mut is_loaded = vec![false; graph.nodes.len()];
        let mut load = |ids: &[Id], order: &mut Vec<usize>| {
            for id in ids {
                let is_stream = matches!(graph.nodes[id.index()], Node::Stream(_));
                if is_stream && !core::mem::replace(&mut is_loaded[id.index()], true) {
                    order.push(id.index());
                }
            }
        };
        for (k, node) in graph.nodes.iter().enumerate().filter(|(k, _)| !self.is_uniform[*k]) {
            if let Node::Call(..) = node {
                load(node.args(), &mut order);
                order.push(k);
            }
        }
        load(&graph.outputs, &mut order);

        let mut last = vec![0; graph.nodes.len()];
        for (at, k) in order.iter().enumerate() {
            graph.nodes[*k].args().iter().for_each(|id| last[id.index()] = at);
        }
        graph.outputs.iter().for_each(|id| last[id.index()] = usize::MAX);

        let (mut free, mut slots, mut code) = (Vec::new(), 0, Vec::new());
        for (at, k) in order.into_iter().enumerate() {
            let node = graph.nodes[k];
            let args: Vec<Operand> = node.args().iter().map(|id| self.places[id.index()]).collect();
            for (id, place) in node.args().iter().zip(args) {
                // A result may reuse the slot of an argument, because each element is read before it is written.
                if place.is_column() && last[id.index()] == at && !free.contains(&place.0) {
                    free.push(place.0);
                }
            }
            self.places[k] = Operand(free.pop().unwrap_or_else(|| {
                slots += 1;
                Operand::column(slots - 1).0
            }));
            code.push(match node {
                Node::Call(prim, args) => self.instruction(k, prim, args, guard_of[k]),
                Node::Stream(stream) => {
                    let args = [Operand(stream), Operand(0), Operand(0)];
                    Instruction { op: Op::Load, guard: 0, to: self.places[k], args }
                }
                Node::Scalar(_) | Node::Const(_) => continue, // uniform
            });
        }
        (code, slots)
    }
}

/// Returns whether an instruction takes far longer than loading its arguments and storing its result.
fn is_function(instruction: &Instruction) -> bool {
    matches!(instruction.op, Op::Call(prim) if costs(prim))
}

/// Returns, per node, whether it is an exponential in f64 whose digits beyond those of f32 show in no result.
///
/// Results are sums of products of it, so that its error is a small part of a unit of the sum of magnitudes.
pub fn rounded_exponentials(graph: &Graph, arithmetic: Arithmetic) -> Vec<bool> {
    let is_exp = |id: Id| matches!(graph.nodes[id.index()], Node::Call(Prim::Exp, _));
    let uniform = graph.uniform();
    let is_rounded = |id: Id| is_exp(id) && !uniform[id.index()] && graph.is_multiplied(id);
    graph.ids().map(|id| arithmetic == Arithmetic::F64 && is_rounded(id)).collect()
}

/// Returns, per node, whether its value is known not to be NaN.
///
/// That holds for constants other than NaN, and for selects between such nodes.
pub fn numbers(graph: &Graph) -> Vec<bool> {
    graph.forward(|at: Visit<'_, bool>| match at.node {
        Node::Const(c) => !c.is_nan(),
        Node::Call(Prim::Select, [_, yes, no]) => at[yes] && at[no],
        _ => false,
    })
}
