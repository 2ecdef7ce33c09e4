//! How accurate results are: errors against the formula in f64, in units in the last place, relative near zeros.
//!
//! The budget of a result is that of its element type ([`BUDGET`]). What adds to it is rounding that no sequence avoids:
//!
//! - In `float`, what as many half units in the inputs would change: nothing near a zero at 0, and little near one
//!   elsewhere. Of it no more than 2^-22 of what functions are multiplied by, which is less in tails.
//! - The least normal number of `float`, times that: a function that has become smaller has no digits for what multiplies it.
//! - In 16 bits, half a unit of each input that only multiplies: terms of a sum may cancel, and each is right to 16 bits.

use super::planned::Plan;
use crate::arch::Inaccurate;
use op_dsl_ir::format::{Format, pow2};
use op_dsl_ir::op::OpDef;
use op_dsl_ir::roles::{self, Dependence};
use op_dsl_ir::{DType, Graph, Id, Node, Prim};

/// Units in the last place, in the order of [`DType`]: of 16 bits half of one for the result, and half for all before it.
pub const BUDGET: [f64; DType::COUNT] = [1.02, 1.02, 8.0];

/// Half units of `float` in the inputs that a result may be off.
const HALF_UNITS: f64 = 8.0;

/// Below this, numbers on the way have fewer digits, or none where hardware flushes them.
const LEAST: f64 = f32::MIN_POSITIVE as f64;

/// The largest error found of some results.
#[derive(Clone, Debug, PartialEq)]
pub struct Accuracy {
    /// In units in the last place of the true value, or of what may add to its budget.
    pub error: f64,
    /// The largest error that is right.
    pub budget: f64,
    /// Where it is.
    pub worst: Option<Worst>,
}

/// A result that is off, and what it was computed of.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// Index of the output stream.
    pub output: usize,
    /// Index of the element among those that were looked at.
    pub element: usize,
    /// The inputs, in the order of streams.
    pub streams: Vec<f64>,
    /// What came out.
    pub got: f64,
    /// What is right.
    pub want: f64,
}

impl Accuracy {
    /// Of no results.
    pub fn new(dtype: DType) -> Accuracy {
        Accuracy { error: 0.0, budget: BUDGET[dtype as usize], worst: None }
    }

    /// Whether every result is within its budget.
    pub fn is_good(&self) -> bool {
        self.error <= self.budget
    }

    /// Takes in the results of one element.
    pub fn add(&mut self, reference: &Reference<'_>, element: usize, streams: &[f64], got: &[f64]) {
        let want = reference.results(streams);
        for (output, error) in reference.errors(streams, &want, got, |_| self.error) {
            if error > self.error || self.worst.is_none() {
                self.set(output, element, error, streams, got[output], want[output]);
            }
        }
    }

    /// The largest error so far.
    pub(super) fn set(
        &mut self,
        output: usize,
        element: usize,
        error: f64,
        streams: &[f64],
        got: f64,
        want: f64,
    ) {
        self.error = error;
        self.worst = Some(Worst { output, element, streams: streams.to_vec(), got, want });
    }
}

/// What is wrong with a plan, if results are further off than their budget.
pub fn inaccurate(plan: &Plan) -> Option<Inaccurate> {
    let Accuracy { error, budget, worst: Some(worst) } = &plan.accuracy else { return None };
    if plan.accuracy.is_good() {
        return None;
    }
    let by = match plan.functions.join(", ") {
        functions if functions.is_empty() => functions,
        functions => format!(" by {functions}"),
    };
    let read = plan.inputs.iter().zip(&worst.streams);
    let at: Vec<String> =
        read.filter_map(|(name, v)| Some(format!("{} = {v:e}", name.as_ref()?))).collect();
    Some(Inaccurate {
        function: format!("`{}`{by}", plan.outputs[worst.output]),
        at: at.join(", "),
        values: [worst.got, worst.want],
        ulp: [*error, *budget],
    })
}

/// A formula in f64 that results are held against.
pub struct Reference<'g> {
    graph: &'g Graph,
    /// The same with no digits lost where the other has none left, far from zeros.
    plain: &'g Graph,
    scalars: Vec<f64>,
    activation: usize,
    dtype: DType,
    /// Of each output and input stream, whether the input only multiplies terms of the output.
    factors: Vec<Vec<bool>>,
    /// The nodes that depend on each input stream.
    readers: Vec<Vec<Id>>,
}

