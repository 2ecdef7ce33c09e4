//! Functions of attributes alone, such as `powf(beta, step)`: computed once per call, in f64.
//!
//! A value that is the same for all elements and needs such a function becomes one more run-time scalar. Arithmetic on attributes
//! stays in the graph, because compilers hoist it out of the loop over elements, which they do not do with functions.

use super::literal;
use op_dsl_ir::graph::{Builder, Graph, Id, Node};
use op_dsl_ir::op::Spec;
use op_dsl_ir::univariate::costs;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// A graph whose functions of attributes are further scalars.
pub struct Hoisted {
    /// The graph that reads the scalars.
    pub graph: Graph,
    /// The graph that computes the scalars, one output each, from those of attributes.
    uniform: Graph,
    /// Number of scalars that are values of attributes.
    attributes: usize,
}

impl Hoisted {
    /// Takes the functions of attributes out of a graph with so many scalars.
    ///
    /// Returns `None` if it has no such functions, or is evaluated in f64, whose kernels would need more digits of a scalar.
    pub fn of(spec: &Spec, attributes: usize) -> Option<Hoisted> {
        let graph = spec.wide.is_none().then_some(&spec.graph)?;
        let uniform = graph.uniform();
        // Whether a node computes a function, or depends on one.
        let needs_function = graph.forward(|at| match at.node {
            Node::Call(prim, _) => costs(prim) || at.node.args().iter().any(|id| at[*id]),
            _ => false,
        });
        let is_hoisted = |id: &Id| uniform[id.index()] && needs_function[id.index()];
        // The arguments of other nodes, and the results: nothing is hoisted that only hoisted values need.
        let others = graph.ids().filter(|id| !is_hoisted(id));
        let taken = others.flat_map(|id| graph.nodes[id.index()].args().iter().copied());
        let mut roots: Vec<Id> =
            taken.chain(graph.outputs.iter().copied()).filter(is_hoisted).collect();
        roots.sort();
        roots.dedup();
        if roots.is_empty() {
            return None;
        }
        let mut b = Builder::new();
        let new = graph.forward(|at| match roots.binary_search(&at.id) {
            Ok(k) => b.scalar(attributes + k),
            Err(_) => b.add(at.node.with_args(|id| at[id])),
        });
        let outputs: Vec<Id> = graph.outputs.iter().map(|id| new[id.index()]).collect();
        let mut u = Builder::new();
        let all = graph.forward(|at| u.add(at.node.with_args(|id| at[id])));
        let roots: Vec<Id> = roots.iter().map(|id| all[id.index()]).collect();
        Some(Hoisted { graph: b.finish(&outputs), uniform: u.finish(&roots), attributes })
    }

    /// Returns the number of scalars that are no attributes.
    pub fn count(&self) -> usize {
        self.uniform.outputs.len()
    }

    /// Returns the names of these scalars in generated code.
    pub fn names(&self) -> impl Iterator<Item = Ident> {
        (0..self.count()).map(|k| format_ident!("uniform{k}"))
    }

    /// Returns the items of a body that compute the scalars.
    pub fn items(&self) -> TokenStream {
        let name = |id: &Id| format_ident!("t{}", id.index());
        let lets = self.uniform.nodes.iter().enumerate().map(|(k, node)| {
            let value = match node {
                Node::Scalar(k) => {
                    let k = literal::count(usize::from(*k));
                    quote!(f64::from(a[#k]))
                }
                Node::Const(c) => {
                    let c = literal::f64_literal(*c);
                    quote!(#c)
                }
                Node::Call(prim, _) => {
                    let prim = format_ident!("{prim:?}");
                    let mut args: Vec<TokenStream> = node
                        .args()
                        .iter()
                        .map(|id| {
                            let name = name(id);
                            quote!(#name)
                        })
                        .collect();
                    args.resize(3, quote!(0.0));
                    quote!((Prim::#prim.row().oracle)([#(#args),*]))
                }
                // No uniform value depends on a stream.
                Node::Stream(_) => quote!(f64::NAN),
            };
            let name = name(&Id(k as u32));
            quote!(let #name: f64 = #value;)
        });
        let results = self.uniform.outputs.iter().enumerate().map(|(k, id)| {
            let (to, name) = (literal::count(self.attributes + k), name(id));
            quote!(a[#to] = #name as f32;)
        });
        let (count, all) =
            (literal::count(self.count()), literal::count(self.attributes + self.count()));
        quote! {
            const UNIFORM: usize = #count;
            fn uniform(a: &mut [f32; #all]) {
                #(#lets)*
                #(#results)*
            }
        }
    }
}
