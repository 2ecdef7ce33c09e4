//! Writes the statements of a graph: one `let` per node, in the graph's order.
//!
//! Nodes that only one branch of an attribute's choice needs are written in that branch.

use super::chains::Chains;
use super::watched::Watched;
use super::{column, literal};
use op_dsl_ir::graph::{Graph, Id, Node};
use op_dsl_ir::program::arms::{Arm, arms};
use op_dsl_ir::program::{numbers, rounded_exponentials};
use op_dsl_ir::rounding::Arithmetic;
use op_dsl_ir::{Prim, Stored};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// Names of the values that a graph's code receives.
pub(super) struct Names {
    pub inputs: Vec<Ident>,
    /// True, per input, if it has to be loaded from memory; false if a variable holds its value already.
    pub in_memory: Vec<bool>,
    /// True, per input, if it is a mask.
    pub masks: Vec<bool>,
    /// Per input, the type that it has on its own, if any.
    pub own: Vec<Option<Stored>>,
    /// True, per input, if it holds one number per row.
    pub of_rows: Vec<bool>,
    /// True, per input, if it holds terms in f32 that an earlier stage of a formula of rows has rounded.
    pub terms: Vec<bool>,
    pub scalars: Vec<Ident>,
    /// Whether products are multiplied as written, although partial products may leave the range of f32.
    pub as_written: bool,
    /// Whether sums that are multiplied may be rounded first: [`Split::rounds`](op_dsl_ir::univariate::Split::rounds).
    pub rounds: bool,
}

impl Names {
    /// Returns whether the graph is one of a formula with row functions.
    pub fn has_rows(&self) -> bool {
        self.of_rows.contains(&true)
    }
}

/// Statements of a graph, and the names of the variables that hold its results.
pub(super) struct Code {
    pub lets: Vec<TokenStream>,
    pub results: Vec<Ident>,
}

