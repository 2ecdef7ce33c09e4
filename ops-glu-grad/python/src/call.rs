//! A call of an operator: converts attributes and tensor descriptions, and runs the kernels without the interpreter's
//! lock.

use crate::element::{name, stored};
use crate::level;
use crate::pages;
use crate::place::Place;
use crate::refusal::exception;
use op_dsl::ir::Stored;
use op_dsl::ir::bind::TensorMeta;
use op_dsl::ir::op::{Attr, AttrKind, Value};
use op_dsl::{Error, Operator, Options, View};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the shape and element type of each output, for inputs of these shapes and element types.
///
/// `None` stands for an optional input that is left out.
pub fn infer(
    op: &'static Operator,
    attributes: &[Bound<'_, PyAny>],
    inputs: &[Option<(Vec<usize>, String)>],
) -> PyResult<Vec<(Vec<usize>, &'static str)>> {
    let attributes = values(op, attributes)?;
    let mut metas = Vec::with_capacity(inputs.len());
    for (tensor, input) in op.def().inputs.iter().zip(inputs) {
        metas.push(match input {
            Some((shape, dtype)) => TensorMeta { shape, dtype: stored(op, tensor, dtype)? },
            None => TensorMeta { shape: &[], dtype: Stored::Nothing },
        });
    }
    let outputs = op.infer(&attributes, &metas).map_err(exception)?;
    Ok(outputs.iter().map(|o| (o.shape.to_vec(), name(o.dtype))).collect())
}

/// Computes the outputs of a call into memory that Python allocated.
///
/// If `fresh` is true, the outputs' memory was never written, so that it may get huge pages.
pub fn run(
    py: Python<'_>,
    op: &'static Operator,
    attributes: &[Bound<'_, PyAny>],
    inputs: &[Option<Place>],
    outputs: &[Place],
    threads: usize,
    fresh: bool,
) -> PyResult<()> {
    let attributes = values(op, attributes)?;
    let (tensors, results) = (&*op.def().inputs, &*op.def().outputs);
    let mut sources = Vec::with_capacity(inputs.len());
    for (tensor, place) in tensors.iter().zip(inputs) {
        sources.push(place.as_ref().map(|place| place.of(op, tensor)).transpose()?);
    }
    let mut targets = Vec::with_capacity(outputs.len());
    for (tensor, place) in results.iter().zip(outputs) {
        targets.push(place.of(op, tensor)?);
    }
    let call = || {
        if fresh {
            targets.iter().for_each(|(place, stored)| pages::ask_for_large(place, *stored));
        }
        let views = sources.iter().map(|source| match source {
            Some((place, stored)) => place.view(*stored),
            None => Ok(View::ABSENT),
        });
        let views = views.collect::<Result<Vec<_>, Error>>()?;
        let places = targets.iter().map(|(place, stored)| place.view_mut(*stored));
        let mut places = places.collect::<Result<Vec<_>, Error>>()?;
        let options = Options { threads, level: level::chosen(), ..Options::default() };
        op.run(&attributes, &views, &mut places, &options)
    };
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(call)));
    let panicked =
        |_| PyRuntimeError::new_err(format!("{}: panicked; please report this", op.name()));
    done.map_err(panicked)?.map_err(exception)
}

/// Converts the values of all attributes from Python, in the order of the signature.
fn values(op: &Operator, given: &[Bound<'_, PyAny>]) -> PyResult<Vec<Value>> {
    op.def().passed().iter().zip(given).map(|(attr, given)| value(op, attr, given)).collect()
}

fn value(op: &Operator, attr: &Attr, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let (value, takes) = match &attr.kind {
        AttrKind::Dim | AttrKind::Int => (given.extract().map(Value::Int), "an integer"),
        AttrKind::Bool | AttrKind::Given(_) => (given.extract().map(Value::Bool), "True or False"),
        AttrKind::Float => (given.extract().map(Value::Float), "a number"),
        AttrKind::Enum { .. } => match given.extract::<String>() {
            Ok(text) => {
                return op.parse_attr(&attr.name, &text).map(|(_, v)| v).map_err(exception);
            }
            Err(_) => (given.extract().map(Value::Int), "a name or its number"),
        },
    };
    value.map_err(|_| {
        let (op, attr) = (op.name(), &attr.name);
        let got = given.repr().map_or_else(|_| "this".into(), |text| text.to_string());
        PyTypeError::new_err(format!("{op}: attribute `{attr}` cannot be {got}; allowed: {takes}"))
    })
}
