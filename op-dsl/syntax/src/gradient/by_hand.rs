//! Connects a handwritten gradient to its forward operator.

use super::forward::differentiated;
use super::variables;
use crate::Errors;
use crate::model::{OpFn, Role};
use op_dsl_ir::op::{GradOf, Kind, OpDef, Origin, Tensor};
use syn::Ident;

/// Matches the tensors of a handwritten gradient with those of its forward operator.
///
/// Inputs are matched by name or by `#[holds(..)]`. Outputs are matched by `wrt(..)`, else by `d` and the name of a
/// forward input (`dx` is the gradient by `x`), else by their order.
pub(crate) fn by_hand(
    forward: &OpDef,
    def: &OpDef,
    f: &OpFn,
    wrt: Option<&[Ident]>,
    errors: &Errors,
) -> GradOf {
    let (mut upstream, outputs) = (0, differentiated(&forward.outputs));
    let mut inputs = Vec::new();
    for p in &f.params {
        let Role::Tensor { holds, .. } = &p.role else { continue };
        let of = variables::held(forward, holds.as_ref().unwrap_or(&p.ident));
        // Upstream gradients are numbers that every call passes. So a mask or count that is not optional must name a
        // known tensor.
        let is_other =
            matches!(p.role, Role::Tensor { kind: Kind::Mask | Kind::Rows, optional: false, .. });
        if let (None, Some(unknown)) = (of, holds.as_ref().or(is_other.then_some(&p.ident))) {
            variables::no_tensor(unknown, forward, errors);
        }
        inputs.push(match (of, &p.role) {
            (Some(of), _) => of,
            (None, Role::Tensor { optional: true, .. }) => Origin::Own,
            (None, _) => {
                upstream += 1;
                Origin::Upstream(outputs.get(upstream - 1).copied().unwrap_or(upstream - 1))
            }
        });
    }
    let named = |o: &Tensor| forward.inputs.iter().position(|i| *o.name == format!("d{}", i.name));
    let named: Option<Vec<usize>> = def.outputs.iter().map(named).collect();
    let in_order = || (0..def.outputs.len()).filter(|_| def.outputs.len() == forward.inputs.len());
    let wrt = match wrt {
        Some(wrt) => variables::named(wrt, forward, errors).unwrap_or_default(),
        None => named.unwrap_or_else(|| in_order().collect()),
    };
    GradOf { forward: forward.name.clone(), inputs: inputs.into(), wrt: wrt.into() }
}
