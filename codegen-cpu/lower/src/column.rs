//! The CPU column of the table of primitives: how each is written in a body.

use op_dsl_ir::Prim;
use op_dsl_ir::rounding::Arithmetic;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// A way of writing a call.
enum Form {
    /// `-x`
    Negation,
    /// `x + y`
    Infix(char),
    /// `x.f(y)`: one or two instructions of every level.
    Native(&'static str),
    /// `math::f::<S, E, W>(s, x)`, or `wide::f` of f64: accuracy may depend on level and element type.
    Math(&'static str),
}

fn form(prim: Prim) -> Form {
    use Form::{Infix, Math, Native, Negation};
    match prim {
        Prim::Neg => Negation,
        Prim::Add => Infix('+'),
        Prim::Sub => Infix('-'),
        Prim::Mul => Infix('*'),
        Prim::Div => Infix('/'),
        Prim::Abs => Native("abs"),
        Prim::Sqrt => Native("sqrt"),
        Prim::Lt => Native("simd_lt"),
        Prim::Le => Native("simd_le"),
        Prim::Eq => Native("simd_eq"),
        Prim::Select => Native("select"),
        function => Math(function.row().name),
    }
}

/// What `min` and `max` are where the other value is known to be a number.
pub fn bounded(prim: Prim) -> Option<&'static str> {
    match prim {
        Prim::Min => Some("at_most"),
        Prim::Max => Some("at_least"),
        _ => None,
    }
}

/// The method that compares, of a comparison.
pub fn comparison(prim: Prim) -> Ident {
    let f = match form(prim) {
        Form::Native(f) => f,
        _ => prim.row().name,
    };
    Ident::new(f, Span::call_site())
}

/// A function applied to named values.
pub fn named(f: &str, args: &[Ident], on: Arithmetic) -> TokenStream {
    let f = Ident::new(f, Span::call_site());
    match on {
        Arithmetic::F32 => quote!(math::#f::<S, E, W>(s, #(#args),*)),
        Arithmetic::F64 => quote!(wide::#f::<S, W>(s, #(#args),*)),
    }
}

/// `prim` applied to named values.
pub fn call(prim: Prim, args: &[Ident], on: Arithmetic) -> TokenStream {
    let name = |f| Ident::new(f, Span::call_site());
    match (form(prim), args) {
        (Form::Negation, [x, ..]) => quote!(-#x),
        (Form::Infix(op), [x, y, ..]) => {
            let op = proc_macro2::Punct::new(op, proc_macro2::Spacing::Alone);
            quote!(#x #op #y)
        }
        (Form::Native(f), [x, rest @ ..]) => {
            let f = name(f);
            quote!(#x.#f(#(#rest),*))
        }
        (Form::Math(f), args) => named(f, args, on),
        // No primitive is without arguments; the graph's builder holds their number.
        (_, []) | (Form::Infix(_), [_]) => quote!(compile_error!("a primitive without arguments")),
    }
}
