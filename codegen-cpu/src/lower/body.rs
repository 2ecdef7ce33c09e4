//! Specialised graph -> straight-line vector code: one `let` per node, in the graph's order.

use super::joint::joints;
use super::{column, literal};
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
    let [inputs, scalars, outputs] = widths(def).map(literal::count);
    let input_names: Vec<Ident> = def.input_names().iter().map(|n| value_name(n)).collect();
    let scalar_names: Vec<Ident> = def.scalar_names().iter().map(|n| value_name(n)).collect();

    let names: Vec<Ident> = (graph.nodes.iter().enumerate())
        .map(|(i, node)| match *node {
            Node::Stream(k) => input_names[k as usize].clone(),
            Node::Scalar(k) => scalar_names[k as usize].clone(),
            _ => format_ident!("t{i}"),
        })
        .collect();
    let named =
        |ids: &[Id]| -> Vec<Ident> { ids.iter().map(|id| names[id.index()].clone()).collect() };
    let joints = joints(graph);
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
        let (id, name) = (Id(i as u32), &names[i]);
        if let Some(joint) = joints.iter().find(|joint| joint.holds(id)) {
            if joint.at() == id {
                let results = named(&joint.results);
                let call = column::named(joint.call, &named(&joint.args));
                lets.push(quote!(let (#(#results),*) = #call;));
            }
            continue;
        }
        match *node {
            Node::Stream(_) | Node::Scalar(_) => {}
            Node::Const(c) => {
                let c = literal::f32_literal(c as f32);
                lets.push(quote!(let #name = Floats::splat(s, #c);));
            }
            Node::Call(prim, _) => {
                load(node.args(), &mut lets);
                let value = column::call(prim, &named(node.args()));
                lets.push(quote!(let #name = #value;));
            }
        }
    }
    load(&graph.outputs, &mut lets);
    let reads: Vec<bool> = (0..input_names.len()).map(|k| graph.reads(k)).collect();
    let reads =
        reads.contains(&false).then(|| quote!(const READS: [bool; #inputs] = [#(#reads),*];));
    let results = graph.outputs.iter().map(|Id(o)| &names[*o as usize]);
    quote! {
        impl Body<#inputs, #scalars, #outputs> for #name {
            #reads
            #[inline(always)]
            #[allow(unused_variables)]
            fn eval<S: Isa, E: El, const W: usize>(
                s: S,
                [#(#input_names),*]: [Input<'_, S, E, W>; #inputs],
                [#(#scalar_names),*]: [Floats<S, W>; #scalars],
            ) -> [Floats<S, W>; #outputs] {
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
