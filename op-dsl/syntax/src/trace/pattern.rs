//! Tracing of `let` patterns, `if` and `match`.

use super::body::Tracer;
use super::value::{Cond, Traces, Value};
use syn::{Expr, ExprIf, ExprLet, ExprMatch, Pat};

impl<'a> Tracer<'a> {
    /// Adds the names in a `let` pattern to the scope, with `value` or its parts as their values.
    pub fn bind(&mut self, pat: &'a Pat, value: Value) {
        match (pat, value) {
            (Pat::Ident(p), value) if p.by_ref.is_none() && p.subpat.is_none() => {
                if let Some(token) = &p.mutability {
                    let help = "remove `mut` and write another `let`";
                    self.error(token, format!("values of a formula do not change; {help}"));
                }
                self.locals.push((p.ident.to_string(), value));
            }
            (Pat::Type(t), value) => self.bind(&t.pat, value),
            (Pat::Paren(p), value) => self.bind(&p.pat, value),
            (Pat::Wild(_), _) => {}
            (Pat::Tuple(t), Value::Tuple(values)) if t.elems.len() == values.len() => {
                for (p, v) in t.elems.iter().zip(values) {
                    self.bind(p, v);
                }
            }
            (Pat::Struct(s), Value::Gated(gate, value)) => {
                for field in &s.fields {
                    let part = match &field.member {
                        syn::Member::Named(n) if n == "gate" => gate,
                        syn::Member::Named(n) if n == "value" => value,
                        m => {
                            self.error(m, "a gated tensor has two parts: `gate` and `value`");
                            continue;
                        }
                    };
                    self.bind(&field.pat, Value::Elem(part));
                }
            }
            (pat, value) => {
                if value != Value::Poison {
                    self.error(
                        pat,
                        "a `let` binds a name or a tuple of names; write `let name = ..`",
                    );
                }
                self.poison_names(pat);
            }
        }
    }

    /// After an error, binds every name in a `let` pattern to the error value `Value::Poison`.
    ///
    /// Otherwise every later use of a name would be reported as another error.
    pub fn poison_names(&mut self, pat: &'a Pat) {
        match pat {
            Pat::Ident(p) => self.locals.push((p.ident.to_string(), Value::Poison)),
            Pat::Tuple(t) => t.elems.iter().for_each(|p| self.poison_names(p)),
            Pat::TupleStruct(t) => t.elems.iter().for_each(|p| self.poison_names(p)),
            Pat::Slice(s) => s.elems.iter().for_each(|p| self.poison_names(p)),
            Pat::Struct(s) => s.fields.iter().for_each(|f| self.poison_names(&f.pat)),
            Pat::Paren(p) => self.poison_names(&p.pat),
            Pat::Reference(r) => self.poison_names(&r.pat),
            Pat::Type(t) => self.poison_names(&t.pat),
            _ => {}
        }
    }

    /// Traces an `if`: the taken branch if the condition is known, else both branches and a select.
    ///
    /// The condition is known if it depends on attributes only.
    pub fn choice(&mut self, e: &'a ExprIf) -> Traces<Value> {
        if let Expr::Let(l) = &*e.cond {
            return self.if_let(e, l);
        }
        let cond = self.expr(&e.cond)?;
        let cond = self.condition(&e.cond, cond)?;
        let Some((_, otherwise)) = &e.else_branch else {
            return self
                .poison(&e.if_token, "every element needs a value; write the `else` branch");
        };
        match cond {
            Some(Cond::Known(true)) => self.block(&e.then_branch),
            Some(Cond::Known(false)) => self.expr(otherwise),
            Some(c) => {
                let (yes, no) = (self.block(&e.then_branch)?, self.expr(otherwise)?);
                Ok(self.choose(e, &c, yes, no))
            }
            None => {
                // Traces both branches, because each may have errors of its own.
                self.block(&e.then_branch)?;
                self.expr(otherwise)?;
                Ok(Value::Poison)
            }
        }
    }

    /// Traces `if let Some(t) = tensor { .. } else { .. }` on an optional tensor.
    fn if_let(&mut self, e: &'a ExprIf, l: &'a ExprLet) -> Traces<Value> {
        let value = self.expr(&l.expr)?;
        let value = self.resolve(value)?;
        if !matches!(value, Value::Given(_)) {
            if value != Value::Poison {
                self.error(&l.let_token, "elements have no patterns; write a comparison");
            }
            return Ok(Value::Poison);
        }
        let Some((_, otherwise)) = &e.else_branch else {
            return self
                .poison(&e.if_token, "every element needs a value; write the `else` branch");
        };
        match self.fits(&l.pat, &value) {
            Some(true) => self.within(&l.pat, value, |tracer| tracer.block(&e.then_branch)),
            Some(false) => self.expr(otherwise),
            None => Ok(Value::Poison),
        }
    }

