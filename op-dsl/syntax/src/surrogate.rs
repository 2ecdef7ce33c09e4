//! `#[grad(e)] let y = value;`: a value with the derivative of another expression (straight-through estimators).
//!
//! The attribute is a short form of the function `with_grad`, which formulas may call as well. It is replaced by that call
//! before anything else reads the function, so that tracing and the emitted function know only the call.

use crate::{Errors, attr};
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Expr, ItemFn, Local, parse_quote, parse2};

/// Replaces every `#[grad(..)]` on a `let` of an operator or a formula by a call of `with_grad`.
pub fn expand(function: &mut ItemFn, errors: &Errors) {
    Surrogates { errors }.visit_item_fn_mut(function);
}

struct Surrogates<'a> {
    errors: &'a Errors,
}

impl VisitMut for Surrogates<'_> {
    fn visit_local_mut(&mut self, local: &mut Local) {
        if let Some(a) = attr::take(&mut local.attrs, "grad", self.errors)
            && let Some(init) = &mut local.init
            && let Some(value) = self.with_grad(&a, &init.expr)
        {
            *init.expr = value;
        }
        visit_mut::visit_local_mut(self, local);
    }

    /// Reports `#[grad]` where it has no meaning; those of `let`s are gone by then.
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        for a in attrs.extract_if(.., |a| attr::is(a, "grad")) {
            let help = "write `#[grad(identity)] let y = round(x);`";
            self.errors.at(&a, format!("only a `let` has a derivative of its own; {help}"));
        }
    }
}

impl Surrogates<'_> {
    /// Returns `value` with the derivative that the attribute names; `None` after reporting an error.
    fn with_grad(&self, a: &Attribute, value: &Expr) -> Option<Expr> {
        let tokens = attr::arguments(a, self.errors);
        if tokens.is_empty() {
            let help = "write `identity`, or an expression, as in `#[grad(clamp(x, -1.0, 1.0))]`";
            return self.errors.none(a, format!("`grad` names a derivative; {help}"));
        }
        let surrogate: Expr = parse2(tokens).map_err(|e| self.errors.push(e)).ok()?;
        if !matches!(&surrogate, Expr::Path(p) if p.path.is_ident("identity")) {
            return Some(parse_quote!((#value).with_grad(#surrogate)));
        }
        let mut call = value.clone();
        let Some(argument) = argument(&mut call) else {
            let help = "write the expression whose derivative is meant";
            let what = "`identity` is the argument of a call `f(x)`, and this is no such call";
            return self.errors.none(&surrogate, format!("{what}; {help}"));
        };
        let mut own = std::mem::replace(argument, parse_quote!(__argument));
        // Around a value of a `let`, rustc warns of parentheses.
        while let Expr::Paren(inner) = own {
            own = *inner.expr;
        }
        parse2(quote!({ let __argument = #own; (#call).with_grad(__argument) })).ok()
    }
}

/// Returns the argument of a call with one argument, or the receiver of a method call without any.
fn argument(call: &mut Expr) -> Option<&mut Expr> {
    match call {
        Expr::Call(c) if c.args.len() == 1 => c.args.first_mut(),
        Expr::MethodCall(m) if m.args.is_empty() => Some(&mut m.receiver),
        Expr::Paren(p) => argument(&mut p.expr),
        Expr::Group(g) => argument(&mut g.expr),
        _ => None,
    }
}
