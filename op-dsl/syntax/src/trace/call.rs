//! Calls of primitives and of the module's formulas, which are inlined.

use super::body::Tracer;
use super::value::{Cond, Traces, Value};
use crate::model::{Formula, shadowed};
use crate::names::{self, elsewhere};
use op_dsl_ir::graph::Id;
use op_dsl_ir::suggest::nearest;
use syn::{Expr, ExprCall, ExprMethodCall, Ident};

/// Maximum nesting depth of calls from one `#[formula]` function to another.
const MAX_CALLS: usize = 64;

impl<'a> Tracer<'a> {
    /// Traces a call `f(x, y)` of a `#[formula]` function or a primitive.
    pub fn call(&mut self, c: &'a ExprCall) -> Traces<Value> {
        let args = c.args.iter().map(|a| self.expr(a)).collect::<Traces<Vec<Value>>>()?;
        let Some(name) = function_name(&c.func) else {
            let help = "call a formula of this module or a function of the table by its bare name";
            return self.poison(
                &c.func,
                format!("only functions with a plain name are known here; {help}"),
            );
        };
        // A local with an error, for example a refused closure: its call is not reported again.
        let local = self.locals.iter().rev().find(|(local, _)| name == local);
        if let Some((_, Value::Poison)) = local {
            return Ok(Value::Poison);
        }
        let exprs: Vec<&Expr> = c.args.iter().collect();
        if let Some(f) = self.scope.formula_named(name) {
            return self.inline(c, f, &exprs, args);
        }
        if self.scope.shadowing.contains(name) {
            return self.poison(name, shadowed(name));
        }
        self.primitive(name, &exprs, args)
    }

    /// Traces a method call `x.f(y)` of a primitive, `powi`, or a method of an optional tensor.
    pub fn method(&mut self, m: &'a ExprMethodCall) -> Traces<Value> {
        let receiver = self.expr(&m.receiver)?;
        if receiver == Value::Rows {
            self.element(&m.receiver, &receiver);
            return Ok(Value::Poison);
        }
        let mut args = vec![receiver];
        for a in &m.args {
            args.push(self.expr(a)?);
        }
        if m.method == "powi" {
            return Ok(self.power(m, &args));
        }
        if let Value::Optional(..) | Value::Given(_) = args[0] {
            return self.of_optional(m, args);
        }
        let exprs: Vec<&Expr> = std::iter::once(&*m.receiver).chain(&m.args).collect();
        self.primitive(&m.method, &exprs, args)
    }

    /// Traces `t.unwrap_or(y)`, `t.is_some()` and `t.is_none()` of an optional tensor.
    fn of_optional(&mut self, m: &ExprMethodCall, args: Vec<Value>) -> Traces<Value> {
        let mut args = args.into_iter();
        let receiver = args.next().map(|receiver| self.resolve(receiver)).transpose()?;
        let Some(Value::Given(given)) = receiver else { return Ok(Value::Poison) };
        let known = |is| Ok(Value::Truth(Cond::Known(is)));
        match (&*m.method.to_string(), args.next(), args.next()) {
            ("unwrap_or", Some(otherwise), None) => Ok(given.map_or(otherwise, |given| *given)),
            ("is_some", None, _) => known(given.is_some()),
            ("is_none", None, _) => known(given.is_none()),
            _ => {
                let known = "write `unwrap_or(..)`, `is_some()`, `is_none()` or `match`";
                self.poison(&m.method, format!("an optional tensor is asked otherwise; {known}"))
            }
        }
    }

    fn power(&mut self, m: &ExprMethodCall, args: &[Value]) -> Value {
        let (base, n) = match args {
            [base, Value::Int(n)] => (base, *n),
            [Value::Poison, ..] | [_, Value::Poison] => return Value::Poison,
            _ => {
                self.error(
                    &m.method,
                    "the exponent must be seen here; write an integer, as in `x.powi(3)`, or `powf(x, n)` for an \
                     attribute `n`",
                );
                return Value::Poison;
            }
        };
        // Each doubling of the exponent costs one multiplication, and f32 overflows long before 64.
        let Some(n) = i32::try_from(n).ok().filter(|n| n.abs() <= 64) else {
            self.error(&m.args, format!("the exponent is beyond 64; write `.powf({n}.0)`"));
            return Value::Poison;
        };
        match base {
            Value::Num(v) => Value::Num(v.powi(n)),
            base => self
                .element(&m.receiver, base)
                .map_or(Value::Poison, |x| Value::Elem(self.graph.power(x, n))),
        }
    }