impl<'g> Reference<'g> {
    /// Of a specialisation where attributes have these values: by the graph that cancels nowhere in f64, if there is one.
    pub fn new(def: &'g OpDef, spec: usize, dtype: DType, scalars: Vec<f64>) -> Reference<'g> {
        let spec = &def.specs[spec];
        let graph = spec.wide.as_ref().map_or(&spec.graph, |wide| &wide.graph);
        let factor = |output: &Id| {
            let one = Graph { outputs: vec![*output].into(), ..graph.clone() };
            let is_factor = |k| roles::dependence(&one, k) == Dependence::Affine;
            (0..def.input_streams().len()).map(is_factor).collect()
        };
        let factors = graph.outputs.iter().map(factor).collect();
        let plain = &spec.graph;
        let readers = (0..def.input_streams().len()).map(|k| readers(graph, k)).collect();
        let activation = roles::activation(def);
        Reference { graph, plain, scalars, activation, dtype, factors, readers }
    }

    fn results(&self, streams: &[f64]) -> Vec<f64> {
        self.graph.eval(streams, &self.scalars)
    }

    /// The results of many elements, by output, of inputs by stream.
    pub(super) fn columns(&self, streams: &[Vec<f32>]) -> Vec<Vec<f64>> {
        let widened = |stream: &Vec<f32>| stream.iter().map(|x| f64::from(*x)).collect();
        let widened: Vec<Vec<f64>> = streams.iter().map(widened).collect();
        let count = widened.first().map_or(0, Vec::len);
        self.graph.eval_columns(&widened, &self.scalars, count)
    }

    /// The error of each result of an element that has a true value, with its output. An error that is no larger than what
    /// is `known` of its output is an upper bound.
    pub(super) fn errors(
        &self,
        streams: &[f64],
        want: &[f64],
        got: &[f64],
        known: impl Fn(usize) -> f64,
    ) -> Vec<(usize, f64)> {
        let budget = BUDGET[self.dtype as usize];
        let error = |output: usize| {
            let (got, want, known) = (got[output], want[output], known(output));
            if want.is_nan() || want.abs() > self.most() {
                return None;
            }
            let mut error = self.error(streams, output, got, want, known);
            if error > budget {
                // A function that has become a straight line in f64 may have digits left.
                let plain = self.plain.eval(streams, &self.scalars)[output];
                error = error.min(self.error(streams, output, got, plain, known));
            }
            if error > budget.max(known) && self.is_beside_jump(streams, output, got) {
                error = 0.0;
            }
            Some((output, error))
        };
        (0..got.len()).filter_map(error).collect()
    }

    /// Tells if a result is that of the other side of a jump, which the nearest inputs in `float` are on: `alpha x + beta`
    /// is compared with 1 in `hard_sigmoid'`, where it is rounded.
    fn is_beside_jump(&self, streams: &[f64], output: usize, got: f64) -> bool {
        const UNITS: i32 = 8;
        let (format, budget) = (Format::of(self.dtype), BUDGET[self.dtype as usize]);
        (0..streams.len()).any(|k| {
            let at = |units: i32| {
                let mut streams = streams.to_vec();
                streams[k] *= 1.0 + f64::from(units) * pow2(-24);
                self.results(&streams)[output]
            };
            let near: Vec<f64> = (-UNITS..=UNITS).map(at).collect();
            let steps = near.windows(2).map(|pair| (pair[1] - pair[0]).abs());
            let (largest, all) = steps.fold((0.0, 0.0), |(m, sum), d| (d.max(m), sum + d));
            let is_jump = largest > 0.5 * all && all > 1e-3 * near[0].abs();
            is_jump && near.iter().any(|near| format.error(got, *near, LEAST) <= budget)
        })
    }

    /// Above this, numbers on the way may be infinite.
    fn most(&self) -> f64 {
        if self.dtype == DType::F16 { f64::INFINITY } else { pow2(100) }
    }

    /// The error of a result; what may add to its budget is looked at only where it is more than `known` without.
    fn error(&self, streams: &[f64], output: usize, got: f64, want: f64, known: f64) -> f64 {
        let format = Format::of(self.dtype);
        let least = if self.dtype == DType::F16 { 0.0 } else { LEAST };
        let error = format.error(got, want, least);
        if error <= known || !error.is_finite() {
            return error;
        }
        let changes = self.changes(streams, output);
        let (all, weight) = (changes.iter().sum::<f64>(), self.weight(streams, output));
        let float =
            HALF_UNITS * (all * pow2(-24)).min(weight * pow2(-25)).max(weight * LEAST / HALF_UNITS);
        let unit = float / BUDGET[self.dtype as usize];
        let own = match self.dtype {
            DType::F32 => 0.0,
            _ => changes.iter().zip(&self.factors[output]).filter(|of| *of.1).map(|of| of.0).sum(),
        };
        format.error(got, want, least.max(unit).max(0.5 * own * format.ulp(1.0)))
    }

    /// How much a result changes with each input, in the proportion in which the input does.
    fn changes(&self, streams: &[f64], output: usize) -> Vec<f64> {
        const STEP: f64 = 1.0 / (1 << 20) as f64;
        let all = self.graph.eval_all(streams, &self.scalars);
        let result = self.graph.outputs[output];
        let of = |k: usize| {
            let readers = &self.readers[k];
            if !readers.contains(&result) {
                return 0.0;
            }
            let mut near = all.clone();
            let mut at = |share: f64| {
                for id in readers {
                    near[id.0 as usize] = match self.graph.nodes[id.0 as usize] {
                        Node::Call(prim, args) => {
                            let at = |arg: Id| near.get(arg.0 as usize).copied();
                            (prim.row().oracle)(args.map(|arg| at(arg).unwrap_or(f64::NAN)))
                        }
                        _ => streams[k] * (1.0 + share),
                    };
                }
                near[result.0 as usize]
            };
            let change = (at(STEP) - at(-STEP)).abs() / (2.0 * STEP);
            if change.is_finite() { change } else { 0.0 }
        };
        (0..streams.len()).map(of).collect()
    }

    /// What functions are multiplied by.
    fn weight(&self, streams: &[f64], output: usize) -> f64 {
        let values = self.graph.eval_all(streams, &self.scalars);
        let weights = weights(self.graph, &values, self.activation);
        weights[self.graph.outputs[output].index()]
    }
}

/// The nodes that depend on a stream.
fn readers(graph: &Graph, stream: usize) -> Vec<Id> {
    let mut reads: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let is_stream = matches!(node, Node::Stream(k) if usize::from(*k) == stream);
        reads.push(is_stream || node.args().iter().any(|arg| reads[arg.index()]));
    }
    (0..graph.nodes.len() as u32).map(Id).filter(|id| reads[id.index()]).collect()
}

