//! How a body's functions are looked up: each by itself or, where there are tables for it, several by one.

use super::literal::count;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// What is looked up: some functions of one variable.
pub struct Source<'a> {
    /// The type with the tables.
    pub owner: &'a Ident,
    /// The places of its functions among all.
    pub places: Vec<usize>,
    /// Whether they are made of what is looked up.
    pub made: bool,
}

/// The bodies of the functions that look up.
pub struct LookUp {
    /// Whether a level has tables for an element type.
    pub has_tables: TokenStream,
    /// Whether all lanes are inside.
    pub all_inside: TokenStream,
    /// The functions of lanes inside.
    pub inside: TokenStream,
    /// The functions wherever they are known, and the lanes where some is not.
    pub anywhere: TokenStream,
}

/// The functions by the first of some ways that has tables; each way has all of them.
pub fn look_up(ways: &[Vec<Source>], many: usize) -> LookUp {
    let by_first = |what: &dyn Fn(&[Source]) -> TokenStream| {
        let way = |otherwise: Option<TokenStream>, way: &Vec<Source>| {
            let (has, this) = (has_tables(way), what(way));
            Some(match otherwise {
                Some(otherwise) => quote!(if const { #has } { #this } else { #otherwise }),
                None => this,
            })
        };
        ways.iter().rev().fold(None, way)
    };
    let any = ways.iter().map(|way| has_tables(way));
    LookUp {
        has_tables: quote!(#((#any))||*),
        all_inside: by_first(&all_inside).unwrap_or_default(),
        inside: by_first(&|way| inside(way, many)).unwrap_or_default(),
        anywhere: by_first(&|way| anywhere(way, many)).unwrap_or_default(),
    }
}

/// The names of functions' values.
fn names(of: impl IntoIterator<Item = usize>) -> Vec<Ident> {
    of.into_iter().map(|k| format_ident!("f{k}")).collect()
}

fn has_tables(way: &[Source]) -> TokenStream {
    let owners = way.iter().map(|source| source.owner);
    quote!(#(math::univariate::has_table::<#owners, S, E>())&&*)
}

fn all_inside(way: &[Source]) -> TokenStream {
    let each = way.iter().map(|Source { owner, places, .. }| {
        let first = count(places[0]);
        quote!(math::univariate::all_inside::<#owner, S, E, W>(s, t[#first]))
    });
    quote!(#(#each)&&*)
}

fn inside(way: &[Source], many: usize) -> TokenStream {
    let each = way.iter().map(|Source { owner, places, made }| {
        let (first, names) = (count(places[0]), names(places.iter().copied()));
        match made {
            true => quote!(let [#(#names),*] = math::made::inside::<#owner, S, E, _, W>(s, t[#first]);),
            false => quote!(#(let #names)* = math::univariate::univariate::<#owner, S, E, W>(s, t[#first]);),
        }
    });
    let all = names(0..many);
    quote!(#(#each)* [#(#all),*])
}

fn anywhere(way: &[Source], many: usize) -> TokenStream {
    let missed: Vec<Ident> = (0..way.len()).map(|k| format_ident!("missed{k}")).collect();
    let each = way.iter().zip(&missed).map(|(Source { owner, places, made }, missed)| {
        let (first, names) = (count(places[0]), names(places.iter().copied()));
        match made {
            true => quote! {
                let ([#(#names),*], #missed) = math::made::anywhere::<#owner, S, E, _>(s, t[#first]);
            },
            false => quote! {
                let (#(#names)*, #missed) = math::univariate::anywhere::<#owner, S, E>(s, t[#first]);
            },
        }
    });
    let all = names(0..many);
    quote!(#(#each)* ([#(#all),*], #(#missed)|*))
}
