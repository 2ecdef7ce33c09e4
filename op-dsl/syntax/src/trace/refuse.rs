//! The messages for expressions that a formula cannot have: why not, and what to write instead.

use op_dsl_ir::graph::{Builder, Id};
use op_dsl_ir::prim::Prim;
use syn::{BinOp, Expr, Stmt};

/// Returns whether an expression used as a statement gets the error message of [`expression`].
///
/// Any other expression gets the message that its value goes nowhere.
pub fn is_statement(e: &Expr) -> bool {
    matches!(
        e,
        Expr::ForLoop(_)
            | Expr::While(_)
            | Expr::Loop(_)
            | Expr::Return(_)
            | Expr::Assign(_)
            | Expr::Break(_)
            | Expr::Continue(_)
            | Expr::Macro(_)
            | Expr::Unsafe(_)
    ) || matches!(e, Expr::Binary(b) if matches!(b.op, BinOp::AddAssign(_) | BinOp::SubAssign(_)
        | BinOp::MulAssign(_) | BinOp::DivAssign(_)))
}

/// Returns the error message for an expression that formulas cannot have.
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

/// Error message for an `if` without a value, which could only be there for an early `return`.
pub const EARLY: &str = "every element takes the same path, and there is no early `return`; write \
                         `if .. { .. } else { .. }` as the last expression";

/// Returns the error message for a statement that formulas cannot have.
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

/// Smallest constant `c` for which a formula's `x + c - c` is reported as a rounding of `x`.
///
/// From 2^22 on, f32 numbers are at least 0.5 apart, so adding such a `c` in f32 rounds `x`.
const ROUNDS: f64 = (1 << 22) as f64;

/// Returns the constant `c` if `x op y` is the f32 idiom for rounding to an integer, else `None`.
///
/// The idiom adds and subtracts a large `c`, or subtracts and adds `c`, for example `(x + 12582912.0) - 12582912.0`.
pub fn rounding(graph: &Builder, op: &BinOp, x: Id, y: Id) -> Option<f64> {
    let number = |id: Id| graph.as_const(id).filter(|c| c.abs() >= ROUNDS);
    let undone = |prim: Prim, sum: Id, c: f64, sign: f64| {
        let [a, b, _] = graph.as_call(prim, sum)?;
        let from_left = prim == Prim::Add && graph.as_const(a) == Some(sign * c);
        (from_left || graph.as_const(b) == Some(sign * c)).then_some(c)
    };
    match op {
        BinOp::Sub(_) => {
            let from_right = || {
                let [a, _, _] = graph.as_call(Prim::Sub, y)?;
                number(x).filter(|c| graph.as_const(a) == Some(*c))
            };
            let c = number(y);
            c.and_then(|c| undone(Prim::Add, x, c, 1.0).or_else(|| undone(Prim::Sub, x, c, -1.0)))
                .or_else(from_right)
        }
        BinOp::Add(_) => [(x, y), (y, x)].into_iter().find_map(|(sum, by)| {
            let c = number(by)?;
            undone(Prim::Sub, sum, c, 1.0).or_else(|| undone(Prim::Add, sum, c, -1.0))
        }),
        _ => None,
    }
}