    /// Runs `trace` while the name in a matched pattern `Some(name)` is in scope.
    fn within(
        &mut self,
        pat: &'a Pat,
        value: Value,
        trace: impl FnOnce(&mut Self) -> Traces<Value>,
    ) -> Traces<Value> {
        let outer = self.locals.len();
        if let (Some(inner), Value::Given(Some(given))) = (some(pat), value) {
            self.bind(inner, *given);
        }
        let traced = trace(self);
        self.locals.truncate(outer);
        traced
    }

    fn choose(&mut self, e: &ExprIf, c: &Cond, yes: Value, no: Value) -> Value {
        match (yes, no) {
            (Value::Poison, _) | (_, Value::Poison) => Value::Poison,
            (Value::Tuple(y), Value::Tuple(n)) if y.len() == n.len() => {
                Value::Tuple(y.into_iter().zip(n).map(|(y, n)| self.choose(e, c, y, n)).collect())
            }
            (Value::Gated(yg, yv), Value::Gated(ng, nv)) => {
                let gate = c.choose(&mut self.graph, yg, ng);
                Value::Gated(gate, c.choose(&mut self.graph, yv, nv))
            }
            (Value::Truth(y), Value::Truth(n)) => {
                let (yes, no) = (c.clone().and(y), c.clone().not().and(n));
                Value::Truth(yes.or(no))
            }
            (yes, no) => {
                let yes = self.element(&e.then_branch, &yes);
                let no = e.else_branch.as_ref().and_then(|(_, b)| self.element(b, &no));
                yes.zip(no)
                    .map_or(Value::Poison, |(y, n)| Value::Elem(c.choose(&mut self.graph, y, n)))
            }
        }
    }

    /// Traces a `match` on an attribute or an optional tensor; only the first matching arm is traced.
    pub fn matched(&mut self, e: &'a ExprMatch) -> Traces<Value> {
        let scrutinee = self.expr(&e.expr)?;
        let value = self.resolve(scrutinee)?;
        if !matches!(value, Value::Variant(..) | Value::Given(_) | Value::Truth(Cond::Known(_))) {
            if value != Value::Poison {
                let what = value.what();
                let help = "for elements write `if .. { .. } else { .. }`";
                self.error(
                    &e.expr,
                    format!("`match` is on an attribute and this is {what}; {help}"),
                );
            }
            for arm in &e.arms {
                self.expr(&arm.body)?;
            }
            return Ok(Value::Poison);
        }
        for arm in &e.arms {
            match self.fits(&arm.pat, &value) {
                Some(true) => return self.within(&arm.pat, value, |t| t.expr(&arm.body)),
                Some(false) => {}
                None => return Ok(Value::Poison),
            }
        }
        self.poison(&e.match_token, "an attribute's value has no arm; write one for each value")
    }

    /// Returns whether a `match` pattern matches `value`; `None` after reporting an error.
    fn fits(&mut self, pat: &'a Pat, value: &Value) -> Option<bool> {
        let known = match pat {
            Pat::Wild(_) => return Some(true),
            Pat::Paren(p) => return self.fits(&p.pat, value),
            Pat::Or(or) => {
                for case in &or.cases {
                    if self.fits(case, value)? {
                        return Some(true);
                    }
                }
                return Some(false);
            }
            Pat::TupleStruct(_) if some(pat).is_some() && is_optional(value) => {
                return Some(*value != Value::Given(None));
            }
            Pat::Ident(p) if p.ident == "None" && is_optional(value) => {
                return Some(*value == Value::Given(None));
            }
            Pat::Path(p) => self.variant(&p.path),
            Pat::Lit(l) => match &l.lit {
                syn::Lit::Bool(b) => Some(Value::Truth(Cond::Known(b.value))),
                _ => None,
            },
            Pat::Guard(g) => {
                self.error(
                    &g.if_token,
                    "an arm is picked by its value alone; write `if` inside it",
                );
                return None;
            }
            Pat::Ident(p) => {
                let help = "write `_`, or the type before the variant, as in `Approximate::Tanh`";
                self.error(p, format!("this name would fit every value; {help}"));
                return None;
            }
            _ => None,
        };
        match (known, value) {
            (Some(Value::Variant(a, x)), Value::Variant(b, y)) if a == *b => Some(x == *y),
            (Some(Value::Truth(x)), Value::Truth(y)) => Some(x == *y),
            _ if is_optional(value) => {
                let help = "write `Some(..)`, `None` or `_`";
                self.error(pat, format!("an optional tensor is given or not; {help}"));
                None
            }
            _ => {
                let help = "write its variants, `true`, `false` or `_`";
                self.error(pat, format!("this is no value of the attribute; {help}"));
                None
            }
        }
    }
}

fn is_optional(value: &Value) -> bool {
    matches!(value, Value::Given(_))
}

/// Returns the inner pattern of `Some(..)`; `None` for any other pattern.
fn some(pat: &Pat) -> Option<&Pat> {
    match pat {
        Pat::TupleStruct(t) if t.path.is_ident("Some") && t.elems.len() == 1 => t.elems.first(),
        Pat::Paren(p) => some(&p.pat),
        _ => None,
    }
}
