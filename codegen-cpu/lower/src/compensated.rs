//! F32 code of a row formula's graph in which rounding errors are carried along.
//!
//! A value of a row is a double-float, and so is every sum and product on the way to a result, which is rounded once. With 16 lanes
//! for 8 of f64, and no conversions, arithmetic takes 0.5 to 0.8 of the time of f64 evaluation. An exponential of a double-float
//! takes as long as one in f64, so that graphs with functions stay in f64.

use super::statements::{Names, load};
use super::watched::Watched;
use op_dsl_ir::graph::{Graph, Id, Node};
use op_dsl_ir::prim::Prim;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// A value in generated code: the name of its variable, of type `Floats` or `DoubleFloat`.
enum Value {
    Single(Ident),
    Double(Ident),
}

/// Returns statements that define `y`, the array of results of a graph, and pass values to the variable `watch`.
///
/// Returns `None` if the graph has other operations than sums, products and reciprocals, or if it reads no value of a row: only
/// beside errors of such values may terms cancel as far as double-floats have digits.
pub(super) fn statements(graph: &Graph, given: &Names) -> Option<TokenStream> {
    let is_of_row = |node: &Node| matches!(node, Node::Stream(k) if given.of_rows[usize::from(*k)]);
    if !graph.nodes.iter().any(is_of_row) {
        return None;
    }
    let watched = Watched::new(graph, false)?;
    let mut lets = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        let name = format_ident!("c{i}");
        let (value, expression) = one(graph, given, *node, &values, &name)?;
        lets.push(quote!(let #name = #expression;));
        if watched.small[i] {
            let high = high(&value);
            let factors = node.args().iter().map(|id| self::high(&values[id.index()]));
            lets.push(quote!(watch.small(s, #high, [#(#factors),*]);));
        }
        values.push(value);
    }
    let results: Vec<TokenStream> =
        graph.outputs.iter().map(|output| rounded(graph, &values, *output)).collect();
    let names: Vec<Ident> = (0..results.len()).map(|k| format_ident!("y{k}")).collect();
    Some(quote! {
        use math::double_float::DoubleFloat;
        #(#lets)*
        #(let #names = #results; watch.large(#names);)*
        let y = [#(#names),*];
    })
}

/// Returns the expression of a value's high part.
fn high(value: &Value) -> TokenStream {
    match value {
        Value::Single(name) => quote!(#name),
        Value::Double(name) => quote!(#name.high),
    }
}

/// Returns the expression of a value, rounded to one float. A product is rounded without its rounding error.
fn rounded(graph: &Graph, values: &[Value], id: Id) -> TokenStream {
    if let Node::Call(Prim::Mul, [x, y, _]) = graph.nodes[id.index()] {
        return match [x, y].map(|id| &values[id.index()]) {
            [Value::Single(x), Value::Single(y)] => quote!((#x * #y)),
            [Value::Double(x), Value::Single(y)] | [Value::Single(y), Value::Double(x)] => {
                quote!(#x.times_rounded(#y))
            }
            [Value::Double(x), Value::Double(y)] => quote!(#x.by_rounded(#y)),
        };
    }
    match &values[id.index()] {
        Value::Single(name) => quote!(#name),
        Value::Double(name) => quote!((#name.high + #name.low)),
    }
}

/// Returns the value of a node, to be held by the variable `name`, and the expression that computes it.
fn one(
    graph: &Graph,
    given: &Names,
    node: Node,
    values: &[Value],
    name: &Ident,
) -> Option<(Value, TokenStream)> {
    let single = |expression| Some((Value::Single(name.clone()), expression));
    let double = |expression| Some((Value::Double(name.clone()), expression));
    match node {
        Node::Stream(k) => single(load(given, k.into())),
        Node::Scalar(k) => {
            let scalar = &given.scalars[usize::from(k)];
            single(quote!(#scalar))
        }
        Node::Const(c) if f64::from(c as f32) == c => {
            let c = super::literal::f32_literal(c as f32);
            single(quote!(Floats::<S, W>::splat(s, #c)))
        }
        Node::Call(prim, args) => {
            let [x, y] = [args[0], args[1]].map(|id| values.get(id.index()));
            match (prim, x?, y) {
                (Prim::Neg, Value::Single(x), _) => single(quote!(-#x)),
                (Prim::Neg, Value::Double(x), _) => double(quote!(-#x)),
                (Prim::Add, Value::Single(x), Some(Value::Single(y))) => {
                    match is_value(graph, given, args) {
                        true => double(quote!(DoubleFloat::of_row(#x, #y))),
                        false => double(quote!(DoubleFloat::sum_of(#x, #y))),
                    }
                }
                (Prim::Sub, Value::Single(x), Some(Value::Single(y))) => {
                    double(quote!(DoubleFloat::sum_of(#x, -#y)))
                }
                (Prim::Add, Value::Double(x), Some(Value::Double(y))) => {
                    double(quote!(#x.plus(#y)))
                }
                (Prim::Sub, Value::Double(x), Some(Value::Double(y))) => {
                    double(quote!(#x.plus(-#y)))
                }
                (Prim::Add, Value::Single(x), Some(Value::Double(y)))
                | (Prim::Add, Value::Double(y), Some(Value::Single(x))) => {
                    double(quote!(#y.plus_float(#x)))
                }
                (Prim::Sub, Value::Single(x), Some(Value::Double(y))) => {
                    double(quote!((-#y).plus_float(#x)))
                }
                (Prim::Sub, Value::Double(x), Some(Value::Single(y))) => {
                    double(quote!(#x.plus_float(-#y)))
                }
                (Prim::Mul, Value::Single(x), Some(Value::Single(y))) => {
                    double(quote!(DoubleFloat::product_of(s, #x, #y)))
                }
                (Prim::Mul, Value::Double(x), Some(Value::Double(y))) => {
                    double(quote!(#x.by(s, #y)))
                }
                (Prim::Mul, Value::Single(x), Some(Value::Double(y)))
                | (Prim::Mul, Value::Double(y), Some(Value::Single(x))) => {
                    double(quote!(#y.times_float(s, #x)))
                }
                // A quotient that no element decides is computed once for each row.
                (Prim::Div, _, Some(Value::Double(y))) if is_one(graph, args[0]) => {
                    double(quote!(#y.reciprocal(s)))
                }
                _ => None,
            }
        }
        Node::Const(_) => None,
    }
}

/// Returns whether a node is the number 1.
fn is_one(graph: &Graph, id: Id) -> bool {
    graph.as_const(id) == Some(1.0)
}

/// Returns whether a sum has the two parts of a value of a row: two streams with one number for each row.
///
/// No other sum of such streams is left to an elementwise graph, because it would be a stage.
fn is_value(graph: &Graph, given: &Names, [x, y, _]: [Id; 3]) -> bool {
    [x, y].iter().all(|id| match graph.nodes[id.index()] {
        Node::Stream(k) => given.of_rows[usize::from(k)],
        _ => false,
    })
}
