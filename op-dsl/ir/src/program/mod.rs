//! Graph -> a straight-line program over columns of elements, which an interpreter runs (`codegen-cpu/src/rt/interpreter`).
//!
//! A value that differs between elements is a *column*; a number, an attribute, and what is computed of these alone is
//! *uniform*: computed once per call. Columns share slots by liveness (linear scan), so that all of them stay in the
//! first cache. A program is data without a level or an element type: macros write it as a constant beside the kernels.

pub mod arms;

use crate::graph::{Graph, Id, Node};
use crate::list::List;
use crate::prim::{Prim, TABLE};
use crate::regions::{costs, is_uniform};
use crate::rounding::Arithmetic;
use arms::{Arm, arms};
use std::borrow::Cow;

/// What an instruction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The elements of the input stream that the first argument counts.
    Load,
    /// The smaller of a value and a number, see `math::at_most`.
    AtMost,
    /// The larger of a value and a number.
    AtLeast,
    /// A primitive.
    Call(Prim),
}

impl Op {
    /// How many there are.
    pub const COUNT: usize = TABLE.len() + 3;

    /// Its place in a table of all.
    pub const fn index(self) -> usize {
        match self {
            Op::Call(prim) => prim as usize,
            Op::Load => TABLE.len(),
            Op::AtMost => TABLE.len() + 1,
            Op::AtLeast => TABLE.len() + 2,
        }
    }
}

/// A value: the slot of a column, or a place among the uniform values (numbers, attributes, results, in this order).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand(pub u16);

impl Operand {
    const COLUMN: u16 = 1 << 15;

    /// The column in this slot.
    pub const fn column(slot: u16) -> Operand {
        Operand(slot | Self::COLUMN)
    }

    /// Whether it is a column.
    pub const fn is_column(self) -> bool {
        self.0 & Self::COLUMN != 0
    }

    /// Its slot, or its place among the uniform values.
    pub const fn index(self) -> usize {
        (self.0 & !Self::COLUMN) as usize
    }
}

/// `to = op(args)`, unless the guard forbids it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What is computed.
    pub op: Op,
    /// The number of its guard, counted from 1; 0: it always runs.
    pub guard: u8,
    /// Where the result goes.
    pub to: Operand,
    /// As many arguments as the primitive has; of a load the stream.
    pub args: [Operand; 3],
}

impl Instruction {
    /// From the numbers of its operands.
    pub const fn new(op: Op, guard: u8, to: u16, [x, y, z]: [u16; 3]) -> Instruction {
        Instruction { op, guard, to: Operand(to), args: [Operand(x), Operand(y), Operand(z)] }
    }
}

/// Instructions that belong to one branch of a choice by an attribute run only if the choice takes that branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The guard of the choice itself, counted from 1; 0: it has none.
    pub outer: u8,
    /// The condition, a uniform value.
    pub condition: Operand,
    /// What it has to be.
    pub holds: bool,
}

/// A graph as instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// What it is evaluated in. Results are rounded to f32 by either.
    pub arithmetic: Arithmetic,
    /// The first of the uniform values.
    pub numbers: List<f64>,
    /// How many attributes follow them.
    pub scalars: u16,
    /// Computes the uniform values that follow those.
    pub uniform: List<Instruction>,
    /// In the order of evaluation, inner guards after outer ones.
    pub guards: List<Guard>,
    /// Computes columns.
    pub code: List<Instruction>,
    /// How many of those are functions, which take far longer than arithmetic.
    pub functions: u16,
    /// How many slots the columns need.
    pub slots: u16,
    /// How many input streams there are: outputs follow them.
    pub inputs: u16,
    /// Bit `k` is whether input `k` is a mask.
    pub masks: u16,
    /// The results.
    pub outputs: List<Operand>,
}

impl Program {
    /// Most slots that columns may need, so that a step of each fits into the interpreter's scratch memory.
    pub const MAX_SLOTS: usize = 192;
    /// Most uniform values.
    pub const MAX_UNIFORM: usize = 1024;
    /// Most guards; the branches of further choices are computed whenever the choices are.
    pub const MAX_GUARDS: usize = 63;

    /// The program of a graph whose input streams are masks or not; `None` if it has primitives that no target computes, or needs
    /// more memory than the interpreter has.
    pub fn of(graph: &Graph, masks: &[bool], arithmetic: Arithmetic) -> Option<Program> {
        let composed = |node: &Node| matches!(node, Node::Call(prim, _) if prim.is_composed());
        if graph.nodes.iter().any(composed) {
            return None;
        }
        let planner = Planner::new(graph);
        let program = planner.program(masks, arithmetic);
        let fits = usize::from(program.slots) <= Self::MAX_SLOTS
            && program.uniform_values() <= Self::MAX_UNIFORM;
        fits.then_some(program)
    }

    /// How many instructions are no functions.
    pub const fn arithmetic(&self) -> usize {
        let all = match &self.code {
            Cow::Borrowed(code) => code.len(),
            Cow::Owned(code) => code.len(),
        };
        all - self.functions as usize
    }

    /// How many uniform values there are.
    pub fn uniform_values(&self) -> usize {
        self.numbers.len() + usize::from(self.scalars) + self.uniform.len()
    }
}

/// A graph whose nodes get their places.
struct Planner<'a> {
    graph: &'a Graph,
    is_uniform: Vec<bool>,
    numbers: Vec<bool>,
    arms: Vec<Option<Arm>>,
    /// The place of each node's value, as soon as it is known.
    places: Vec<Operand>,
}

impl<'a> Planner<'a> {
    fn new(graph: &'a Graph) -> Planner<'a> {
        let places = vec![Operand(0); graph.nodes.len()];
        let (is_uniform, numbers) = (is_uniform(graph), numbers(graph));
        Planner { graph, is_uniform, numbers, arms: arms(graph), places }
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
            masks: masks.iter().rev().fold(0, |bits, mask| bits << 1 | u16::from(*mask)),
            outputs: Cow::Owned(outputs),
        }
    }

    /// The call of node `k`, whose arguments have their places.
    fn instruction(&self, k: usize, prim: Prim, args: [Id; 3], guard: u8) -> Instruction {
        let (op, args) = match (prim, args) {
            (Prim::Min | Prim::Max, [x, bound, _] | [bound, x, _])
                if self.numbers[bound.index()] =>
            {
                let op = if prim == Prim::Min { Op::AtMost } else { Op::AtLeast };
                (op, [x, bound, Id::NONE])
            }
            _ => (Op::Call(prim), args),
        };
        let place = |id: Id| self.places.get(id.index()).copied().unwrap_or(Operand(0));
        Instruction { op, guard, to: self.places[k], args: args.map(place) }
    }

    /// The guards, and of each node its own. Choices come after what belongs to their branches, so outer ones are
    /// numbered first by going backwards.
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

    /// The instructions of all columns, and how many slots they need. Streams are loaded where they are first used.
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
                // A result may take the place of an argument: each element is read before it is written.
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

/// Whether an instruction takes far longer than to load its arguments and to store its result.
fn is_function(instruction: &Instruction) -> bool {
    matches!(instruction.op, Op::Call(prim) if costs(prim))
}

/// Which values are known to be numbers, not NaN: constants, and choices of such.
pub fn numbers(graph: &Graph) -> Vec<bool> {
    let mut numbers: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        numbers.push(match *node {
            Node::Const(c) => !c.is_nan(),
            Node::Call(Prim::Select, [_, yes, no]) => numbers[yes.index()] && numbers[no.index()],
            _ => false,
        });
    }
    numbers
}
