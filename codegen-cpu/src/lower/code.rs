//! A graph -> the statements that compute it: one `let` per node, in the graph's order.

use super::{column, literal};
use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Graph, Id, Node};
use op_dsl_ir::rounding::Arithmetic;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// What code calls the values it is given.
pub(super) struct Names {
    pub inputs: Vec<Ident>,
    /// Which of the inputs are in memory yet; the others are values.
    pub in_memory: Vec<bool>,
    /// Which inputs are masks.
    pub masks: Vec<bool>,
    pub scalars: Vec<Ident>,
}

/// Statements, and the names of results.
pub(super) struct Code {
    pub lets: Vec<TokenStream>,
    pub results: Vec<Ident>,
}

/// The code of a graph.
pub(super) fn code(graph: &Graph, given: &Names, on: Arithmetic) -> Code {
    let names: Vec<Ident> = (graph.nodes.iter().enumerate())
        .map(|(i, node)| match *node {
            Node::Stream(k) => given.inputs[k as usize].clone(),
            Node::Scalar(k) => given.scalars[k as usize].clone(),
            _ => format_ident!("t{i}"),
        })
        .collect();
    let named =
        |ids: &[Id]| -> Vec<Ident> { ids.iter().map(|id| names[id.index()].clone()).collect() };
    let widened = (on == Arithmetic::F64).then(|| quote!(.wide()));
    let numbers = numbers(graph);
    let mut lets = Vec::new();
    let mut in_memory = given.in_memory.clone();
    // Inputs are loaded where they are first used.
    let mut load = |ids: &[Id], lets: &mut Vec<TokenStream>| {
        for id in ids {
            let Node::Stream(k) = graph.nodes[id.index()] else { continue };
            if core::mem::take(&mut in_memory[k as usize]) {
                let name = &given.inputs[k as usize];
                let load = if given.masks[k as usize] { quote!(truth) } else { quote!(load) };
                lets.push(quote!(let #name = #name.#load() #widened;));
            }
        }
    };
    for (i, node) in graph.nodes.iter().enumerate() {
        let name = &names[i];
        match *node {
            Node::Stream(_) => {}
            Node::Scalar(_) => lets.extend(widened.as_ref().map(|w| quote!(let #name = #name #w;))),
            Node::Const(c) => {
                let c = match on {
                    Arithmetic::F32 => {
                        let c = literal::f32_literal(c as f32);
                        quote!(Floats::splat(s, #c))
                    }
                    Arithmetic::F64 => {
                        let c = literal::f64_literal(c);
                        quote!(Wide::splat(s, #c))
                    }
                };
                lets.push(quote!(let #name = #c;));
            }
            Node::Call(prim, args) => {
                load(node.args(), &mut lets);
                let value = match (column::bounded(prim), args) {
                    (Some(f), [x, bound, _] | [bound, x, _]) if numbers[bound.index()] => {
                        column::named(f, &named(&[x, bound]), on)
                    }
                    _ => column::call(prim, &named(node.args()), on),
                };
                lets.push(quote!(let #name = #value;));
            }
        }
    }
    load(&graph.outputs, &mut lets);
    Code { lets, results: named(&graph.outputs) }
}

/// The code of a graph: statements, then the array of results.
pub(super) fn statements(graph: &Graph, given: &Names, on: Arithmetic) -> TokenStream {
    let Code { lets, results } = code(graph, given, on);
    let rounded = (on == Arithmetic::F64).then(|| quote!(.narrow()));
    quote! {
        #(#lets)*
        [#(#results #rounded),*]
    }
}

/// Which values are known to be numbers, not NaN: constants, and choices of such.
fn numbers(graph: &Graph) -> Vec<bool> {
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
