//! Outputs that are new values of inputs: `#[op(.., updates(x))]`.

use crate::Errors;
use crate::model::Op;
use op_dsl_ir::op::{List, OpDef};

/// Returns, for each output, the index of the input that `updates` says it is the new value of; none without `updates`.
pub(crate) fn updated_inputs(op: &Op, def: &OpDef, errors: &Errors) -> List<usize> {
    let Some(given) = &op.args.updates else { return List::default() };
    let mut found = Vec::new();
    if given.len() != def.outputs.len() {
        let (got, count) = (given.len(), def.outputs.len());
        let message = format!("`updates` names {got} inputs of {count}; name one for each output");
        errors.at(&op.function.item.sig.ident, message);
        return List::default();
    }
    for (name, output) in given.iter().zip(def.outputs.iter()) {
        let Some(at) = op.function.tensors().position(|(ident, ..)| ident == name) else {
            errors.at(name, format!("no tensor is called `{name}`; name an input"));
            continue;
        };
        let input = &def.inputs[at];
        let why = match () {
            _ if found.contains(&at) => "has a new value already",
            _ if (input.kind, input.own) != (output.kind, output.own) => {
                "is stored in another way than the output that is its new value"
            }
            _ if def.presence(at).is_some() => "may be left out",
            _ if def.broadcast && !def.wide.contains(&at) => "may be broadcast",
            _ => {
                found.push(at);
                continue;
            }
        };
        let help = "name an input of the shape and type of the output, once";
        errors.at(name, format!("`{name}` {why}; {help}"));
    }
    found.into()
}
