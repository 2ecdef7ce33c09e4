//! Tracing of expressions, blocks and statements.

use super::refuse;
use super::value::{Cond, Stop, Traces, Value};
use crate::integer::integer;
use crate::model::{Const, Formula};
use crate::scope::Scope;
use crate::{Errors, attr, names, number};
use op_dsl_ir::graph::{Builder, Id};
use op_dsl_ir::op::AttrKind;
use op_dsl_ir::row::{RowFormula, RowFunction};
use op_dsl_ir::suggest::nearest;
use quote::ToTokens;
use std::collections::BTreeMap;
use std::fmt::Display;
use syn::{Block, Expr, Item, Lit, Local, Member, Stmt};

/// Maximum number of expressions that one trace visits before it is reported as endless, because `#[formula]` functions may call
/// themselves.
const FUEL: u32 = 200_000;

/// Traces one formula: evaluates its body on graph nodes instead of numbers.
pub(crate) struct Tracer<'a> {
    pub scope: &'a Scope,
    pub errors: &'a Errors,
    /// The kind (boolean, integer, enum ..) of each attribute of the traced function, by index.
    kinds: &'a [AttrKind],
    /// Values that this trace assumes for attributes, by attribute index.
    fixed: &'a BTreeMap<usize, i64>,
    pub graph: Builder,
    /// Names in scope with their values, innermost last.
    pub locals: Vec<(String, Value)>,
    /// Values traced so far of the `let`s marked `#[saved]`, which become outputs of the operator.
    pub saved: Vec<Value>,
    /// Number of input streams of the operator, before those of row functions.
    pub inputs: usize,
    /// The row functions that the formula calls, each with the node of its terms.
    pub rows: Vec<(RowFunction, Id)>,
    /// The `#[formula]` functions whose calls are being traced, outermost first.
    pub calls: Vec<&'a Formula>,
    fuel: u32,
}

