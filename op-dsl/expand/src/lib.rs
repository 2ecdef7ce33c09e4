//! Expands a checked family of operators to Rust tokens.
//!
//! ```text
//! data      operator and graphs -> constants
//! item      the author's function, the attributes as a struct, the typed call, the table entry
//! oracle    the author's own function as the reference
//! doc       the rustdoc text of an operator
//! purpose   whether anything will run kernels
//! ```
//!
//! This is the entry point of the macros: each function here is one macro. The bodies of kernels come from
//! `op_dsl_lower`. The expansion refers to everything by `::op_dsl::` paths and contains no `unsafe`.

mod data;
mod doc;
mod item;
mod oracle;
mod purpose;

pub use purpose::Purpose;

use op_dsl_ir::lost_digits;
use op_dsl_lower::cost;
use op_dsl_lower::literal::integer;
use op_dsl_syntax::{EnumDef, Family};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::io::{self, Write};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, MetaNameValue, Path, Token};

/// Expands `#[operators(..)] mod name { .. }`, with the arguments of [`Arguments`].
pub fn operators(purpose: Purpose, args: TokenStream, item: TokenStream) -> TokenStream {
    let (Arguments { published, kernels }, error) = match arguments(args) {
        Ok(arguments) => (arguments, None),
        Err(e) => (Arguments::default(), Some(e.into_compile_error())),
    };
    let purpose = if kernels { purpose } else { Purpose::Define };
    let expanded = match op_dsl_syntax::module(item.clone()) {
        Ok(family) => self::family(purpose, family, published.as_ref()),
        Err(e) => kept(e, item),
    };
    quote!(#error #expanded)
}

/// Arguments of `#[operators(..)]`.
struct Arguments {
    /// The table of published interfaces: `published = path::to::TABLE`.
    published: Option<Path>,
    /// Whether the operators have kernels for CPUs: `kernels = false` leaves them out.
    kernels: bool,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments { published: None, kernels: true }
    }
}

/// Parses the arguments of `#[operators(..)]`.
fn arguments(args: TokenStream) -> syn::Result<Arguments> {
    let wrong = "write `published = path::to::TABLE`, `kernels = false`, or nothing";
    let mut arguments = Arguments::default();
    let parse = Punctuated::<MetaNameValue, Token![,]>::parse_terminated;
    let all = parse.parse2(args.clone()).map_err(|_| syn::Error::new_spanned(args, wrong))?;
    for MetaNameValue { path, value, .. } in all {
        match value {
            Expr::Path(table) if path.is_ident("published") => {
                arguments.published = Some(table.path);
            }
            Expr::Lit(ExprLit { lit: Lit::Bool(is), .. }) if path.is_ident("kernels") => {
                arguments.kernels = is.value;
            }
            _ => return Err(syn::Error::new_spanned(path, wrong)),
        }
    }
    Ok(arguments)
}

/// Expands `#[op(args)] fn` outside of an `#[operators]` module.
pub fn op(purpose: Purpose, args: TokenStream, item: TokenStream) -> TokenStream {
    match op_dsl_syntax::function(args, item.clone()) {
        Ok(family) => self::family(purpose, family, None),
        Err(e) => kept(e, item),
    }
}

/// Expands `#[formula] fn` outside of an `#[operators]` module, where it is an ordinary function.
pub fn formula(args: TokenStream, item: TokenStream) -> TokenStream {
    let error = (!args.is_empty()).then(|| {
        let message = "`formula` has no arguments; remove them";
        syn::Error::new_spanned(args, message).into_compile_error()
    });
    let item = match op_dsl_syntax::formula(item.clone()) {
        Ok(formula) => formula.into_token_stream(),
        Err(e) => kept(e, item),
    };
    quote!(#error #item)
}

/// Expands `#[derive(OpAttr)]`.
pub fn op_attr(item: TokenStream) -> TokenStream {
    match op_dsl_syntax::attribute_enum(item) {
        Ok(def) => attribute(&def),
        Err(e) => e.into_compile_error(),
    }
}

/// Returns the error together with the item, so that other uses of the item cause no further errors.
///
/// The error of a missing semicolon is left out: rustc parses an item before it hands it to a macro and has reported
/// it.
fn kept(error: syn::Error, item: TokenStream) -> TokenStream {
    let is_known = error.to_string() == "expected `;`";
    let error = (!is_known).then(|| error.into_compile_error());
    quote!(#error #item)
}

/// Prints a note for each operator whose formula loses digits and has no accurate way to write it.
///
/// The note goes to standard error because stable Rust has no warnings from macros.
fn say_what_is_lost(family: &Family) {
    for note in family.ops.iter().flat_map(|op| lost_digits::notes(&op.def)) {
        let _ = writeln!(io::stderr(), "note: {note}");
    }
}

fn family(purpose: Purpose, mut family: Family, published: Option<&Path>) -> TokenStream {
    family.ops.iter_mut().for_each(|op| cost::remove_slower_tables(&mut op.def));
    let family = &family;
    say_what_is_lost(family);
    let error = family.error.as_ref().map(syn::Error::to_compile_error);
    // Refused functions are kept without their bodies, so no attributes are converted in them.
    let functions = family.error.as_ref().map_or(&family.functions[..], |_| &[]);
    let items = family.items.iter().map(|i| item::kept(i, functions));
    let functions = &family.functions;
    let ops =
        family.ops.iter().map(|op| item::operator(purpose, op, &functions[op.function], published));
    // There is an oracle only if the formula was accepted.
    let oracles = family.error.is_none().then(|| {
        let each = family.functions.iter().map(oracle::function);
        quote!(#(#each)*)
    });
    let Some(module) = &family.module else {
        return quote!(#error #(#items)* #oracles #(#ops)*);
    };
    let checks = family.ops.iter().filter_map(|op| item::check(op, family));
    let (attrs, vis, name) = (&module.attrs, &module.vis, &module.ident);
    let statics = family.ops.iter().map(item::static_name);
    // Items that only a refused formula uses must not cause warnings of their own.
    let allowed = family.error.is_some().then(|| quote!(#[allow(unused)]));
    quote! {
        #allowed
        #(#attrs)*
        #vis mod #name {
            #error
            #(#items)*
            #oracles
            #(#ops)*
            #(#checks)*

            /// The operators of this module.
            pub static OPERATORS: &[&::op_dsl::Operator] = &[#(&#statics),*];
        }
    }
}

fn attribute(def: &EnumDef) -> TokenStream {
    let ident = &def.ident;
    let idents = &def.idents;
    let names = def.variants.iter().map(|v| &*v.name);
    let values: Vec<_> = def.variants.iter().map(|v| integer(v.value)).collect();
    quote! {
        #[automatically_derived]
        impl ::op_dsl::OpAttr for #ident {
            const VARIANTS: &'static [(Self, &'static str, i64)] =
                &[#((Self::#idents, #names, #values)),*];
        }
    }
}
