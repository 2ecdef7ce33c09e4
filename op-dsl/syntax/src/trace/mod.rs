//! Traces a formula to a graph, by evaluating its body on symbolic values instead of numbers.
//!
//! An attribute stays open until the formula branches on it. The trace then stops and restarts once per value of the
//! attribute, so that there is one specialisation per combination of values that the formula distinguishes.

mod body;
mod call;
mod declared;
mod operators;
mod pattern;
mod per_row;
mod refuse;
mod value;

use crate::Errors;
use crate::model::{self, Formula, OpFn, Role};
use crate::scope::Scope;
use body::Tracer;
use declared::Declared;
use op_dsl_ir::graph::{Builder, Id};
use op_dsl_ir::op::{AttrKind, Kind};
use op_dsl_ir::row::RowFormula;
use op_dsl_ir::stages::MAX_STREAMS;
use std::collections::BTreeMap;
use syn::{Ident, Type};
use value::{Cond, Stop, Traces, Value};

/// The graph of a formula for one combination of values of the attributes it branches on.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// `(attribute index, value)` for each attribute that the formula branches on, sorted by index.
    pub when: Vec<(usize, i64)>,
    /// The formula. Its outputs are the function's returned values, then those of its `#[saved]` lets.
    ///
    /// A gated (two-part) value is two outputs, the gate and then the value.
    pub formula: RowFormula,
}

/// Returns whether some formula has row functions.
pub fn has_row_functions(traced: &[Traced]) -> bool {
    traced.iter().any(|t| !t.formula.functions.is_empty())
}

/// Maximum number of specialisations (graphs per combination of attribute values) of one operator.
///
/// Their number is limited because each is compiled for every element type and SIMD level.
const MAX_SPECS: usize = 64;

/// Traces an operator's formula to graphs, one for each combination of attribute values it branches on.
///
/// Returns no graphs if one of the traces has an error.
pub fn operator(op: &OpFn, scope: &Scope, errors: &Errors) -> Vec<Traced> {
    let outer = scope.formulas.len();
    let scope = scope.with_body(&op.block, errors);
    formulas(&scope, outer, errors);
    let kinds: Vec<AttrKind> = op.attrs().map(|attr| attr.kind).collect();
    let mut done = Vec::new();
    let mut complete = true;
    let ended = specialise(&kinds, errors, &op.item.sig.ident, |fixed| {
        let mut b = Builder::new();
        let locals = arguments(op, &mut b);
        let inputs = op.tensors().map(|(_, kind, _)| kind.parts().len()).sum();
        let mut tracer = Tracer::new(&scope, errors, &kinds, fixed, b, inputs);
        tracer.locals = locals;
        let result = tracer.op_body(&op.block)?;
        match outputs(op, &mut tracer, &result)?.filter(|_| can_have_rows(op, &tracer)) {
            Some(mut outputs) => {
                let when = fixed.iter().map(|(i, v)| (*i, *v)).collect();
                let (functions, terms): (Vec<_>, Vec<Id>) = tracer.rows.iter().copied().unzip();
                outputs.extend(terms);
                let graph = tracer.graph.finish(&outputs);
                complete &= per_row::are_same(op, &graph, errors);
                done.push(Traced { when, formula: RowFormula { graph, functions, inputs } });
            }
            None => complete = false,
        }
        Ok(())
    });
    if ended && complete { done } else { Vec::new() }
}

/// Returns whether an operator may have the row functions of a trace; false after reporting an error.
fn can_have_rows(op: &OpFn, tracer: &Tracer) -> bool {
    let (ident, count) = (&op.item.sig.ident, tracer.rows.len());
    let counts = op.tensors().find(|(_, kind, _)| *kind == Kind::Rows);
    if let (Some((counts, ..)), Some((function, _))) = (&counts, tracer.rows.first()) {
        let why = format!("`{}` needs whole rows, and `{counts}` counts rows", function.name());
        tracer.error(ident, format!("{why}; write the operator without counts of rows"));
        return false;
    }
    let of_rows = op.tensors().any(|(_, kind, _)| kind == Kind::PerRow)
        || op.outputs().any(|(kind, _)| kind == Kind::PerRow);
    if let Some((counts, ..)) = counts.filter(|_| of_rows) {
        let why = format!("`PerRow` is a number of a whole row, and `{counts}` counts rows");
        tracer.error(ident, format!("{why}; write the operator without counts of rows"));
        return false;
    }
    let streams = RowFormula::value(tracer.inputs, count);
    if count > 0 && streams > MAX_STREAMS {
        let what = format!("tensors and row functions of `{ident}` need more than");
        tracer.error(ident, format!("{what} {MAX_STREAMS} streams; split the operator"));
        return false;
    }
    true
}

