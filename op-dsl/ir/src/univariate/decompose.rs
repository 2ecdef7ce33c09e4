//! Decomposes an expression into univariate functions and the expression that combines their values.

use super::exact::exact;
use super::function::{Domains, EVERYWHERE, Function, find, part};
use crate::clamp_bounds::{self, without_bounds};
use crate::graph::{Builder, Graph, Id, Node};
use crate::homogeneity::is_factor;
use crate::passes::simplify;
use crate::prim::Prim;

/// A graph split into univariate functions and the expression that combines their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The expression that combines the values of the functions and the input streams.
    ///
    /// If the split graph has `n` input streams, stream `n + k` of this graph is the value of `functions[k]`.
    ///
    /// Apart from products, `select`s and quotients by uniform values it contains only sums and quotients of exact values.
    pub rest: Graph,
    /// The univariate functions, without duplicates.
    pub functions: Vec<Function>,
    /// Whether the expression rounds as f32 arithmetic does, where results need not have all digits ([`split_in_f32`]).
    pub rounds: bool,
}

impl Split {
    /// Returns the graph of the functions' values, over the streams and attributes of the split graph.
    pub fn values(&self) -> Graph {
        let mut b = Builder::new();
        let value = |function: &Function| {
            let (of, times) = (b.part(&function.variable.of), &function.variable.times);
            let times = times.product(&mut b);
            let variable = times.map_or(of, |times| b.product(times, of));
            let mut ids: Vec<Id> = Vec::new();
            for node in function.graph.nodes.iter() {
                ids.push(match node {
                    Node::Stream(_) => variable,
                    node => b.add(node.map_args(&ids)),
                });
            }
            ids[function.graph.outputs[0].index()]
        };
        let values: Vec<Id> = self.functions.iter().map(value).collect();
        b.finish(&values)
    }
}

/// Maximum nesting depth of `select`s that [`split`] expands, because each level may double the number of functions.
const CASES: usize = 4;
/// Limits of what the combining expression of a split computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// It rounds nothing but products.
    Exact,
    /// As `Exact`, but numbers are part of the functions that they multiply, because each product adds an error.
    ExactWithoutNumbers,
    /// It rounds: [`Split::rounds`].
    Rounded,
}

pub(super) fn split_by(graph: &Graph, inputs: usize, style: Style) -> Option<Split> {
    let rounds = style == Style::Rounded;
    // A sum that rounds has lost digits below the normal numbers, which a factor of it would scale up.
    let factors: Vec<bool> = (0..inputs).map(|s| !rounds && is_factor(graph, s)).collect();
    let mut splitter = Splitter { inputs, functions: Vec::new(), b: Builder::new(), style };
    let mut results = Vec::new();
    for output in graph.outputs.iter() {
        let alone = simplify::run(&graph.with_outputs(&[*output]));
        let one = alone.rewrite(|b, node| match node {
            Node::Stream(s) if factors[usize::from(s)] => b.num(1.0),
            node => b.add(node),
        });
        // The function comes first, because in `mul3` a small value then keeps large factors from overflowing.
        let mut product =
            splitter.product(&simplify::run(&one), &vec![EVERYWHERE; inputs], CASES)?;
        let read = (0..inputs).filter(|s| factors[*s] && alone.reads(*s));
        product.extend(read.map(|s| splitter.b.stream(s)));
        results.push(multiplied(&mut splitter.b, &product));
    }
    let Splitter { b, functions, .. } = splitter;
    (!functions.is_empty()).then(|| Split { rest: b.finish(&results), functions, rounds })
}

/// State of [`split`]: the combining expression under construction, and the functions found.
struct Splitter {
    b: Builder,
    inputs: usize,
    functions: Vec<Function>,
    style: Style,
}

