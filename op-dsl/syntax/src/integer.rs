//! Integer literals.

use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

/// Parses an integer literal with an optional minus sign; `None` for any other expression.
pub fn integer(e: &Expr) -> Option<i64> {
    match e {
        Expr::Lit(ExprLit { lit: Lit::Int(i), .. }) => i.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
            // Parsed with its sign, so that `i64::MIN` is accepted: its absolute value would overflow.
            Expr::Lit(ExprLit { lit: Lit::Int(i), .. }) => {
                format!("-{}", i.base10_digits()).parse().ok()
            }
            _ => None,
        },
        Expr::Group(g) => integer(&g.expr),
        Expr::Paren(p) => integer(&p.expr),
        _ => None,
    }
}
