//! Bodies whose functions of one variable are looked up: `impl Tabled`.

use super::chains::Size;
use super::combine::{Two, asks_for_two, is_beside_sum, is_in_long_product, is_taken, rest};
use super::fitted::{self, Fitted, Precision};
use super::group::{self, Owned};
use super::literal;
use super::look_up::{LookUp, Source, look_up};
use super::several;
use super::statements::{Code, Names, code, load, loaded};
use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Builder, Graph, Node};
use op_dsl_ir::op::Spec;
use op_dsl_ir::rounding::Arithmetic;
use op_dsl_ir::univariate::{self, Function, Split, Variable};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// Generated code of a kernel body that evaluates functions by fitted tables.
///
/// It comes in addition to the code that every kernel body has.
pub struct Tabled {
    pub items: TokenStream,
    /// Condition that a SIMD level has all tables for an element type.
    pub has_tables: TokenStream,
    /// Expression that yields the operator's results by tables.
    pub value: TokenStream,
    /// Condition on the attributes under which products with them lose no digits.
    ///
    /// `None` if no attribute is a factor.
    pub usable: Option<TokenStream>,
    /// True if the formula computes with the value of a looked-up function instead of returning it.
    ///
    /// A later factor may then scale up digits that the value has lost below the least normal float.
    pub is_multiplied: bool,
    /// True if the tables serve f32 alone: their values are combined with the roundings of f32.
    pub rounds: bool,
}

