//! Prints operators and graphs as constant expressions, in the names of `::op_dsl::__rt::data`.

use op_dsl_ir::graph::{Graph, Id, Node};
use op_dsl_ir::op::{
    Along, Attr, AttrKind, Derived, Fast, Gate, GradOf, OpDef, Origin, Pattern, Range, Rule, Spec,
    Split, Stage, Sum, Tensor, Value,
};
use op_dsl_ir::wiring::Wiring;
use op_dsl_ir::{DType, Prim, Stored};
use op_dsl_lower::literal::{count, f64_literal, integer};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Path;

/// Returns the definition of an operator as a Rust expression.
///
/// `published` is the path of a table of published interfaces, which may have a row for the operator.
pub fn definition(def: &OpDef, published: Option<&Path>) -> TokenStream {
    let OpDef { name, doc, source, formula, broadcast, promote, empty, accuracy, .. } = def;
    let source = format!("::{source}");
    let inputs = list(def.inputs.iter().map(tensor));
    let outputs = list(def.outputs.iter().map(tensor));
    let attrs = list(def.attrs.iter().map(attr));
    let split = option(def.split.as_ref().map(split));
    let dtypes = list(def.dtypes.iter().map(|d| dtype(*d)));
    let specs = list(def.specs.iter().map(spec));
    let ranges = list(def.ranges.iter().map(range));
    let wide = list(def.wide.iter().map(|i| count(*i).into_token_stream()));
    let along = list(def.along.iter().map(along));
    let sums = list(def.sums.iter().map(sum));
    let updates = list(def.updates.iter().map(|i| count(*i).into_token_stream()));
    let published =
        published.map_or_else(|| quote!(None), |table| quote!(Published::find(#table, #name)));
    let accuracy = unit(accuracy);
    let grad_of = option(def.grad_of.as_ref().map(grad_of));
    quote! {
        OpDef {
            name: Borrowed(#name),
            doc: Borrowed(#doc),
            source: Borrowed(concat!(module_path!(), #source)),
            formula: Borrowed(#formula),
            inputs: #inputs,
            outputs: #outputs,
            attrs: #attrs,
            split: #split,
            dtypes: #dtypes,
            ranges: #ranges,
            broadcast: #broadcast,
            wide: #wide,
            along: #along,
            sums: #sums,
            promote: #promote,
            empty: #empty,
            updates: #updates,
            accuracy: Accuracy::#accuracy,
            specs: #specs,
            grad_of: #grad_of,
            published: #published,
        }
    }
}

fn range(range: &Range) -> TokenStream {
    let (input, [low, high]) = (count(range.input), range.bounds.map(f64_literal));
    quote!(Range { input: #input, bounds: [#low, #high] })
}

fn along(along: &Along) -> TokenStream {
    let (input, dim) = (count(along.input), count(along.dim));
    quote!(Along { input: #input, dim: #dim })
}

fn sum(sum: &Sum) -> TokenStream {
    let (output, input) = (count(sum.output), count(sum.input));
    quote!(Sum { output: #output, input: #input })
}

fn list(items: impl Iterator<Item = TokenStream>) -> TokenStream {
    quote!(Borrowed(&[#(#items),*]))
}

fn option(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(|| quote!(None), |v| quote!(Some(#v)))
}

/// Returns the identifier of an enum variant without fields, which is how `Debug` prints the value.
fn unit(value: impl std::fmt::Debug) -> Ident {
    Ident::new(&format!("{value:?}"), Span::call_site())
}

fn grad_of(of: &GradOf) -> TokenStream {
    let forward = &of.forward;
    let inputs = list(of.inputs.iter().map(|origin| {
        let (name, i) = match origin {
            Origin::Upstream(o) => (quote!(Upstream), o),
            Origin::Input(i) => (quote!(Input), i),
            Origin::Output(o) => (quote!(Output), o),
            Origin::Own => return quote!(Origin::Own),
        };
        let i = count(*i);
        quote!(Origin::#name(#i))
    }));
    let wrt = list(of.wrt.iter().map(|i| count(*i).into_token_stream()));
    quote!(GradOf { forward: Borrowed(#forward), inputs: #inputs, wrt: #wrt })
}

fn tensor(t: &Tensor) -> TokenStream {
    let Tensor { name, kind, own, used } = t;
    let (kind, own) = (unit(kind), option(own.map(stored)));
    quote!(Tensor { name: Borrowed(#name), kind: Kind::#kind, own: #own, used: #used })
}

fn dtype(d: DType) -> TokenStream {
    let d = unit(d);
    quote!(DType::#d)
}

fn stored(stored: Stored) -> TokenStream {
    match stored {
        Stored::Number(number) => {
            let number = dtype(number);
            quote!(Stored::Number(#number))
        }
        other => {
            let other = unit(other);
            quote!(Stored::#other)
        }
    }
}

fn attr(a: &Attr) -> TokenStream {
    let name = &a.name;
    let kind = match &a.kind {
        AttrKind::Enum { ty, wire_str, variants } => {
            let variants = list(variants.iter().map(|v| {
                let (ident, name, value) = (&v.ident, &v.name, integer(v.value));
                quote!(Variant { ident: Borrowed(#ident), name: Borrowed(#name), value: #value })
            }));
            quote!(Enum { ty: Borrowed(#ty), wire_str: #wire_str, variants: #variants })
        }
        AttrKind::Given(input) => {
            let input = count(*input);
            quote!(Given(#input))
        }
        plain => {
            let plain = unit(plain);
            quote!(#plain)
        }
    };
    let (default, any) = (value(a.default), a.any);
    quote!(Attr { name: Borrowed(#name), kind: AttrKind::#kind, default: #default, any: #any })
}

fn value(v: Value) -> TokenStream {
    match v {
        Value::Int(i) => {
            let i = integer(i);
            quote!(Value::Int(#i))
        }
        Value::Bool(b) => quote!(Value::Bool(#b)),
        Value::Float(f) => {
            let f = f64_literal(f);
            quote!(Value::Float(#f))
        }
    }
}

fn split(s: &Split) -> TokenStream {
    let dim = count(s.dim);
    let gate = match s.gate {
        Gate::Left => quote!(Left),
        Gate::Right => quote!(Right),
        Gate::LeftIf(attr) => {
            let attr = count(attr);
            quote!(LeftIf(#attr))
        }
    };
    let pattern = match s.pattern {
        Pattern::Halves => quote!(Halves),
        Pattern::Interleaved => quote!(Interleaved),
        Pattern::InterleavedIf(attr) => {
            let attr = count(attr);
            quote!(InterleavedIf(#attr))
        }
    };
    quote!(Split { dim: #dim, gate: Gate::#gate, pattern: Pattern::#pattern })
}

fn spec(s: &Spec) -> TokenStream {
    let when = list(s.when.iter().map(|(attr, v)| {
        let (attr, v) = (count(*attr), integer(*v));
        quote!((#attr, #v))
    }));
    let wide = option(s.wide.as_ref().map(|w| {
        let (graph, single, halves) = (graph(&w.graph), w.single, w.halves);
        let fast = match w.fast {
            Fast::NONE => quote!(Fast::NONE),
            Fast { tables, arithmetic } => {
                let tables = option(tables.map(|tables| {
                    let tables = unit(tables);
                    quote!(Tables::#tables)
                }));
                quote!(Fast { tables: #tables, arithmetic: #arithmetic })
            }
        };
        quote!(Wide { graph: #graph, single: #single, halves: #halves, fast: #fast })
    }));
    let (traced, graph) = (graph(&s.traced), graph(&s.graph));
    let derived = option(s.derived.as_ref().map(derived));
    let stages = list(s.stages.iter().map(stage));
    quote! {
        Spec {
            when: #when,
            traced: #traced,
            graph: #graph,
            wide: #wide,
            derived: #derived,
            stages: #stages,
        }
    }
}

fn stage(s: &Stage) -> TokenStream {
    let rule = match s.rule {
        Rule::Reduce(function) => {
            let function = unit(function);
            quote!(Rule::Reduce(RowFunction::#function))
        }
        Rule::Uniform => quote!(Rule::Uniform),
    };
    let (value, terms) = (count(s.value), option(s.terms.map(|t| count(t).into_token_stream())));
    let rest = option(s.rest.map(|rest| count(rest).into_token_stream()));
    let spec = spec(&s.spec);
    quote!(Stage { rule: #rule, value: #value, rest: #rest, terms: #terms, spec: #spec })
}

fn derived(d: &Derived) -> TokenStream {
    let (forward, steps) = (graph(&d.forward), list(d.steps.iter().map(wiring)));
    let rows = list(d.rows.iter().map(|function| {
        let function = unit(function);
        quote!(RowFunction::#function)
    }));
    quote!(Derived { forward: #forward, steps: #steps, rows: #rows })
}

fn wiring(w: &Wiring) -> TokenStream {
    let places = |places: &[Option<usize>]| {
        list(places.iter().map(|p| option(p.map(|i| count(i).into_token_stream()))))
    };
    let (inputs, upstream, saved) = (places(&w.inputs), places(&w.upstream), places(&w.saved));
    let wrt = list(w.wrt.iter().map(|w| count(*w).into_token_stream()));
    quote!(Wiring { inputs: #inputs, upstream: #upstream, saved: #saved, wrt: #wrt })
}

fn graph(g: &Graph) -> TokenStream {
    let nodes = list(g.nodes.iter().map(node));
    let outputs = list(g.outputs.iter().map(|o| id(*o)));
    quote!(Graph { nodes: #nodes, outputs: #outputs })
}

fn id(Id(i): Id) -> TokenStream {
    let i = Literal::u32_unsuffixed(i);
    quote!(Id(#i))
}

fn node(n: &Node) -> TokenStream {
    match n {
        Node::Stream(i) => {
            let i = Literal::u16_unsuffixed(*i);
            quote!(Node::Stream(#i))
        }
        Node::Scalar(i) => {
            let i = Literal::u16_unsuffixed(*i);
            quote!(Node::Scalar(#i))
        }
        Node::Const(c) => {
            let c = f64_literal(*c);
            quote!(Node::Const(#c))
        }
        Node::Call(prim, _) => call(*prim, n.args()),
    }
}

fn call(prim: Prim, args: &[Id]) -> TokenStream {
    let name = unit(prim);
    let args = args.iter().map(|a| Literal::u32_unsuffixed(a.0));
    let make = format_ident!("call{}", args.len());
    quote!(#make(Prim::#name, #(#args),*))
}
