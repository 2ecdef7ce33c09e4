//! Lowers a specialised graph to straight-line vector code in f32, in f64, or with tables.

use super::compiler::CALL;
use super::statements::{Code, Names, has_chains, loaded, statements, watched_code};
use super::uniform::Hoisted;
use super::watched::Watched;
use super::{compensated, literal, program, tabled};
use op_dsl_ir::compile;
use op_dsl_ir::graph::Graph;
use op_dsl_ir::kernel::Kernel;
use op_dsl_ir::op::{Accuracy, OpDef, Part, Pattern, Spec, Stream, Tensor, Wide};
use op_dsl_ir::passes::zeros;
use op_dsl_ir::program::Program;
use op_dsl_ir::rounding::Arithmetic;
use op_dsl_ir::stages::with_reciprocals;
use op_dsl_ir::{DType, Stored};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// Returns the numbers of input streams, run-time scalars and output streams of a kernel.
pub fn widths(kernel: &Kernel) -> [usize; 3] {
    let def = &kernel.def;
    let further = hoisted(kernel).map_or(0, |hoisted| hoisted.count());
    [def.input_streams().len(), attributes(def) + further, def.output_streams().len()]
}

/// Returns the number of attributes that are run-time scalars.
fn attributes(def: &OpDef) -> usize {
    def.attrs.iter().filter(|a| a.kind.is_scalar()).count()
}

/// Takes functions of attributes out of a kernel, unless it belongs to a formula of rows, whose kernels share scalars.
fn hoisted(Kernel { def, of_rows, .. }: &Kernel) -> Option<Hoisted> {
    if of_rows.contains(&true) { None } else { Hoisted::of(&def.specs[0], attributes(def)) }
}

/// Returns, per input of a kernel, whether it holds terms that an earlier stage of a formula of rows has kept.
fn terms(Kernel { def, of_rows, .. }: &Kernel) -> Vec<bool> {
    let streams = def.input_streams();
    let is_of_stage = streams.iter().map(|stream| def.inputs[stream.tensor].name.starts_with('.'));
    is_of_stage.zip(of_rows).map(|(is_of_stage, of_row)| is_of_stage && !of_row).collect()
}

