//! Stages: a formula with row functions, cut into elementwise graphs that run one after the other on a row.
//!
//! ```text
//! stage     terms of a row function, for each element   -> its value, one per row
//! stage     values of earlier stages and attributes     -> a value, one per row, in f64
//! results   streams and values of stages                -> outputs
//! ```
//!
//! Each graph is compiled like a formula of its own, whose further streams hold values of earlier stages. A value that depends on
//! values of rows alone, such as `rsqrt(row_mean(x * x) + eps)`, is a stage too: it is computed once per row and in f64.
//!
//! A value is two streams of f32: the nearest number and the remainder, which is the part of the f64 value that the nearest number
//! loses. Graphs that read both are evaluated in f64, so that values of rows have no rounding error of their own. Costly terms such
//! as exponentials can then be kept in f32 for later stages. Where kernels have too few streams for that, a value is one f32 and
//! costly terms are computed again.

use crate::analysis::Inputs;
use crate::compile;
use crate::graph::{Builder, Graph, Id, Node};
use crate::kernel::MAX_KERNEL_STREAMS;
use crate::list::List;
use crate::op::{Accuracy, Fast, Rule, Spec, Stage};
use crate::passes::differentiate::{Unconnected, without_surrogates};
use crate::passes::{row_gradient, simplify};
use crate::prim::Prim;
use crate::roles::has_surrogates;
use crate::rounding::Ranges;
use crate::row::{RowFormula, RowFunction};
use crate::univariate::costs;
use crate::wiring::Wiring;

/// Maximum number of streams of a formula with row functions, before it is cut: [`Inputs`] has as many bits.
pub const MAX_STREAMS: usize = 64;

/// Compiles a formula to the specialisation for the attribute values `when`.
///
/// Each `with_grad(value, e)` becomes its value, because only the forward formula of a derived gradient needs `e`. Formulas with
/// row functions are always exact.
pub fn compile(
    when: Vec<(usize, i64)>,
    formula: &RowFormula,
    ranges: &Ranges,
    accuracy: Accuracy,
) -> Spec {
    if has_surrogates(&formula.graph) {
        let graph = without_surrogates(&formula.graph);
        return compile(when, &RowFormula { graph, ..formula.clone() }, ranges, accuracy);
    }
    if accuracy == Accuracy::AsWritten && formula.functions.is_empty() {
        let graph = compile::as_written(&formula.graph);
        return Spec { when: when.into(), traced: formula.graph.clone(), ..Spec::of(graph) };
    }
    let plain = |traced: Graph| {
        let graph = compile::forward(&traced, ranges);
        let mut wide = compile::wide(&traced, &graph, ranges);
        if wide.single && accuracy == Accuracy::Fast {
            wide.fast = Fast::of(&traced, [&graph, &wide.graph], ranges, formula.inputs);
        }
        Spec { wide: Some(wide), traced, ..Spec::of(graph) }
    };
    if formula.functions.is_empty() {
        return Spec { when: when.into(), ..plain(formula.graph.clone()) };
    }
    let cut = Cut::of(&without_constants(formula));
    // A value is exact to more digits than f32 has only where it is read in f64. Results of 16 bits do without them.
    let spec = |traced: &Graph| {
        let nearest = traced.rewrite(|b, node| match node {
            Node::Stream(s) if cut.is_rest(s.into()) => b.num(0.0),
            _ => b.add(node),
        });
        if nearest == *traced {
            return plain(nearest);
        }
        let nearest = simplify::run(&nearest);
        let graph = compile::forward(&nearest, ranges);
        let mut wide = compile::wide_of_rows(traced, &nearest, &graph, ranges);
        wide.graph = with_reciprocals(&wide.graph, |s| s >= formula.inputs && !cut.is_terms(s));
        Spec { wide: Some(wide), traced: traced.clone(), ..Spec::of(graph) }
    };
    let stage = |stage: &CutStage| Stage {
        rule: stage.rule,
        value: stage.value,
        rest: stage.rest,
        terms: stage.terms,
        spec: match stage.rule {
            Rule::Reduce(_) => spec(&stage.graph),
            Rule::Uniform => Spec::of(stage.graph.clone()),
        },
    };
    let stages: List<Stage> = cut.stages.iter().map(stage).collect();
    Spec { when: when.into(), stages, ..spec(&cut.results) }
}

