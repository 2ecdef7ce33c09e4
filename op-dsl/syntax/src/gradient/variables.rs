//! The inputs that `wrt` names.

use super::forward::{Forward, jumps};
use crate::attr::GradArgs;
use crate::{Errors, names};
use op_dsl_ir::op::{Kind, OpDef, Origin, Tensor};
use syn::Ident;

/// Returns the indices of the forward inputs that `wrt(..)` names; `None` after reporting an error.
pub fn wrt(forward: &Forward, args: &GradArgs, errors: &Errors) -> Option<Vec<usize>> {
    if args.wrt.is_empty() {
        let help = "write `wrt(x)` with the inputs to differentiate by";
        return errors.none(&args.keyword, format!("the gradient needs its variables; {help}"));
    }
    if args.wrt.iter().any(|ident| forward.refused.contains(ident)) {
        return None;
    }
    let wrt = named(&args.wrt, forward.def, errors)?;
    let all = args.wrt.iter().zip(&wrt);
    let refused = all.filter_map(|(ident, i)| Some((ident, refusal(ident, *i, forward, args)?)));
    let refused = refused.map(|(ident, message)| errors.at(ident, message)).count();
    (refused == 0).then_some(())?;
    own_values(&wrt, forward, args, errors)?;
    Some(wrt)
}

/// Returns the indices of the forward inputs with these names; `None` after reporting an error.
pub fn named(names: &[Ident], forward: &OpDef, errors: &Errors) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for ident in names {
        match position(&forward.inputs, ident) {
            Some(i) if found.contains(&i) => {
                errors.at(ident, format!("`{ident}` is given twice; write it once"))
            }
            Some(i) if forward.inputs[i].kind == Kind::Mask => {
                let help = "write `wrt` with inputs of numbers";
                errors.at(ident, format!("`{ident}` is a mask, which has no gradient; {help}"));
            }
            Some(i) if forward.inputs[i].kind == Kind::Rows => {
                let help = "write `wrt` with inputs of numbers";
                errors.at(ident, format!("`{ident}` counts rows and has no gradient; {help}"));
            }
            Some(i) if jumps(&forward.inputs[i]) => {
                let help = "write `wrt` with inputs of numbers";
                let what = "has integers or truth values, and no gradient";
                errors.at(ident, format!("`{ident}` {what}; {help}"));
            }
            Some(i) if forward.presence(i).is_some() => {
                let help = "write `wrt` with inputs that every call has";
                errors.at(ident, format!("`{ident}` is optional, so its gradient is; {help}"));
            }
            Some(i) => found.push(i),
            None => {
                let known = list(&forward.inputs);
                errors.at(ident, format!("`{ident}` is no input of the formula; inputs: {known}"));
            }
        }
    }
    (found.len() == names.len()).then_some(found)
}

/// Returns whether the gradient with respect to an input is a sum over elements, because the input is broadcast.
pub fn is_summed(forward: &OpDef, args: &GradArgs, input: usize) -> bool {
    if forward.inputs[input].kind == Kind::PerRow {
        return false;
    }
    let broadcast = args.broadcast != Some(false) && forward.broadcast && forward.inputs.len() > 1;
    broadcast && !forward.wide.contains(&input)
}

/// Returns the error message if an input has no gradient of its own, else `None`.
fn refusal(ident: &Ident, input: usize, forward: &Forward, args: &GradArgs) -> Option<String> {
    let def = forward.def;
    if is_summed(def, args, input) && def.rows().is_some() {
        let why = format!("`{ident}` is broadcast, so its gradient is a sum over rows");
        let help = "write `wrt` without it, or the operator without counts of rows";
        return Some(format!("{why}, of which some are not computed; {help}"));
    }
    let derived_from = def.grad_of.as_ref().filter(|_| !forward.steps.is_empty())?;
    let follows = matches!(derived_from.inputs.get(input), Some(Origin::Output(_)));
    follows.then(|| {
        let of = &derived_from.forward;
        let help = "write `wrt` with those, whose gradients have its part";
        format!("`{ident}` is a result of `{of}` and follows from its inputs; {help}")
    })
}

/// Requires that no other input of a handwritten gradient depends on one that `wrt` names.
///
/// A handwritten gradient is differentiated as written, so the part of the derivative through such an input would be
/// missing. Returns `None` after reporting an error.
fn own_values(wrt: &[usize], forward: &Forward, args: &GradArgs, errors: &Errors) -> Option<()> {
    let of = forward.def.grad_of.as_ref().filter(|_| forward.steps.is_empty());
    let Some(of) = of else { return Some(()) };
    let by_input = wrt.iter().any(|i| matches!(of.inputs.get(*i), Some(Origin::Input(_))));
    let follows = |(i, origin): &(usize, &Origin)| match origin {
        Origin::Output(_) | Origin::Own => !wrt.contains(i) && forward.def.inputs[*i].used,
        Origin::Input(_) | Origin::Upstream(_) => false,
    };
    let found = of.inputs.iter().enumerate().find(follows).filter(|_| by_input);
    found.is_none().then_some(()).or_else(|| {
        let (i, _) = found?;
        let name = &forward.def.inputs[i].name;
        let why = format!("`{name}` follows from what `wrt` names, and its part would be missing");
        let help = "derive both gradients from the forward operator, or write this one by hand";
        errors.none(&args.keyword, format!("{why}; {help}"))
    })
}

/// Returns the input or output of the forward operator with this name; `None` if there is none.
pub fn held(forward: &OpDef, name: &Ident) -> Option<Origin> {
    let input = position(&forward.inputs, name).map(Origin::Input);
    input.or_else(|| position(&forward.outputs, name).map(Origin::Output))
}

/// Reports that the forward operator has no tensor of this name.
pub fn no_tensor(ident: &Ident, forward: &OpDef, errors: &Errors) {
    let known = [list(&forward.inputs), list(&forward.outputs)].join(", ");
    let message = format!("`{ident}` is no tensor of `{}`; tensors: {known}", forward.name);
    errors.at(ident, message);
}

fn position(tensors: &[Tensor], ident: &Ident) -> Option<usize> {
    let name = names::tensor(ident);
    tensors.iter().position(|t| name == *t.name)
}

/// Formats the names of tensors for a message, for example "`x`, `y`".
pub fn list(tensors: &[Tensor]) -> String {
    tensors.iter().map(|t| format!("`{}`", t.name)).collect::<Vec<_>>().join(", ")
}
