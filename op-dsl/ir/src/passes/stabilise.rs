//! Removes what goes wrong at the edges of the number range and authors cannot see.
//!
//! * `1 + tanh u`, `1 - tanh u` and `1 - tanh^2 u` cancel where `tanh u` is near one: they become
//!   sigmoids, which do not. (`1 + erf u` is found by value, in `recognise`.)
//! * Products are ordered: bounded factors first. `dy * a` may overflow, and infinity times a gate
//!   that has underflowed to zero would be NaN; `gelu'(x) * dy * a` is the zero it should be.
//! * A bounded factor above one may still lift `dy` over the top before a small `a` brings it back:
//!   such products are one call of `mul3`, which picks the order by the values.

use super::products::{bounds, flatten, inner_products};
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Applies both: cancellation first, since it changes what is bounded.
pub fn run(graph: &Graph) -> Graph {
    order_products(&graph.rewrite(cancellation))
}

fn cancellation(b: &mut Builder, node: Node) -> Id {
    let found = match node {
        Node::Call(Prim::Add, [x, y, _]) => {
            one_plus_tanh(b, x, y).or_else(|| one_plus_tanh(b, y, x))
        }
        Node::Call(Prim::Sub, [x, y, _]) if b.as_const(x) == Some(1.0) => one_minus_tanh(b, y),
        _ => None,
    };
    found.unwrap_or_else(|| b.add(node))
}

/// `1 + tanh u = 2 sigmoid(2 u)`
fn one_plus_tanh(b: &mut Builder, one: Id, t: Id) -> Option<Id> {
    if b.as_const(one) != Some(1.0) {
        return None;
    }
    let [u, ..] = b.as_call(Prim::Tanh, t)?;
    Some(twice_sigmoid(b, 2.0, u))
}

/// `1 - tanh u = 2 sigmoid(-2 u)`, `1 - tanh^2 u = 4 sigmoid(2 u) sigmoid(-2 u)`
fn one_minus_tanh(b: &mut Builder, t: Id) -> Option<Id> {
    if let Some([u, ..]) = b.as_call(Prim::Tanh, t) {
        return Some(twice_sigmoid(b, -2.0, u));
    }
    let [x, y, _] = b.as_call(Prim::Mul, t)?;
    let [u, ..] = b.as_call(Prim::Tanh, x).filter(|_| x == y)?;
    let (up, down) = (twice_sigmoid(b, 2.0, u), twice_sigmoid(b, -2.0, u));
    Some(b.product(up, down))
}

fn twice_sigmoid(b: &mut Builder, factor: f64, u: Id) -> Id {
    let v = b.scaled(factor, u);
    let s = b.call(Prim::Sigmoid, &[v]);
    b.scaled(2.0, s)
}

fn order_products(graph: &Graph) -> Graph {
    let bounds = bounds(graph);
    let inner = inner_products(graph);
    let mut b = Builder::new();
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let id = match *node {
            Node::Call(Prim::Mul, _) if !inner[i] => {
                let mut factors = Vec::new();
                flatten(graph, &inner, Id(i as u32), &mut factors);
                if factors.len() > 2 {
                    product(&mut b, graph, &bounds, &factors, &new)
                } else {
                    b.product(new[factors[0].index()], new[factors[1].index()])
                }
            }
            Node::Call(prim, args) => b.add(Node::Call(
                prim,
                args.map(|a| new.get(a.index()).copied().unwrap_or(Id::NONE)),
            )),
            leaf => b.add(leaf),
        };
        new.push(id);
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    b.finish(&outputs)
}

/// Constants, then bounded factors, then the rest, each in the order they were written.
fn product(b: &mut Builder, graph: &Graph, bounds: &[f64], factors: &[Id], new: &[Id]) -> Id {
    let bound = |id: &&Id| bounds[id.index()];
    let constant = |id: &Id| matches!(graph.nodes[id.index()], Node::Const(_));
    let (constants, rest): (Vec<Id>, Vec<Id>) = factors.iter().partition(|id| constant(id));
    let (bounded, free): (Vec<Id>, Vec<Id>) = rest.iter().partition(|id| bound(id).is_finite());

    let scale: f64 = constants.iter().map(|id| constant_value(graph, *id)).product();
    let reach = scale.abs() * bounded.iter().map(|id| bounds[id.index()]).product::<f64>();
    let mut result = (scale != 1.0).then(|| b.num(scale));
    let times = |b: &mut Builder, result: Option<Id>, id: &Id| {
        let factor = new[id.index()];
        Some(result.map_or(factor, |r| b.product(r, factor)))
    };
    for id in &bounded {
        result = times(b, result, id);
    }
    let mut rest = &free[..];
    if let (Some(r), [y, z, others @ ..], true) = (result, rest, reach > 1.0) {
        result = Some(b.call(Prim::Mul3, &[r, new[y.index()], new[z.index()]]));
        rest = others;
    }
    for id in rest {
        result = times(b, result, id);
    }
    result.unwrap_or_else(|| b.num(scale))
}

fn constant_value(graph: &Graph, id: Id) -> f64 {
    match graph.nodes[id.index()] {
        Node::Const(c) => c,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show;

    fn shown(build: impl Fn(&mut Builder, [Id; 3]) -> Id) -> String {
        let mut b = Builder::new();
        let streams = [0, 1, 2].map(|i| b.stream(i));
        let out = build(&mut b, streams);
        let names = ["dy", "a", "x"].map(str::to_string);
        show::expression(&run(&b.finish(&[out])), &names, &[])
    }

    #[test]
    fn bounded_factors_first() {
        let gated = |prim: Prim| {
            move |b: &mut Builder, [dy, a, x]: [Id; 3]| {
                let g = b.call(prim, &[x]);
                let dya = b.product(dy, a);
                b.product(dya, g)
            }
        };
        assert_eq!(shown(gated(Prim::Sigmoid)), "sigmoid(x) * dy * a");
        assert_eq!(shown(gated(Prim::GeluGrad)), "mul3(gelu_grad(x), dy, a)");
    }

    #[test]
    fn tanh_does_not_cancel() {
        let one_minus = |b: &mut Builder, [_, _, x]: [Id; 3]| {
            let t = b.call(Prim::Tanh, &[x]);
            let (one, square) = (b.num(1.0), b.product(t, t));
            b.difference(one, square)
        };
        assert_eq!(shown(one_minus), "4 * sigmoid(2 * x) * sigmoid(-2 * x)");
    }
}