    fn primitive(&mut self, name: &Ident, exprs: &[&Expr], args: Vec<Value>) -> Traces<Value> {
        let (prim, test) = (names::primitive(&name.to_string()), names::test(&name.to_string()));
        let row = names::row(&name.to_string());
        let is_other =
            prim.is_none() && test.is_none() && row.is_none() && names::is_known(&name.to_string());
        let written = is_other.then(|| self.scope.written().formula_named(name)).flatten();
        let wants = match (prim, written, test) {
            (Some(prim), ..) => prim.row().arity,
            (_, Some(written), _) => written.params.len(),
            (.., Some(_)) => 1,
            (None, None, None) if row.is_some() => 1,
            (None, None, None) => {
                return self.poison(name, self.unknown_function(name));
            }
        };
        if args.len() != wants {
            let (wants, has) = (count(wants, "argument"), args.len());
            return self.poison(name, format!("`{name}` takes {wants} and is given {has}"));
        }
        let ids: Vec<Option<Id>> =
            args.iter().zip(exprs).map(|(value, e)| self.element(e, value)).collect();
        let Some(ids) = ids.into_iter().collect::<Option<Vec<Id>>>() else {
            return Ok(Value::Poison);
        };
        Ok(match (prim, written, test) {
            (Some(prim), ..) => Value::Elem(self.graph.call(prim, &ids)),
            (_, Some(written), _) => return self.written(written, &ids),
            (.., Some(ask)) => {
                let (comparison, is_turned) = ask(&mut self.graph, ids[0]);
                let holds = Cond::Node(comparison);
                Value::Truth(if is_turned { holds.not() } else { holds })
            }
            (None, None, None) => {
                row.map_or(Value::Poison, |row| Value::Elem(self.row_function(row, ids[0])))
            }
        })
    }

    /// Inlines a function that is a formula of other functions, which sees no names of the author's.
    fn written(&mut self, f: &'a Formula, args: &[Id]) -> Traces<Value> {
        let given = f.params.iter().zip(args);
        let locals = given.map(|((name, _), id)| (name.to_string(), Value::Elem(*id))).collect();
        let outer = std::mem::replace(&mut self.locals, locals);
        let scope = self.scope;
        self.scope = scope.written();
        let value = self.enter(f);
        (self.locals, self.scope) = (outer, scope);
        value
    }

    fn unknown_function(&self, name: &Ident) -> String {
        let text = name.to_string();
        if let Some(advice) = elsewhere::advice(&text) {
            return advice;
        }
        let mine: Vec<String> = self.scope.formulas.iter().map(|f| f.ident.to_string()).collect();
        let known: Vec<&str> = names::functions().collect();
        match nearest(&text, known.into_iter().chain(mine.iter().map(String::as_str))) {
            Some(meant) => format!("no function `{name}` is known; did you mean `{meant}`?"),
            None => format!(
                "no function `{name}` is known; write a `#[formula] fn {name}` in this module or \
                 call one of: powi, {}",
                names::functions().collect::<Vec<_>>().join(", ")
            ),
        }
    }

    /// Inlines a call of a `#[formula]` function: traces its body with the parameters bound to `args`.
    fn inline(
        &mut self,
        at: &'a ExprCall,
        f: &'a Formula,
        exprs: &[&'a Expr],
        args: Vec<Value>,
    ) -> Traces<Value> {
        if args.len() != f.params.len() {
            let (name, wants, has) = (&f.ident, count(f.params.len(), "argument"), args.len());
            return self.poison(at, format!("`{name}` takes {wants} and is given {has}"));
        }
        if self.calls.iter().any(|c| c.ident == f.ident) || self.calls.len() >= MAX_CALLS {
            let help = "a formula has finitely many terms; write them out";
            return self.poison(at, format!("`{}` calls itself; {help}", f.ident));
        }
        let given = f.params.iter().zip(exprs.iter().zip(args));
        let given = given.map(|((name, ty), (e, v))| (name.to_string(), self.checked(*e, ty, v)));
        let locals = given.collect();
        let outer = std::mem::replace(&mut self.locals, locals);
        let value = self.enter(f);
        self.locals = outer;
        value
    }

    /// Traces the body of a `#[formula]` function whose parameters are bound already.
    pub fn enter(&mut self, f: &'a Formula) -> Traces<Value> {
        self.calls.push(f);
        let value = self.block(&f.block);
        self.calls.pop();
        let tail = f.block.stmts.last();
        let checked = |value| match (&f.returns, tail) {
            (Some(ty), Some(tail)) => self.checked(tail, ty, value),
            _ => value,
        };
        value.map(checked)
    }
}

pub(super) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn function_name(func: &Expr) -> Option<&Ident> {
    match func {
        Expr::Path(p) if p.qself.is_none() => p.path.get_ident(),
        Expr::Group(g) => function_name(&g.expr),
        Expr::Paren(p) => function_name(&p.expr),
        _ => None,
    }
}
