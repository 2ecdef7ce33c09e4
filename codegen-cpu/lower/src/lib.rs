//! A specialised graph -> the tokens of its vector body.
//!
//! ```text
//! body      graph -> straight-line vector code
//! code      the statements of a graph
//! chains    factors of products of products
//! watched   values that may leave the range of f32
//! column    how each primitive is written
//! fitted    functions of one value as tables
//! look_up   how functions are looked up: each by itself, or several by one
//! several   functions of one variable
//! group     those that one look-up may give together
//! made      those that are made of one table in 16 bits
//! both      a function and its derivative by one table in f32
//! kept      tables that are kept: nothing is fitted for the functions of many formulas
//! compiler  what the compiler was told that this runs in
//! tabled    a body that has such
//! rest      what it makes of their values
//! kinks     where those are not smooth
//! known     the file of kept tables, made again
//! program   what the interpreter runs, as a constant
//! literal   numbers as tokens
//! ```
//!
//! Bodies name what is in their scope (`op_dsl::__rt::vector`), and contain no `unsafe`.

pub mod body;
mod both;
mod chains;
mod code;
mod column;
mod compiler;
mod fitted;
mod group;
mod kept;
mod kinks;
pub mod known;
pub mod literal;
mod look_up;
mod made;
mod program;
mod rest;
mod several;
mod tabled;
mod watched;
