//! The split of gated tensors: its dimension, which part is the gate, and its pattern.

use crate::Errors;
use crate::attr::SplitArgs;
use crate::model::{Param, Role};
use op_dsl_ir::Stored;
use op_dsl_ir::op::{AttrKind, Gate, Kind, Pattern, Split};
use syn::{Expr, Ident, ItemFn, Lit};

/// Returns how an operator's gated tensors are split into gate and value.
///
/// Returns `None` if no tensor is gated, or after an error. Tensors of one operator that are split differently are
/// reported as an error.
pub(super) fn read(
    splits: &[(Ident, SplitArgs)],
    params: &[Param],
    returns: &[(Kind, Option<Stored>)],
    item: &ItemFn,
    errors: &Errors,
) -> Option<Split> {
    let gated = |p: &&Param| matches!(p.role, Role::Tensor { kind: Kind::Gated, .. });
    let Some((ident, first)) = splits.first() else {
        if let Some(p) = params.iter().find(gated) {
            errors.at(
                &p.ident,
                "a gated tensor needs its split; write `#[split(along = dim)]` before it",
            );
        } else if returns.iter().any(|(kind, _)| *kind == Kind::Gated) {
            errors.at(
                &item.sig.output,
                "a gated output is cut like a gated input, and there is none; write \
                 `#[split(along = dim)] x: Gated` for one",
            );
        }
        return None;
    };
    let attrs: Vec<(&Ident, &AttrKind)> = params
        .iter()
        .filter_map(|p| match &p.role {
            Role::Attr { kind, .. } => Some((&p.ident, kind)),
            Role::Tensor { .. } => None,
        })
        .collect();
    let split = resolve(ident, first, &attrs, errors)?;
    for (other, args) in &splits[1..] {
        if resolve(other, args, &attrs, errors).is_some_and(|s| s != split) {
            errors.at(
                other,
                format!("all gated tensors are cut alike; write the split of `{ident}`"),
            );
        }
    }
    Some(split)
}

/// Resolves the parameter names in one `#[split(..)]` to attribute indices.
///
/// Returns `None` after reporting an error.
fn resolve(
    ident: &Ident,
    args: &SplitArgs,
    attrs: &[(&Ident, &AttrKind)],
    errors: &Errors,
) -> Option<Split> {
    let of_kind =
        |name: &Ident, kind: AttrKind| attrs.iter().position(|(a, k)| *a == name && **k == kind);
    let Some(along) = &args.along else {
        return errors.none(ident, "the split needs its dimension; write `#[split(along = dim)]`");
    };
    let Some(dim) = of_kind(along, AttrKind::Dim) else {
        return errors.none(
            along,
            format!("no parameter `{along}: Dim`; add `#[attr(default = -1)] {along}: Dim`"),
        );
    };
    let choice = |written: &Option<Expr>, default: bool, what: &str| match written {
        None => Some(Choice::Always(default)),
        Some(Expr::Lit(syn::ExprLit { lit: Lit::Bool(b), .. })) => Some(Choice::Always(b.value)),
        Some(Expr::Path(p)) if p.path.get_ident().is_some() => {
            let name = p.path.get_ident()?;
            let index = of_kind(name, AttrKind::Bool);
            if index.is_none() {
                errors.at(
                    name,
                    format!("no parameter `{name}: bool`; add one, or write `true` or `false`"),
                );
            }
            index.map(Choice::If)
        }
        Some(other) => {
            errors.none(other, format!("{what} is `true`, `false` or a boolean parameter"))
        }
    };
    let gate = match choice(&args.gate_left, true, "which part is the gate")? {
        Choice::Always(true) => Gate::Left,
        Choice::Always(false) => Gate::Right,
        Choice::If(attr) => Gate::LeftIf(attr),
    };
    let pattern = match choice(&args.interleaved, false, "whether parts are interleaved")? {
        Choice::Always(true) => Pattern::Interleaved,
        Choice::Always(false) => Pattern::Halves,
        Choice::If(attr) => Pattern::InterleavedIf(attr),
    };
    Some(Split { dim, gate, pattern })
}

/// A boolean setting: the same for all calls, or the value of the boolean attribute with an index.
enum Choice {
    Always(bool),
    If(usize),
}