impl Splitter {
    /// Emits a graph of one output as a product, and returns its factors.
    ///
    /// At most one factor contains univariate functions. `domains` are the ranges of the streams. `cases` bounds the nesting depth of
    /// `select`s to expand. `None` if the graph cannot be decomposed.
    fn product(&mut self, graph: &Graph, domains: &Domains, cases: usize) -> Option<Vec<Id>> {
        let id = graph.outputs[0];
        let node = graph.nodes[id.index()];
        if node == Node::Const(1.0) {
            return Some(Vec::new());
        }
        if let Some(found) = find(graph, domains).filter(|found| is_worth_it(&found.function.graph))
        {
            let value = self.value(found.function);
            let times = found.times.product(&mut self.b);
            return Some(vec![times.map_or(value, |times| self.b.product(times, value))]);
        }
        let (exact, uniform) = (exact(graph), graph.uniform());
        let plain = |id: &Id| exact[id.index()];
        if plain(&id) || uniform[id.index()] {
            // A function of attributes alone is refused, because it would be called for every step.
            return (!calls(graph, &costs)).then(|| vec![self.copied(graph)]);
        }
        match node {
            Node::Call(Prim::Neg, [x, ..]) => {
                let mut product = self.product(&part(graph, x), domains, cases)?;
                match product.first_mut() {
                    Some(first) => *first = self.b.negative(*first),
                    None => product.push(self.b.num(-1.0)),
                }
                Some(product)
            }
            Node::Call(Prim::Mul | Prim::Mul3, _) => {
                let factors = graph.factors(id, |_| true);
                let mut groups = by_stream(graph, &factors);
                // The product of all factors would be the product itself.
                if groups.len() == 1 {
                    groups = factors.into_iter().map(|factor| vec![factor]).collect();
                }
                if self.style == Style::ExactWithoutNumbers {
                    join_numbers(graph, &mut groups);
                }
                let mut all = Vec::new();
                for group in groups {
                    all.extend(self.product(&product_of(graph, &group), domains, cases)?);
                }
                // The factor that contains functions comes first. There may be only one, because each function has its own error.
                let mut functions = all.iter().filter(|x| self.reads(**x, self.inputs)).copied();
                let (first, more) = (functions.next(), functions.next());
                all.retain(|x| Some(*x) != first);
                // Uniform factors come next, because they alone do not change the magnitude of a product much.
                all.sort_by_key(|x| self.reads(*x, 0));
                (self.rounds() || more.is_none()).then(|| first.into_iter().chain(all).collect())
            }
            Node::Call(Prim::Add | Prim::Sub | Prim::Div, _) if node.args().iter().all(plain) => {
                Some(vec![self.copied(graph)])
            }
            Node::Call(Prim::Div, [x, y, _]) if uniform[y.index()] => {
                let mut product = self.product(&part(graph, x), domains, cases)?;
                let (one, y) = (self.b.num(1.0), self.copied(&part(graph, y)));
                product.push(self.b.quotient(one, y));
                Some(product)
            }
            Node::Call(prim, _) if self.rounds() && may_round(prim) => {
                let mut arg = |id: &Id| {
                    let product = self.product(&part(graph, *id), domains, cases)?;
                    Some(multiplied(&mut self.b, &product))
                };
                let args: Option<Vec<Id>> = node.args().iter().map(&mut arg).collect();
                Some(vec![self.b.call(prim, &args?)])
            }
            _ => {
                let is_choice = |k: &usize| matches!(graph.nodes[*k], Node::Call(Prim::Select, _));
                let choices = (0..graph.nodes.len()).rev().filter(is_choice);
                let is_sum = |id: &Id| self.rounds() && !calls(&part(graph, *id), &costs);
                let conditions = choices.map(|k| graph.nodes[k].args()[0]);
                let mut conditions = conditions.filter(|id| plain(id) || is_sum(id));
                let (condition, cases) = (conditions.next()?, cases.checked_sub(1)?);
                let decided = |whether| {
                    let domains = narrowed(graph, condition, whether, domains);
                    (simplify::run(&decided(graph, condition, whether)), domains)
                };
                let [yes, no] = [true, false].map(decided).map(|(graph, domains)| {
                    let product = self.product(&graph, &domains, cases)?;
                    Some(multiplied(&mut self.b, &product))
                });
                let (yes, no) = (yes?, no?);
                let condition = self.copied(&part(graph, condition));
                Some(vec![self.b.call(Prim::Select, &[condition, yes, no])])
            }
        }
    }

