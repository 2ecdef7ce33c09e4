//! Tables of polynomials for functions of one value, fitted in plain f64.
//!
//! A smooth function costs one look-up, whatever it is composed of. `z` is `|x|`, or `x` where the
//! halves have nothing in common; equal segments of it have a polynomial each:
//!
//! ```text
//! i = floor(z scale) - first      d = z - centre[i]       p = a[0][i] + d (a[1][i] + d (a[2][i] + ..))
//! p = fma(d, high[i], p)          if the function has zeros: two floats for the slope there
//! f = p    -p    sum - p    p + slope x          by symmetry and the sign of x
//! ```
//!
//! An author of a function gives an oracle: values in f64, each with a bound of its error, in whatever
//! form the function comes. Where the bound is too large, the table ends, or there is none.
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
//! | look | `function`, `zero`, `view` | Symmetry by value, zeros, the order of a zero at zero; how far the oracle is sure, from where on the function has rounded to its limit. |
//! | cells | `cells` | From here on, fine polynomials answer for the oracle, which may be slow. |
//! | request | `request`, `policy`, `fastest` | Of degrees and layouts the one that takes the least time on ordinary data: operations, and how often data leave the table. The cheapest by what polynomials alone can do first, until no other can be cheaper. |
//! | interval | `interval`, `narrow` | The widest segments with which all are within the target. |
//! | centre | `centre` | A segment's centre is a zero, or a float whose value is nearly a float, so `a[0]` needs no low part; of several the one where least cancels. |
//! | squares | `nodes`, `squares` | Weighted least squares at Chebyshev nodes, weights adapted until nearly minimax. Coefficients are rounded from the lowest up; the others make good what that costs. |
//! | judge | `judge` | The polynomial in f32, both signs of `x`, at samples: what it is off, and all that rounding can do there. Not good enough: the next centre, then narrower segments. |
//! | 16 bits | `half`, `truth`, `mend` | No estimate: all 65,536 inputs. Polynomials that get some wrong are moved by as little as makes them right. |
//! | several | `polynomial`, `made` | Functions that are polynomials in one other: a table of that, judged by what is made of it. |
//! | both | `joint` | A function and its derivative from one look-up: the derivative's polynomials, rounded as those of its integral. |
//! | tail | `tail` | What the function is beyond its tables: the logarithm by polynomials, then a straight line. |
//!
//! What has been fitted can be kept in a file ([`words`]).
//!
//! [`Table::eval`] is, operation for operation, what an evaluator computes, so a table's errors are
//! known before there is one. `Index` says how it finds a segment; the table's ends are found by the
//! same arithmetic.
//!
//! # The same bits everywhere
//!
//! Tables are fitted while macros run, on any machine, and must not depend on it. So arithmetic is
//! `+ - * /` and square roots in f64, which IEEE 754 fixes; FMA of floats is made of these (`float`);
//! all other functions are those of `libm`, which are too. A test compares a hash of tables.

/// Version of the tables that this crate fits and of their encoding ([`words`]).
///
/// Tables that are kept by a build are read again only by the version that fitted them.
pub const VERSION: u32 = 3;

/// True if this crate is optimised. Cargo does not optimise dependencies of macros by default, and a fit then takes about ten
/// times as long.
pub const IS_OPTIMISED: bool = !matches!(env!("OP_DSL_FIT_LEVEL").as_bytes(), b"0");

mod cells;
mod centre;
mod element;
pub mod exponential;
mod fastest;
mod float;
mod function;
mod grid;
mod half;
mod interval;
mod joint;
mod judge;
mod made;
mod mend;
mod narrow;
mod nodes;
mod oracle;
mod pair;
mod policy;
mod polynomial;
mod refusal;
mod request;
mod segment;
mod squares;
mod symmetry;
mod table;
pub mod tail;
mod truth;
mod view;
pub mod words;
mod zero;

pub use element::Element;
pub use function::Function;
pub use grid::{Grid, Index};
pub use joint::{Bend, Joint, Piece, Steps};
pub use made::{Base, Made};
pub use oracle::{Hints, Oracle, Values};
pub use polynomial::{Polynomial, unit_square};
pub use refusal::Refusal;
pub use request::Request;
pub use symmetry::{Side, Symmetry};
pub use table::{Centring, Design, End, MAX_DEGREE, Segment, Table};
pub use tail::{Cells, Curve, Line, Tail};