/// Returns the expression that loads the vectors of input `k`, which may be a mask or have a type of its own.
pub(super) fn load(given: &Names, k: usize) -> TokenStream {
    let name = &given.inputs[k];
    match (given.masks[k], given.own[k]) {
        (true, _) => quote!(#name.truth()),
        (false, _) if given.of_rows[k] => quote!(#name.load()),
        (false, None) => quote!(#name.load()),
        (false, Some(own)) => {
            let own = rust_type(own);
            quote!(#name.own::<#own>())
        }
    }
}

/// Returns the Rust type of elements that are stored so.
fn rust_type(stored: Stored) -> TokenStream {
    let (name, _) = Stored::own().find(|(_, own)| *own == stored).unwrap_or(("f32", stored));
    let name = Ident::new(name, Span::call_site());
    quote!(::op_dsl::__rt::types::#name)
}

/// Returns the expressions that load all inputs; an input that the graph does not read is 0.
pub(super) fn loaded(given: &Names, graph: &Graph) -> Vec<TokenStream> {
    let step = |k| match graph.reads(k) {
        true => load(given, k),
        false => quote!(Floats::<S, W>::splat(s, 0.0)),
    };
    (0..given.inputs.len()).map(step).collect()
}

/// Returns the statements that compute a graph, in f32 or in f64.
pub(super) fn code(graph: &Graph, given: &Names, on: Arithmetic) -> Code {
    watched_code(graph, given, on, None)
}

/// Returns the statements that compute a graph and pass some values to a variable `watch`.
///
/// In the generated code, `watch` records whether values have left the range of f32.
pub(super) fn watched_code(
    graph: &Graph,
    given: &Names,
    on: Arithmetic,
    watched: Option<Watched>,
) -> Code {
    let names = (graph.nodes.iter().enumerate())
        .map(|(i, node)| match *node {
            Node::Stream(k) => given.inputs[k as usize].clone(),
            Node::Scalar(k) => given.scalars[k as usize].clone(),
            _ => format_ident!("t{i}"),
        })
        .collect();
    let (numbers, arms, in_memory) = (numbers(graph), arms(graph), given.in_memory.clone());
    let chains = chains(graph, on, &arms, given.as_written);
    let rounded = match given.has_rows() {
        true => rounded_exponentials(graph, on),
        false => vec![false; graph.nodes.len()],
    };
    let mut writer =
        Writer { graph, given, on, names, numbers, arms, chains, rounded, watched, in_memory };
    let mut lets = writer.lets(None);
    writer.load(&graph.outputs, &mut lets);
    Code { lets, results: writer.named(&graph.outputs) }
}

/// Finds the products of more than two factors in a graph.
///
/// In f64 there are none, because nothing leaves the range of numbers on the way. Nodes that only one branch of a choice needs
/// are left out, because they are written in that branch.
fn chains<'g>(
    graph: &'g Graph,
    on: Arithmetic,
    arms: &[Option<Arm>],
    as_written: bool,
) -> Chains<'g> {
    let uniform = graph.uniform();
    Chains::new(graph, Vec::new(), |id: Id| {
        let is_product = matches!(graph.nodes[id.index()], Node::Call(Prim::Mul | Prim::Mul3, _));
        on == Arithmetic::F32
            && !as_written
            && is_product
            && !uniform[id.index()]
            && arms[id.index()].is_none()
    })
}

/// Returns true if f32 code of a graph multiplies more than two factors at once.
pub(super) fn has_chains(graph: &Graph) -> bool {
    let chains = chains(graph, Arithmetic::F32, &arms(graph), false);
    (0..graph.nodes.len()).any(|k| chains.is_inner(Id(k as u32)))
}

/// A graph whose statements are being written, with what has been found out about its nodes.
struct Writer<'a> {
    graph: &'a Graph,
    given: &'a Names,
    on: Arithmetic,
    names: Vec<Ident>,
    numbers: Vec<bool>,
    arms: Vec<Option<Arm>>,
    chains: Chains<'a>,
    /// Per node, whether it is an exponential of few digits.
    rounded: Vec<bool>,
    /// Nodes whose values are checked for leaving the range of f32; `None` if no node is checked.
    watched: Option<Watched>,
    /// True, per input, if the statements written so far do not load it from memory.
    in_memory: Vec<bool>,
}

impl Writer<'_> {
    /// Returns the statements of the nodes that only the branch `arm` of a choice needs.
    ///
    /// If `arm` is `None`, returns the statements of the nodes that belong to no branch.
    fn lets(&mut self, arm: Option<Arm>) -> Vec<TokenStream> {
        let graph = self.graph;
        let widened = self.widened();
        let mut lets = Vec::new();
        let is_own = |i: &usize| self.arms[*i] == arm && !self.chains.is_inner(Id(*i as u32));
        let own: Vec<usize> = (0..graph.nodes.len()).filter(is_own).collect();
        for i in own {
            let node = &graph.nodes[i];
            let name = self.names[i].clone();
            match *node {
                Node::Stream(_) => {}
                Node::Scalar(_) => {
                    lets.extend(widened.as_ref().map(|w| quote!(let #name = #name #w;)));
                }
                Node::Const(c) => {
                    let c = match self.on {
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
                Node::Call(Prim::Select, args) if self.has_arms(i) => {
                    let value = self.choice(i, args, &mut lets);
                    lets.push(quote!(let #name = #value;));
                    lets.extend(self.watch(i, &[]));
                }
                Node::Call(prim, args) => {
                    if let Some(product) = self.chains.product(Id(i as u32)) {
                        self.load(&product.factors, &mut lets);
                        let named = self.named(&product.factors).into_iter();
                        let named = named.map(|name| (quote!(#name), quote!(None)));
                        let value = product.call(&named.collect::<Vec<_>>());
                        lets.push(quote!(let #name = #value;));
                        lets.extend(self.watch(i, &product.factors));
                        continue;
                    }
                    self.load(node.args(), &mut lets);
                    let value = match (column::bounded(prim), args) {
                        (Some(f), [x, bound, _] | [bound, x, _]) if self.numbers[bound.index()] => {
                            column::named(f, &self.named(&[x, bound]), self.on)
                        }
                        _ if self.rounded[i] => {
                            column::named("exp_to_f32", &self.named(node.args()), self.on)
                        }
                        _ => column::call(prim, &self.named(node.args()), self.on),
                    };
                    lets.push(quote!(let #name = #value;));
                    lets.extend(self.watch(i, node.args()));
                }
            }
        }
        lets
    }

    /// Returns the statements that pass the value of node `i` to the variable `watch`.
    ///
    /// In the generated code, `watch` records whether values have left the range of f32. `of` are arguments of the node: the
    /// value may be 0 only if one of them is. Returns `None` if nothing is watched.
    fn watch(&self, i: usize, of: &[Id]) -> Option<TokenStream> {
        let (watched, name) = (self.watched.as_ref()?, &self.names[i]);
        let factors = match self.graph.nodes[i] {
            Node::Call(Prim::Mul | Prim::Mul3, _) => of,
            _ => &of[..of.len().min(1)],
        };
        let factors = self.named(factors);
        let small = watched.small[i].then(|| quote!(watch.small(s, #name, [#(#factors),*]);));
        let large = watched.large[i].then(|| quote!(watch.large(#name);));
        Some(quote!(#small #large))
    }

    /// Returns a choice by an attribute, of which only one branch is evaluated.
    ///
    /// Inputs that any branch reads are loaded before the choice, because later nodes may read them too.
    fn choice(&mut self, i: usize, args: [Id; 3], lets: &mut Vec<TokenStream>) -> TokenStream {
        self.load(&args, lets);
        let graph = self.graph;
        let inside = (0..graph.nodes.len()).filter(|k| self.arms[*k].is_some());
        let read: Vec<Id> = inside.flat_map(|k| graph.nodes[k].args()).copied().collect();
        self.load(&read, lets);
        let (yes, no) = (self.lets(Some((i, true))), self.lets(Some((i, false))));
        let [condition, y, n] = args.map(|id| &self.names[id.index()]);
        quote!(if #condition.holds() { #(#yes)* #y } else { #(#no)* #n })
    }

    fn has_arms(&self, i: usize) -> bool {
        self.arms.iter().flatten().any(|(choice, _)| *choice == i)
    }

    /// Appends the statements that load those of the nodes `ids` that are inputs not loaded so far.
    fn load(&mut self, ids: &[Id], lets: &mut Vec<TokenStream>) {
        let widened = self.widened();
        for id in ids {
            let Node::Stream(k) = self.graph.nodes[id.index()] else { continue };
            let k = usize::from(k);
            if core::mem::take(&mut self.in_memory[k]) {
                let name = &self.given.inputs[k];
                let load = load(self.given, k);
                lets.push(quote!(let #name = #load #widened;));
                lets.extend(self.watch(id.index(), &[]));
            }
        }
    }

    fn widened(&self) -> Option<TokenStream> {
        (self.on == Arithmetic::F64).then(|| quote!(.wide()))
    }

    fn named(&self, ids: &[Id]) -> Vec<Ident> {
        ids.iter().map(|id| self.names[id.index()].clone()).collect()
    }
}

/// Returns the code of a graph: statements, then the array of results.
pub(super) fn statements(graph: &Graph, given: &Names, on: Arithmetic) -> TokenStream {
    let Code { lets, results } = code(graph, given, on);
    let rounded = (on == Arithmetic::F64).then(|| quote!(.narrow()));
    quote! {
        #(#lets)*
        [#(#results #rounded),*]
    }
}
