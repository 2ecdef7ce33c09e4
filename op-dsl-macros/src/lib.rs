//! The attribute macros of `op-dsl`, a thin layer over `op-dsl-expand`.
//!
//! Documentation and examples are with `op_dsl`, which re-exports them.

use op_dsl_expand::Purpose;
use proc_macro::TokenStream;

/// Defines a family of operators by an inline module.
///
/// The module has attribute enums, constants, `#[formula]` and `#[op]` functions. Every `#[op]` function stays an
/// ordinary function on `Elem`. The macro adds a struct of the function's attributes with a typed `run`, an entry in
/// the table of operators, and both also for the gradient that the function asks for. The module gets `OPERATORS`, a
/// slice of all entries.
///
/// With `#[operators(published = TABLE)]`, a `static TABLE: &[op_dsl::ir::published::Published]` has the names under
/// which documents have published some of the operators.
///
/// With `#[operators(kernels = false)]` nothing is compiled for CPUs, which saves most of the time that a module takes to
/// compile: for operators that are only emitted. To call one is an error.
#[proc_macro_attribute]
pub fn operators(args: TokenStream, item: TokenStream) -> TokenStream {
    op_dsl_expand::operators(Purpose::of_this_compilation(), args.into(), item.into()).into()
}

/// Defines an operator by a function from one element of each input to one element of each output.
///
/// `#[op(name = "GeGluV2")]` may also have: `outputs(y, gelu)`, `dtypes(f16, bf16, f32)`, `empty = false`,
/// `broadcast`, `promote`, `grad_of = function`, and
/// `grad(name = "GeGluGradV2", wrt(x), inputs(..), outputs(..), empty = .., broadcast, promote)`.
#[proc_macro_attribute]
pub fn op(args: TokenStream, item: TokenStream) -> TokenStream {
    op_dsl_expand::op(Purpose::of_this_compilation(), args.into(), item.into()).into()
}

/// Defines a function that the formulas of several operators share; their calls are inlined.
///
/// The function stays an ordinary function on `Elem`. A parameter declared as `f32` or `f64` takes everything that
/// converts to an element, so that one formula serves both numbers and attributes.
#[proc_macro_attribute]
pub fn formula(args: TokenStream, item: TokenStream) -> TokenStream {
    op_dsl_expand::formula(args.into(), item.into()).into()
}

/// Makes an enum of unit variants an attribute of operators.
///
/// Callers outside Rust pass a variant by its identifier in lower case, unless `#[attr(name = "tanh")]` sets another
/// name.
#[proc_macro_derive(OpAttr, attributes(attr))]
pub fn op_attr(item: TokenStream) -> TokenStream {
    op_dsl_expand::op_attr(item.into()).into()
}
