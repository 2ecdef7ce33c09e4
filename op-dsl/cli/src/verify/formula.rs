//! One specialisation as a function of its activation: reference values, zero crossings, budget.

use crate::roles;
use codegen_cpu::rt::call::Operator;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::op::{AttrKind, Gate, Kind, Part, Spec, Value};
use op_dsl_ir::{Graph, Node, Prim};
use op_dsl_truth::format::pow2;

/// Values this small between a zero crossing and its neighbourhood's edge are measured in the
/// units of this one.
const NEAR_ZERO: f64 = 1.0 / 128.0;

/// What everything but the activation is.
pub const OTHERS: f64 = 1.0;

/// An operator with its attributes fixed.
pub struct Formula {
    pub op: &'static Operator,
    pub spec: &'static Spec,
    pub attrs: Vec<Value>,
    /// `tanh`; `formula` if the operator has but one.
    pub mode: String,
    /// Index of the input stream that is swept.
    pub activation: usize,
    pub scalars: Vec<f64>,
    /// Per output stream: where the activation is near a value that makes it cross zero.
    crossings: Vec<Vec<(f64, f64)>>,
}

/// Every attribute for a specialisation: as it was specialised, else the default.
pub fn attributes(op: &Operator, spec: &Spec) -> Vec<Value> {
    let mut values = op.default_attrs();
    for &(index, v) in spec.when.iter() {
        values[index] = match op.def().attrs[index].kind {
            AttrKind::Bool => Value::Bool(v != 0),
            _ => Value::Int(v),
        };
    }
    values
}

/// `tanh`, `flag=true`; `formula` without any.
pub fn mode(op: &Operator, spec: &Spec) -> String {
    let of = |&(index, v): &(usize, i64)| {
        let attr = &op.def().attrs[index];
        match &attr.kind {
            AttrKind::Enum { variants, .. } => {
                let named = variants.iter().find(|known| known.value == v);
                named.map_or_else(|| v.to_string(), |known| known.name.to_string())
            }
            AttrKind::Bool => format!("{}={}", attr.name, v != 0),
            _ => format!("{}={v}", attr.name),
        }
    };
    let parts: Vec<String> = spec.when.iter().map(of).collect();
    if parts.is_empty() { "formula".into() } else { parts.join("+") }
}

impl Formula {
    pub fn new(op: &'static Operator, spec: &'static Spec) -> Formula {
        let mut attrs = attributes(op, spec);
        if let Some(split) = &op.def().split {
            attrs[split.dim] = Value::Int(0); // rows: see `Formula::place`
        }
        let float = |v: &Value| if let Value::Float(f) = v { Some(*f) } else { None };
        let mut formula = Formula {
            op,
            spec,
            mode: mode(op, spec),
            activation: roles::activation(op.def()),
            scalars: attrs.iter().filter_map(float).collect(),
            attrs,
            crossings: Vec::new(),
        };
        formula.crossings = formula.find_crossings();
        formula
    }

    /// The shape that holds `n` elements of every stream of a tensor: one row per part.
    pub fn shape(&self, kind: Kind, n: usize) -> Vec<usize> {
        match (kind, self.op.def().split.is_some()) {
            (_, false) => vec![n],
            (Kind::Whole, true) => vec![1, n],
            (Kind::Gated, true) => vec![2, n],
        }
    }

    /// The row of a gated tensor that a part is.
    pub fn row(&self, part: Part) -> usize {
        let left = match self.op.def().split.as_ref().map(|s| s.gate) {
            Some(Gate::LeftIf(i)) => self.attrs[i].as_int() == Some(1),
            gate => gate == Some(Gate::Left),
        };
        match part {
            Part::Whole => 0,
            Part::Gate => !left as usize,
            Part::Value => left as usize,
        }
    }