    fn rounds(&self) -> bool {
        self.style == Style::Rounded
    }

    /// Returns the stream that stands for a function's value, and records the function if it is new.
    fn value(&mut self, function: Function) -> Id {
        let known = self.functions.iter().position(|f| *f == function);
        let at = known.unwrap_or(self.functions.len());
        self.functions.extend(known.is_none().then_some(function));
        self.b.stream(self.inputs + at)
    }

    /// Copies a graph of one output into the combining expression.
    ///
    /// Clamp bounds that stand for infinity are left out.
    fn copied(&mut self, graph: &Graph) -> Id {
        self.b.part(&without_bounds(graph))
    }

    /// Returns whether a value depends on any stream with index `from` or above.
    ///
    /// Streams that stand for functions' values have indices above those of the inputs.
    fn reads(&self, id: Id, from: usize) -> bool {
        match self.b.node(id) {
            Node::Stream(s) => usize::from(s) >= from,
            node => node.args().iter().any(|id| self.reads(*id, from)),
        }
    }
}

/// Groups the factors of a product by the only stream that they depend on; any other factor is a group by itself.
///
/// For example, `(y + b) * x * sigmoid(x)` has the groups `(y + b)` and `x, sigmoid(x)`.
pub fn by_stream(graph: &Graph, factors: &[Id]) -> Vec<Vec<Id>> {
    let inputs = graph.inputs();
    let streams = |id: Id| inputs[id.index()].streams;
    let mut groups: Vec<Vec<Id>> = Vec::new();
    for &factor in factors {
        let own = streams(factor);
        match groups.iter_mut().find(|all| own.is_power_of_two() && streams(all[0]) == own) {
            Some(group) => group.push(factor),
            None => groups.push(vec![factor]),
        }
    }
    groups
}

/// Moves numbers among the factors to the group that has a function, if there is another group, too.
///
/// Otherwise the group would be the whole product.
fn join_numbers(graph: &Graph, groups: &mut Vec<Vec<Id>>) {
    let is_number = |group: &Vec<Id>| group.iter().all(|id| graph.as_const(*id).is_some());
    if groups.iter().filter(|group| !is_number(group)).count() < 2 {
        return;
    }
    let has_function = |group: &Vec<Id>| group.iter().any(|id| calls(&part(graph, *id), &costs));
    let numbers: Vec<Id> =
        groups.iter().filter(|group| is_number(group)).flatten().copied().collect();
    if let Some(with) = groups.iter_mut().find(|group| has_function(group)) {
        with.extend(numbers);
        groups.retain(|group| !is_number(group));
    }
}

/// Returns a graph whose only output is the product of these nodes of `graph`.
pub fn product_of(graph: &Graph, factors: &[Id]) -> Graph {
    let mut b = Builder::new();
    let values: Vec<Id> = factors.iter().map(|factor| b.part(&part(graph, *factor))).collect();
    let product = values.into_iter().reduce(|x, y| b.product(x, y));
    b.finish(product.as_slice())
}

/// Specialises the graph for a `select` condition that is known to hold, or not to hold.
///
/// Products of zero and uniform values become zero, because attributes are finite.
fn decided(graph: &Graph, condition: Id, holds: bool) -> Graph {
    let chosen = graph.rewrite_at(|b, at| match at.node {
        Node::Call(Prim::Select, [c, yes, no]) if c == condition => {
            at[if holds { yes } else { no }]
        }
        _ => b.add(at.copy()),
    });
    let chosen = simplify::run(&chosen);
    let uniform = chosen.uniform();
    chosen.rewrite_at(|b, at| match at.copy() {
        Node::Call(Prim::Mul, [x, y, _])
            if uniform[at.id.index()] && [x, y].iter().any(|id| b.as_const(*id) == Some(0.0)) =>
        {
            b.num(0.0)
        }
        node => b.add(node),
    })
}

