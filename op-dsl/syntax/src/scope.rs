//! The names that a formula may use.

use crate::model::{Const, EnumDef, Formula, derives_op_attr, source};
use crate::{Errors, attr, names};
use std::cell::OnceCell;
use std::rc::Rc;
use syn::visit::Visit;
use syn::{Block, Expr, Ident, Item, ItemConst, ItemFn, Stmt};

/// The names that a formula may use: those of its module and of an operator's body.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Attribute enums.
    pub enums: Vec<EnumDef>,
    /// Constants; a later one shadows an earlier one of the same name.
    pub consts: Vec<Const>,
    /// Formulas; a later one shadows an earlier one of the same name.
    pub formulas: Vec<Formula>,
    /// Functions of the module that have the name of a built-in function but are no formulas.
    ///
    /// rustc would call these functions instead of the built-in ones.
    pub shadowing: Vec<Ident>,
    /// Built-in functions that are written as formulas of other functions, parsed when a formula first calls one of them.
    written: OnceCell<Rc<Scope>>,
}

impl Scope {
    /// Returns the enum of this name, if it is in scope.
    pub fn enum_named(&self, ident: &Ident) -> Option<&EnumDef> {
        self.enums.iter().find(|e| e.ident == *ident)
    }

    /// Returns the constant of this name, if it is in scope.
    pub fn const_named(&self, ident: &Ident) -> Option<&Const> {
        self.consts.iter().rev().find(|c| c.ident == *ident)
    }

    /// Returns the formula of this name, if it is in scope.
    pub fn formula_named(&self, ident: &Ident) -> Option<&Formula> {
        self.formulas.iter().rev().find(|f| f.ident == *ident)
    }

    /// Returns the scope of the functions that are formulas of other functions, which every formula knows.
    pub fn written(&self) -> &Scope {
        self.written.get_or_init(|| Rc::new(written()))
    }

    /// Adds an item's name to the scope if the item is an enum, a constant or a function.
    pub fn add(&mut self, item: &Item, errors: &Errors) {
        match item {
            Item::Enum(e) if derives_op_attr(e) => {
                // Errors are dropped here, because the derive macro reports those of the enum itself.
                let silent = Errors::new();
                self.enums.push(EnumDef::parse(e, &silent));
                silent.finish();
            }
            Item::Const(ItemConst { ident, ty, expr, .. }) => {
                let (ident, ty, expr) = (ident.clone(), (**ty).clone(), Rc::new((**expr).clone()));
                self.consts.push(Const { ident, ty, expr });
            }
            Item::Fn(f) if f.attrs.iter().any(|a| attr::is(a, "formula")) => {
                self.formulas.push(Formula::parse(f, errors));
            }
            Item::Fn(f) if names::is_known(&f.sig.ident.to_string()) => {
                self.shadowing.push(f.sig.ident.clone());
            }
            _ => {}
        }
    }

    /// Returns this scope extended by the items at the top of an operator's body.
    pub fn with_body(&self, block: &Block, errors: &Errors) -> Scope {
        let mut scope = self.clone();
        for stmt in &block.stmts {
            if let Stmt::Item(item) = stmt {
                scope.add(item, errors);
            }
        }
        scope
    }
}

/// Returns the scope that has the functions that are formulas of other functions, and nothing of an author's.
fn written() -> Scope {
    let errors = Errors::new();
    let mut scope = Scope::default();
    for (_, text) in names::WRITTEN {
        let item = syn::parse_str::<ItemFn>(text);
        scope.formulas.extend(item.ok().map(|item| Formula::built_in(&item, &errors)));
    }
    errors.finish();
    scope
}

/// Returns an operator's body as text, then the module's formulas that it calls, in order of first use.
pub(crate) fn formula(block: &Block, scope: &Scope) -> String {
    let mut uses = Uses { scope, found: Vec::new() };
    uses.visit_block(block);
    // Functions that the body defines itself are part of its text already.
    let mine = |ident: &Ident| {
        block.stmts.iter().any(|s| matches!(s, Stmt::Item(Item::Fn(f)) if f.sig.ident == *ident))
    };
    let called = uses.found.iter().filter(|f| !mine(&f.ident)).map(|f| f.source());
    std::iter::once(source(block)).chain(called).collect::<Vec<_>>().join("\n\n")
}

/// Visitor that collects the formulas that an operator's body calls, directly or through others.
struct Uses<'a> {
    scope: &'a Scope,
    found: Vec<&'a Formula>,
}

impl<'a> Visit<'_> for Uses<'a> {
    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let Expr::Path(p) = &*call.func
            && let Some(f) = p.path.get_ident().and_then(|name| self.scope.formula_named(name))
            && self.found.iter().all(|known| known.ident != f.ident)
        {
            self.found.push(f);
            self.visit_block(&f.block);
        }
        syn::visit::visit_expr_call(self, call);
    }
}
