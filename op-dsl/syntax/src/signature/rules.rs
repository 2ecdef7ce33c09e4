//! Rules that a whole signature keeps: names, and which tensors may stand together.

use crate::Errors;
use crate::attr;
use crate::model::{Param, Role};
use op_dsl_ir::op::Kind;
use syn::{Ident, ItemFn};

/// Reports parameters with the same name and keeps the first.
///
/// Otherwise both would be the same field of a call, and the same name in the formula.
pub fn distinct(params: &mut Vec<Param>, errors: &Errors) {
    let mut known: Vec<Ident> = Vec::new();
    params.retain(|p| {
        let again = known.contains(&p.ident);
        if again {
            errors.at(&p.ident, format!("another parameter is called `{}`; rename one", p.ident));
        }
        known.push(p.ident.clone());
        !again
    });
}

/// Requires that a tensor of row counts is the last input, and that the operator splits a gated tensor.
///
/// The last position allows only one such tensor, and the tensors before it are those of the same operator without row
/// counts.
pub fn rows(params: &[Param], is_split: bool, errors: &Errors) {
    let mut tensors = params.iter().filter_map(|p| match p.role {
        Role::Tensor { kind, .. } => Some((&p.ident, kind)),
        Role::Attr { .. } => None,
    });
    let Some((ident, _)) = tensors.find(|(_, kind)| *kind == Kind::Rows) else { return };
    if let Some((after, _)) = tensors.next() {
        let what = "counts of rows are the last tensor of a signature, and there is one of them";
        errors.at(after, format!("{what}; write `{after}` before `{ident}`, or remove it"));
    }
    if !is_split {
        let what = "rows lie before the dimension that is split, and this operator splits nothing";
        errors.at(ident, format!("{what}; write `#[split(along = dim)] x: Gated`"));
    }
}

/// Requires that some tensor decides the dimensions that others lie along.
pub fn along(params: &[Param], errors: &Errors) {
    let along = |p: &&Param| matches!(p.role, Role::Tensor { along: Some(_), .. });
    let decides = |p: &Param| match p.role {
        Role::Tensor { along, optional, kind, .. } => {
            along.is_none() && !optional && !matches!(kind, Kind::PerRow | Kind::Rows)
        }
        Role::Attr { .. } => false,
    };
    if let Some(first) = params.iter().find(along).filter(|_| !params.iter().any(decides)) {
        let what = "no other tensor has the dimension that it lies along";
        errors.at(&first.ident, format!("{what}; write one without `along`, as in `x: Elem`"));
    }
}

/// Checks the operator's name, and the name and order of each derived gradient.
pub fn check_args(args: &attr::OpArgs, item: &ItemFn, errors: &Errors) {
    match &args.name {
        None => errors.at(
            &item.sig.ident,
            "the operator has no name; write `#[op(name = \"...\")]`: its type and its entry in the \
             table are called so, and a caller from C finds it by it",
        ),
        Some(name) => check_name(name, errors),
    }
    let mut depth = 0;
    let mut next = args.grad.as_ref();
    while let Some(grad) = next {
        depth += 1;
        match &grad.name {
            _ if depth > DEEPEST => {
                let help = "write what it would be the gradient of as a formula of its own";
                errors.at(&grad.keyword, format!("there are no third derivatives; {help}"));
                return;
            }
            None => {
                errors.at(&grad.keyword, "the gradient has no name; write `grad(name = \"...\")`")
            }
            Some(name) => check_name(name, errors),
        }
        next = grad.grad.as_deref();
    }
}

/// Maximum order of derivatives.
///
/// It is 2 because the reference evaluator computes first and second derivatives of every function.
pub const DEEPEST: usize = 2;

/// Reports an error for `wrt` or `#[holds]` on an operator that is no handwritten gradient.
pub fn check_gradient(args: &attr::OpArgs, params: &[Param], errors: &Errors) {
    if args.grad_of.is_some() {
        return;
    }
    let by = args.wrt.iter().flatten();
    let held = params.iter().filter_map(|p| match &p.role {
        Role::Tensor { holds, .. } => holds.as_ref(),
        Role::Attr { .. } => None,
    });
    for ident in by.chain(held) {
        errors.at(
            ident,
            "only a gradient written by hand belongs to a forward operator; write `grad_of = ..`",
        );
    }
}

/// Reports a name that no operator can have.
fn check_name(name: &syn::LitStr, errors: &Errors) {
    if !is_name(&name.value()) {
        errors.at(
            name,
            "the name becomes a type and files; write a capital, then letters and digits, as in \
             \"GeGluGradV2\"",
        );
    }
    if TAKEN.contains(&name.value().as_str()) {
        let taken = TAKEN.join("`, `");
        errors.at(name, format!("formulas have types of these names: `{taken}`; take another"));
    }
}

/// Names of types in signatures that no operator may have, because its struct would shadow the type.
const TAKEN: &[&str] = &["Dim", "Elem", "Gated", "Mask", "OpAttr", "Option", "PerRow", "Rows"];

/// Returns whether a name is valid for an operator: a Rust identifier of a capital, letters and digits.
pub fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_uppercase())
        && chars.all(|c| c.is_ascii_alphanumeric())
        && syn::parse_str::<Ident>(name).is_ok()
}
