//! Lowers the expression that combines functions' values (products, selects and exact sums) to f32 code.
//!
//! Values that are the same for all elements are computed in f64, which compilers hoist out of the loop, and used as
//! double-floats (`rt/math/double_float.rs`). Conditions are decided as if in f64.

use super::chains::{Chains, Product, Size};
use super::statements::Names;
use super::{column, fitted, literal};
use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Graph, Id, Node};
use op_dsl_ir::rounding::Arithmetic;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

/// An input stream that is a function's value with a double-float.
pub struct Two {
    pub name: Ident,
    /// Name of the double-float.
    pub two: Ident,
    /// True if the function is one of a sum or product of two streams.
    pub is_of_pair: bool,
}

/// Returns the statements that compute a graph in f32, and the names of its results.
///
/// The graph combines the values of looked-up functions, which are some of its input streams. `given` has the names of all its
/// inputs. `twos` has the streams that have double-floats. `sizes` has the
/// known bounds of streams.
pub fn rest(
    graph: &Graph,
    given: &Names,
    twos: &[Two],
    sizes: &[Size],
) -> (TokenStream, Vec<Ident>) {
    let chains = Chains::new(graph, Vec::new(), |_| false);
    let mut rest = Rest { graph, uniform: graph.uniform(), given, twos, chains };
    rest.chains = Chains::new(graph, sizes.to_vec(), |id| rest.is_product(id));
    let lets = in_order(graph).filter(|id| !rest.chains.is_inner(*id));
    let lets = lets.map(|id| rest.statement(id));
    (quote!(#(#lets)*), graph.outputs.iter().map(|id| rest.name(*id)).collect())
}

/// Returns all nodes of a graph, with those that depend on a product of three factors last.
///
/// A product of three has a branch, and values that are still to be multiplied would occupy registers across it.
fn in_order(graph: &Graph) -> impl Iterator<Item = Id> {
    let is_last = graph.depends_on(|_, node| matches!(node, Node::Call(Prim::Mul3, _)));
    let mut all: Vec<Id> = graph.ids().collect();
    all.sort_by_key(|id| is_last[id.index()]);
    all.into_iter()
}

/// Returns true if an input stream of a graph is needed as a double-float.
///
/// That is so if the stream is multiplied by a value that is rounded as well.
pub fn asks_for_two(graph: &Graph, stream: usize) -> bool {
    let uniform = graph.uniform();
    let is_rounded = |id: &Id| match graph.nodes[id.index()] {
        Node::Call(Prim::Add | Prim::Sub, _) => true,
        Node::Call(..) => uniform[id.index()],
        _ => false,
    };
    let is_beside = |id: Id| {
        let node = &graph.nodes[id.index()];
        is_product(node) && node.args().iter().any(is_rounded)
    };
    taken_by(graph, stream).any(is_beside)
}

/// Returns true if an input stream of a graph is a factor in a product of three with a sum of two elements.
pub fn is_beside_sum(graph: &Graph, stream: usize) -> bool {
    let uniform = graph.uniform();
    let is_sum = |id: &Id| match graph.nodes[id.index()] {
        Node::Call(Prim::Add | Prim::Sub, [x, y, _]) => !uniform[x.index()] && !uniform[y.index()],
        _ => false,
    };
    taken_by(graph, stream).any(|id| match &graph.nodes[id.index()] {
        node @ Node::Call(Prim::Mul3, _) => node.args().iter().any(is_sum),
        _ => false,
    })
}

/// Returns true if an input stream of a graph is a factor in a product of three or more.
pub fn is_in_long_product(graph: &Graph, stream: usize) -> bool {
    let is_factor =
        |id: Id| graph.nodes.iter().any(|node| is_product(node) && node.args().contains(&id));
    taken_by(graph, stream).any(|id| match graph.nodes[id.index()] {
        Node::Call(Prim::Mul3, _) => true,
        Node::Call(Prim::Mul, _) => is_factor(id),
        _ => false,
    })
}

fn is_product(node: &Node) -> bool {
    matches!(node, Node::Call(Prim::Mul | Prim::Mul3, _))
}

/// Returns true if a graph computes with an input stream, and does not only return it.
pub fn is_taken(graph: &Graph, stream: usize) -> bool {
    taken_by(graph, stream).next().is_some()
}

/// Returns the nodes of a graph that compute with one of its input streams.
///
/// Nodes that compute with the negative of that stream, or with a choice between it and another value, count as well.
fn taken_by(graph: &Graph, stream: usize) -> impl Iterator<Item = Id> {
    let mut is_it = vec![false; graph.nodes.len()];
    graph.nodes.iter().enumerate().filter_map(move |(k, node)| {
        let met = node.args().iter().any(|id| is_it[id.index()]);
        let passes = matches!(node, Node::Call(Prim::Neg | Prim::Select, _));
        is_it[k] = match node {
            Node::Stream(s) => usize::from(*s) == stream,
            _ => met && passes,
        };
        (met && !passes).then_some(Id(k as u32))
    })
}

struct Rest<'a> {
    graph: &'a Graph,
    uniform: Vec<bool>,
    given: &'a Names,
    /// The input streams that have a double-float.
    twos: &'a [Two],
    chains: Chains<'a>,
}

impl Rest<'_> {
    /// Returns true if a node's value is available as a double-float too.
    fn is_two(&self, id: Id) -> bool {
        match self.graph.nodes[id.index()] {
            Node::Stream(_) | Node::Scalar(_) => false,
            Node::Const(c) => f64::from(c as f32) != c,
            Node::Call(prim, _) if prim.is_comparison() => false,
            Node::Call(prim, _) => {
                self.uniform[id.index()] || prim == Prim::Mul && self.is_only_compared(id)
            }
        }
    }

    /// Returns true if a node is a product of floats that may be part of a longer product.
    fn is_product(&self, id: Id) -> bool {
        let node = &self.graph.nodes[id.index()];
        let is_float = |id: &Id| {
            let is_known = self.value_as_two(*id).is_some() || self.kept(*id).is_none();
            // A product with an attribute stays separate, because a longer one takes longer, unless it has a value that is needed with
            // its low part.
            let is_varied = |id: &Id| !self.uniform[id.index()];
            let is_exact = |id: &Id| self.value_as_two(*id).is_none();
            let args = self.graph.nodes[id.index()].args();
            let is_short = || !args.iter().all(is_varied) && args.iter().all(is_exact);
            let is_inner = || !is_short() && self.is_product(*id);
            !self.is_two(*id) && (is_known || is_inner())
        };
        is_product(node)
            && !self.uniform[id.index()]
            && !self.is_two(id)
            && node.args().iter().all(is_float)
    }

    fn is_only_compared(&self, id: Id) -> bool {
        let mut users = self.graph.nodes.iter().filter(|node| node.args().contains(&id)).peekable();
        let compares = |node: &Node| matches!(node, Node::Call(prim, _) if prim.is_comparison());
        users.peek().is_some() && users.all(compares) && !self.graph.outputs.contains(&id)
    }

    /// Returns the name of a node's value in f32.
    fn name(&self, id: Id) -> Ident {
        match self.graph.nodes[id.index()] {
            Node::Stream(k) => self.given.inputs[k as usize].clone(),
            Node::Scalar(k) => self.given.scalars[k as usize].clone(),
            _ => format_ident!("t{}", id.0),
        }
    }

    /// Returns the name of a node's value in f64.
    fn wide(&self, id: Id) -> Ident {
        format_ident!("w{}", id.0)
    }

    /// Returns the expression of a node's value as a double-float.
    fn two(&self, id: Id) -> TokenStream {
        let (name, two) = (self.name(id), format_ident!("u{}", id.0));
        match self.stream_as_two(id) {
            Some(two) => quote!(#two),
            None if self.is_two(id) => quote!(#two),
            None => quote!(math::double_float::DoubleFloat::exact(s, #name)),
        }
    }

    /// Returns the name of the double-float of a stream, if the node is a stream that has one.
    fn stream_as_two(&self, id: Id) -> Option<&Ident> {
        self.kept_stream(id).map(|kept| &kept.two)
    }

    fn kept_stream(&self, id: Id) -> Option<&Two> {
        let is_stream = matches!(self.graph.nodes[id.index()], Node::Stream(_));
        let known = || self.twos.iter().find(|kept| kept.name == self.name(id));
        is_stream.then(known).flatten()
    }

    /// Returns true if a value is that of a function of a sum or product of two streams, or a choice of such a value.
    fn is_of_pair(&self, id: Id) -> bool {
        match self.graph.nodes[id.index()] {
            Node::Call(Prim::Neg, [x, ..]) => self.is_of_pair(x),
            Node::Call(Prim::Select, [_, x, y]) => self.is_of_pair(x) || self.is_of_pair(y),
            _ => self.kept_stream(id).is_some_and(|kept| kept.is_of_pair),
        }
    }

    fn statement(&self, id: Id) -> TokenStream {
        let (name, wide, two) = (self.name(id), self.wide(id), self.two(id));
        let node = self.graph.nodes[id.index()];
        let in_f64 = match node {
            Node::Stream(_) => return TokenStream::new(),
            Node::Scalar(_) => return quote!(let #wide = #name.wide();),
            Node::Const(c) => {
                let c = literal::f64_literal(c);
                Some(quote!(Wide::<S, W>::splat(s, #c)))
            }
            Node::Call(prim, _) if self.uniform[id.index()] => {
                let args: Vec<Ident> = node.args().iter().map(|id| self.wide(*id)).collect();
                Some(column::call(prim, &args, Arithmetic::F64))
            }
            Node::Call(..) => None,
        };
        let in_f64 = in_f64.map(|value| quote!(let #wide = #value;));
        let value = match node {
            Node::Call(Prim::Mul, [x, y, _]) if self.is_two(id) && in_f64.is_none() => {
                let (by, x) = if self.uniform[x.index()] { (x, y) } else { (y, x) };
                let (by, x) = (self.two(by), self.name(x));
                quote! {
                    let #two = math::double_float::DoubleFloat::product(s, #x, #by);
                    let #name = #two.high;
                }
            }
            _ if self.is_two(id) => quote! {
                let #two = math::double_float::DoubleFloat::of(s, #wide);
                let #name = #two.high;
            },
            Node::Const(c) => {
                let c = literal::f32_literal(c as f32);
                quote!(let #name = Floats::<S, W>::splat(s, #c);)
            }
            Node::Call(prim, _) => {
                let value = match self.chains.product(id) {
                    Some(product) => self.product(&product),
                    None => self.call(prim, node.args()),
                };
                quote!(let #name = #value;)
            }
            Node::Stream(_) | Node::Scalar(_) => TokenStream::new(),
        };
        quote!(#in_f64 #value)
    }

    /// Returns the expression of the double-float of a node that is a function's value, or that of a row.
    ///
    /// The negative of such a value counts as one, and so does a choice between such values. Returns `None` for other nodes,
    /// and for values without a double-float.
    fn value_as_two(&self, id: Id) -> Option<TokenStream> {
        self.of_row(id).or_else(|| self.is_value(id).then(|| self.kept(id)).flatten())
    }

    /// Returns the expression of the double-float of a row's value, which is the sum of two streams.
    ///
    /// Returns `None` for other nodes.
    fn of_row(&self, id: Id) -> Option<TokenStream> {
        let Node::Call(Prim::Add, [high, low, _]) = self.graph.nodes[id.index()] else {
            return None;
        };
        let is_of_row = |id: &Id| match self.graph.nodes[id.index()] {
            Node::Stream(k) => self.given.of_rows[usize::from(k)],
            _ => false,
        };
        let (high, low) =
            [high, low].iter().all(is_of_row).then(|| (self.name(high), self.name(low)))?;
        Some(quote!(math::double_float::DoubleFloat { high: #high, low: #low }))
    }

    fn is_value(&self, id: Id) -> bool {
        match self.graph.nodes[id.index()] {
            Node::Stream(_) => true,
            Node::Call(Prim::Neg, [x, ..]) => self.is_value(x),
            // The other branch of a choice may be exact.
            Node::Call(Prim::Select, [_, x, y]) => {
                [x, y].into_iter().all(|arm| self.is_value(arm) || self.kept(arm).is_none())
            }
            _ => false,
        }
    }

    /// Returns the expression of the double-float of a node whose value has a low part.
    ///
    /// That is a function's value, a choice or product of such values, or a sum. Returns `None` for other nodes.
    fn kept(&self, id: Id) -> Option<TokenStream> {
        if let Some(two) = self.stream_as_two(id) {
            return Some(quote!(#two));
        }
        if let Some(two) = self.of_row(id) {
            return Some(two);
        }
        let exact = |id: Id| self.kept(id).unwrap_or_else(|| self.two(id));
        let Node::Call(prim, [x, y, z]) = self.graph.nodes[id.index()] else { return None };
        let name = |id| self.name(id);
        Some(match prim {
            _ if self.uniform[id.index()] => return None,
            Prim::Neg => {
                let x = self.kept(x)?;
                quote!((-#x))
            }
            Prim::Select if self.kept(y).is_some() || self.kept(z).is_some() => {
                let (condition, y, z) = (name(x), exact(y), exact(z));
                quote!(#y.or(#condition, #z))
            }
            Prim::Mul if self.kept(x).is_some() || self.kept(y).is_some() => {
                let (x, y) = (exact(x), exact(y));
                quote!(#x.by(s, #y))
            }
            Prim::Add => {
                let (x, y) = (name(x), name(y));
                quote!(math::double_float::DoubleFloat::sum(s, #x, #y))
            }
            Prim::Sub => {
                let (x, y) = (name(x), name(y));
                quote!(math::double_float::DoubleFloat::sum(s, #x, -#y))
            }
            _ => return None,
        })
    }

    /// Lowers a product with a sum as a factor to double-floats.
    ///
    /// Rounding the sum first would be one rounding more than the error budget of the result allows, unless that is the budget of
    /// `accuracy = "fast"`. Returns `None` for other calls.
    fn with_sum(&self, prim: Prim, args: &[Id]) -> Option<TokenStream> {
        let is_sum = |id: &Id| {
            let node = self.graph.nodes[id.index()];
            matches!(node, Node::Call(Prim::Add | Prim::Sub, _)) && !self.uniform[id.index()]
        };
        // The last factor of three is a float, in any order.
        let mut args = args.to_vec();
        if prim == Prim::Mul3 {
            args.sort_by_key(|id| !is_sum(id) && self.kept(*id).is_none());
        }
        let [x, y, rest @ ..] = &args[..] else { return None };
        let is_rounded = self.given.rounds || !(is_sum(x) || is_sum(y));
        if !matches!(prim, Prim::Mul | Prim::Mul3) || is_rounded {
            return None;
        }
        let (function, sum) = if is_sum(x) { (y, x) } else { (x, y) };
        let z = rest.first().map(|z| self.name(*z));
        if let (false, Some([x, y])) = (is_sum(function), self.terms(*sum)) {
            let is_value = self.chains.is_rounded(*function).then(|| self.two(*function));
            let function = self.kept(*function).or(is_value)?;
            let z = fitted::optional(z.map(|z| quote!(#z)));
            return Some(quote!(#function.times_sum::<E>(s, [#x, #y], #z)));
        }
        let (x, y) = (self.kept(*x)?, self.kept(*y)?);
        Some(match z {
            Some(z) => quote!(#x.mul3::<E>(s, #y, #z)),
            None => quote!(#x.times_any::<E>(s, #y)),
        })
    }

    /// Returns the expressions of the terms of a sum that may overflow: both differ between elements.
    fn terms(&self, sum: Id) -> Option<[TokenStream; 2]> {
        let Node::Call(prim, [x, y, _]) = self.graph.nodes[sum.index()] else { return None };
        let are_uniform = [x, y].iter().any(|id| self.uniform[id.index()]);
        let (x, y) = (self.name(x), self.name(y));
        let y = if prim == Prim::Sub { quote!(-#y) } else { quote!(#y) };
        (!are_uniform).then(|| [quote!(#x), y])
    }

    /// Lowers a comparison of a product of two floats with a float.
    ///
    /// The result is the sign of their difference, which is rounded once. If the difference is NaN, product and float are both
    /// infinite, and neither is less. Returns `None` for other calls.
    fn product_less(&self, prim: Prim, args: &[Id]) -> Option<TokenStream> {
        let product = |id: Id| match self.graph.nodes[id.index()] {
            Node::Call(Prim::Mul, [x, y, _]) if !self.uniform[id.index()] => {
                let (by, x) = if self.uniform[x.index()] { (x, y) } else { (y, x) };
                let is_float = |id| !self.is_two(id) && self.stream_as_two(id).is_none();
                (self.uniform[by.index()] && is_float(by) && is_float(x)).then_some((x, by))
            }
            _ => None,
        };
        let [less, more] = *args else { return None };
        if prim != Prim::Lt {
            return None;
        }
        let difference = match (product(less), product(more)) {
            (Some((x, by)), None) if !self.is_two(more) => {
                let (x, by, than) = (self.name(x), self.name(by), self.name(more));
                quote!(#x.mul_add(#by, -#than))
            }
            (None, Some((x, by))) if !self.is_two(less) => {
                let (x, by, than) = (self.name(x), self.name(by), self.name(less));
                quote!((-#x).mul_add(#by, #than))
            }
            _ => return None,
        };
        Some(quote!(#difference.simd_lt(0.0)))
    }

    fn product(&self, product: &Product) -> TokenStream {
        let named = |id: &Id| match self.value_as_two(*id) {
            Some(two) if self.is_of_pair(*id) => (quote!(#two.high), quote!(Some(#two.low))),
            Some(two) => (quote!(#two.high), quote!(math::low_of_narrow::<S, W>(#two.low))),
            None => (self.name(*id).to_token_stream(), quote!(None)),
        };
        product.call(&product.factors.iter().map(named).collect::<Vec<_>>())
    }

    /// Returns the expression in f32 that applies a primitive to some nodes.
    fn call(&self, prim: Prim, args: &[Id]) -> TokenStream {
        if let Some(value) = self.with_sum(prim, args).or_else(|| self.product_less(prim, args)) {
            return value;
        }
        let is_factor = |id: &Id| self.uniform[id.index()] && self.is_two(*id);
        match args {
            [by, x] | [x, by] if prim == Prim::Mul && is_factor(by) => {
                let (by, name) = (self.two(*by), self.name(*x));
                match self.stream_as_two(*x) {
                    Some(two) => quote!(#by.times_two::<E>(#two)),
                    None => quote!(#by.times::<E>(s, #name)),
                }
            }
            [x, y] if prim.is_comparison() && (self.is_two(*x) || self.is_two(*y)) => {
                let (f, x, y) = (column::comparison(prim), self.two(*x), self.two(*y));
                quote!(#x.#f(#y))
            }
            _ => {
                let is_two = |id: &Id| self.value_as_two(*id).is_some();
                if prim == Prim::Mul && args.iter().any(is_two) {
                    return self.product(&Product::of_two(args));
                }
                let named: Vec<Ident> = args.iter().map(|id| self.name(*id)).collect();
                column::call(prim, &named, Arithmetic::F32)
            }
        }
    }
}
