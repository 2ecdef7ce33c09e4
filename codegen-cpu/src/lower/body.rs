//! Specialised graph -> straight-line vector code: one `let` per node, in the graph's order.

use super::{column, data};
use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Graph, Id, Node};
use op_dsl_ir::op::{AttrKind, OpDef};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// How many input streams, run-time scalars and output streams a body has.
pub fn widths(def: &OpDef) -> [usize; 3] {
    let scalars = def.attrs.iter().filter(|a| a.kind == AttrKind::Float).count();
    [def.input_streams().len(), scalars, def.output_streams().len()]
}

/// `impl Body` of one specialisation for the type `name`.
pub fn implementation(name: &Ident, def: &OpDef, graph: &Graph) -> TokenStream {
    let [inputs, scalars, outputs] = widths(def).map(data::count);
    let input_names: Vec<Ident> = def.input_names().iter().map(|n| value_name(n)).collect();
    let scalar_names: Vec<Ident> = def.scalar_names().iter().map(|n| value_name(n)).collect();

    let mut names: Vec<Ident> = Vec::with_capacity(graph.nodes.len());
    let mut lets = Vec::new();
    let mut loaded = vec![false; input_names.len()];
    // Inputs are loaded where they are first used.
    let mut load = |ids: &[Id], lets: &mut Vec<TokenStream>| {
        for id in ids {
            let Node::Stream(k) = graph.nodes[id.index()] else { continue };
            if !core::mem::replace(&mut loaded[k as usize], true) {
                let name = &input_names[k as usize];
                lets.push(quote!(let #name = #name.load();));
            }
        }
    };
    for (i, node) in graph.nodes.iter().enumerate() {
        let name = match *node {
            Node::Stream(k) => input_names[k as usize].clone(),
            Node::Scalar(k) => scalar_names[k as usize].clone(),
            _ => format_ident!("t{i}"),
        };
        names.push(name.clone());
        match *node {
            Node::Stream(_) | Node::Scalar(_) => {}
            Node::Const(c) => {
                let c = data::f32_literal(c as f32);
                lets.push(quote!(let #name = V::splat(s, #c);));
            }
            Node::Call(prim, _) => {
                let args: Vec<Ident> =
                    node.args().iter().map(|a| names[a.index()].clone()).collect();
                load(node.args(), &mut lets);
                match pair(graph, i) {
                    // Both are computed where the first of them is.
                    Some((value, grad, call)) if i == value.min(grad) => {
                        let (value, grad) = (format_ident!("t{value}"), format_ident!("t{grad}"));
                        let call = column::named(call, &args);
                        lets.push(quote!(let (#value, #grad) = #call;));
                    }
                    Some(_) => {}
                    None => {
                        let value = column::call(prim, &args);
                        lets.push(quote!(let #name = #value;));
                    }
                }
            }
        }
    }
    load(&graph.outputs, &mut lets);
    let results = graph.outputs.iter().map(|Id(o)| &names[*o as usize]);
    quote! {
        impl Body<#inputs, #scalars, #outputs> for #name {
            #[inline(always)]
            #[allow(unused_variables)]
            fn eval<S: K, E: El, const W: usize>(
                s: S,
                [#(#input_names),*]: [Input<'_, S, E, W>; #inputs],
                [#(#scalar_names),*]: [V<S, W>; #scalars],
            ) -> [V<S, W>; #outputs] {
                #(#lets)*
                [#(#results),*]
            }
        }
    }
}

/// If one function computes node `i` and another: the value, the derivative, the function's name.
fn pair(graph: &Graph, i: usize) -> Option<(usize, usize, &'static str)> {
    let Node::Call(prim, args) = graph.nodes[i] else { return None };
    let at = |p: Prim| graph.nodes.iter().position(|n| *n == Node::Call(p, args));
    let row = column::PAIRS.iter().find(|row| prim == row.0 || prim == row.1)?;
    Some((at(row.0)?, at(row.1)?, row.2))
}

/// `x.gate` -> `v_x_gate`, which is no name of the body's own.
fn value_name(name: &str) -> Ident {
    Ident::new(&format!("v_{}", name.replace('.', "_")), Span::call_site())
}