/// Returns the tokens of `impl Body` for the type `name`, which computes what the kernel does.
pub fn implementation(name: &Ident, kernel: &Kernel) -> TokenStream {
    let Kernel { def, of_rows, is_sum, is_mixed } = kernel;
    let (spec, is_mixed) = (&def.specs[0], *is_mixed);
    let [inputs, scalars, outputs] = widths(kernel).map(literal::count);
    let hoisted = hoisted(kernel);
    let uniform = hoisted.as_ref().map(Hoisted::items);
    let further = hoisted.iter().flat_map(Hoisted::names);
    let names = Names {
        inputs: def.input_names().iter().map(|n| value_name(n)).collect(),
        masks: (0..def.input_streams().len()).map(|k| def.is_mask(k)).collect(),
        own: def.own_types().take(def.input_streams().len()).collect(),
        of_rows: of_rows.clone(),
        terms: terms(kernel),
        in_memory: vec![true; def.input_streams().len()],
        scalars: def.scalar_names().iter().map(|n| value_name(n)).chain(further).collect(),
        as_written: def.accuracy == Accuracy::AsWritten,
        rounds: false,
    };
    let by_scalars = hoisted.map(|hoisted| Spec { graph: hoisted.graph, ..spec.clone() });
    let by_reciprocals = || {
        let graph = with_reciprocals(&spec.graph, |k| of_rows.get(k) == Some(&true));
        Spec { graph, ..spec.clone() }
    };
    // Where f32 has the second graph, only 16 bits have the first.
    let is_of_halves = names.has_rows() && spec.wide.as_ref().is_some_and(|wide| wide.single);
    let rewritten = by_scalars.or_else(|| is_of_halves.then(by_reciprocals));
    let spec = rewritten.as_ref().unwrap_or(spec);
    let (input_names, scalar_names) = (&names.inputs, &names.scalars);
    let own_outputs: Vec<Option<Stored>> = def.own_types().skip(names.own.len()).collect();
    let mut programs = Programs::of(name, spec, &names, &own_outputs, is_mixed);
    if def.takes_f64() {
        // Functions of attributes are no scalars of this program, which computes them once per call.
        programs.on_f64 = on_f64(name, &def.specs[0], &names);
    }
    let exact = programs.double.as_ref().map(|(name, _)| name);
    let tabled = exact.and_then(|exact| {
        tabled::implementation(name, spec, &names, [&inputs, &scalars, &outputs], exact)
    });
    let is_multiplied = tabled.as_ref().is_some_and(|tabled| tabled.is_multiplied);
    // f32 has no more exponents than bf16, so that with several streams one may bring back a value that another has taken
    // out of the range of f32.
    let is_several = names.masks.iter().filter(|is_mask| !**is_mask).count() > 1;
    let mut double = in_f64(spec, is_multiplied, is_several);
    if is_mixed {
        // Numbers of other types have digits that 16-bit kernels lack, so that these need f64 where f32 does.
        double = if double.contains(&DType::F32) { DType::ALL.to_vec() } else { Vec::new() };
    }
    // With tables for 16 bits, terms of a row would leave its sum too few digits for a difference that cancels, and a product with
    // the value of a row would be a unit off more often than a thousandth of the time.
    let accuracy = (is_mixed || names.has_rows() && tabled.is_some()).then(|| {
        quote!(
            type E = f32;
        )
    });
    let (types_in_f64, is_all) = (matches_any(&double), double.len() == DType::COUNT);
    // If tables do not serve, functions are interpreted; arithmetic alone is compiled.
    let is_interpreted = tabled.is_some() && programs.has_functions_in_f64();
    let wide = |wide: &Wide| match is_interpreted {
        true => quote!([Floats::splat(s, f32::NAN); #outputs]),
        false => statements(&wide.graph, &names, Arithmetic::F64),
    };
    // Types that need f64 only for values that leave the range of f32 are computed in f32 and watched.
    // The author may ask for the same in f32.
    let is_fast = !is_mixed && spec.wide.as_ref().is_some_and(|wide| wide.fast.arithmetic);
    // Sums and products of rows have few operations that f32 cannot carry the errors of.
    let compensated = match &spec.wide {
        Some(wide) if names.has_rows() && !is_mixed && tabled.is_none() => {
            compensated::statements(&wide.graph, &names)
        }
        _ => None,
    };
    let narrow = || statements(&zeros::run(&spec.graph), &names, Arithmetic::F32);
    let is_near = |dtype: &&DType| match dtype {
        DType::F32 => is_fast,
        dtype => dtype.is_narrow() && dtype.has_f32_range() && !is_all,
    };
    // Without FMA, the rounding error of a product takes longer than f64.
    let of_errors: &[DType] = match compensated {
        Some(_) if is_all => &DType::ALL,
        Some(_) => &[DType::F32],
        None => &[],
    };
    let has_errors = matches_any(of_errors);
    let has_errors = quote!(S::FMA && #has_errors);
    let near: Vec<DType> = double.iter().filter(is_near).copied().collect();
    let types = matches_any(&near);
    let types = if of_errors.is_empty() { types } else { quote!(#types || #has_errors) };
    let near: Vec<DType> = [near, of_errors.to_vec()].concat();
    let is_watched = tabled.as_ref().is_none_or(|tabled| tabled.rounds) && !near.is_empty();
    let with_errors = compensated.map(|compensated| {
        quote! {
            if const { #has_errors } {
                #compensated
                return (y, watch);
            }
        }
    });
    let watched = exact.filter(|_| is_watched).and_then(|exact| {
        watched(name, exact, spec, &names, [&inputs, &scalars, &outputs], with_errors)
    });
    let by_range = watched.as_ref().map(|_| {
        quote! {
            if const { #types } {
                ranged::<Self, S, E, #inputs, #scalars, #outputs, W>(
                    s, [#(#input_names),*], [#(#scalar_names),*]
                )
            } else
        }
    });
    let value = match &spec.wide {
        Some(all) if is_all => {
            let value = wide(all);
            if by_range.is_some() { quote!(#by_range { #value }) } else { value }
        }
        Some(some) if !double.is_empty() => {
            let (single, half) = (wide(some), narrow());
            quote!(#by_range if const { #types_in_f64 } { #single } else { #half })
        }
        _ => narrow(),
    };
    let statics = programs.statics(&double, tabled.is_some());
    let by_type = programs.by_type(&double);
    let on_f64 = programs
        .on_f64
        .as_ref()
        .map(|(program, _)| quote!(const ON_F64: Option<&'static Program> = Some(&#program);));
    let is_watched = |dtype| watched.is_some() && near.contains(&dtype);
    let without_tables = match (&tabled, exact) {
        (Some(tabled), Some(exact)) => {
            let left: Vec<DType> = double.iter().filter(|d| !is_watched(**d)).copied().collect();
            let types = is_interpreted.then(|| matches_any(&left));
            Some(without_tables(tabled, exact, types.as_ref(), &names, &accuracy))
        }
        _ if double.is_empty() => None,
        _ => {
            let in_f64 = DType::ALL.map(|d| double.contains(&d) && !is_watched(d));
            let count = literal::count(DType::COUNT);
            Some(quote!(const IN_F64: [bool; #count] = [#(#in_f64),*];))
        }
    };
    let looks_up = tabled.as_ref().map(|_| {
        quote!(
            const LOOKS_UP: bool = true;
        )
    });
    let (items, value) = match &tabled {
        Some(tabled::Tabled { items, has_tables, value: by_tables, .. }) => {
            let value = quote!(if const { #has_tables } { #by_tables } else { #value });
            (quote!(#items #watched), value)
        }
        None => (quote!(#watched), value),
    };
    let graphs = || spec.wide.iter().map(|wide| &wide.graph).chain([&spec.graph]);
    let reads: Vec<bool> =
        (0..names.inputs.len()).map(|k| graphs().any(|graph| graph.reads(k))).collect();
    let reads =
        reads.contains(&false).then(|| quote!(const READS: [bool; #inputs] = [#(#reads),*];));
    let masks = &names.masks;
    let masks =
        masks.contains(&true).then(|| quote!(const MASKS: [bool; #inputs] = [#(#masks),*];));
    let own_inputs = own(quote!(OWN), &inputs, &names.own);
    let own_outputs = own(quote!(RESULTS), &outputs, &own_outputs);
    let interleaved = def.split.as_ref().is_some_and(|s| s.pattern != Pattern::Halves);
    let turns = |streams: &[Stream], tensors: &[Tensor]| -> Vec<bool> {
        let is_first = |s: &Stream| s.part == Part::Gate && tensors[s.tensor].own.is_none();
        streams.iter().map(|s| interleaved && is_first(s)).collect()
    };
    let input_turns = turns(&def.input_streams(), &def.inputs);
    let output_turns = turns(&def.output_streams(), &def.outputs);
    let input_turns = input_turns
        .contains(&true)
        .then(|| quote!(const INPUT_TURNS: [bool; #inputs] = [#(#input_turns),*];));
    let output_turns = output_turns
        .contains(&true)
        .then(|| quote!(const OUTPUT_TURNS: [bool; #outputs] = [#(#output_turns),*];));
    let is_called = DType::ALL.map(|dtype| def.dtypes.contains(&dtype));
    let is_called = is_called.contains(&false).then(|| {
        let count = literal::count(DType::COUNT);
        quote!(const DTYPES: [bool; #count] = [#(#is_called),*];)
    });
    let is_interpreted = CALL.has_debug_assertions.then(|| {
        quote!(
            const INTERPRETED: bool = true;
        )
    });
    let of_rows =
        of_rows.contains(&true).then(|| quote!(const OF_ROWS: [bool; #inputs] = [#(#of_rows),*];));
    let sums = is_sum.then(|| {
        quote!(
            const SUMS: bool = true;
        )
    });
    quote! {
        #items
        #statics
        impl Body<#inputs, #scalars, #outputs> for #name {
            #is_called
            #of_rows
            #sums
            #uniform
            #reads
            #masks
            #own_inputs
            #own_outputs
            #input_turns
            #output_turns
            #by_type
            #is_interpreted
            #on_f64
            #without_tables
            #looks_up
            #[inline(always)]
            #[allow(unused_variables)]
            fn eval<S: Isa, E: El, const W: usize>(
                s: S,
                [#(#input_names),*]: [Input<'_, S, E, W>; #inputs],
                [#(#scalar_names),*]: [Floats<S, W>; #scalars],
            ) -> [Floats<S, W>; #outputs] {
                #accuracy
                #value
            }
        }
    }
}

/// Returns the constant `name` with the own types of streams; nothing if none has one.
fn own(name: TokenStream, count: &Literal, types: &[Option<Stored>]) -> Option<TokenStream> {
    let one = |own: &Option<Stored>| match own {
        None => quote!(::core::option::Option::None),
        Some(Stored::Number(dtype)) => {
            let dtype = Ident::new(&format!("{dtype:?}"), Span::call_site());
            quote!(::core::option::Option::Some(Stored::Number(DType::#dtype)))
        }
        Some(stored) => {
            let stored = Ident::new(&format!("{stored:?}"), Span::call_site());
            quote!(::core::option::Option::Some(Stored::#stored))
        }
    };
    types.iter().any(Option::is_some).then(|| {
        let each = types.iter().map(one);
        quote!(const #name: [::core::option::Option<Stored>; #count] = [#(#each),*];)
    })
}

/// Returns f32 code of a graph that also records whether values have left the range of f32.
///
/// Returns `None` if the graph computes values of an untaken branch, which may leave that range without harm: see
/// [`Watched::new`].
fn watched(
    name: &Ident,
    exact: &Ident,
    spec: &Spec,
    names: &Names,
    [inputs, scalars, outputs]: [&Literal; 3],
    with_errors: Option<TokenStream>,
) -> Option<TokenStream> {
    // The limits of the f32 graph are those of numbers far out, which is not enough where terms of it cancel.
    let is_fast = spec.wide.as_ref().is_some_and(|wide| wide.fast.arithmetic);
    let (graph, on) = (zeros::run(&spec.graph), Arithmetic::F32);
    let Code { lets, results } =
        watched_code(&graph, names, on, Some(Watched::new(&graph, is_fast)?));
    let (x, a) = (&names.inputs, &names.scalars);
    let loaded = spec.wide.iter().flat_map(|wide| loaded(names, &wide.graph));
    Some(quote! {
        #[allow(unused_variables)]
        impl Ranged<#inputs, #scalars, #outputs> for #name {
            const EXACT: &'static Program = &#exact;
            #[inline(always)]
            fn loaded<S: Isa, X: Load<S, W>, const W: usize>(
                s: S,
                [#(#x),*]: [X; #inputs],
            ) -> [Floats<S, W>; #inputs] {
                [#(#loaded),*]
            }
            #[inline(always)]
            fn watched<S: Isa, E: El, X: Load<S, W>, const W: usize, const CAREFUL: bool>(
                s: S,
                [#(#x),*]: [X; #inputs],
                [#(#a),*]: [Floats<S, W>; #scalars],
            ) -> ([Floats<S, W>; #outputs], math::range::Watch<S, W, CAREFUL>) {
                let mut watch = math::range::Watch::new(s);
                #with_errors
                #(#lets)*
                ([#(#results),*], watch)
            }
        }
    })
}

/// Returns the generated method that selects the interpreter where fitted tables cannot be used.
///
/// That is so for element types without tables, and for attributes that the tables do not allow.
fn without_tables(
    tabled: &tabled::Tabled,
    exact: &Ident,
    types_in_f64: Option<&TokenStream>,
    Names { scalars, .. }: &Names,
    accuracy: &Option<TokenStream>,
) -> TokenStream {
    let (has_tables, count) = (&tabled.has_tables, literal::count(scalars.len()));
    let is_without = types_in_f64.cloned().unwrap_or(quote!(false));
    let is_unusable = match &tabled.usable {
        Some(usable) => quote!(!(#usable)),
        None => quote!(false),
    };
    quote! {
        #[inline(always)]
        #[allow(unused_variables)]
        fn without_tables<S: Isa, E: El, const W: usize>(
            s: S,
            [#(#scalars),*]: [Floats<S, W>; #count],
        ) -> Option<&'static Program> {
            #accuracy
            let is_interpreted =
                if const { #has_tables } { #is_unusable } else { const { #is_without } };
            if is_interpreted { Some(&#exact) } else { None }
        }
    }
}

/// Returns the element types for which the vector code of a specialisation computes in f64.
fn in_f64(spec: &Spec, is_multiplied: bool, is_several: bool) -> Vec<DType> {
    let is_it = |dtype: &DType| match spec.wide {
        None => false,
        Some(Wide { halves: true, .. }) => true,
        // A factor may scale up a value that has lost digits below the least normal number of f32; f16 has no such small
        // numbers.
        Some(Wide { single: false, .. }) if !is_multiplied => false,
        Some(_) => !dtype.is_narrow() || dtype.has_f32_range() && (is_multiplied || is_several),
    };
    DType::ALL.into_iter().filter(is_it).collect()
}

/// Returns the condition that the element type `E` is one of `types`.
fn matches_any(types: &[DType]) -> TokenStream {
    if types.is_empty() {
        return quote!(false);
    }
    let types = types.iter().map(|dtype| {
        let dtype = Ident::new(&format!("{dtype:?}"), Span::call_site());
        quote!(DType::#dtype)
    });
    quote!(matches!(E::DTYPE, #(#types)|*))
}

/// Returns the program of calls on f64, with the name of its `static`.
fn on_f64(name: &Ident, spec: &Spec, names: &Names) -> Option<(Ident, Program)> {
    let program = Program::of(&compile::for_f64(&spec.traced), &names.masks, Arithmetic::F64)?;
    let own = format!("{}_ON_F64", name.to_string().to_uppercase());
    Some((Ident::new(&own, name.span()), program))
}

/// Interpreter programs of a specialisation in f32 and in f64, each with the name of its `static`.
///
/// `None` where the interpreter cannot run the graph, or no such program is needed.
struct Programs {
    single: Option<(Ident, Program)>,
    double: Option<(Ident, Program)>,
    /// Program of calls on f64, whose results are not rounded to f32.
    on_f64: Option<(Ident, Program)>,
}

impl Programs {
    fn of(
        name: &Ident,
        spec: &Spec,
        names: &Names,
        outputs: &[Option<Stored>],
        is_mixed: bool,
    ) -> Programs {
        let results =
            outputs.iter().rev().fold(0, |bits, own| bits << 1 | u16::from(own.is_some()));
        let named = |graph: &Graph, on: Arithmetic| {
            let own = format!("{}_{on:?}", name.to_string().to_uppercase());
            let of = if names.has_rows() { Program::of_rows } else { Program::of };
            let program = Program { results, is_mixed, ..of(graph, &names.masks, on)? };
            Some((Ident::new(&own, name.span()), program))
        };
        let narrow = zeros::run(&spec.graph);
        // The interpreter has no product of arbitrarily many factors in f32. In f64 it needs none, because nothing leaves the
        // range of numbers on the way.
        let has_chains = !names.as_written && has_chains(&narrow);
        let double = match &spec.wide {
            Some(wide) => Some(&wide.graph),
            None => has_chains.then_some(&narrow),
        };
        Programs {
            on_f64: None,
            double: double.and_then(|graph| named(graph, Arithmetic::F64)),
            single: if has_chains { None } else { named(&narrow, Arithmetic::F32) },
        }
    }

    fn has_functions_in_f64(&self) -> bool {
        self.double.as_ref().is_some_and(|(_, program)| program.functions > 0)
    }

    /// Returns the `static` items that hold the interpreter programs used by the generated code.
    fn statics(&self, in_f64: &[DType], has_tables: bool) -> TokenStream {
        let is_single = self.single.is_some() && in_f64.len() < DType::COUNT;
        let is_double = has_tables || !in_f64.is_empty() || self.single.is_none();
        let on_f64 = Some(&self.on_f64);
        let asked = [is_single.then_some(&self.single), is_double.then_some(&self.double), on_f64];
        let statics = asked.into_iter().flatten().flatten().map(|(name, program)| {
            let program = program::constant(program);
            quote!(static #name: Program = #program;)
        });
        quote!(#(#statics)*)
    }

    /// Returns the constant with the interpreter program of each element type, in the order of `DType`.
    ///
    /// Returns `None` if a type has no program.
    fn by_type(&self, in_f64: &[DType]) -> Option<TokenStream> {
        let program = |dtype: &DType| {
            let in_f64 = self.single.is_none() || in_f64.contains(dtype);
            if in_f64 { &self.double } else { &self.single }
        };
        let named = DType::ALL.iter().map(|dtype| program(dtype).as_ref().map(|(name, _)| name));
        let each = named.collect::<Option<Vec<&Ident>>>()?;
        let count = literal::count(DType::COUNT);
        Some(quote!(const PROGRAMS: Option<[&'static Program; #count]> = Some([#(&#each),*]);))
    }
}

/// Prefixes the name of a value so that it cannot collide with other names in generated code.
///
/// For example, `x.gate` becomes `v_x_gate`.
fn value_name(name: &str) -> Ident {
    Ident::new(&format!("v_{}", name.replace('.', "_")), Span::call_site())
}
