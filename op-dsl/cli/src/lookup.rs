//! Look-up of the command line's names: operators, attribute values, tensors.

use super::args::Pair;
use super::error::Error;
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::op::{OpDef, Spec, Tensor, Value};
use op_dsl_ir::suggest::nearest;

/// The operators of a program.
pub type Operators<'a> = &'a [&'static Operator];

fn unknown<'a>(
    what: impl Into<String>,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Error {
    let closest_name = nearest(name, known.clone()).map(str::to_owned);
    let known = known.collect::<Vec<_>>();
    let known = if known.is_empty() { "none".into() } else { known.join(", ") };
    Error::Unknown { what: what.into(), name: name.into(), known, closest_name }
}

/// Returns the operator of this name.
pub fn operator(operators: Operators, name: &str) -> Result<&'static Operator, Error> {
    let found = operators.iter().copied().find(|op| op.name() == name);
    found.ok_or_else(|| unknown("no operator", name, operators.iter().map(|op| op.name())))
}

/// Returns the operator `name`, or all operators if no name is given.
pub fn chosen(operators: Operators, name: Option<&str>) -> Result<Vec<&'static Operator>, Error> {
    name.map_or_else(|| Ok(operators.to_vec()), |name| Ok(vec![operator(operators, name)?]))
}

fn check_twice(flag: &'static str, pairs: &[Pair]) -> Result<(), Error> {
    for (i, (name, _)) in pairs.iter().enumerate() {
        if pairs[..i].iter().any(|(other, _)| other == name) {
            return Err(Error::Twice { flag, name: name.clone() });
        }
    }
    Ok(())
}

/// Returns the value of every attribute: as given on the command line, else the default.
pub fn attributes(op: &Operator, given: &[Pair]) -> Result<Vec<Value>, Error> {
    check_twice("--attr", given)?;
    let mut values = op.default_attrs();
    for (index, value) in given_attributes(op, given)? {
        values[index] = value;
    }
    Ok(values)
}

fn given_attributes(op: &Operator, given: &[Pair]) -> Result<Vec<(usize, Value)>, Error> {
    let parse = |(name, text): &Pair| {
        if !op.def().passed().iter().any(|a| a.name == *name) {
            let known = op.def().passed().iter().map(|a| &*a.name);
            return Err(unknown(format!("{} has no attribute", op.name()), name, known));
        }
        Ok(op.parse_attr(name, text)?)
    };
    given.iter().map(parse).collect()
}

/// Returns the operator's specialisations that are possible with these values of attributes.
pub fn specialisations<'o>(op: &'o Operator, given: &[Pair]) -> Result<Vec<&'o Spec>, Error> {
    check_twice("--attr", given)?;
    let fixed = given_attributes(op, given)?;
    let fits = |spec: &&Spec| {
        spec.when.iter().all(|(index, value)| {
            fixed.iter().all(|(i, v)| i != index || v.as_int() == Some(*value))
        })
    };
    Ok(op.def().specs.iter().filter(fits).collect())
}

/// Returns the file given for each tensor, in the order of the signature; `None` if none is given.
pub fn files<'p>(
    op: &OpDef,
    flag: &'static str,
    tensors: &[Tensor],
    given: &'p [Pair],
) -> Result<Vec<Option<&'p str>>, Error> {
    check_twice(flag, given)?;
    for (name, _) in given {
        known(op, if flag == "--in" { "input" } else { "output" }, tensors, name)?;
    }
    let file = |t: &Tensor| given.iter().find(|(name, _)| t.name == *name).map(|(_, f)| &**f);
    Ok(tensors.iter().map(file).collect())
}

/// Checks that one of `tensors` has this name; the error lists their names.
pub fn known(op: &OpDef, role: &str, tensors: &[Tensor], name: &str) -> Result<(), Error> {
    if tensors.iter().any(|t| t.name == name) {
        return Ok(());
    }
    let known = tensors.iter().map(|t| &*t.name);
    Err(unknown(format!("{} has no {role}", op.name), name, known))
}

/// Returns the names of the tensors, separated by commas.
pub fn names(tensors: &[Tensor]) -> String {
    tensors.iter().map(|t| &*t.name).collect::<Vec<_>>().join(", ")
}
