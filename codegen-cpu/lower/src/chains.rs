//! Products of more than two factors.
//!
//! One function multiplies all factors, because partial products may lose digits (`rt/math/range.rs`).

use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Graph, Id, Node};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The products of a graph, and which of them are only a factor of another one.
pub struct Chains<'g> {
    graph: &'g Graph,
    /// Known bounds of the input streams' absolute values and rounding errors.
    ///
    /// A stream without an entry has no rounding error and any absolute value.
    streams: Vec<Size>,
    products: Vec<bool>,
    inner: Vec<bool>,
}

/// A product of more than two factors, or one with factors that are double-floats.
pub struct Product {
    /// Factors, in the order in which they are multiplied.
    pub factors: Vec<Id>,
    /// Bit `k` is set if the product of the first `k + 2` factors may lose digits.
    ///
    /// A loss of digits counts only if later factors make the product larger again, so that the loss becomes visible.
    loses: u32,
    /// True if rounding errors of the partial products are carried along and multiplied, too.
    is_compensated: bool,
}

impl Product {
    /// Returns a product of two factors, which has no partial products that lose digits.
    pub fn of_two(factors: &[Id]) -> Product {
        Product { factors: factors.to_vec(), loses: 0, is_compensated: true }
    }

    /// Returns the call of the run-time function that multiplies the factors, given as expressions.
    ///
    /// Each is the factor in f32 and its low part, an `Option`.
    pub fn call(&self, named: &[(TokenStream, TokenStream)]) -> TokenStream {
        let (many, loses) = (named.len(), Literal::u32_unsuffixed(self.loses));
        let is_compensated = self.is_compensated;
        let factors = named.iter().map(|(name, _)| name);
        let low = named.iter().map(|(_, low)| low);
        quote! {
            math::product::<S, E, #many, W, #loses, #is_compensated>(s, [#(#factors),*], [#(#low),*])
        }
    }
}

/// Bounds of a value's absolute value in f32, and of its rounding error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Least absolute value, other than 0, that the value can have.
    least: f64,
    /// Greatest absolute value that the value can have.
    most: f64,
    /// Number of rounding errors that the value contains, of half a unit each.
    roundings: u32,
}

impl Size {
    /// A value of any magnitude without rounding errors, such as a stream.
    pub const EXACT: Size = Size { least: 0.0, most: f64::INFINITY, roundings: 0 };
    /// A value of any magnitude with the greatest number of rounding errors, such as a function's value.
    const INEXACT: Size = Size { roundings: Self::MOST_ROUNDINGS, ..Self::EXACT };
    /// Number of rounding errors with which a product stays within two units in the last place.
    ///
    /// With four, `TanhGrad` was off by 2.06 units.
    const MOST_ROUNDINGS: u32 = 3;
    /// Factors whose absolute value is at most this count as harmless.
    ///
    /// They scale up lost digits of the product by so little that only one rounding in a hundred changes.
    const HARMLESS: f64 = 1.25;

    /// Returns the bounds of a function's value, which comes from a table.
    pub fn of_function(graph: &Graph) -> Size {
        // The bound is found by values, because it only decides on digits of results next to the least normal number.
        let sizes = (-24 * 16..24 * 16).map(|k| (f64::from(k) / 16.0).exp2());
        let values = sizes.flat_map(|x| [x, -x]).map(|x| graph.eval(&[x], &[])[0].abs());
        let most = values.fold(0.0, |most: f64, y| if y <= most { most } else { y });
        let is_known = most < 0.97 * Self::HARMLESS;
        Size { most: if is_known { Self::HARMLESS } else { f64::INFINITY }, ..Self::INEXACT }
    }

    /// Returns bounds of a value that is either of two.
    fn or(self, other: Size) -> Size {
        Size {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            roundings: self.roundings.max(other.roundings),
        }
    }
}

