//! CPU column of the table of primitives: the code of each in a body.

use op_dsl_ir::Prim;
use op_dsl_ir::rounding::Arithmetic;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Syntax of the call of a primitive (an operation of the graph) in generated vector code.
enum Form {
    /// `-x`
    Negation,
    /// `x + y`
    Infix(char),
    /// `x.f(y)`: one or two instructions on every SIMD level.
    Native(&'static str),
    /// `math::f::<S, E, W>(s, x)`, or `wide::f` in f64: accuracy may depend on SIMD level and element type.
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

/// Returns the run-time function for `min` or `max` with a bound that is known not to be NaN.
///
/// Returns `None` for other primitives.
pub fn bounded(prim: Prim) -> Option<&'static str> {
    match prim {
        Prim::Min => Some("at_most"),
        Prim::Max => Some("at_least"),
        _ => None,
    }
}

/// Returns the name of the vector method that implements a comparison, such as `simd_lt`.
pub fn comparison(prim: Prim) -> Ident {
    let f = match form(prim) {
        Form::Native(f) => f,
        _ => prim.row().name,
    };
    Ident::new(f, Span::call_site())
}

/// Returns the call of the run-time function `f` with these variables as arguments.
pub fn named(f: &str, args: &[Ident], on: Arithmetic) -> TokenStream {
    let f = Ident::new(f, Span::call_site());
    match on {
        Arithmetic::F32 => quote!(math::#f::<S, E, W>(s, #(#args),*)),
        Arithmetic::F64 => quote!(wide::#f::<S, W>(s, #(#args),*)),
    }
}

/// Returns the expression that applies the primitive `prim` to these variables.
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
        // Not reachable, because no primitive is without arguments and the graph's builder checks their number.
        (_, []) | (Form::Infix(_), [_]) => quote!(compile_error!("a primitive without arguments")),
    }
}
