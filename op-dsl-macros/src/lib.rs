//! The attribute macros of `op-dsl`: a door onto `op-dsl-expand`. Documentation and examples are with `op_dsl`, which re-exports them.

use op_dsl_expand::Purpose;
use proc_macro::TokenStream;

/// A family of operators: an inline module of attribute enums, constants, `#[formula]` and `#[op]`
/// functions.
///
/// Every `#[op]` function stays an ordinary function on `Elem` and gets, beside it: a struct of
/// its attributes with a typed `run`, an entry in the table of operators, and the same for the
/// gradient that it asks for. The module gets `OPERATORS`, a slice of all its entries.
///
/// `#[operators(published = TABLE)]`: a `static TABLE: &[op_dsl::ir::published::Published]` has the
/// names by which documents have published some of the operators.
#[proc_macro_attribute]
pub fn operators(args: TokenStream, item: TokenStream) -> TokenStream {
    op_dsl_expand::operators(Purpose::of_this_compilation(), args.into(), item.into()).into()
}

/// One operator: a function from one element of each input to one element of each output.
///
/// `#[op(name = "GeGluV2")]`, and further: `outputs(y, gelu)`, `dtypes(f16, bf16, f32)`,
/// `empty = false`, `broadcast`, `promote`, `grad_of = function`, and
/// `grad(name = "GeGluGradV2", wrt(x), inputs(..), outputs(..), empty = .., broadcast, promote)`.
#[proc_macro_attribute]
pub fn op(args: TokenStream, item: TokenStream) -> TokenStream {
    op_dsl_expand::op(Purpose::of_this_compilation(), args.into(), item.into()).into()
}

/// A part of formulas that operators share. It is inlined where they call it.
///
/// It stays an ordinary function on `Elem`; a parameter that is declared as `f32` or `f64` takes all
/// that becomes an element, so that one formula serves a number and an attribute.
#[proc_macro_attribute]
pub fn formula(args: TokenStream, item: TokenStream) -> TokenStream {
    op_dsl_expand::formula(args.into(), item.into()).into()
}

/// Makes an enum of plain names an attribute: `#[attr(name = "tanh")]` on a variant changes its
/// name on the wire, which is the lower-case identifier.
#[proc_macro_derive(OpAttr, attributes(attr))]
pub fn op_attr(item: TokenStream) -> TokenStream {
    op_dsl_expand::op_attr(item.into()).into()
}