impl<'a> Tracer<'a> {
    pub fn new(
        scope: &'a Scope,
        errors: &'a Errors,
        kinds: &'a [AttrKind],
        fixed: &'a BTreeMap<usize, i64>,
        graph: Builder,
        inputs: usize,
    ) -> Tracer<'a> {
        Tracer {
            scope,
            errors,
            kinds,
            fixed,
            graph,
            locals: Vec::new(),
            saved: Vec::new(),
            inputs,
            rows: Vec::new(),
            calls: Vec::new(),
            fuel: FUEL,
        }
    }

    /// Reports an error at a syntax node, but only once even if several traces visit the node.
    pub fn error(&self, node: &impl ToTokens, message: impl Display) {
        self.errors.once(node, message);
    }

    /// Reports an error as [`Tracer::error`] and returns the error value.
    pub fn poison(&self, node: &impl ToTokens, message: impl Display) -> Traces<Value> {
        self.error(node, message);
        Ok(Value::Poison)
    }

    /// Returns the node of a row function's value; equal calls share one.
    pub fn row_function(&mut self, function: RowFunction, terms: Id) -> Id {
        let known = self.rows.iter().position(|row| *row == (function, terms));
        let at = known.unwrap_or_else(|| {
            self.rows.push((function, terms));
            self.rows.len() - 1
        });
        self.graph.stream(RowFormula::value(self.inputs, at))
    }

    /// Traces the body of an operator's function, the only place where a `let` may be marked `#[saved]`.
    pub fn op_body(&mut self, block: &'a Block) -> Traces<Value> {
        self.statements(block, true)
    }

    /// Traces a block, whose `let`s go out of scope at its end.
    pub fn block(&mut self, block: &'a Block) -> Traces<Value> {
        let outer = self.locals.len();
        let value = self.statements(block, false);
        self.locals.truncate(outer);
        value
    }

    fn statements(&mut self, block: &'a Block, top: bool) -> Traces<Value> {
        let Some((last, rest)) = block.stmts.split_last() else {
            return self.poison(block, "an empty block has no value; write an expression");
        };
        for stmt in rest {
            self.statement(stmt, top)?;
        }
        match last {
            Stmt::Expr(e, None) => self.expr(e),
            // Loops, `return`, assignments and the like have their own message.
            Stmt::Expr(e, Some(_)) if refuse::is_statement(e) => {
                self.expr(e).map(|_| Value::Poison)
            }
            Stmt::Macro(_) => self.statement(last, top).map(|()| Value::Poison),
            other => {
                if !matches!(other, Stmt::Expr(..)) {
                    self.statement(other, top)?;
                }
                self.poison(other, "a formula ends with its value; write an expression without `;`")
            }
        }
    }

    fn statement(&mut self, stmt: &'a Stmt, top: bool) -> Traces<()> {
        match stmt {
            Stmt::Local(local) => self.local(local, top),
            // Constants and formulas at the top of an operator's body were added to the scope before; elsewhere items
            // are refused.
            Stmt::Item(Item::Const(_)) if top => Ok(()),
            Stmt::Item(Item::Fn(f)) if top && f.attrs.iter().any(|a| attr::is(a, "formula")) => {
                Ok(())
            }
            Stmt::Expr(e, _) if refuse::is_statement(e) => self.expr(e).map(|_| ()),
            Stmt::Expr(Expr::If(i), _) if returns(i) => {
                self.error(&i.if_token, refuse::EARLY);
                Ok(())
            }
            other => {
                self.error(other, refuse::statement(other));
                Ok(())
            }
        }
    }

    fn local(&mut self, local: &'a Local, top: bool) -> Traces<()> {
        let saved = local.attrs.iter().find(|a| attr::is(a, "saved"));
        if let Some(a) = saved.filter(|_| !top) {
            let help = "move the `let` to the top of the operator's body";
            self.error(a, format!("a saved value is an output of the operator; {help}"));
        }
        for other in local.attrs.iter().filter(|a| !attr::is(a, "saved") && !harmless(a)) {
            self.error(other, "a `let` has no such attribute; known: saved, grad");
        }
        let Some(init) = &local.init else {
            self.error(local, "values of a formula do not change; write `let name = value;`");
            self.poison_names(&local.pat);
            return Ok(());
        };
        if let Some((token, _)) = &init.diverge {
            self.error(token, "every element takes the same path; remove `else`");
        }
        let mut value = self.expr(&init.expr)?;
        if let syn::Pat::Type(typed) = &local.pat {
            value = self.checked(&init.expr, &typed.ty, value);
        }
        if top && saved.is_some() {
            self.saved.push(value.clone());
        }
        self.bind(&local.pat, value);
        Ok(())
    }

    /// Traces an expression and returns its value.
    pub fn expr(&mut self, e: &'a Expr) -> Traces<Value> {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            let help = "formulas call formulas too many times; bind repeated parts by `let`";
            self.error(e, format!("the formula does not end; {help}"));
            return Err(Stop::Endless);
        }
        match e {
            Expr::Lit(lit) => self.literal(e, &lit.lit),
            Expr::Path(_) => self.path(e),
            Expr::Paren(p) => self.expr(&p.expr),
            Expr::Group(g) => self.expr(&g.expr),
            Expr::Block(b) if b.label.is_none() => self.block(&b.block),
            Expr::Unary(u) => self.unary(u),
            Expr::Binary(b) => self.binary(b),
            Expr::Call(c) => self.call(c),
            Expr::MethodCall(m) => self.method(m),
            Expr::If(i) => self.choice(i),
            Expr::Match(m) => self.matched(m),
            Expr::Field(f) => self.field(f),
            Expr::Struct(s) => self.gated(s),
            Expr::Tuple(t) => {
                Ok(Value::Tuple(t.elems.iter().map(|e| self.expr(e)).collect::<Traces<_>>()?))
            }
            other => self.refuse(other),
        }
    }

    /// Reports an error for an expression that formulas cannot have, and returns `Value::Poison`.
    ///
    /// The error points at the keyword or operator that is to be removed, because that is where the reader looks.
    fn refuse(&self, e: &Expr) -> Traces<Value> {
        let why = refuse::expression(e);
        match e {
            Expr::ForLoop(l) => self.poison(&l.for_token, why),
            Expr::While(l) => self.poison(&l.while_token, why),
            Expr::Loop(l) => self.poison(&l.loop_token, why),
            Expr::Cast(c) => self.poison(&c.as_token, why),
            Expr::Return(r) => self.poison(&r.return_token, why),
            Expr::Reference(r) => self.poison(&r.and_token, why),
            Expr::Unsafe(u) => self.poison(&u.unsafe_token, why),
            other => self.poison(other, why),
        }
    }

    fn literal(&self, e: &Expr, lit: &Lit) -> Traces<Value> {
        match lit {
            Lit::Float(f) if f.suffix() == "f32" => {
                self.poison(e, "constants are f64 and rounded once; remove the suffix")
            }
            Lit::Float(f) => {
                let v = f.base10_parse().unwrap_or(f64::NAN);
                match number::beyond_f32(v) {
                    Some(why) => self.poison(e, why),
                    None => Ok(Value::Num(v)),
                }
            }
            Lit::Int(i) => match i.base10_parse::<i64>() {
                Ok(v) => Ok(Value::Int(v)),
                Err(_) => self.poison(e, "this integer is too large; write it as `1.0e30`"),
            },
            Lit::Bool(b) => Ok(Value::Truth(Cond::Known(b.value))),
            _ => self.poison(e, "a formula has numbers only; write one as `0.5`"),
        }
    }

    fn path(&mut self, e: &'a Expr) -> Traces<Value> {
        let Expr::Path(p) = e else { return Ok(Value::Poison) };
        if let Some(ident) = p.path.get_ident() {
            let name = ident.to_string();
            if let Some((_, value)) = self.locals.iter().rev().find(|(n, _)| *n == name) {
                return Ok(value.clone());
            }
            if let Some(c) = self.scope.const_named(ident) {
                return Ok(self.constant(e, c));
            }
            if names::constant(&name).is_some() {
                return Ok(self.number(e));
            }
            if name.chars().all(|c| !c.is_lowercase()) {
                return self.poison(e, number::unknown_constant(ident, self.scope));
            }
            let mine = self.locals.iter().map(|l| l.0.as_str());
            return match nearest(&name, mine) {
                Some(meant) => self
                    .poison(e, format!("no value `{name}` is in sight; did you mean `{meant}`?")),
                None => self.poison(
                    e,
                    format!(
                        "no value `{name}` is in sight; a formula sees its parameters, its \
                             `let`s and constants"
                    ),
                ),
            };
        }
        match self.variant(&p.path) {
            Some(v) => Ok(v),
            None => Ok(self.number(e)),
        }
    }

    fn number(&self, e: &Expr) -> Value {
        number::number(e, self.scope, self.errors).map_or(Value::Poison, Value::Num)
    }

    /// Returns the value of the constant `c`; an integer one is an exponent, as in `x.powi(N)`.
    fn constant(&self, e: &Expr, c: &Const) -> Value {
        if number::is_float(&c.ty) {
            let value = number::constant(c, self.scope, self.errors);
            return value.map_or(Value::Poison, Value::Num);
        }
        if let Some(v) = integer(&c.expr) {
            return Value::Int(v);
        }
        let help = "write a number for its value, and `f64`, `f32`, or `i32` for an exponent";
        self.error(e, format!("`{}` is no constant of a formula; {help}", c.ident));
        Value::Poison
    }

    /// Resolves a path `Enum::Variant` of an enum in scope; `None` for any other path.
    pub fn variant(&self, path: &syn::Path) -> Option<Value> {
        let mut last = path.segments.iter().rev();
        let (variant, of) = (last.next()?, last.next()?);
        let def = self.scope.enum_named(&of.ident)?;
        let known = def.variants.iter().find(|v| variant.ident == *v.ident)?;
        Some(Value::Variant(def.ident.to_string(), known.value))
    }

    /// Returns the kind of the attribute with this index; `None` if there is no such attribute.
    pub fn kind(&self, attr: usize) -> Option<&AttrKind> {
        self.kinds.get(attr)
    }

    /// Replaces an attribute or optional tensor by its value in this trace; other values stay.
    ///
    /// Stops the trace if it has not yet fixed the attribute's value, or whether a call passes the tensor.
    pub fn resolve(&self, value: Value) -> Traces<Value> {
        let fixed = |i: usize| self.fixed.get(&i).copied().ok_or(Stop::On(i));
        let i = match value {
            Value::Attr(i) => i,
            Value::Optional(i, inner) => {
                return Ok(Value::Given((fixed(i)? != 0).then_some(inner)));
            }
            other => return Ok(other),
        };
        let v = fixed(i)?;
        Ok(match self.kinds.get(i) {
            Some(AttrKind::Enum { ty, .. }) => Value::Variant(ty.to_string(), v),
            _ => Value::Truth(Cond::Known(v != 0)),
        })
    }

    /// Converts a value to a node of the graph; `None` after reporting an error.
    pub fn element(&mut self, node: &impl ToTokens, value: &Value) -> Option<Id> {
        match value {
            Value::Elem(id) => Some(*id),
            Value::Num(v) => match number::beyond_f32(*v) {
                Some(why) => {
                    self.error(node, why);
                    None
                }
                None => Some(self.graph.num(*v)),
            },
            Value::Poison => None,
            other => {
                let (what, help) = (other.what(), other.instead());
                self.error(node, format!("an element is needed here and this is {what}; {help}"));
                None
            }
        }
    }

    fn field(&mut self, f: &'a syn::ExprField) -> Traces<Value> {
        let base = self.expr(&f.base)?;
        match (&base, &f.member) {
            (Value::Poison, _) => Ok(Value::Poison),
            (Value::Gated(gate, _), Member::Named(n)) if n == "gate" => Ok(Value::Elem(*gate)),
            (Value::Gated(_, value), Member::Named(n)) if n == "value" => Ok(Value::Elem(*value)),
            (Value::Tuple(values), Member::Unnamed(i)) if (i.index as usize) < values.len() => {
                Ok(values[i.index as usize].clone())
            }
            (Value::Gated(..), m) => {
                self.poison(m, "a gated tensor has two parts: `gate` and `value`")
            }
            (_, m) => {
                let what = base.what();
                self.poison(
                    m,
                    format!("this is {what} and has no such part; only a `Gated` has parts"),
                )
            }
        }
    }

    /// Traces the struct expression `Gated { gate: .., value: .. }`: one element of a two-part tensor.
    fn gated(&mut self, s: &'a syn::ExprStruct) -> Traces<Value> {
        if !s.path.is_ident("Gated") || s.rest.is_some() || s.dot2_token.is_some() {
            return self.poison(s, "a formula builds only `Gated { gate: .., value: .. }`");
        }
        let (mut gate, mut value) = (None, None);
        for field in &s.fields {
            let v = self.expr(&field.expr)?;
            let slot = match &field.member {
                Member::Named(n) if n == "gate" => &mut gate,
                Member::Named(n) if n == "value" => &mut value,
                m => return self.poison(m, "a gated tensor has two parts: `gate` and `value`"),
            };
            let id = self.element(&field.expr, &v);
            *slot = Some(id);
        }
        match (gate, value) {
            (Some(gate), Some(value)) => {
                Ok(gate.zip(value).map_or(Value::Poison, |(g, v)| Value::Gated(g, v)))
            }
            _ => self.poison(s, "a gated tensor has two parts; write both `gate` and `value`"),
        }
    }
}

/// Returns whether the first branch of an `if` contains a `return`.
fn returns(e: &syn::ExprIf) -> bool {
    e.then_branch.stmts.iter().any(|s| matches!(s, Stmt::Expr(Expr::Return(_), _)))
}

/// Returns whether an attribute has no effect on the formula, so that a `let` may carry it.
fn harmless(a: &syn::Attribute) -> bool {
    a.path().is_ident("doc") || a.path().is_ident("allow") || a.path().is_ident("rustfmt")
}
