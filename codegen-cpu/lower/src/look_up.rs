//! Look-ups of a body's functions. One look-up yields several functions of the same variable if there is a table for it, else one.

use super::literal::count;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// A look-up that yields the values of one or several functions of the same variable.
pub struct Source<'a> {
    /// Generated type that has the tables.
    pub owner: &'a Ident,
    /// Indices, among all functions that an operator looks up, of those that this look-up yields.
    pub places: Vec<usize>,
    /// Module of the run time's `math` that implements the look-up.
    ///
    /// It is `univariate` for a single function, `made` for composed functions, and `both` for a function and its derivative.
    pub by: &'static str,
}

impl Source<'_> {
    fn module(&self) -> Ident {
        format_ident!("{}", self.by)
    }
}

/// Generated code that evaluates functions by fitted tables: a condition, and three method bodies.
pub struct LookUp {
    /// Condition that a SIMD level has tables for an element type.
    pub has_tables: TokenStream,
    /// Condition that the variables of all lanes are in the table range.
    pub all_inside: TokenStream,
    /// Expression of the functions' values, if the variables of all lanes are in the table range.
    pub inside: TokenStream,
    /// Expression of the functions' values by tables or tails, and of the lanes that have neither.
    ///
    /// Tails are approximations beyond the tables. A lane counts if some function has neither there.
    pub anywhere: TokenStream,
}

/// Returns the code that evaluates functions by fitted tables.
///
/// `ways` lists the alternatives in order of preference; the code uses the first that has tables for the SIMD level and element
/// type. Each way is a list of look-ups that together yield all `many` functions.
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

/// Returns the names of the variables that hold the values of these functions.
fn names(of: impl IntoIterator<Item = usize>) -> Vec<Ident> {
    of.into_iter().map(|k| format_ident!("f{k}")).collect()
}

fn has_tables(way: &[Source]) -> TokenStream {
    let each = way.iter().map(|source| {
        let (owner, by) = (source.owner, source.module());
        quote!(math::#by::has_table::<#owner, S, E>())
    });
    quote!(#(#each)&&*)
}

fn all_inside(way: &[Source]) -> TokenStream {
    let each = way.iter().map(|source| {
        let (owner, by, first) = (source.owner, source.module(), count(source.places[0]));
        quote!(math::#by::all_inside::<#owner, S, E, W>(s, t[#first]))
    });
    quote!(#(#each)&&*)
}

fn inside(way: &[Source], many: usize) -> TokenStream {
    let each = way.iter().map(|source| {
        let (owner, by, first) = (source.owner, source.module(), count(source.places[0]));
        let names = names(source.places.iter().copied());
        match &names[..] {
            [name] => quote!(let #name = math::#by::inside::<#owner, S, E, W>(s, t[#first]);),
            all => {
                let many = count(all.len());
                quote!(let [#(#all),*] = math::#by::inside::<#owner, S, E, #many, W>(s, t[#first]);)
            }
        }
    });
    let all = names(0..many);
    quote!(#(#each)* [#(#all),*])
}

fn anywhere(way: &[Source], many: usize) -> TokenStream {
    let missed: Vec<Ident> = (0..way.len()).map(|k| format_ident!("missed{k}")).collect();
    let each = way.iter().zip(&missed).map(|(source, missed)| {
        let (owner, by, first) = (source.owner, source.module(), count(source.places[0]));
        let names = names(source.places.iter().copied());
        match &names[..] {
            [name] => quote! {
                let (#name, #missed) = math::#by::anywhere::<#owner, S, E>(s, t[#first]);
            },
            all => {
                let many = count(all.len());
                quote! {
                    let ([#(#all),*], #missed) =
                        math::#by::anywhere::<#owner, S, E, #many>(s, t[#first]);
                }
            }
        }
    });
    let all = names(0..many);
    quote!(#(#each)* ([#(#all),*], #(#missed)|*))
}
