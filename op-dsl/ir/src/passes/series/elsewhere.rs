//! Series near points other than zero, and of functions of values other than a stream.
//!
//! For example, the derivative of `ln(x) / (x - 1)` cancels near one, and that of `sin(a) / a` with `a = max(|x|, 1e-6)` or
//! `a = k * x` cancels where `a` is small. The points are the constants that a stream is compared with, or that are added to or
//! subtracted from it. The values are nodes that are not themselves a smooth function of one stream.

use super::expand::{Variable, all_series};
use super::near_zero::{EVERYWHERE, Form, Reach, reach, replaced, smooth};
use super::taylor::Series;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::rounding::{Arithmetic, Point, evaluate};

/// Replaces functions by their power series near points that constants of the graph suggest.
///
/// These points are the constants that a stream is compared with, or that are added to or subtracted from it. Functions of values
/// such as `max(|x|, 1e-6)`, which are no smooth functions of one stream, are expanded where the value is 0.
pub fn run(graph: &Graph) -> Graph {
    let mut found: Vec<Option<Near>> = vec![None; graph.nodes.len()];
    for (variable, from) in centres(graph) {
        for near in around(graph, variable, from) {
            found[near.function.index()].get_or_insert(near);
        }
    }
    graph.rewrite_at(|b, at| {
        let id = b.add(at.copy());
        let Some(near) = &found[at.id.index()] else { return id };
        let mut x = at[near.variable];
        if near.from != 0.0 {
            let from = b.num(near.from);
            x = b.difference(x, from);
        }
        replaced(b, x, &Form::Smooth(&near.series), near.reach, id)
    })
}

/// The node `function` as a function of the node `variable`, with its power series near the value `from`.
#[derive(Clone)]
struct Near {
    function: Id,
    variable: Id,
    from: f64,
    series: Series,
    reach: Reach,
}

/// Returns the nodes that serve as variable of an expansion, each with the point to expand around.
fn centres(graph: &Graph) -> Vec<(Id, f64)> {
    let number = |id: Id| graph.as_const(id);
    let is_stream = |id: Id| matches!(graph.nodes[id.index()], Node::Stream(_));
    let mut points: Vec<(Id, f64)> = Vec::new();
    for node in graph.nodes.iter() {
        let (x, c) = match *node {
            Node::Call(Prim::Sub | Prim::Lt | Prim::Le | Prim::Eq, [x, y, _]) => {
                (number(x).map(|c| (y, c))).or(number(y).map(|c| (x, c))).unzip()
            }
            Node::Call(Prim::Add, [x, y, _]) => {
                (number(x).map(|c| (y, -c))).or(number(y).map(|c| (x, -c))).unzip()
            }
            _ => continue,
        };
        let point = x.filter(|x| is_stream(*x)).zip(c.filter(|c| *c != 0.0 && c.abs() < FAR));
        points.extend(point.filter(|point| !points.contains(point)));
    }
    let (inputs, smooth) = (graph.inputs(), smooth(graph));
    let is_value = |id: &Id| {
        let (inputs, smooth) = (inputs[id.index()], smooth[id.index()]);
        matches!(graph.nodes[id.index()], Node::Call(prim, _) if !prim.is_comparison())
            && !inputs.is_empty()
            && (inputs.are_several() || !smooth)
    };
    points.extend(graph.ids().filter(is_value).map(|id| (id, 0.0)));
    points
}

/// Upper bound of the magnitude of an expansion point; larger constants may stand for infinity.
const FAR: f64 = 1e6;

/// Returns the functions of a node that lose their digits near a point and have a series there.
///
/// Only maximal functions are returned: outputs, and arguments of nodes that have no series.
fn around(graph: &Graph, variable: Id, from: f64) -> Vec<Near> {
    let all = all_series(graph, Variable::Node { id: variable, from }).series;
    let depends = graph.depends_on(|id, _| id == variable);
    let is_whole = graph.live_out(|id, node| {
        let is_comparison = matches!(node, Node::Call(prim, _) if prim.is_comparison());
        depends[id.index()] && all[id.index()].is_none() && !is_comparison
    });
    let is_function = |id: &Id| is_whole[id.index()] && depends[id.index()] && *id != variable;
    let functions = graph.ids().filter(is_function);
    let near = |function: Id| {
        let series = all[function.index()]?;
        let alone = of_stream(graph, variable, function);
        let result = alone.outputs[0];
        let value = |x: f64| {
            evaluate(&alone, Arithmetic::F64, &Point::single(0, x), result)[result.index()]
        };
        let reach = reach(&value, &Form::Smooth(&series), from, EVERYWHERE)?;
        Some(Near { function, variable, from, series, reach })
    };
    functions.filter_map(near).collect()
}

/// Returns the graph of node `function`, with stream 0 instead of node `variable`.
fn of_stream(graph: &Graph, variable: Id, function: Id) -> Graph {
    let mut b = Builder::new();
    let new = graph.forward_to(function, |at| match at.id == variable {
        true => b.stream(0),
        false => b.add(at.copy()),
    });
    b.finish(&[new[function.index()]])
}