/// Differentiates a formula, once for each of `steps`; `inputs` is the number of the gradient's input streams.
///
/// A formula with row functions has one step: it has no second derivative.
///
/// # Errors
/// When the gradient needs a forward input that `steps` connect to no input of the gradient operator.
pub fn gradient(
    forward: &RowFormula,
    steps: &[Wiring],
    inputs: usize,
) -> Result<RowFormula, Unconnected> {
    match steps {
        [step] if !forward.functions.is_empty() => {
            row_gradient::run(forward, step, inputs, compile::before_derivatives)
        }
        _ => {
            let graph = compile::gradient(&forward.graph, steps)?;
            Ok(RowFormula { graph, functions: Vec::new(), inputs })
        }
    }
}

/// Replaces row functions of constant terms by constants.
///
/// The mean and the maximum of equal terms are that term. A sum is replaced only if its terms are 0, because other sums depend on
/// the length of the row.
fn without_constants(formula: &RowFormula) -> RowFormula {
    let mut now = formula.clone();
    loop {
        let graph = simplify::run(&now.graph);
        let terms = &graph.outputs[now.outputs()..];
        let known = terms.iter().zip(&now.functions).map(|(term, function)| {
            let is_sum = *function == RowFunction::Sum;
            graph.as_const(*term).filter(|c| !is_sum || *c == 0.0)
        });
        let known: Vec<Option<f64>> = known.collect();
        let next = graph.rewrite(|b, node| match value_of(&now, node).and_then(|k| known[k]) {
            Some(value) => b.num(value),
            None => b.add(node),
        });
        let is_done = next.is_same(&graph);
        now.graph = next;
        if is_done {
            return now;
        }
    }
}

/// Returns a graph that multiplies by reciprocals of divisors that are the same for all elements of a row.
///
/// A kernel computes these once for each row, where eight divisions take as long as sixteen products. In f32 a product rounds once
/// more than a quotient, so that only graphs for f64 and for 16 bits are rewritten. `is_of_row` says whether a
/// stream holds one number per row. Quotients that are rounded or compared stay, because they may be exact.
pub fn with_reciprocals(graph: &Graph, is_of_row: impl Fn(usize) -> bool) -> Graph {
    let is_same = graph.forward(|at| match at.node {
        Node::Stream(s) => is_of_row(s.into()),
        _ => at.args().all(|is_same| *is_same),
    });
    let uniform = graph.uniform();
    graph.rewrite_at(|b, at| match (at.node, at.copy()) {
        (Node::Call(Prim::Div, [x, y, _]), Node::Call(_, [dividend, divisor, _]))
            if is_same[y.index()]
                && !is_same[x.index()]
                && !uniform[y.index()]
                && graph.is_multiplied(at.id) =>
        {
            let one = b.num(1.0);
            let reciprocal = b.quotient(one, divisor);
            b.product(dividend, reciprocal)
        }
        (_, copy) => b.add(copy),
    })
}

/// Returns the row function whose value a node reads; `None` for other nodes.
fn value_of(formula: &RowFormula, node: Node) -> Option<usize> {
    let Node::Stream(s) = node else { return None };
    let at = usize::from(s).checked_sub(formula.inputs)?;
    at.is_multiple_of(2).then_some(at / 2)
}

/// A formula cut into graphs without row functions.
struct Cut {
    stages: Vec<CutStage>,
    results: Graph,
}

