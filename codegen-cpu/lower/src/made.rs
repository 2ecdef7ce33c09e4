//! Functions of one variable that are made of one table in 16 bits.
//!
//! `f` and `f'` of a gated unit's gradient have one variable. Where `op_dsl_fit` finds that they are polynomials in it and
//! in one function, and that this takes less time, 16 bits look up that one alone.

use super::fitted::{self, Own, Tables, tails};
use super::literal::{count, f32_literal};
use super::several::{Alone, Group, WORTH};
use op_dsl_fit::words::Words;
use op_dsl_fit::{Function, Polynomial, Request, Tail, unit_square};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// What is fitted to a group.
#[derive(Clone, Debug)]
pub struct Made {
    made: op_dsl_fit::Made,
    /// Of the function that all are made of; none where tables of each take less time.
    pub tables: Tables,
    /// What each function is beyond them.
    tails: Vec<[Tail; 2]>,
}

impl Words for Made {
    fn write(&self, to: &mut Vec<u32>) {
        self.made.write(to);
        self.tables.write(to);
        self.tails.iter().flatten().for_each(|tail| tail.write(to));
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let (made, tables) = (op_dsl_fit::Made::read(from)?, Words::read(from)?);
        let many = made.results.len();
        let tail = |_| Some([Words::read(from)?, Words::read(from)?]);
        Some(Made { made, tables, tails: (0..many).map(tail).collect::<Option<_>>()? })
    }
}

/// What is fitted to a group; `None` where they are no such polynomials, or tables of each take less time.
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
    /// `struct #name`, its tables and what is made of them.
    pub fn tokens(&self, name: &Ident, vanishes: bool) -> TokenStream {
        let many = count(self.made.results.len());
        let own = Own { of_product: false, two: [false; 2], vanishes };
        let univariate = fitted::univariate(name, own, &self.tables);
        let tails = self.tails.iter().map(fitted::tails_tokens);
        let results = self.made.results.iter().map(result);
        quote! {
            #univariate
            impl math::made::Made<#many> for #name {
                const BEYOND: [[math::beyond::Tail; 2]; #many] = [#(#tails),*];
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

/// A polynomial in `x` and `g`, as `Polynomial::at` has it.
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

/// A polynomial in one of both.
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
