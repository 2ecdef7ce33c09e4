//! Why an expression is no part of a formula, and what to write instead.

use syn::{Expr, Stmt};

/// The reason for an expression that formulas do not have.
pub fn expression(e: &Expr) -> &'static str {
    match e {
        Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => {
            "loops are not elementwise: a formula is one expression per element; write the terms out"
        }
        Expr::Closure(_) => {
            "closures have no graph; write a `#[formula] fn` and call it by its name"
        }
        Expr::Reference(_) | Expr::RawAddr(_) => {
            "an element is a value, not a place; write it without `&`"
        }
        Expr::Assign(_) => "values of a formula do not change; write another `let`",
        Expr::Cast(_) => {
            "every element is computed as f32 and rounded once at the store; remove the cast"
        }
        Expr::Index(_) => {
            "a formula sees one element at a time and has no neighbours to index; name the tensor \
             alone"
        }
        Expr::Return(_) => {
            "every element takes the same path; write `if .. { .. } else { .. }` as the last \
             expression"
        }
        Expr::Break(_) | Expr::Continue(_) => "there are no loops to leave; write `if .. else ..`",
        Expr::Macro(_) => "a macro cannot be seen through; write what it expands to",
        Expr::Array(_) | Expr::Repeat(_) => {
            "a formula has no arrays; write one `let` for each value"
        }
        Expr::Range(_) => "a formula has no ranges; write comparisons",
        Expr::Try(_) => "an element has no error to pass on; remove `?`",
        Expr::Async(_) | Expr::Await(_) => {
            "a formula is evaluated at once; remove the `async` part"
        }
        Expr::Unsafe(_) => "a formula is only arithmetic; remove `unsafe`",
        Expr::Const(_) => "a constant has a name; write `const NAME: f64 = ..;`",
        Expr::Let(_) => "elements have no patterns; write a comparison",
        Expr::Yield(_) => "a formula yields its last expression; remove `yield`",
        Expr::Infer(_) => "`_` is no value; write an expression",
        Expr::TryBlock(_) => "an element has no error to catch; remove `try`",
        _ => "this is not part of a formula; write arithmetic, calls, `if`, `match` and `let`",
    }
}

/// The reason for an `if` that is a statement: it could only leave early.
pub const EARLY: &str = "every element takes the same path, and there is no early `return`; write \
                         `if .. { .. } else { .. }` as the last expression";

/// The reason for a statement that formulas do not have.
pub fn statement(s: &Stmt) -> &'static str {
    match s {
        Stmt::Macro(_) => "a macro cannot be seen through; write what it expands to",
        Stmt::Item(_) => {
            "a formula's body holds only `const`s and `#[formula] fn`s, at its top; move the item \
             out of it"
        }
        _ => "the value of this statement goes nowhere; bind it by `let` or remove it",
    }
}