struct CutStage {
    rule: Rule,
    value: usize,
    rest: Option<usize>,
    terms: Option<usize>,
    graph: Graph,
}

/// A stage before streams are renumbered.
enum Planned {
    /// The row function with this index.
    Function(usize),
    /// The node with this id, which depends on values of rows and attributes alone.
    Node(Id),
}

impl Cut {
    fn of(formula: &RowFormula) -> Cut {
        let live = live(formula);
        let outputs = formula.graph.outputs.iter().enumerate();
        let is_live = |k: &usize| k.checked_sub(formula.outputs()).is_none_or(|k| live[k]);
        let outputs: Vec<Id> = outputs.filter(|(k, _)| is_live(k)).map(|(_, o)| *o).collect();
        // Nodes that only terms of unused functions need are dropped.
        let graph = simplify::run(&formula.graph.with_outputs(&outputs));
        let functions: Vec<usize> = (0..live.len()).filter(|k| live[*k]).collect();
        let kept = with_kept_terms(formula, &graph, &functions);
        let precise = Cut::through(formula, &kept, &functions, true);
        match precise.streams(formula.inputs) + formula.outputs() > MAX_KERNEL_STREAMS {
            // Without rests of values, terms in f32 would cost too many digits.
            true => Cut::through(formula, &graph, &functions, false),
            false => precise,
        }
    }

    /// Returns whether a stream holds the remainder of a value, which is what the value loses in f32.
    fn is_rest(&self, stream: usize) -> bool {
        self.stages.iter().any(|stage| stage.rest == Some(stream))
    }

    /// Returns whether a stream holds the terms of a row function, one for each element.
    fn is_terms(&self, stream: usize) -> bool {
        self.stages.iter().any(|stage| stage.terms == Some(stream))
    }

    /// Returns the number of input streams of kernels.
    fn streams(&self, inputs: usize) -> usize {
        let reduced = self.stages.iter().filter(|stage| stage.rule != Rule::Uniform);
        let graphs = reduced.map(|stage| &stage.graph).chain([&self.results]);
        graphs.map(Graph::streams).max().unwrap_or(0).max(inputs)
    }

    /// Cuts a graph whose last outputs are the terms of `functions`.
    ///
    /// `rests` says whether each value has a second stream with its remainder, which is what the value loses in f32.
    fn through(formula: &RowFormula, graph: &Graph, functions: &[usize], rests: bool) -> Cut {
        let hoisted = hoisted(formula, graph);

        let mut planned = Vec::new();
        for &k in functions {
            planned.push(Planned::Function(k));
            // A hoisted node follows the last function that it depends on.
            planned.extend(
                hoisted.iter().filter(|(_, last)| *last == k).map(|(id, _)| Planned::Node(*id)),
            );
        }
        let streams = Streams::of(formula, graph, &planned, &hoisted, rests);

        let mut b = Builder::new();
        let mut own = vec![Id::NONE; graph.nodes.len()];
        let new = graph.forward(|at| {
            own[at.id.index()] = match at.node {
                Node::Stream(s) => match value_of(formula, at.node) {
                    Some(k) => streams.value(&mut b, streams.of_function(&planned, k)),
                    None => b.add(Node::Stream(streams.renumbered(s))),
                },
                _ => b.add(at.copy()),
            };
            match streams.of_node(&planned, at.id) {
                Some(stage) => streams.value(&mut b, Some(stage)),
                None => own[at.id.index()],
            }
        });
        let at = |k: usize| new[graph.outputs[k].index()];
        let results: Vec<Id> = (0..formula.outputs()).map(at).collect();
        let stage = |((plan, value), rest): ((&Planned, &usize), &Option<usize>)| match plan {
            Planned::Function(k) => {
                let place = functions.iter().position(|f| f == k).unwrap_or(0);
                CutStage {
                    rule: Rule::Reduce(formula.functions[*k]),
                    value: *value,
                    rest: *rest,
                    terms: streams.terms[*k],
                    graph: b.finish(&[at(formula.outputs() + place)]),
                }
            }
            Planned::Node(id) => CutStage {
                rule: Rule::Uniform,
                value: *value,
                rest: *rest,
                terms: None,
                graph: b.finish(&[own[id.index()]]),
            },
        };
        let stages = planned.iter().zip(&streams.values).zip(&streams.rests).map(stage).collect();
        Cut { stages, results: b.finish(&results) }
    }
}