/// What is left of each node where every function of the activation alone is 1, others at least, and no sum cancels: what
/// functions are multiplied by.
fn weights(graph: &Graph, values: &[f64], activation: usize) -> Vec<f64> {
    // Whether a node reads the activation, and whether it reads another stream.
    let mut reads: Vec<[bool; 2]> = Vec::with_capacity(graph.nodes.len());
    let mut all: Vec<f64> = Vec::with_capacity(graph.nodes.len());
    for (node, value) in graph.nodes.iter().zip(values) {
        let read = match node {
            Node::Stream(s) => [usize::from(*s) == activation, usize::from(*s) != activation],
            _ => node.args().iter().fold([false; 2], |[own, other], arg| {
                let [x, y] = reads[arg.index()];
                [own || x, other || y]
            }),
        };
        let mut args = node.args().iter().map(|arg| all[arg.index()]);
        all.push(match node {
            _ if read == [true, false] => 1.0,
            Node::Call(Prim::Add | Prim::Sub, _) => args.sum(),
            Node::Call(Prim::Neg | Prim::Mul | Prim::Mul3, _) => args.product(),
            Node::Call(Prim::Select, _) => args.skip(1).fold(0.0, f64::max),
            Node::Call(Prim::Div, _) => args.next().unwrap_or(0.0) / args.next().unwrap_or(1.0),
            Node::Call(prim, _) if prim.row().ulp.0 > 0.5 => value.abs().max(1.0),
            _ => value.abs(),
        });
        reads.push(read);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::Builder;

    #[test]
    fn functions_weigh_as_much_as_what_multiplies_them() {
        let mut b = Builder::new();
        let (dy, x, dz) = (b.stream(0), b.stream(1), b.stream(2));
        let (f, g) = (b.call(Prim::Gelu, &[x]), b.call(Prim::Tanh, &[x]));
        let (first, second) = (b.product(dy, f), b.product(dz, g));
        let sum = b.difference(first, second);
        let third = b.quotient(sum, dz);
        let graph = b.finish(&[f, sum, third]);
        let all = graph.eval_all(&[-3.0, 0.1, 2.0], &[]);
        let weights = weights(&graph, &all, 1);
        let found: Vec<f64> = graph.outputs.iter().map(|o| weights[o.index()]).collect();
        assert_eq!(found, [1.0, 5.0, 2.5]);
    }
}
