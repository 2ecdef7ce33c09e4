//! Tracing of operators: `+ - * / %`, comparisons, `&& || !`.

use super::body::Tracer;
use super::refuse;
use super::value::{Cond, Traces, Value};
use crate::number;
use op_dsl_ir::prim::Prim;
use quote::ToTokens;
use syn::{BinOp, UnOp};

impl<'a> Tracer<'a> {
    pub fn unary(&mut self, u: &'a syn::ExprUnary) -> Traces<Value> {
        match u.op {
            UnOp::Neg(_) => Ok(match self.expr(&u.expr)? {
                Value::Num(v) => Value::Num(-v),
                Value::Int(v) => Value::Int(v.wrapping_neg()),
                other => self
                    .element(&u.expr, &other)
                    .map_or(Value::Poison, |x| Value::Elem(self.graph.negative(x))),
            }),
            UnOp::Not(_) => {
                let value = self.expr(&u.expr)?;
                let cond = self.condition(&u.expr, value)?;
                Ok(cond.map_or(Value::Poison, |c| Value::Truth(c.not())))
            }
            ref other => {
                self.poison(other, "an element is a value, not a place; write it without `*`")
            }
        }
    }

    pub fn binary(&mut self, e: &'a syn::ExprBinary) -> Traces<Value> {
        use BinOp::*;
        if let AddAssign(_) | SubAssign(_) | MulAssign(_) | DivAssign(_) | RemAssign(_) = e.op {
            return self.poison(&e.op, "values of a formula do not change; write another `let`");
        }
        let (x, y) = (self.expr(&e.left)?, self.expr(&e.right)?);
        match e.op {
            And(_) | Or(_) => {
                let (p, q) = (self.condition(&e.left, x)?, self.condition(&e.right, y)?);
                let (Some(p), Some(q)) = (p, q) else { return Ok(Value::Poison) };
                Ok(Value::Truth(if matches!(e.op, And(_)) { p.and(q) } else { p.or(q) }))
            }
            Lt(_) | Le(_) | Gt(_) | Ge(_) | Eq(_) | Ne(_) => self.comparison(e, x, y),
            Add(_) | Sub(_) | Mul(_) | Div(_) | Rem(_) => {
                if let (Value::Num(x), Value::Num(y)) = (&x, &y)
                    && let Some(v) = number::arithmetic(&e.op, *x, *y)
                {
                    return Ok(Value::Num(v));
                }
                let (x, y) = (self.element(&e.left, &x), self.element(&e.right, &y));
                let (Some(x), Some(y)) = (x, y) else { return Ok(Value::Poison) };
                if let Some(c) = refuse::rounding(&self.graph, &e.op, x, y) {
                    return self.poison(
                        e,
                        format!(
                            "adding and subtracting {c:?} rounds in f32 arithmetic, but formulas \
                             compute with real numbers and this is the number itself; write \
                             `round(x)`"
                        ),
                    );
                }
                Ok(Value::Elem(match e.op {
                    Add(_) => self.graph.sum(x, y),
                    Sub(_) => self.graph.difference(x, y),
                    Mul(_) => self.graph.product(x, y),
                    Div(_) => self.graph.quotient(x, y),
                    _ => self.graph.call(Prim::Rem, &[x, y]),
                }))
            }
            _ => self.poison(&e.op, "elements are numbers, not bits; formulas know `+ - * / %`"),
        }
    }

    fn comparison(&mut self, e: &'a syn::ExprBinary, x: Value, y: Value) -> Traces<Value> {
        let equality = matches!(e.op, BinOp::Eq(_) | BinOp::Ne(_));
        let (x, y) = (self.resolve(x)?, self.resolve(y)?);
        let same = match (&x, &y) {
            (Value::Poison, _) | (_, Value::Poison) => return Ok(Value::Poison),
            (Value::Variant(..), Value::Variant(..)) if equality => Cond::Known(x == y),
            (Value::Truth(Cond::Known(p)), Value::Truth(Cond::Known(q))) if equality => {
                Cond::Known(p == q)
            }
            _ => {
                let (x, y) = (self.element(&e.left, &x), self.element(&e.right, &y));
                let (Some(x), Some(y)) = (x, y) else { return Ok(Value::Poison) };
                let (prim, x, y) = match e.op {
                    BinOp::Lt(_) => (Prim::Lt, x, y),
                    BinOp::Le(_) => (Prim::Le, x, y),
                    BinOp::Gt(_) => (Prim::Lt, y, x),
                    BinOp::Ge(_) => (Prim::Le, y, x),
                    _ => (Prim::Eq, x, y),
                };
                Cond::Node(self.graph.call(prim, &[x, y]))
            }
        };
        Ok(Value::Truth(if matches!(e.op, BinOp::Ne(_)) { same.not() } else { same }))
    }

    /// Converts a value to a condition; `None` after reporting an error.
    pub fn condition(&mut self, node: &impl ToTokens, value: Value) -> Traces<Option<Cond>> {
        Ok(match self.resolve(value)? {
            Value::Truth(c) => Some(c),
            Value::Poison => None,
            other => {
                let what = other.what();
                self.error(
                    node,
                    format!("a condition is needed here and this is {what}; compare it"),
                );
                None
            }
        })
    }
}