    pub fn reference(&self) -> Reference<'_> {
        Reference::new(self)
    }

    /// The unit that the error at `x` is measured in, where it is larger than the value's own.
    pub fn unit(&self, output: usize, x: f64) -> f64 {
        let near = |&(lo, hi): &(f64, f64)| lo <= x && x <= hi;
        if self.crossings[output].iter().any(near) { NEAR_ZERO * pow2(-23) } else { 0.0 }
    }

    fn find_crossings(&self) -> Vec<Vec<(f64, f64)>> {
        let mut reference = self.reference();
        let outputs = self.spec.graph.outputs.len();
        let mut found = vec![Vec::new(); outputs];
        let step = 1.0 / 64.0;
        for (k, found) in found.iter_mut().enumerate() {
            let mut value = |x: f64| reference.at(x)[k];
            for i in -2560..2560 {
                let (mut lo, mut hi) = (f64::from(i) * step, f64::from(i + 1) * step);
                let (at_lo, at_hi) = (value(lo), value(hi));
                // A crossing at zero itself needs no leniency: the floats around it are dense.
                if at_lo == 0.0 || at_hi == 0.0 || (at_lo < 0.0) == (at_hi < 0.0) {
                    continue;
                }
                for _ in 0..60 {
                    let middle = 0.5 * (lo + hi);
                    if (value(middle) < 0.0) == (at_lo < 0.0) { lo = middle } else { hi = middle }
                }
                let mut edge = |from: f64, step: f64| {
                    let near = |k: &i32| value(from + f64::from(*k) * step).abs() < NEAR_ZERO;
                    let last = (0..4096).take_while(near).last().unwrap_or(0);
                    from + f64::from(last) * step
                };
                found.push((edge(lo, -1.0 / 4096.0), edge(hi, 1.0 / 4096.0)));
            }
        }
        found
    }

    /// Budget of an output in f32: the table's errors of the primitives that the activation runs
    /// through, and half a unit for each further rounding.
    pub fn budget(&self, output: usize, level: Level) -> f64 {
        let graph = &self.spec.graph;
        let reference = self.reference();
        let mut needed = vec![false; graph.nodes.len()];
        needed[graph.outputs[output].index()] = true;
        let mut budget = 0.0;
        for i in (0..graph.nodes.len()).rev() {
            if !needed[i] || !reference.varies[i] {
                continue;
            }
            graph.nodes[i].args().iter().for_each(|a| needed[a.index()] = true);
            if let Node::Call(prim, _) = graph.nodes[i] {
                let (fma, baseline) = prim.row().ulp;
                let own = if level.has_fma() { fma } else { baseline };
                if !is_exact(prim, graph.nodes[i].args(), &reference) {
                    budget += f64::from(own);
                }
            }
        }
        f64::max(budget, 0.5)
    }
}

/// Whether a product or quotient only shifts the exponent: all factors but one are powers of two.
fn is_exact(prim: Prim, args: &[op_dsl_ir::Id], reference: &Reference<'_>) -> bool {
    let shifts = |id: &op_dsl_ir::Id| {
        let v = reference.values[id.index()];
        !reference.varies[id.index()] && v.is_normal() && v.to_bits() << 12 == 0
    };
    match prim {
        Prim::Mul | Prim::Mul3 => args.iter().filter(|a| !shifts(a)).count() <= 1,
        Prim::Div => args.last().is_some_and(shifts),
        _ => false,
    }
}

/// The graph in f64 by the table's oracles. What does not depend on the activation is computed
/// once.
pub struct Reference<'f> {
    graph: &'f Graph,
    activation: usize,
    varies: Vec<bool>,
    values: Vec<f64>,
    outputs: Vec<f64>,
}

impl<'f> Reference<'f> {
    fn new(formula: &'f Formula) -> Reference<'f> {
        let graph = &formula.spec.graph;
        let streams = vec![OTHERS; formula.op.def().input_streams().len()];
        let mut varies = Vec::with_capacity(graph.nodes.len());
        for node in graph.nodes.iter() {
            let own = matches!(node, Node::Stream(s) if *s as usize == formula.activation);
            let inherited = node.args().iter().any(|a| varies[a.index()]);
            varies.push(own || inherited);
        }
        let values = graph.eval_all(&streams, &formula.scalars);
        let outputs = vec![0.0; graph.outputs.len()];
        Reference { graph, activation: formula.activation, varies, values, outputs }
    }

    /// Every output where the activation is `x`.
    pub fn at(&mut self, x: f64) -> &[f64] {
        for (i, node) in self.graph.nodes.iter().enumerate() {
            match *node {
                Node::Stream(s) if s as usize == self.activation => self.values[i] = x,
                Node::Call(prim, args) if self.varies[i] => {
                    let arg = |k: usize| self.values.get(args[k].index()).copied();
                    let args = [0, 1, 2].map(|k| arg(k).unwrap_or(f64::NAN));
                    self.values[i] = (prim.row().oracle)(args);
                }
                _ => {}
            }
        }
        for (out, id) in self.outputs.iter_mut().zip(self.graph.outputs.iter()) {
            *out = self.values[id.index()];
        }
        &self.outputs
    }
}
