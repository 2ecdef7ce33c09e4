//! Specialised graph -> straight-line vector code, in f32 or in f64: one `let` per node, in the graph's order.

use super::joint::joints;
use super::{column, literal};
use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Graph, Id, Node};
use op_dsl_ir::op::{AttrKind, OpDef, Part, Pattern, Spec, Stream, Wide};
use op_dsl_ir::passes::zeros;
use op_dsl_ir::rounding::Arithmetic;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// How many input streams, run-time scalars and output streams a body has.
pub fn widths(def: &OpDef) -> [usize; 3] {
    let scalars = def.attrs.iter().filter(|a| a.kind == AttrKind::Float).count();
    [def.input_streams().len(), scalars, def.output_streams().len()]
}

/// `impl Body` of one specialisation for the type `name`.
pub fn implementation(name: &Ident, def: &OpDef, spec: &Spec) -> TokenStream {
    let [inputs, scalars, outputs] = widths(def).map(literal::count);
    let names = Names {
        inputs: def.input_names().iter().map(|n| value_name(n)).collect(),
        masks: (0..def.input_streams().len()).map(|k| def.is_mask(k)).collect(),
        scalars: def.scalar_names().iter().map(|n| value_name(n)).collect(),
    };
    let (input_names, scalar_names) = (&names.inputs, &names.scalars);
    let narrow = || statements(&zeros::run(&spec.graph), &names, Arithmetic::F32);
    let wide = |wide: &Wide| statements(&wide.graph, &names, Arithmetic::F64);
    let value = match &spec.wide {
        None => narrow(),
        Some(all @ Wide { halves: true, .. }) => wide(all),
        Some(single) => {
            let (single, half) = (wide(single), narrow());
            quote!(if const { size_of::<E>() == 4 } { #single } else { #half })
        }
    };
    let graphs = || spec.wide.iter().map(|wide| &wide.graph).chain([&spec.graph]);
    let reads: Vec<bool> =
        (0..names.inputs.len()).map(|k| graphs().any(|graph| graph.reads(k))).collect();
    let reads =
        reads.contains(&false).then(|| quote!(const READS: [bool; #inputs] = [#(#reads),*];));
    let masks = &names.masks;
    let masks =
        masks.contains(&true).then(|| quote!(const MASKS: [bool; #inputs] = [#(#masks),*];));
    let interleaved = def.split.as_ref().is_some_and(|s| s.pattern != Pattern::Halves);
    let turns = |streams: &[Stream]| -> Vec<bool> {
        streams.iter().map(|s| interleaved && s.part == Part::Gate).collect()
    };
    let (input_turns, output_turns) = (turns(&def.input_streams()), turns(&def.output_streams()));
    let input_turns = input_turns
        .contains(&true)
        .then(|| quote!(const INPUT_TURNS: [bool; #inputs] = [#(#input_turns),*];));
    let output_turns = output_turns
        .contains(&true)
        .then(|| quote!(const OUTPUT_TURNS: [bool; #outputs] = [#(#output_turns),*];));
    quote! {
        impl Body<#inputs, #scalars, #outputs> for #name {
            #reads
            #masks
            #input_turns
            #output_turns
            #[inline(always)]
            #[allow(unused_variables)]
            fn eval<S: Isa, E: El, const W: usize>(
                s: S,
                [#(#input_names),*]: [Input<'_, S, E, W>; #inputs],
                [#(#scalar_names),*]: [Floats<S, W>; #scalars],
            ) -> [Floats<S, W>; #outputs] {
                #value
            }
        }
    }
}

/// What a body calls the values it is given.
struct Names {
    inputs: Vec<Ident>,
    /// Which inputs are masks.
    masks: Vec<bool>,
    scalars: Vec<Ident>,
}

/// The code of a graph: statements, then the array of results.
fn statements(graph: &Graph, given: &Names, on: Arithmetic) -> TokenStream {
    let names: Vec<Ident> = (graph.nodes.iter().enumerate())
        .map(|(i, node)| match *node {
            Node::Stream(k) => given.inputs[k as usize].clone(),
            Node::Scalar(k) => given.scalars[k as usize].clone(),
            _ => format_ident!("t{i}"),
        })
        .collect();
    let named =
        |ids: &[Id]| -> Vec<Ident> { ids.iter().map(|id| names[id.index()].clone()).collect() };
    let (widened, rounded) = match on {
        Arithmetic::F32 => (None, None),
        Arithmetic::F64 => (Some(quote!(.wide())), Some(quote!(.narrow()))),
    };
    let joints = if on == Arithmetic::F32 { joints(graph) } else { Vec::new() };
    let numbers = numbers(graph);
    let mut lets = Vec::new();
    let mut loaded = vec![false; given.inputs.len()];
    // Inputs are loaded where they are first used.
    let mut load = |ids: &[Id], lets: &mut Vec<TokenStream>| {
        for id in ids {
            let Node::Stream(k) = graph.nodes[id.index()] else { continue };
            if !core::mem::replace(&mut loaded[k as usize], true) {
                let name = &given.inputs[k as usize];
                let load = if given.masks[k as usize] { quote!(truth) } else { quote!(load) };
                lets.push(quote!(let #name = #name.#load() #widened;));
            }
        }
    };
    for (i, node) in graph.nodes.iter().enumerate() {
        let (id, name) = (Id(i as u32), &names[i]);
        if let Some(joint) = joints.iter().find(|joint| joint.holds(id)) {
            if joint.at() == id {
                let results = named(&joint.results);
                let call = column::named(joint.call, &named(&joint.args), on);
                lets.push(quote!(let (#(#results),*) = #call;));
            }
            continue;
        }
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
    let results = named(&graph.outputs);
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

/// `x.gate` -> `v_x_gate`, which is no name of the body's own.
fn value_name(name: &str) -> Ident {
    Ident::new(&format!("v_{}", name.replace('.', "_")), Span::call_site())
}