/// Returns, per row function, whether a result depends on it.
fn live(formula: &RowFormula) -> Vec<bool> {
    let (graph, count) = (&formula.graph, formula.functions.len());
    let inputs = graph.inputs();
    let mut live = vec![false; count];
    let mut read =
        graph.outputs[..formula.outputs()].iter().fold(0, |all, o| all | inputs[o.index()].streams);
    for k in (0..count).rev() {
        let own = Inputs::bit(RowFormula::value(formula.inputs, k))
            | Inputs::bit(RowFormula::terms(formula.inputs, k));
        live[k] = read & own != 0;
        if live[k] {
            read |= inputs[graph.outputs[formula.outputs() + k].index()].streams;
        }
    }
    live
}

/// Returns a graph in which later stages read costly terms of earlier stages instead of computing them again.
///
/// For example, a softmax reads the exponentials that its sum has added. Kept terms are rounded to f32. Results are sums of
/// products of them, so that this error is at most a unit of the sum of magnitudes. `functions` are the row functions whose terms
/// are the last outputs of the graph.
fn with_kept_terms(formula: &RowFormula, graph: &Graph, functions: &[usize]) -> Graph {
    let (own, inputs) = (formula.outputs(), formula.inputs);
    functions.iter().enumerate().fold(graph.clone(), |graph, (place, k)| {
        let term = graph.outputs[own + place];
        let needed = graph.needed_for(&[term]);
        let is_costly = |(node, needed): (&Node, &bool)| match node {
            Node::Call(prim, _) => *needed && costs(*prim),
            _ => false,
        };
        if !graph.nodes.iter().zip(&needed).any(is_costly) || !graph.is_multiplied(term) {
            return graph;
        }
        let mut b = Builder::new();
        let as_they_are = graph.forward(|at| b.add(at.copy()));
        let new = graph.forward(|at| match at.id == term {
            true => b.stream(RowFormula::terms(inputs, *k)),
            false => b.add(at.copy()),
        });
        // Stages up to this one run before its terms are known.
        let is_earlier = |k: usize| (own..=own + place).contains(&k);
        let output = |(k, id): (usize, &Id)| match is_earlier(k) {
            true => as_they_are[id.index()],
            false => new[id.index()],
        };
        let outputs: Vec<Id> = graph.outputs.iter().enumerate().map(output).collect();
        b.finish(&outputs)
    })
}

/// Returns the largest nodes that depend on values of rows and attributes alone, each with the last function it depends on.
///
/// Comparisons stay where they are used, because no stream holds a truth value.
fn hoisted(formula: &RowFormula, graph: &Graph) -> Vec<(Id, usize)> {
    let comparison = |node: Node| matches!(node, Node::Call(Prim::Lt | Prim::Le | Prim::Eq, _));
    // For each node that is the same for all elements of a row, one more than the last function it depends on; 0 for none.
    let last: Vec<Option<usize>> = graph.forward(|at| match at.node {
        Node::Stream(_) => value_of(formula, at.node).map(|k| k + 1),
        node if comparison(node) => None,
        _ => at.args().try_fold(0, |all, last: &Option<usize>| Some(all.max((*last)?))),
    });
    let live_out = graph.live_out(|id, _| last[id.index()].is_none());
    let is_worth = |node: Node| matches!(node, Node::Call(prim, _) if prim != Prim::Neg);
    let ids = graph.ids().filter(|id| live_out[id.index()] && is_worth(graph.nodes[id.index()]));
    ids.filter_map(|id| Some((id, last[id.index()]?.checked_sub(1)?))).collect()
}