/// Returns the code that computes a graph by tables of its functions of one variable.
///
/// SIMD levels that look tables up use it where f32 is not accurate enough, or slower. `exact` names the interpreter program of
/// the whole graph in f64. Returns `None` if the graph cannot be split into functions of one variable and an expression that
/// combines their values, or if a function has no table.
pub fn implementation(
    name: &Ident,
    spec: &Spec,
    names: &Names,
    [inputs, scalars, outputs]: [&Literal; 3],
    exact: &Ident,
) -> Option<Tabled> {
    let wide = &spec.wide.as_ref()?.graph;
    let split = spec.split(names.inputs.len())?;
    // A function of a mask alone has only two values, and no table.
    let is_mask = |f: &Function| f.variable.streams().any(|stream| names.masks[stream]);
    if split.functions.iter().any(is_mask) {
        return None;
    }
    let (x, a) = (&names.inputs, &names.scalars);
    let (functions, groups) = looked_up(name, &split, x.len(), names.has_rows())?;
    let count = literal::count(functions.len());
    let tables = functions.iter().map(|f| &f.tables).chain(groups.iter().map(|g| &g.tables));
    let (values, twos): (Vec<_>, Vec<_>) = functions.iter().map(|f| f.names.clone()).unzip();
    let given = at_hand(names, &values, split.rounds);
    let usable = usable(&split, &given);
    let variables = split.functions.iter().map(|f| variable(&f.variable, &given));
    let as_two = functions.iter().zip(&split.functions).filter(|(f, _)| f.two.contains(&true));
    let as_two = as_two.map(|(looked_up, function)| {
        let (name, two) = looked_up.names.clone();
        Two { name, two, is_of_pair: function.variable.pair().is_some() }
    });
    let functions_sizes = split.functions.iter().map(|f| Size::of_function(&f.graph));
    let sizes: Vec<Size> = x.iter().map(|_| Size::EXACT).chain(functions_sizes).collect();
    let (lets, results) = rest(&split.rest, &given, &as_two.collect::<Vec<_>>(), &sizes);
    let loaded = loaded(names, wide);
    // Each input is loaded by the code that reads it.
    let bound = |reads: &dyn Fn(usize) -> bool| -> Vec<TokenStream> {
        let all = (0..x.len()).filter(|k| reads(*k));
        all.map(|k| (&x[k], load(names, k))).map(|(x, step)| quote!(let #x = #step;)).collect()
    };
    let is_variable = |k| split.functions.iter().any(|f| f.variable.of.reads(k));
    let load_variables = bound(&is_variable);
    let load_rest = bound(&|k| split.rest.reads(k));
    let LookUp { has_tables, all_inside, inside, anywhere } =
        look_up(&ways(&functions, &groups), functions.len());
    let rounds = split.rounds;
    let has_tables = match rounds {
        true => quote!(matches!(E::DTYPE, DType::F32) && (#has_tables)),
        false => has_tables,
    };
    let rounded = rounds.then(|| {
        quote!(
            const ROUNDS: bool = true;
        )
    });
    let items = quote! {
        #(#tables)*
        #[allow(unused_variables)]
        impl Tabled<#inputs, #scalars, #outputs, #count> for #name {
            const EXACT: &'static Program = &#exact;
            #rounded
            #[inline(always)]
            fn loaded<S: Isa, X: Load<S, W>, const W: usize>(
                s: S,
                [#(#x),*]: [X; #inputs],
            ) -> [Floats<S, W>; #inputs] {
                [#(#loaded),*]
            }
            #[inline(always)]
            fn variables<S: Isa, E: El, X: Load<S, W>, const W: usize>(
                s: S,
                [#(#x),*]: [X; #inputs],
                [#(#a),*]: [Floats<S, W>; #scalars],
            ) -> [math::double_float::Variable<S, W>; #count] {
                #(#load_variables)*
                [#(#variables),*]
            }
            #[inline(always)]
            fn all_inside<S: Isa, E: El, const W: usize>(
                s: S,
                t: [math::double_float::Variable<S, W>; #count],
            ) -> bool {
                #all_inside
            }
            #[inline(always)]
            fn inside<S: Isa, E: El, const W: usize>(
                s: S,
                t: [math::double_float::Variable<S, W>; #count],
            ) -> [math::double_float::DoubleFloat<S, W>; #count] {
                #inside
            }
            #[inline(always)]
            fn anywhere<S: Isa, E: El>(
                s: S,
                t: [math::double_float::Variable<S, 2>; #count],
            ) -> ([math::double_float::DoubleFloat<S, 2>; #count], Mask<S>) {
                #anywhere
            }
            #[inline(always)]
            fn rest<S: Isa, E: El, X: Load<S, W>, const W: usize>(
                s: S,
                [#(#x),*]: [X; #inputs],
                [#(#a),*]: [Floats<S, W>; #scalars],
                [#(#twos),*]: [math::double_float::DoubleFloat<S, W>; #count],
            ) -> [Floats<S, W>; #outputs] {
                #(let #values = #twos.high;)*
                #(#load_rest)*
                #lets
                [#(#results),*]
            }
        }
    };
    Some(Tabled {
        items,
        usable,
        rounds,
        is_multiplied: (0..split.functions.len()).any(|k| is_taken(&split.rest, x.len() + k)),
        has_tables,
        value: quote!(tabled::<#name, S, _, E, #inputs, #scalars, #outputs, #count, W>(
            s, [#(#x),*], [#(#a),*]
        )),
    })
}

/// A function of one variable that has tables.
struct LookedUp {
    owner: Ident,
    tables: TokenStream,
    /// Names of two variables in the generated code: the function's value as one float, and as a double-float.
    names: (Ident, Ident),
    /// For each width of look-ups (32 and 8 entries), true if the function's value is needed as a double-float.
    two: [bool; 2],
}

/// Functions of the same variable that share look-ups.
struct Group {
    tables: TokenStream,
    /// Generated types that look the functions up.
    owned: Vec<Owned>,
}

/// Fits tables to the functions of one variable that a graph was split into.
///
/// Returns the functions with their tables, and the groups of functions that share look-ups; `None` if a function has no
/// tables. In the expression that combines the functions' values, the value of function `k` is stream `first + k`. `has_rows` says
/// whether the formula has row functions.
fn looked_up(
    name: &Ident,
    split: &Split,
    first: usize,
    has_rows: bool,
) -> Option<(Vec<LookedUp>, Vec<Group>)> {
    let asked =
        |(k, function): (usize, &Function)| (function.clone(), asked(split, first, k, has_rows));
    let functions: Vec<(Function, Precision)> =
        split.functions.iter().enumerate().map(asked).collect();
    let fitted = functions.iter().map(|(function, asked)| fitted::load_or_fit(function, *asked));
    let mut fitted = fitted.collect::<Option<Vec<Fitted>>>()?;
    let mut groups = Vec::new();
    for (places, group) in several::places(&functions).iter().zip(several::groups(&functions)) {
        let Some(shared) = group::shared_tables(&group) else { continue };
        for (k, place) in places.iter().enumerate() {
            shared.replace(k, &mut fitted[*place]);
        }
        let (tables, owned) =
            shared.tokens(&format_ident!("{name}G{}", groups.len()), &group, places);
        groups.push(Group { tables, owned });
    }
    let each = functions.iter().zip(&fitted).enumerate().map(|(k, ((function, asked), fitted))| {
        let owner = format_ident!("{name}F{k}");
        let tables = fitted::function(&owner, function, *asked, fitted);
        let names = (format_ident!("f{k}"), format_ident!("two{k}"));
        LookedUp { owner, tables, names, two: asked.two }
    });
    Some((each.collect(), groups))
}

/// Returns the ways to evaluate an operator's functions by table look-ups, in order of preference.
///
/// Each way is a list of look-ups that together yield all functions: composed in 16 bits, joint in f32 (each with separate
/// look-ups for the remaining functions), or each function by itself.
fn ways<'a>(functions: &'a [LookedUp], groups: &'a [Group]) -> Vec<Vec<Source<'a>>> {
    let alone = |k: usize| Source { owner: &functions[k].owner, places: vec![k], by: "univariate" };
    let way = |by: &str| {
        let owned = groups.iter().flat_map(|group| &group.owned).map(Owned::source);
        let mut all: Vec<Source> = owned.filter(|source| source.by == by).collect();
        let is_left = |k: &usize| !all.iter().any(|source| source.places.contains(k));
        let others: Vec<usize> = (0..functions.len()).filter(is_left).collect();
        let is_one = !all.is_empty();
        all.extend(others.into_iter().map(alone));
        is_one.then_some(all)
    };
    let together = ["made", "both"].into_iter().filter_map(way);
    together.chain([(0..functions.len()).map(alone).collect()]).collect()
}

/// Returns the requirements on the values of function `k` of a split graph.
///
/// A split has the functions of one variable and the expression that combines their values. In that expression, the value of
/// function `k` is stream `first + k`.
fn asked(split: &Split, first: usize, k: usize, has_rows: bool) -> Precision {
    let (is_product, stream) = (split.functions[k].variable.is_rounded(), first + k);
    // The value of a row has errors of its own, and those of terms add up where they are alike.
    let is_exact = (is_product || has_rows) && !split.rounds;
    let beside_rounded = is_exact && asks_for_two(&split.rest, stream);
    // Tables of 8 segments are less accurate: products of three factors, of which a rounded value is one, were off by 2.05
    // units. Double-floats for every value that is multiplied would take half as long again.
    let in_long = is_exact && is_in_long_product(&split.rest, stream);
    let (multiplied, in_rows) = (is_taken(&split.rest, stream), is_exact && has_rows);
    // A sum or product of two streams takes any value, so that errors of the table are not hidden by rounding.
    let of_pair = is_exact && split.functions[k].variable.pair().is_some();
    let is_kept =
        (in_rows || of_pair) && multiplied || !split.rounds && is_beside_sum(&split.rest, stream);
    Precision {
        two: [beside_rounded, beside_rounded || in_long].map(|two| two || is_kept),
        multiplied,
    }
}

/// Returns a specialisation's functions of one variable, and the requirements on each.
///
/// `inputs` is the number of input streams.
pub fn functions(spec: &Spec, inputs: usize) -> Vec<(Function, Precision)> {
    let split = spec.split(inputs);
    let all = split.iter().flat_map(|split| (0..split.functions.len()).map(move |k| (split, k)));
    all.map(|(split, k)| (split.functions[k].clone(), asked(split, inputs, k, false))).collect()
}

/// Returns the names of an operator's loaded inputs, followed by those of functions' values.
fn at_hand(names: &Names, values: &[Ident], rounds: bool) -> Names {
    let inputs: Vec<Ident> = names.inputs.iter().chain(values).cloned().collect();
    let (none, own) = (vec![false; inputs.len()], vec![None; inputs.len()]);
    let of_rows = names.of_rows.iter().copied().chain(values.iter().map(|_| false));
    Names {
        in_memory: none.clone(),
        masks: none.clone(),
        terms: none,
        of_rows: of_rows.collect(),
        own,
        inputs,
        scalars: names.scalars.clone(),
        as_written: names.as_written,
        rounds,
    }
}

/// Returns the expression of a function's variable, as a double-float if it is a product.
///
/// If the variable is negated, the negation is applied to the factor instead, which is uniform (equal for all elements), so
/// that it is computed once.
fn variable(variable: &Variable, given: &Names) -> TokenStream {
    if let Some((prim, x, y)) = variable.pair() {
        let (lets, results) = rest(&variable.of.with_outputs(&[x, y]), given, &[], &[]);
        let value = match prim {
            Prim::Mul => quote!(math::double_float::Variable::product_of(s, #(#results),*)),
            Prim::Sub => quote!(math::double_float::Variable::difference(s, #(#results),*)),
            _ => quote!(math::double_float::Variable::sum(s, #(#results),*)),
        };
        return quote!({ #lets #value });
    }
    let mut b = Builder::new();
    let Some(times) = variable.times.product(&mut b) else {
        let (lets, results) = rest(&variable.of, given, &[], &[]);
        return quote!({ #lets math::double_float::Variable::exact(s, #(#results)*) });
    };
    let of = &variable.of;
    let (of, times) = match of.nodes[of.outputs[0].index()] {
        Node::Call(Prim::Neg, [x, ..]) => (univariate::part(of, x), b.negative(times)),
        _ => (of.clone(), times),
    };
    let (lets, results) = rest(&of, given, &[], &[]);
    let Code { lets: uniform, results: by } = code(&b.finish(&[times]), given, Arithmetic::F64);
    quote!({
        #lets
        let by = { #(#uniform)* math::double_float::DoubleFloat::of(s, #(#by)*) };
        math::double_float::Variable::product(s, #(#results)*, by)
    })
}

/// Returns the condition on attributes with which tables can be used, if there is one.
///
/// Factors have to be far from the ends of f32's range, and attributes that scale a function's variable have to be positive.
fn usable(split: &Split, given: &Names) -> Option<TokenStream> {
    let mut positive: Vec<usize> = Vec::new();
    let mut ordinary: Vec<Graph> = Vec::new();
    for Function { variable: Variable { times, .. }, .. } in &split.functions {
        positive.extend(times.0.iter().map(|(k, _)| *k));
        let mut b = Builder::new();
        ordinary.extend(times.product(&mut b).map(|times| b.finish(&[times])));
    }
    let uniform = split.rest.uniform();
    let factors = split.rest.nodes.iter().filter(|n| is_product(n)).flat_map(|n| n.args());
    for id in factors.filter(|id| uniform[id.index()]) {
        let graph = split.rest.with_outputs(&[*id]);
        let is_number = matches!(split.rest.nodes[id.index()], Node::Const(_));
        ordinary.extend((!is_number).then(|| graph.rewrite(Builder::add)));
    }
    let positive = once(positive).into_iter().map(|k| {
        let scalar = &given.scalars[k];
        quote!(math::double_float::is_positive(s, #scalar))
    });
    let ordinary = once(ordinary).into_iter().map(|graph| is_ordinary(&graph, given));
    let conditions: Vec<TokenStream> = positive.chain(ordinary).collect();
    (!conditions.is_empty()).then(|| quote!(#(#conditions)&&*))
}

/// Removes duplicates from a list, and keeps the order of the rest.
fn once<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut each = Vec::new();
    for one in all {
        if !each.contains(&one) {
            each.push(one);
        }
    }
    each
}

fn is_product(node: &Node) -> bool {
    matches!(node, Node::Call(Prim::Mul | Prim::Mul3 | Prim::Div, _))
}

/// Returns the condition that a uniform value is far enough from the ends of the range of f32.
///
/// A uniform value is equal for all elements. It is computed in f64.
fn is_ordinary(uniform: &Graph, given: &Names) -> TokenStream {
    let Code { lets, results } = code(uniform, given, Arithmetic::F64);
    quote!({ #(#lets)* math::double_float::is_ordinary(s, #(#results)*) })
}