impl<'g> Chains<'g> {
    /// Finds the products of more than two factors among those nodes for which `is_product` returns true.
    pub fn new(
        graph: &'g Graph,
        streams: Vec<Size>,
        is_product: impl Fn(Id) -> bool,
    ) -> Chains<'g> {
        let products: Vec<bool> = graph.ids().map(is_product).collect();
        // The one use of an inner product is as an argument of a product. One that several products of at least four factors share is part
        // of each, because it may lose digits that only some of them bring back.
        let (uses, read) = (graph.uses(), graph.read_by(|id, _| products[id.index()]));
        let is_long = |node: &Node| matches!(node, Node::Call(Prim::Mul3, _));
        let others = graph.live_out(|id, node| !(products[id.index()] && is_long(&node)));
        let is_inner = |k: usize| products[k] && read[k] && (uses[k] == 1 || !others[k]);
        let inner = (0..uses.len()).map(is_inner).collect();
        Chains { graph, streams, products, inner }
    }

    /// Returns true if a node is part of a larger product, and has no statement of its own.
    pub fn is_inner(&self, id: Id) -> bool {
        self.inner[id.index()]
    }

    /// Returns true if a node has rounding errors, as the value of a function has.
    pub fn is_rounded(&self, id: Id) -> bool {
        self.size(id).roundings > 0
    }

    /// Returns the product that node `id` computes, or `None` if it has at most two factors.
    ///
    /// Factors that are not small come first and those that are not large come last, if fewer partial products then lose
    /// digits.
    pub fn product(&self, id: Id) -> Option<Product> {
        let node = self.graph.nodes[id.index()];
        let is_long = matches!(node, Node::Call(Prim::Mul3, _))
            || node.args().iter().any(|arg| self.is_inner(*arg));
        if !(self.products[id.index()] && is_long) {
            return None;
        }
        let factors = self.flat(id);
        let mut by_size = factors.clone();
        by_size.sort_by_key(|id| match self.size(*id) {
            Size { least, .. } if least > 0.0 => 0,
            Size { most, .. } if most <= Size::HARMLESS => 2,
            _ => 1,
        });
        let orders = [factors, by_size].map(|factors| (self.loses(&factors), factors));
        let (loses, factors) = orders.into_iter().min_by_key(|(loses, _)| loses.count_ones())?;
        let roundings: u32 = factors.iter().map(|id| self.size(*id).roundings).sum();
        let is_compensated = roundings + factors.len() as u32 - 1 > Size::MOST_ROUNDINGS;
        Some(Product { factors, loses, is_compensated })
    }

    /// Returns which partial products of the factors lose digits, as bits: see [`Product::loses`].
    fn loses(&self, factors: &[Id]) -> u32 {
        let sizes: Vec<Size> = factors.iter().map(|id| self.size(*id)).collect();
        let loses = (2..factors.len()).filter(|many| {
            let least: f64 = sizes[..*many].iter().map(|size| size.least).product();
            let most: f64 = sizes[*many..].iter().map(|size| size.most).product();
            let (is_small, is_raised) = (least < f32::MIN_POSITIVE.into(), most > Size::HARMLESS);
            is_small && is_raised
        });
        loses.map(|many| 1 << (many - 2)).sum()
    }

    fn flat(&self, id: Id) -> Vec<Id> {
        let args = self.graph.nodes[id.index()].args();
        let (inner, others): (Vec<Id>, Vec<Id>) = args.iter().partition(|arg| self.is_inner(**arg));
        inner.into_iter().flat_map(|arg| self.flat(arg)).chain(others).collect()
    }

    fn size(&self, id: Id) -> Size {
        match self.graph.nodes[id.index()] {
            Node::Stream(k) => self.streams.get(usize::from(k)).copied().unwrap_or(Size::EXACT),
            Node::Scalar(_) => Size::EXACT,
            Node::Const(c) => {
                let roundings = u32::from(f64::from(c as f32) != c);
                Size { least: c.abs(), most: c.abs(), roundings }
            }
            Node::Call(Prim::Neg | Prim::Abs, [x, ..]) => self.size(x),
            Node::Call(Prim::Select, [_, yes, no]) => self.size(yes).or(self.size(no)),
            // A sum of floats is a multiple of the smaller one's last place, so that a sum with a number is 0 or not small.
            Node::Call(Prim::Add | Prim::Sub, [x, y, _]) => {
                let number = [x, y].into_iter().find_map(|id| match self.graph.nodes[id.index()] {
                    Node::Const(c) if f64::from(c as f32) == c => Some(c.abs()),
                    _ => None,
                });
                let least = number.unwrap_or(0.0) * f64::from(f32::EPSILON) / 4.0;
                let roundings = match [x, y].map(|id| self.size(id).roundings) {
                    [0, 0] => 1,
                    _ => Size::MOST_ROUNDINGS,
                };
                Size { least, roundings, ..Size::EXACT }
            }
            Node::Call(prim, _) => Size { most: prim.row().range.bound(), ..Size::INEXACT },
        }
    }
}
