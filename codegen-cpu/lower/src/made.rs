//! Composed functions: functions of one variable from one table in 16 bits.
//!
//! A gated unit's gradient has `f` and `f'` of the same variable. Where `op_dsl_fit` finds that they are polynomials in the
//! variable and in one basis function, and that this takes less time, 16-bit types look up that function alone.

use super::fitted::{self, Own, Tables, tails};
use super::literal::{count, f32_literal};
use super::several::{Alone, Group, WORTH};
use op_dsl_fit::serialize::Serialize;
use op_dsl_fit::{Function, Polynomial, Request, Tail, unit_square};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Composed functions of a group (functions of the same variable), with their table.
#[derive(Clone, Debug)]
pub struct Made {
    made: op_dsl_fit::Made,
    /// Tables of the basis function, from which all functions of the group are computed.
    ///
    /// `None` where separate tables of these functions take less time.
    pub tables: Tables,
    /// Tails (approximations beyond the tables) of each function, for negative and positive variables.
    tails: Vec<[Tail; 2]>,
}

impl Serialize for Made {
    fn write(&self, to: &mut Vec<u32>) {
        self.made.write(to);
        self.tables.write(to);
        self.tails.iter().flatten().for_each(|tail| tail.write(to));
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let (made, tables) = (op_dsl_fit::Made::read(from)?, Serialize::read(from)?);
        let many = made.results.len();
        let tail = |_| Some([Serialize::read(from)?, Serialize::read(from)?]);
        Some(Made { made, tables, tails: (0..many).map(tail).collect::<Option<_>>()? })
    }
}

/// Fits tables of a basis function from which all functions of a group are computed.
///
/// A group has functions of one variable, and `each` has their separate tables. Returns `None` if the group has no basis
/// function, or if separate tables take less time.
pub fn fit(group: &Group, functions: &[&Function], each: &[Alone]) -> Option<Made> {
    let made = op_dsl_fit::Made::find(functions)?;
    let multiplied = group.iter().any(|(_, multiplied)| *multiplied);
    let tables = Tables::of(|entries, index, dtype| {
        let by_each = each.iter().map(|f| f.as_ref()?.tables.cost(entries, dtype));
        let under = by_each.sum::<Option<f64>>().map_or(f64::INFINITY, |each| WORTH * each);
        let usual = Request::new(fitted::element(dtype), entries);
        made.table(functions, &Request { index, multiplied, under, ..usual })
    });
    let from = [-1.0, 1.0].into_iter().filter_map(|sign| tables.leave(sign));
    let from = from.min_by(f32::total_cmp)?;
    Some(Made { tails: functions.iter().map(|f| tails(f, from)).collect(), made, tables })
}

impl Made {
    /// Returns the tokens of a type `name` with the tables, the tails and the polynomials.
    ///
    /// `vanishes` is true if a function of the group is multiplied and is zero at zero.
    pub fn tokens(&self, name: &Ident, vanishes: bool) -> TokenStream {
        let many = count(self.made.results.len());
        let own = Own { of_product: false, two: [false; 2], vanishes };
        let univariate = fitted::univariate(name, own, &self.tables);
        let tails = self.tails.iter().map(fitted::tails_tokens);
        let results = self.made.results.iter().map(result);
        quote! {
            #univariate
            impl math::made::Made<#many> for #name {
                const BEYOND: [[math::tail::Tail; 2]; #many] = [#(#tails),*];
                #[inline(always)]
                #[allow(unused_variables)]
                fn made<S: Isa, const W: usize>(
                    s: S,
                    x: Floats<S, W>,
                    g: Floats<S, W>,
                ) -> [Floats<S, W>; #many] {
                    [#(#results),*]
                }
            }
        }
    }
}

/// Returns the code of a polynomial in `x` and `g`, in the evaluation order of `Polynomial::at`.
fn result(polynomial: &Polynomial) -> TokenStream {
    let nested = polynomial.nested();
    let (x, g) = (quote!(x), quote!(g));
    let (outer, inner) = if nested.by_g { (&g, &x) } else { (&x, &g) };
    let step = |sum: TokenStream, p: &[f32]| match p {
        [] => quote!((#sum * #outer)),
        [c] => {
            let c = f32_literal(*c);
            quote!((#sum).mul_add(#outer, #c))
        }
        p => {
            let p = factor(p, inner);
            quote!((#sum).mul_add(#outer, #p))
        }
    };
    let mut powers = nested.powers();
    let none = || quote!(Floats::<S, W>::splat(s, 0.0));
    let first = powers.next().map_or_else(none, |p| factor(p, inner));
    powers.fold(first, step)
}

/// Returns the code of a polynomial in the one variable `x`, by Horner.
fn factor(p: &[f32], x: &TokenStream) -> TokenStream {
    if let Some([a, b]) = unit_square(p) {
        let by = |c: f32| if c < 0.0 { quote!((-#x)) } else { x.clone() };
        let (a, b) = (by(a), by(b));
        return quote!(#b.mul_add(#x, #a));
    }
    let (last, rest) = p.split_last().unwrap_or((&0.0, &[]));
    let first = f32_literal(*last);
    let step = |sum: TokenStream, c: &f32| match *c {
        0.0 => quote!((#sum * #x)),
        c => {
            let c = f32_literal(c);
            quote!((#sum).mul_add(#x, #c))
        }
    };
    rest.iter().rev().fold(quote!(Floats::<S, W>::splat(s, #first)), step)
}
