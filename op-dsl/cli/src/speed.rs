//! Estimates of the time that CPUs take for an element in f32, in the accuracy that the author chose and in the other.

use op_dsl_ir::accuracy::FAST_BUDGET;
use op_dsl_ir::op::{Accuracy, Fast, OpDef, Spec};
use op_dsl_ir::univariate::{self, Split, costs};
use op_dsl_ir::{Graph, Node, Prim};

/// Nanoseconds per element on one SIMD level (Zen 4, 2026-11).
struct Rates {
    level: &'static str,
    /// Times of a function such as `exp` and of an arithmetic operation, in f64, by the interpreter.
    in_f64: [f64; 2],
    /// Times of a function such as `exp` and of an arithmetic operation, in f32.
    in_f32: [f64; 2],
    /// Time of a table look-up.
    look_up: f64,
}

const RATES: [Rates; 2] = [
    Rates { level: "AVX2", in_f64: [1.8, 0.12], in_f32: [0.5, 0.03], look_up: 0.45 },
    Rates { level: "AVX-512", in_f64: [1.0, 0.09], in_f32: [0.25, 0.015], look_up: 0.2 },
];

/// Says which accuracy f32 results of a specialisation have, and what the other choice would take.
pub fn accuracy(def: &OpDef, spec: &Spec) -> String {
    let is_fast = match def.accuracy {
        Accuracy::AsWritten => return "that of f32 arithmetic on the formula as written".into(),
        _ if !spec.stages.is_empty() => return "exact; functions of rows have no other".into(),
        accuracy => accuracy == Accuracy::Fast,
    };
    let (own, other) = if is_fast { ("fast", "exact") } else { ("exact", "fast") };
    let same = |why: &str| format!("{own}; `accuracy = \"{other}\"` would take the same: {why}");
    let inputs = def.input_streams().len();
    let Some(wide) = spec.wide.as_ref().filter(|wide| wide.single) else {
        return same("f32 has all digits");
    };
    if univariate::split(&wide.graph, inputs).is_some() {
        return same("tables have all digits");
    }
    let fast = match is_fast {
        true => wide.fast,
        false => Fast::of(&spec.traced, [&spec.graph, &wide.graph], &def.stream_ranges(), inputs),
    };
    let split = fast.tables.and_then(|tables| tables.split([&spec.graph, &wide.graph], inputs));
    if !fast.serves() {
        return same(&format!(
            "f32 does not reach {FAST_BUDGET} ulp of the largest addend, so that f64 stays"
        ));
    }
    let times = RATES.map(|rates| {
        let fast = match &split {
            Some(split) => rates.by_tables(split),
            None => rates.time(&spec.graph, rates.in_f32),
        };
        let exact = rates.time(&wide.graph, rates.in_f64);
        let [this, that] = if is_fast { [fast, exact] } else { [exact, fast] };
        format!("{that:.1} instead of {this:.1} ns an element with {}", rates.level)
    });
    format!("{own}; `accuracy = \"{other}\"` would take about {}", times.join(", "))
}

impl Rates {
    /// Returns the time of functions and of arithmetic in a graph, without what depends on attributes alone.
    fn time(&self, graph: &Graph, [function, operation]: [f64; 2]) -> f64 {
        let uniform = graph.uniform();
        let of = |(node, uniform): (&Node, &bool)| match node {
            Node::Call(..) if *uniform => 0.0,
            Node::Call(prim, _) if costs(*prim) => function,
            Node::Call(Prim::Div | Prim::Sqrt, _) => 4.0 * operation,
            Node::Call(..) => operation,
            _ => 0.0,
        };
        graph.nodes.iter().zip(&uniform).map(of).sum()
    }

    fn by_tables(&self, split: &Split) -> f64 {
        self.look_up * split.functions.len() as f64 + self.time(&split.rest, self.in_f32)
    }
}
