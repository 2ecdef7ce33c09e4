//! Piecewise polynomials for functions of one variable, fitted in plain f64.
//!
//! A smooth function costs one look-up in a segment table, whatever it is composed of. `z` is `|x|`, or `x` where the halves
//! are not related by a symmetry. Segments of `z` of equal width have a polynomial each:
//!
//! ```text
//! i = floor(z scale) - first      d = z - centre[i]       p = a[0][i] + d (a[1][i] + d (a[2][i] + ..))
//! p = fma(d, high[i], p)          if the function has zeros: a double-float for the slope there
//! f = p    -p    sum - p    p + slope x          by symmetry and the sign of x
//! ```
//!
//! The author of a function provides an oracle: values in f64, each with a bound of its error. Where the bound is too large,
//! the table ends, or there is none.
//!
//! ```
//! use op_dsl_fit::{Element, Function, Hints, Request};
//!
//! let sigmoid = |x: &[f64]| -> Vec<(f64, f64)> {
//!     x.iter().map(|x| 1.0 / (1.0 + libm::exp(-x))).map(|v| (v, 1e-15 * v)).collect()
//! };
//! let function = Function::new(&sigmoid, Hints { limits: [Some(0.0), Some(1.0)], ..Hints::default() });
//! let table = function.fit(&Request::new(Element::F32, 32))?;
//! assert_eq!(table.eval(0.0), Some(0.5));
//! assert!((table.eval(-3.0).unwrap() - 0.047425874).abs() < 4e-9);
//! # Ok::<(), op_dsl_fit::Refusal>(())
//! ```
//!
//! # The fitter on one screen
//!
//! | step | file | what it does |
//! |---|---|---|
//! | analysis | `function`, `zero`, `view` | Finds symmetry by value, zeros, the order of a zero at zero, how far the oracle is accurate, and from where on the function has rounded to its limit. |
//! | oracle | `oracle_cache` | Replaces the oracle, which may be slow, by fine polynomials. |
//! | request | `request`, `cost_model`, `fastest` | Chooses the degree and layout that take the least time on ordinary data: operations, and how often data leave the table. Candidates are tried in the order of their cost if polynomials alone decide, until no other can be cheaper. |
//! | interval | `interval`, `narrow` | Finds the widest segments with which all are within the target. |
//! | centre | `centre` | Chooses a segment's centre: a zero, or a float whose value is nearly a float, so that `a[0]` needs no low part; of several the one with the least cancellation. |
//! | least squares | `chebyshev`, `least_squares` | Weighted least squares at Chebyshev nodes, with Lawson weights, until nearly minimax. Coefficients are rounded from the lowest up, so that higher ones correct the error. |
//! | judge | `judge` | Evaluates the polynomial in f32 at samples of both signs of `x`: its error plus a bound of all rounding. If that is too large, the next centre is tried, then narrower segments. |
//! | 16 bits | `half`, `exhaustive`, `projection` | Checks all 65,536 inputs instead of an estimate. Polynomials that get some wrong are projected onto those that do not. |
//! | composed | `polynomial`, `made` | Functions that are polynomials in `x` and one basis function: a table of that function, judged by the results. |
//! | joint | `joint` | A function and its derivative from one look-up: the derivative's polynomials, and their integral. |
//! | tail | `tail` | The function beyond its tables: its logarithm by polynomials, then a straight line. |
//!
//! Fitted tables can be stored in a file ([`serialize`]).
//!
//! [`Table::eval`] performs the same operations as an evaluator, so that the errors of a table are known without one. `Index`
//! is how it finds a segment; the table's ends are found by the same arithmetic.
//!
//! # The same bits everywhere
//!
//! Tables are fitted while macros run, on any machine, and must not depend on it. So arithmetic is `+ - * /` and square roots
//! in f64, which IEEE 754 defines exactly; FMA of floats is computed from these (`float`); all other functions are those of
//! `libm`, which use nothing else. A test compares a hash of tables.

/// Version of the tables that this crate fits and of their encoding ([`serialize`]).
///
/// A build reads stored tables only if the same version fitted them.
pub const VERSION: u32 = 6;

/// True if this crate is optimised.
///
/// Cargo does not optimise dependencies of macros by default, and a fit then takes about ten times as long.
pub const IS_OPTIMISED: bool = !matches!(env!("OP_DSL_FIT_LEVEL").as_bytes(), b"0");

mod centre;
mod chebyshev;
mod cost_model;
mod element;
mod error;
mod exhaustive;
pub mod exponential;
mod fastest;
mod float;
mod function;
mod grid;
mod half;
mod interval;
mod joint;
mod judge;
mod least_squares;
mod made;
mod narrow;
mod oracle;
mod oracle_cache;
mod pair;
mod polynomial;
mod projection;
mod request;
mod rounded;
mod segment;
pub mod serialize;
mod symmetry;
mod table;
pub mod tail;
mod view;
mod zero;

pub use element::Element;
pub use error::Refusal;
pub use function::Function;
pub use grid::{Grid, Index};
pub use joint::{Bend, Joint, Piece, Steps};
pub use made::{Base, Made};
pub use oracle::{Hints, Oracle, Values};
pub use polynomial::{Polynomial, unit_square};
pub use request::Request;
pub use symmetry::{Side, Symmetry};
pub use table::{Centring, Design, End, MAX_DEGREE, Segment, Table};
pub use tail::{Cells, Curve, Line, Tail};
