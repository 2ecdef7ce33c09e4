//! A formula as rustc compiles it: the author's function with every number converted to an `Elem`.
//!
//! A formula reads `if x > 0.0 { x } else { 0.0 }`, and rustc requires one type for both branches. So float literals
//! and constants become elements where they are used, as do parameters, `let`s and results that are declared as `f32`
//! or `f64`. Integers stay, because they are exponents.

use crate::model::Strip;
use crate::scope::Scope;
use crate::{attr, number};
use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, FnArg, Item, ItemFn, Lit, Local, Pat, ReturnType, Stmt, Type, parse_quote};

/// Returns an operator's function as the macro emits it: numbers in the body become `Elem`s.
///
/// The helper attributes are removed, and the signature stays the same.
pub fn operator(item: &ItemFn, scope: &Scope) -> ItemFn {
    let mut item = item.clone();
    Elements::new(scope).visit_block_mut(&mut item.block);
    Strip.visit_item_fn_mut(&mut item);
    item
}

/// Returns a `#[formula]` function as the macro emits it: numbers in the body become `Elem`s.
///
/// The helper attributes are removed, and parameters of number types accept `impl Into<Elem>`.
pub fn formula(item: &ItemFn, scope: &Scope) -> ItemFn {
    let mut item = item.clone();
    Elements::new(scope).function(&mut item);
    Strip.visit_item_fn_mut(&mut item);
    item
}

struct Elements {
    /// Constants in scope, innermost last, and whether each is a float.
    consts: Vec<(Ident, bool)>,
}

impl Elements {
    fn new(scope: &Scope) -> Elements {
        let consts = scope.consts.iter().map(|c| (c.ident.clone(), number::is_float(&c.ty)));
        Elements { consts: consts.collect() }
    }

    fn is_number(&self, path: &syn::Path) -> bool {
        let mine = path.get_ident().and_then(|i| self.consts.iter().rev().find(|c| c.0 == *i));
        mine.map_or_else(|| number::is_of_std(path), |(_, is_number)| *is_number)
    }

    fn function(&mut self, item: &mut ItemFn) {
        let mut converted: Vec<Stmt> = Vec::new();
        for arg in &mut item.sig.inputs {
            let FnArg::Typed(arg) = arg else { continue };
            if let Pat::Ident(p) = &*arg.pat
                && (number::is_float(&arg.ty) || number::is_integer(&arg.ty))
            {
                let name = &p.ident;
                *arg.ty = parse_quote!(impl ::core::convert::Into<::op_dsl::Elem>);
                converted.push(parse_quote! {
                    let #name: ::op_dsl::Elem = ::core::convert::Into::into(#name);
                });
            }
        }
        if let ReturnType::Type(_, ty) = &mut item.sig.output {
            self.visit_type_mut(ty);
        }
        self.visit_block_mut(&mut item.block);
        item.block.stmts.splice(0..0, converted);
    }
}

/// Returns a syntax node's source span, changed so that names resolve at the macro's call site.
fn place(node: &impl ToTokens) -> Span {
    node.span().resolved_at(Span::call_site())
}

impl VisitMut for Elements {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let outer = self.consts.len();
        for stmt in &block.stmts {
            if let Stmt::Item(Item::Const(c)) = stmt {
                self.consts.push((c.ident.clone(), number::is_float(&c.ty)));
            }
        }
        visit_mut::visit_block_mut(self, block);
        self.consts.truncate(outer);
    }

    fn visit_item_mut(&mut self, item: &mut Item) {
        match item {
            Item::Fn(f) if f.attrs.iter().any(|a| attr::is(a, "formula")) => self.function(f),
            _ => {} // other items keep their types
        }
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        if let Pat::Type(typed) = &mut local.pat {
            self.visit_type_mut(&mut typed.ty);
        }
        if let Some(init) = &mut local.init {
            self.visit_expr_mut(&mut init.expr);
        }
    }

    /// Replaces a float type of a parameter, a `let` or a result by `Elem`.
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if number::is_float(ty) {
            *ty = syn::parse2(quote_spanned!(place(ty)=> ::op_dsl::Elem)).unwrap_or(ty.clone());
        } else if let Type::Tuple(t) = ty {
            t.elems.iter_mut().for_each(|ty| self.visit_type_mut(ty));
        }
    }

    fn visit_pat_mut(&mut self, _: &mut Pat) {
        // Literals in patterns are values of attributes, not numbers of the formula.
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let element = match e {
            Expr::Lit(lit) if matches!(lit.lit, Lit::Float(_)) => {
                quote_spanned!(place(lit)=> ::op_dsl::Elem(#lit))
            }
            Expr::Path(p) if self.is_number(&p.path) => {
                quote_spanned!(place(p)=> ::op_dsl::Elem::from(#p))
            }
            other => return visit_mut::visit_expr_mut(self, other),
        };
        *e = Expr::Verbatim(element);
    }
}
