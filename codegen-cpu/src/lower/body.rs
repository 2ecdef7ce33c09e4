//! Specialised graph -> straight-line vector code: one `let` per node, in the graph's order.

use super::{column, data};
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
    for (i, node) in graph.nodes.iter().enumerate() {
        let value = match *node {
            Node::Stream(k) => {
                names.push(input_names[k as usize].clone());
                continue;
            }
            Node::Scalar(k) => {
                names.push(scalar_names[k as usize].clone());
                continue;
            }
            Node::Const(c) => {
                let c = data::f32_literal(c as f32);
                quote!(S::f32s::splat(s, #c))
            }
            Node::Call(prim, _) => {
                let args: Vec<Ident> =
                    node.args().iter().map(|a| names[a.index()].clone()).collect();
                column::call(prim, &args)
            }
        };
        let name = format_ident!("t{i}");
        lets.push(quote!(let #name = #value;));
        names.push(name);
    }
    let results = graph.outputs.iter().map(|Id(o)| &names[*o as usize]);
    quote! {
        impl Body<#inputs, #scalars, #outputs> for #name {
            #[inline(always)]
            #[allow(unused_variables)]
            fn eval<S: K, E: El>(
                s: S,
                [#(#input_names),*]: [S::f32s; #inputs],
                [#(#scalar_names),*]: [S::f32s; #scalars],
            ) -> [S::f32s; #outputs] {
                #(#lets)*
                [#(#results),*]
            }
        }
    }
}

/// `x.gate` -> `v_x_gate`, which is no name of the body's own.
fn value_name(name: &str) -> Ident {
    Ident::new(&format!("v_{}", name.replace('.', "_")), Span::call_site())
}
