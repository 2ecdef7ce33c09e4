//! Specialised graph -> straight-line vector code, in f32, in f64, or with tables.

use super::code::{Names, has_chains, statements};
use super::{literal, program, tabled};
use op_dsl_ir::DType;
use op_dsl_ir::op::{OpDef, Part, Pattern, Spec, Stream, Wide};
use op_dsl_ir::passes::zeros;
use op_dsl_ir::program::Program;
use op_dsl_ir::rounding::Arithmetic;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// How many input streams, run-time scalars and output streams a body has.
pub fn widths(def: &OpDef) -> [usize; 3] {
    let scalars = def.attrs.iter().filter(|a| a.kind.is_scalar()).count();
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
    let tabled = tabled::implementation(name, spec, &names, [&inputs, &scalars, &outputs]);
    let narrow = || statements(&zeros::run(&spec.graph), &names, Arithmetic::F32);
    let wide = |wide: &Wide| match &tabled {
        Some(tabled) => tabled.everywhere.clone(),
        None => statements(&wide.graph, &names, Arithmetic::F64),
    };
    // What a function has lost below the least normal number of f32 a factor brings back; f16 has no such numbers.
    let is_multiplied = tabled.as_ref().is_some_and(|tabled| tabled.is_multiplied);
    // Nor has it the exponents of bf16: of several streams one may bring back what another has taken out of range.
    let is_several = names.masks.iter().filter(|is_mask| !**is_mask).count() > 1;
    let value = match &spec.wide {
        None => narrow(),
        Some(all @ Wide { halves: true, .. }) => wide(all),
        Some(Wide { single: false, .. }) if !is_multiplied => narrow(),
        Some(single) => {
            let (single, half) = (wide(single), narrow());
            let types = if is_multiplied || is_several {
                quote!(DType::F32 | DType::BF16)
            } else {
                quote!(DType::F32)
            };
            quote!(if const { matches!(E::DTYPE, #types) } { #single } else { #half })
        }
    };
    let (programs, programs_const) =
        programs(name, spec, &names.masks, [is_multiplied, is_several]);
    let (items, value) = match &tabled {
        Some(tabled::Tabled { items, has_tables, value: by_tables, .. }) => {
            (Some(items), quote!(if const { #has_tables } { #by_tables } else { #value }))
        }
        None => (None, value),
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
        #items
        #programs
        impl Body<#inputs, #scalars, #outputs> for #name {
            #reads
            #masks
            #input_turns
            #output_turns
            #programs_const
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

/// The programs of the interpreter, as statics and as the constant of the body: for each element type the graph that suits it, in
/// the order of `DType`.
fn programs(
    name: &Ident,
    spec: &Spec,
    masks: &[bool],
    [is_multiplied, is_several]: [bool; 2],
) -> (TokenStream, TokenStream) {
    let narrow = zeros::run(&spec.graph);
    // The interpreter has no product of any number of factors in f32; in f64 it needs none.
    let has_chains = has_chains(&narrow);
    let in_f64 = |dtype| match &spec.wide {
        _ if has_chains => true,
        None => false,
        Some(Wide { halves: true, .. }) => true,
        Some(Wide { single: false, .. }) if !is_multiplied => false,
        Some(_) => dtype == DType::F32 || (is_multiplied || is_several) && dtype == DType::BF16,
    };
    let [single, double] = [Arithmetic::F32, Arithmetic::F64].map(|on| {
        let is_asked_for = DType::ALL.iter().any(|d| in_f64(*d) == (on == Arithmetic::F64));
        let graph = match &spec.wide {
            Some(wide) if on == Arithmetic::F64 => &wide.graph,
            _ => &narrow,
        };
        is_asked_for.then(|| Program::of(graph, masks, on))
    });
    if [&single, &double].into_iter().any(|program| matches!(program, Some(None))) {
        return Default::default();
    }
    let owner =
        |on: &str| Ident::new(&format!("{}_{on}", name.to_string().to_uppercase()), name.span());
    let named = [(owner("F32"), single.flatten()), (owner("F64"), double.flatten())];
    let statics = named.iter().filter_map(|(name, program)| {
        let program = program::constant(program.as_ref()?);
        Some(quote!(static #name: Program = #program;))
    });
    let each = DType::ALL.map(|dtype| &named[usize::from(in_f64(dtype))].0);
    let count = literal::count(DType::COUNT);
    (
        quote!(#(#statics)*),
        quote!(const PROGRAMS: Option<[&'static Program; #count]> = Some([#(&#each),*]);),
    )
}

/// `x.gate` -> `v_x_gate`, which is no name of the body's own.
fn value_name(name: &str) -> Ident {
    Ident::new(&format!("v_{}", name.replace('.', "_")), Span::call_site())
}
