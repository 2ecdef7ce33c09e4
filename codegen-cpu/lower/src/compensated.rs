//! F32 code of a row formula's graph in which rounding errors are carried along.
//!
//! A value of a row is a double-float, and so is every sum and product on the way to a result, which is rounded once. With 16 lanes
//! for 8 of f64, and no conversions, arithmetic takes 0.5 to 0.8 of the time of f64 evaluation.
//!
//! A function of a double-float `a + b` has a form here if it rounds hardly more than once and takes `b` as a correction: see
//! [`function`]. Its value is one float, because with a low part it takes as long as in f64. Graphs with other functions, and those
//! whose results would be off by more than the budget then, stay in f64.

use super::row_factors::gathered;
use super::statements::{Names, load};
use super::watched::Watched;
use op_dsl_ir::graph::{Graph, Id, Node};
use op_dsl_ir::prim::Prim;
use op_dsl_ir::rounding::BUDGET;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// A value in generated code: the name of its variable, of type `Floats` or `DoubleFloat`.
enum Value {
    Single(Ident),
    Double(Ident),
}

/// Returns the method of `DoubleFloat` that computes a function of one value, and its error budget in ULP of f32.
fn function(prim: Prim) -> Option<(&'static str, f64)> {
    match prim {
        Prim::Exp => Some(("exp", 0.6)),
        _ => None,
    }
}

/// Error that a kept term brings along, in ULP: its own and, in the value of a row that was reduced from it, that of all terms.
const ERROR_OF_TERMS: f64 = 1.2;

/// Returns the errors that functions in a graph cause, per node, in ULP of the sum of magnitudes. A kept term has the error `of_terms`.
///
/// Returns `None` if another function or a quotient would magnify such an error.
fn errors(graph: &Graph, given: &Names, of_terms: f64) -> Option<Vec<f64>> {
    let mut errors: Vec<f64> = Vec::new();
    for node in graph.nodes.iter() {
        let of = |id: Id| errors[id.index()];
        let error = match *node {
            Node::Call(Prim::Mul, [x, y, _]) => of(x) + of(y),
            Node::Call(Prim::Add | Prim::Sub, [x, y, _]) => of(x).max(of(y)),
            Node::Call(Prim::Neg, [x, ..]) => of(x),
            Node::Call(prim, _) if node.args().iter().all(|id| of(*id) == 0.0) => {
                function(prim).map_or(0.0, |(_, budget)| budget)
            }
            Node::Call(..) => return None,
            Node::Stream(k) if given.terms[usize::from(k)] => of_terms,
            _ => 0.0,
        };
        errors.push(error);
    }
    Some(errors)
}

/// Returns whether functions in a graph leave half a unit for the rounding of each result, and one for terms in f32.
fn is_accurate(graph: &Graph, given: &Names) -> bool {
    let is_good =
        |errors: Vec<f64>| graph.outputs.iter().all(|o| errors[o.index()] <= BUDGET - 1.0);
    errors(graph, given, 0.0).is_some_and(is_good)
}

/// Returns, per output, whether a sum may be rounded twice: half a unit for the sum of high parts, half a unit for that of all.
fn roundings(graph: &Graph, given: &Names) -> Vec<bool> {
    let errors = errors(graph, given, ERROR_OF_TERMS);
    let is_good = |output: &Id| errors.as_ref().is_some_and(|e| e[output.index()] <= BUDGET - 1.0);
    graph.outputs.iter().map(is_good).collect()
}