/// Numbers of the streams that hold values and terms of stages; the operator's inputs come before them.
///
/// Streams that an elementwise graph reads have the lowest of these numbers, so that kernels do not need the other streams.
struct Streams {
    inputs: usize,
    /// For each planned stage, the stream of its value.
    values: Vec<usize>,
    /// For each planned stage, the stream of the remainder that its value loses in f32.
    ///
    /// `None` if the value is exact, as a maximum is, or if no elementwise graph reads it.
    rests: Vec<Option<usize>>,
    /// For each row function, the stream of its terms, if some graph reads them.
    terms: Vec<Option<usize>>,
}

impl Streams {
    fn of(
        formula: &RowFormula,
        graph: &Graph,
        planned: &[Planned],
        hoisted: &[(Id, usize)],
        rests: bool,
    ) -> Streams {
        let inputs = formula.inputs;
        let is_hoisted = |id: Id| hoisted.iter().any(|(h, _)| *h == id);
        // Whether a node is read by elements: walks back from the outputs, up to hoisted nodes.
        let needed =
            crate::graph::needed(&graph.nodes, &graph.outputs, |k, _| !is_hoisted(Id(k as u32)));
        let reads = |stream: usize| {
            let is_read = |(node, needed): (&Node, &bool)| {
                *needed && matches!(node, Node::Stream(s) if usize::from(*s) == stream)
            };
            graph.nodes.iter().zip(&needed).any(is_read)
        };
        let count = formula.functions.len();
        let mut next = inputs;
        let mut take = || {
            next += 1;
            next - 1
        };
        let is_read = |plan: &Planned| match plan {
            Planned::Function(k) => reads(RowFormula::value(inputs, *k)),
            Planned::Node(_) => true,
        };
        let terms: Vec<Option<usize>> =
            (0..count).map(|k| reads(RowFormula::terms(inputs, k)).then(&mut take)).collect();
        let mut values: Vec<Option<usize>> =
            planned.iter().map(|p| is_read(p).then(&mut take)).collect();
        let is_exact = |plan: &Planned| matches!(plan, Planned::Function(k) if formula.functions[*k] == RowFunction::Max);
        let rests = planned.iter().map(|p| (rests && is_read(p) && !is_exact(p)).then(&mut take));
        let rests: Vec<Option<usize>> = rests.collect();
        values.iter_mut().filter(|v| v.is_none()).for_each(|v| *v = Some(take()));
        Streams { inputs, values: values.into_iter().flatten().collect(), rests, terms }
    }

    /// Emits the value of a planned stage: the nearest f32 plus the remainder, if the stage has one.
    fn value(&self, b: &mut Builder, stage: Option<usize>) -> Id {
        let Some(stage) = stage else { return b.num(f64::NAN) }; // every function that is read is planned
        let value = b.stream(self.values[stage]);
        let Some(rest) = self.rests[stage] else { return value };
        let rest = b.stream(rest);
        b.sum(value, rest)
    }

    fn of_function(&self, planned: &[Planned], k: usize) -> Option<usize> {
        planned.iter().position(|p| matches!(p, Planned::Function(function) if *function == k))
    }

    /// Returns the new number of a stream that is an input of the operator or holds terms.
    fn renumbered(&self, stream: u16) -> u16 {
        let Some(at) = usize::from(stream).checked_sub(self.inputs) else { return stream };
        self.terms.get(at / 2).copied().flatten().map_or(stream, |new| new as u16)
    }

    /// Returns the planned stage of a hoisted node; `None` for other nodes.
    fn of_node(&self, planned: &[Planned], id: Id) -> Option<usize> {
        planned.iter().position(|p| matches!(p, Planned::Node(node) if *node == id))
    }
}