/// Runs `trace` for every combination of values of the attributes that the trace branches on.
///
/// `trace` receives the values by attribute index. Returns false, after reporting an error, if a trace does not end or
/// if there are too many combinations.
fn specialise(
    kinds: &[AttrKind],
    errors: &Errors,
    name: &Ident,
    mut trace: impl FnMut(&BTreeMap<usize, i64>) -> Traces<()>,
) -> bool {
    let mut open = vec![BTreeMap::new()];
    let mut traced = 0;
    while let Some(fixed) = open.pop() {
        traced += 1;
        if traced > 2 * MAX_SPECS {
            let most = format!("more than {MAX_SPECS} specialisations");
            errors.at(name, format!("{most}; branch on fewer attributes"));
            return false;
        }
        match trace(&fixed) {
            Ok(()) => {}
            Err(Stop::Endless) => return false,
            Err(Stop::On(attr)) => {
                let values: Vec<i64> = match kinds.get(attr) {
                    Some(AttrKind::Enum { variants, .. }) => {
                        variants.iter().map(|v| v.value).collect()
                    }
                    _ => vec![0, 1],
                };
                // In reverse, because values are popped from the end: so the first value is traced first.
                for v in values.into_iter().rev() {
                    let mut with = fixed.clone();
                    with.insert(attr, v);
                    open.push(with);
                }
            }
        }
    }
    true
}

/// Returns the name and the symbolic value of every parameter of an operator.
fn arguments(op: &OpFn, b: &mut Builder) -> Vec<(String, Value)> {
    let (mut stream, mut scalar, mut attr) = (0, 0, 0);
    let mut next = |b: &mut Builder| {
        stream += 1;
        b.stream(stream - 1)
    };
    // Attributes that say whether an optional tensor is given follow the declared attributes.
    let mut presence = op.params.iter().filter(|p| matches!(p.role, Role::Attr { .. })).count();
    let value = |p: &crate::model::Param| {
        let value = match &p.role {
            Role::Tensor { kind, optional, .. } => {
                let value = match kind {
                    Kind::Whole | Kind::PerRow => Value::Elem(next(b)),
                    Kind::Gated => {
                        let gate = next(b);
                        Value::Gated(gate, next(b))
                    }
                    Kind::Mask => {
                        let element = next(b);
                        Value::Truth(Cond::is_not_zero(b, element))
                    }
                    Kind::Rows => Value::Rows,
                };
                presence += usize::from(*optional);
                match (optional, kind) {
                    (true, Kind::Whole | Kind::Gated | Kind::Mask | Kind::PerRow) => {
                        Value::Optional(presence - 1, Box::new(value))
                    }
                    _ => value,
                }
            }
            Role::Attr { kind, .. } => {
                attr += 1;
                match kind {
                    AttrKind::Int | AttrKind::Float => {
                        scalar += 1;
                        Value::Elem(b.scalar(scalar - 1))
                    }
                    AttrKind::Bool | AttrKind::Enum { .. } => Value::Attr(attr - 1),
                    AttrKind::Dim | AttrKind::Given(_) => Value::Layout,
                }
            }
        };
        (p.ident.to_string(), value)
    };
    let refused = op.refused.iter().map(|name| (name.to_string(), Value::Poison));
    op.params.iter().map(value).chain(refused).collect()
}

/// Returns the output nodes of an operator: the returned values, then the `#[saved]` ones.
///
/// `result` is the value of the function's body. Returns `None` after reporting an error.
fn outputs(op: &OpFn, tracer: &mut Tracer, result: &Value) -> Traces<Option<Vec<Id>>> {
    let returned = match result {
        Value::Tuple(values) => values.clone(),
        one => vec![one.clone()],
    };
    let mut out = Vec::new();
    let tail = op.block.stmts.last();
    if let (Value::Tuple(parts), [(Kind::Gated, _)]) = (result, &op.returns[..])
        && parts.len() == 2
    {
        gated(&tail, tracer, result);
        return Ok(None);
    }
    if returned.len() != op.returns.len() && result != &Value::Poison {
        let (is, want) = (returned.len(), call::count(op.returns.len(), "output"));
        tracer.error(&tail, format!("the signature has {want} and this is {is}"));
        return Ok(None);
    }
    for (value, (kind, _)) in returned.iter().zip(&op.returns) {
        match (value, kind) {
            (Value::Gated(gate, v), Kind::Gated) => out.extend([*gate, *v].map(Some)),
            (value, Kind::Whole | Kind::PerRow | Kind::Rows) => {
                out.push(tracer.element(&tail, value))
            }
            (value, Kind::Mask) => {
                let truth = tracer.condition(&tail, value.clone())?;
                out.push(truth.map(|truth| {
                    let [yes, no] = [1.0, 0.0].map(|v| tracer.graph.num(v));
                    truth.choose(&mut tracer.graph, yes, no)
                }));
            }
            (Value::Poison, _) => return Ok(None),
            (value, Kind::Gated) => {
                gated(&tail, tracer, value);
                return Ok(None);
            }
        }
    }
    let saved = std::mem::take(&mut tracer.saved);
    out.extend(saved.iter().map(|value| tracer.element(&tail, value)));
    Ok(out.into_iter().collect())
}

