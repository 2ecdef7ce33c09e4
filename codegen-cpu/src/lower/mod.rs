//! A specialised graph -> the tokens of its vector body.
//!
//! ```text
//! body      graph -> straight-line vector code
//! column    how each primitive is written
//! joint     nodes that one function computes together
//! literal   numbers as tokens
//! ```
//!
//! Bodies name what is in their scope (`op_dsl::__rt::vector`), and contain no `unsafe`.

pub mod body;
mod column;
mod joint;
pub mod literal;
