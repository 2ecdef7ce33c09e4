//! Specialised graph -> straight-line vector code, in f32, in f64, or with tables.

use super::code::{Names, statements};
use super::{fitted, literal};
use op_dsl_ir::op::{AttrKind, OpDef, Part, Pattern, Spec, Stream, Wide};
use op_dsl_ir::passes::zeros;
use op_dsl_ir::regions::{self, Split};
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
        in_memory: vec![true; def.input_streams().len()],
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
    let Tabled { items, value } = tabled(name, spec, &names, value);
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
        #items
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

/// A body with tables where it has any: their items, and the code.
struct Tabled {
    items: TokenStream,
    value: TokenStream,
}

/// Where f32 is not accurate enough, functions of one stream have tables, at levels that look them up.
fn tabled(name: &Ident, spec: &Spec, names: &Names, without: TokenStream) -> Tabled {
    let split = spec.wide.as_ref().and_then(|w| regions::split(&w.graph, names.inputs.len()));
    let none = Tabled { items: TokenStream::new(), value: without.clone() };
    // What depends on a truth value alone has two values, and no table.
    let split = split.filter(|split| split.functions.iter().all(|f| !names.masks[f.stream]));
    let Some(Split { rest, functions }) = split else { return none };
    let owner = |k: usize| format_ident!("{name}F{k}");
    let items: Option<Vec<TokenStream>> = (functions.iter().enumerate())
        .map(|(k, f)| fitted::function(&owner(k), &f.graph))
        .collect();
    let Some(items) = items else { return none };
    let mut given = Names {
        inputs: names.inputs.clone(),
        in_memory: names.in_memory.clone(),
        masks: names.masks.clone(),
        scalars: Vec::new(),
    };
    let mut lets = Vec::new();
    for (k, function) in functions.iter().enumerate() {
        let (owner, value, x) = (owner(k), format_ident!("f{k}"), &names.inputs[function.stream]);
        if core::mem::take(&mut given.in_memory[function.stream]) {
            lets.push(quote!(let #x = #x.load();));
        }
        lets.push(quote!(let #value = math::univariate::<#owner, S, E, W>(s, #x);));
        given.inputs.push(value);
        given.in_memory.push(false);
        given.masks.push(false);
    }
    let rest = statements(&rest, &given, Arithmetic::F32);
    let owners = (0..functions.len()).map(owner);
    let value = quote! {
        if const { #(math::univariate::has_table::<#owners, S, E>())&&* } {
            #(#lets)*
            #rest
        } else {
            #without
        }
    };
    Tabled { items: quote!(#(#items)*), value }
}

/// `x.gate` -> `v_x_gate`, which is no name of the body's own.
fn value_name(name: &str) -> Ident {
    Ident::new(&format!("v_{}", name.replace('.', "_")), Span::call_site())
}