/// Narrows the ranges of streams by a condition that is known to hold, or not to hold.
///
/// Only a comparison of a stream with 0 narrows that stream's range.
fn narrowed(graph: &Graph, condition: Id, holds: bool, domains: &Domains) -> Vec<[f64; 2]> {
    let mut domains = domains.to_vec();
    let number = |id: Id| graph.as_const(id);
    let stream = |id: Id| clamp_bounds::stream(graph, id);
    if let Node::Call(Prim::Lt | Prim::Le, [x, y, _]) = graph.nodes[condition.index()] {
        // `c < x` and `x < c`.
        let met = [(number(x), stream(y), holds), (number(y), stream(x), !holds)];
        for (c, stream, is_above) in met {
            let Some((0.0, stream)) = c.zip(stream) else { continue };
            domains[stream][usize::from(!is_above)] = 0.0;
        }
    }
    domains
}

/// Emits the product of factors, of which the first is bounded.
///
/// If a factor is a `select` between products, the other factors move into its branches and become factors of those products.
/// Otherwise `(if 0 < x { 1 } else { alpha f(x) }) dy` would round twice.
fn multiplied(b: &mut Builder, factors: &[Id]) -> Id {
    let chooses_product = |id: &Id| {
        let arms = b.as_call(Prim::Select, *id).map(|[_, yes, no]| [yes, no]);
        arms.is_some_and(|arms| arms.iter().any(|arm| b.as_call(Prim::Mul, *arm).is_some()))
    };
    if let (Some(at), true) = (factors.iter().position(chooses_product), factors.len() > 1)
        && let Some([condition, yes, no]) = b.as_call(Prim::Select, factors[at])
    {
        let [yes, no] = [yes, no].map(|arm| {
            let mut all = match b.as_call(Prim::Mul, arm) {
                Some([x, y, _]) => vec![x, y],
                None if b.as_const(arm) == Some(1.0) => Vec::new(),
                None => vec![arm],
            };
            all.extend(factors.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, id)| *id));
            multiplied(b, &all)
        });
        return b.call(Prim::Select, &[condition, yes, no]);
    }
    match factors {
        [x, y] => b.product(*x, *y),
        [x, y, z] => b.call(Prim::Mul3, &[*x, *y, *z]),
        [x, y, rest @ ..] => {
            let both = b.product(*x, *y);
            let product: Vec<Id> = [both].iter().chain(rest).copied().collect();
            multiplied(b, &product)
        }
        [x, ..] => *x,
        [] => b.num(1.0),
    }
}

/// Returns whether a function is more than an operation or two, so that a back end may gain by a table.
///
/// False for periodic functions (sine, cosine) and those that round, which have no table.
fn is_worth_it(graph: &Graph) -> bool {
    let rounds = |prim: Prim| matches!(prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Div);
    let repeats = |prim: Prim| matches!(prim, Prim::Sin | Prim::Cos | Prim::Round | Prim::Rem);
    let count = |node: &&Node| matches!(**node, Node::Call(prim, _) if rounds(prim));
    let is_long = graph.nodes.iter().filter(count).count() > 1;
    (calls(graph, &costs) || is_long) && !calls(graph, &repeats)
}

/// Returns whether a call of a primitive may take rounded arguments: a small error of these is a small error of the result.
fn may_round(prim: Prim) -> bool {
    let jumps = matches!(prim, Prim::Round | Prim::Rem | Prim::Select);
    !(prim.is_comparison() || prim.is_composed() || jumps)
}

/// Returns whether a graph calls any primitive for which `wanted` is true.
fn calls(graph: &Graph, wanted: &dyn Fn(Prim) -> bool) -> bool {
    graph.nodes.iter().any(|node| matches!(*node, Node::Call(prim, _) if wanted(prim)))
}

/// Returns whether a primitive takes more than an instruction or two, for example `exp`.
pub fn costs(prim: Prim) -> bool {
    use Prim::{Abs, Neg, Pow, Relu, Rem, Round, Sign, Sqrt};
    let is_cheap = matches!(prim, Neg | Abs | Relu | Sign | Round | Sqrt);
    prim.row().arity == 1 && !is_cheap || matches!(prim, Pow | Rem)
}
