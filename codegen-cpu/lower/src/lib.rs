//! Lowers a specialised graph to the tokens of its vector body.
//!
//! ```text
//! body      graph -> straight-line vector code
//! statements  vector code of a graph
//! chains    products of more than two factors
//! compensated  f32 code of row formulas that carries rounding errors along
//! row_factors  factors that are the same for all elements of a row
//! watched   values that may leave the range of f32
//! column    code of each primitive
//! fitted    tables of functions of one variable
//! look_up   look-ups of functions: each by itself, or several by one
//! several   groups of functions of one variable
//! group     tables that the functions of a group share
//! made      composed: 16-bit functions that are polynomials in one basis function
//! both      joint: a function and its derivative by one table in f32
//! kept      cache of tables: nothing is fitted for the functions of many formulas
//! compiler  arguments of the compiler that macros run in
//! tabled    body with tables
//! uniform   functions of attributes, computed once per call
//! cost      whether tables are faster than f32 code
//! combine   expression that combines the values of functions
//! breakpoints  points where functions are not smooth
//! known     generator of the file of cached tables
//! program   programs of the interpreter, as constants
//! literal   numbers as tokens
//! ```
//!
//! Bodies use the names in their scope (`op_dsl::__rt::vector`), and contain no `unsafe`.

pub mod body;
mod both;
mod breakpoints;
mod chains;
mod column;
mod combine;
mod compensated;
mod compiler;
pub mod cost;
mod fitted;
mod group;
mod kept;
pub mod known;
pub mod literal;
mod look_up;
mod made;
mod program;
mod row_factors;
mod several;
mod statements;
mod tabled;
mod uniform;
mod watched;