/// Returns statements that define `y`, the array of results of a graph, and pass values to the variable `watch`.
///
/// Returns `None` if the graph has other operations than sums, products, reciprocals and [`function`]s, if these are off by too much,
/// or if it reads no value of a row: only beside errors of such values may terms cancel as far as double-floats have digits.
pub(super) fn statements(graph: &Graph, given: &Names) -> Option<TokenStream> {
    let is_of_row = |node: &Node| matches!(node, Node::Stream(k) if given.of_rows[usize::from(*k)]);
    if !graph.nodes.iter().any(is_of_row) || !is_accurate(graph, given) {
        return None;
    }
    let graph = &gathered(graph, &given.of_rows);
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
    let outputs = graph.outputs.iter().zip(roundings(graph, given));
    let result = |(output, may_round_twice): (&Id, bool)| {
        let [once, twice] =
            [false, true].map(|twice| rounded(graph, given, &values, *output, twice));
        // The second rounding shows in no result of 16 bits.
        let is_once =
            if may_round_twice { quote!(false) } else { quote!(matches!(E::DTYPE, DType::F32)) };
        quote!(if const { #is_once } { #once } else { #twice })
    };
    let results: Vec<TokenStream> = outputs.map(result).collect();
    let names: Vec<Ident> = (0..results.len()).map(|k| format_ident!("y{k}")).collect();
    let large =
        graph.outputs.iter().zip(&names).map(|(output, name)| {
            (!is_of_sum(graph, *output)).then(|| quote!(watch.large(#name);))
        });
    Some(quote! {
        use math::double_float::DoubleFloat;
        #(#lets)*
        #(let #names = #results; #large)*
        let y = [#(#names),*];
    })
}

/// Returns whether a node is a function of a sum of single floats, whose value is right at infinities too.
///
/// The low part of the sum is NaN there, and functions take it for 0.
fn is_of_sum(graph: &Graph, id: Id) -> bool {
    let is_number = |id: &Id| !matches!(graph.nodes[id.index()], Node::Call(..));
    match graph.nodes[id.index()] {
        Node::Call(prim, [x, ..]) if function(prim).is_some() => match graph.nodes[x.index()] {
            Node::Call(Prim::Add | Prim::Sub, [x, y, _]) => [x, y].iter().all(is_number),
            _ => is_number(&x),
        },
        _ => false,
    }
}

/// Returns the expression of a value's low part, if it has one.
fn low(value: &Value) -> Option<TokenStream> {
    match value {
        Value::Single(_) => None,
        Value::Double(name) => Some(quote!(#name.low)),
    }
}

/// Returns the expression of a value's high part.
fn high(value: &Value) -> TokenStream {
    match value {
        Value::Single(name) => quote!(#name),
        Value::Double(name) => quote!(#name.high),
    }
}

/// Returns the expression of a value, rounded to one float.
///
/// A product is rounded without its rounding error, and so is a sum if it may be rounded `twice`.
fn rounded(graph: &Graph, given: &Names, values: &[Value], id: Id, twice: bool) -> TokenStream {
    let of = |args: &[Id; 3]| [args[0], args[1]].map(|id| &values[id.index()]);
    match &graph.nodes[id.index()] {
        Node::Call(Prim::Mul, args) => match of(args) {
            [Value::Single(x), Value::Single(y)] => quote!((#x * #y)),
            [Value::Double(x), Value::Single(y)] | [Value::Single(y), Value::Double(x)] => {
                quote!(#x.times_rounded(#y))
            }
            [Value::Double(x), Value::Double(y)] => quote!(#x.by_rounded(#y)),
        },
        Node::Call(prim @ (Prim::Add | Prim::Sub), args)
            if twice && !is_value(graph, given, *args) =>
        {
            let [x, y] = of(args);
            let sign = (*prim == Prim::Sub).then(|| quote!(-));
            let high = [x, y].map(high);
            let low = match (low(x), low(y)) {
                (Some(x), Some(y)) => quote!(+ (#x + #sign #y)),
                (Some(x), None) => quote!(+ #x),
                (None, Some(y)) => quote!(+ #sign #y),
                (None, None) => quote!(),
            };
            let [x, y] = high;
            quote!(((#x + #sign #y) #low))
        }
        _ => match &values[id.index()] {
            Value::Single(name) => quote!(#name),
            Value::Double(name) => quote!((#name.high + #name.low)),
        },
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
            if let (Some((method, _)), Some(x)) = (function(prim), x) {
                let method = format_ident!("{method}");
                return single(match x {
                    Value::Single(x) => quote!(DoubleFloat::exact(s, #x).#method(s)),
                    Value::Double(x) => quote!(#x.#method(s)),
                });
            }
            match (prim, x?, y) {
                (Prim::Neg, Value::Single(x), _) => single(quote!(-#x)),
                (Prim::Neg, Value::Double(x), _) => double(quote!(-#x)),
                // Twice a float is exact.
                (Prim::Add, Value::Single(x), _) if args[0] == args[1] => single(quote!((#x + #x))),
                (Prim::Add, Value::Single(x), Some(Value::Single(y)))
                    if is_value(graph, given, args) =>
                {
                    double(quote!(DoubleFloat::of_row(#x, #y)))
                }
                (Prim::Add, Value::Single(x), Some(Value::Single(y))) => {
                    let sum = sum_of(graph, given, args);
                    double(quote!(#sum(s, #x, #y)))
                }
                (Prim::Sub, Value::Single(x), Some(Value::Single(y))) => {
                    let sum = sum_of(graph, given, args);
                    double(quote!(#sum(s, #x, -#y)))
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
                    match [args[0], args[1]].iter().all(|id| is_element(graph, given, *id)) {
                        true => double(quote!(DoubleFloat::product_of_elements::<E>(s, #x, #y))),
                        false => double(quote!(DoubleFloat::product_of(s, #x, #y))),
                    }
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

/// Returns the function that adds two single floats: an element of the kernel's type and another, or a value of the row, or others.
fn sum_of(graph: &Graph, given: &Names, [x, y, _]: [Id; 3]) -> TokenStream {
    let is_of_row = |id: Id| matches!(graph.nodes[id.index()], Node::Stream(k) if given.of_rows[usize::from(k)]);
    let is_either = |id: Id| is_element(graph, given, id) || is_of_row(id);
    match is_either(x) && is_either(y) {
        true => quote!(DoubleFloat::sum_of_elements::<E>),
        false => quote!(DoubleFloat::sum_of),
    }
}

/// Returns whether a node is an element of a tensor that has the kernel's type.
fn is_element(graph: &Graph, given: &Names, id: Id) -> bool {
    match graph.nodes[id.index()] {
        Node::Stream(k) => {
            let k = usize::from(k);
            !given.of_rows[k] && !given.terms[k] && given.own[k].is_none()
        }
        _ => false,
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