/// Reports that an output of type `Gated` must be written as `Gated { .. }` and `value` is not.
fn gated(tail: &Option<&syn::Stmt>, tracer: &Tracer, value: &Value) {
    let (what, help) = (value.what(), "write `Gated { gate: .., value: .. }`");
    tracer.error(tail, format!("the output is gated and this is {what}; {help}"));
}

/// Traces each `#[formula]` function of a scope, from index `from` on, with symbolic arguments.
///
/// Without that, mistakes in a function that no operator calls would not be found.
pub fn formulas(scope: &Scope, from: usize, errors: &Errors) {
    for f in scope.formulas.iter().skip(from) {
        // An endless formula makes its callers endless too: one report is enough.
        if !alone(f, scope, errors) {
            return;
        }
    }
}

/// Returns whether formulas can have values of this type.
pub fn is_known(ty: &Type, scope: &Scope) -> bool {
    Declared::of(ty, scope).is_some()
}

/// First stream of row functions in a formula without an operator: no formula has as many parameters.
const STAND_INS: usize = 1 << 12;

fn alone(f: &Formula, scope: &Scope, errors: &Errors) -> bool {
    let types: Vec<Option<Declared>> =
        f.params.iter().map(|(_, ty)| Declared::of(ty, scope)).collect();
    for ((_, ty), _) in f.params.iter().zip(&types).filter(|(_, known)| known.is_none()) {
        if model::is_parameter(ty, &f.generics) {
            continue; // reported at the type parameter
        }
        let known = "`Elem`, `Gated`, `f32`, `f64`, `i32`, `i64`, `bool` or an enum of this module";
        errors.at(ty, format!("a formula's parameter is {known}; write one of these"));
    }
    let kind = |ty: &Option<Declared>| match ty {
        Some(Declared::Bool) => Some(AttrKind::Bool),
        Some(Declared::Enum(e)) => Some(scope.enums[*e].kind(false)),
        _ => None,
    };
    let kinds: Vec<AttrKind> = types.iter().filter_map(kind).collect();
    specialise(&kinds, errors, &f.ident, |fixed| {
        let mut b = Builder::new();
        let locals = stand_ins(f, &types, &mut b);
        let inputs = STAND_INS;
        let mut tracer = Tracer::new(scope, errors, &kinds, fixed, b, inputs);
        tracer.locals = locals;
        tracer.enter(f).map(|_| ())
    })
}

/// Returns the name and a symbolic placeholder for each parameter of a `#[formula]` function.
fn stand_ins(f: &Formula, types: &[Option<Declared>], b: &mut Builder) -> Vec<(String, Value)> {
    let (mut stream, mut scalar, mut attr) = (0, 0, 0);
    let mut next = |b: &mut Builder| {
        stream += 1;
        b.stream(stream)
    };
    let value = |ty: &Option<Declared>| match ty {
        Some(Declared::Elem) => Value::Elem(next(b)),
        Some(Declared::Gated) => {
            let gate = next(b);
            Value::Gated(gate, next(b))
        }
        Some(Declared::Number | Declared::Integer) => {
            scalar += 1;
            Value::Elem(b.scalar(scalar))
        }
        Some(Declared::Exponent) => Value::Int(2),
        Some(Declared::Layout) => Value::Layout,
        Some(Declared::Bool | Declared::Enum(_)) => {
            attr += 1;
            Value::Attr(attr - 1)
        }
        None => Value::Poison,
    };
    f.params.iter().map(|(ident, _)| ident.to_string()).zip(types.iter().map(value)).collect()
}
