//! Write an activation once, as a formula on one element; get its CPU kernel, its gradient, its
//! oracle, and the AscendC operator.
//!
//! ```
//! #[op_dsl::operators]
//! pub mod gates {
//!     use op_dsl::prelude::*;
//!
//!     /// `y = value * silu(gate)` over the two halves of `x` along `dim`.
//!     #[op(name = "Swish", grad(name = "SwishGrad", wrt(x)))]
//!     pub fn swish(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
//!         x.value * (x.gate * sigmoid(x.gate))
//!     }
//! }
//!
//! use op_dsl::{View, ViewMut};
//! let x = [1.0f32, 2.0, 3.0, 4.0]; // gates 1, 2; values 3, 4
//! let mut y = [0.0f32; 2];
//! gates::Swish::default().run(View::new(&x, &[1, 4])?, ViewMut::new(&mut y, &[1, 2])?)?;
//! assert!((y[0] - 3.0 * 0.731_058_6).abs() < 1e-6);
//! # Ok::<(), op_dsl::Error>(())
//! ```
//!
//! The function stays an ordinary function, so it is its own reference: on an [`Elem`] it computes in f64.
#![cfg_attr(feature = "docs", doc = "\n## Features\n", doc = document_features::document_features!())]

// Expansions refer to this crate by its name; so do those in its own tests.
extern crate self as op_dsl;

#[doc(hidden)]
pub mod __rt;
mod attribute;
pub mod check;
pub mod derivative;
pub mod elem;
mod functions;
#[doc(hidden)]
pub mod oracle;
pub mod prelude;
pub mod written;

pub use attribute::OpAttr;
pub use codegen_cpu::rt::call::{Operator, Options, Oracle};
pub use codegen_cpu::rt::converted::{e4m3fn, e5m2};
pub use codegen_cpu::rt::elem::El;
pub use codegen_cpu::rt::error::{Error, ViewError};
pub use codegen_cpu::rt::simd::Level;
pub use codegen_cpu::rt::view::{View, ViewMut};
pub use elem::{Dim, Elem, Gated, Mask, PerRow, Rows};
#[cfg(feature = "capi")]
pub use op_dsl_capi as capi;
#[cfg(feature = "cli")]
pub use op_dsl_cli as cli;
/// Types that describe operators.
///
/// Expansions of the macros are literals of these types, so the types change with the macros: a version of this crate
/// goes with one version of the macros, and the types may gain fields in any version.
pub use op_dsl_ir as ir;
pub use op_dsl_macros::{OpAttr, formula, op, operators};

/// Returns the number of operators in several families (modules of operators).
pub const fn count(families: &[&[&'static Operator]]) -> usize {
    let (mut family, mut n) = (0, 0);
    while family < families.len() {
        n += families[family].len();
        family += 1;
    }
    n
}

/// Joins the operators of several families (modules of operators) into one list.
///
/// For example, with `const FAMILIES: &[&[&Operator]] = &[a::OPERATORS, b::OPERATORS]`:
/// `static OPERATORS: &[&Operator] = &join::<{ count(FAMILIES) }>(FAMILIES)`.
///
/// # Panics
/// While compiling, when `N` is not the sum of the families' lengths.
pub const fn join<const N: usize>(families: &[&[&'static Operator]]) -> [&'static Operator; N] {
    let mut all: [&Operator; N] = [families[0][0]; N];
    let (mut family, mut n) = (0, 0);
    while family < families.len() {
        let mut i = 0;
        while i < families[family].len() {
            all[n] = families[family][i];
            n += 1;
            i += 1;
        }
        family += 1;
    }
    assert!(n == N, "`N` is not the sum of the families' lengths");
    all
}

/// Build-script helper that turns operators into an installable package.
///
/// The feature `ascendc` belongs in `[build-dependencies]`, so that an edit of the emitter compiles no kernel. The
/// modules that define operators are included by path, so that the script has the crate's own operators:
///
/// ```ignore
/// // build.rs
/// #[path = "src/families/glu.rs"]
/// mod families;
///
/// fn main() {
///     op_dsl::build::ascendc(families::glu::OPERATORS);
/// }
/// ```
#[cfg(feature = "ascendc")]
pub mod build {
    pub use codegen_ascendc::build::{Error, Toolkit};
    pub use codegen_ascendc::emit::Options;

    /// Writes the AscendC project of some operators to `$OUT_DIR/ascendc`, and builds it if it can.
    ///
    /// Without an installed toolkit, a warning gives the command that builds the project later. The target product is
    /// `$OP_DSL_SOC`, by default ascend910b. The language of the README is `$OP_DSL_LANGUAGE`, `en` or `zh`, by default
    /// English. The crate finds the project's directory in `env!("OP_DSL_PROJECT")`, and, if the project was built, its
    /// installer in `option_env!("OP_DSL_PACKAGE")`. Errors fail the build of the crate.
    pub fn ascendc(operators: &[&'static crate::Operator]) {
        codegen_ascendc::build::ascendc(operators.iter().map(|op| op.def()));
    }

    /// Writes and builds the AscendC project of some operators as [`ascendc`] does, with options.
    ///
    /// For example, `Options { accept_error: true, ..Options::default() }` accepts element types whose results are
    /// over their error budget.
    pub fn ascendc_with(operators: &[&'static crate::Operator], options: Options) {
        codegen_ascendc::build::ascendc_with(operators.iter().map(|op| op.def()), options);
    }

    /// Fails the build unless the product `$OP_DSL_SOC` supports the operators within their error budget.
    ///
    /// Every element type that an operator has must be supported. The budget is 8 units in the last place in f32 and
    /// one in 16 bits.
    pub fn check(operators: &[&'static crate::Operator]) {
        codegen_ascendc::build::check(operators.iter().map(|op| op.def()));
    }
}
