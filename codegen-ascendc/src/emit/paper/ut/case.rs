//! Test cases of an operator: calls and their names.

use super::super::example::{attribute, leaves_out};
use super::super::phrases;
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::plan::Plan;
use crate::tiling::{Extent, Machine, Tiling, tile};
use op_dsl_ir::bind::{Bound, TensorMeta, bind, infer};
use op_dsl_ir::op::{Kind, Tensor, Value};
use op_dsl_ir::published::SignaturePart;
use op_dsl_ir::{DType, Stored};

/// Call of the operator in a test: attributes of a specialisation, and shapes.
pub struct Call {
    pub attrs: Vec<Value>,
    pub shapes: Vec<Vec<usize>>,
    /// For each input of the operator, true if the call passes it and false if the call leaves it out.
    pub given: Vec<bool>,
    pub outputs: Vec<Vec<usize>>,
    pub bound: Bound,
}

/// Returns a call that selects a specialisation, on tensors whose shape is `part`.
///
/// Gated tensors are twice as long in the last dimension, which is split. Inputs whose shapes sums have are one row. `None`
/// if the operator refuses the call.
pub fn call(package: &Package<'_>, spec: usize, dtype: DType, part: [usize; 2]) -> Option<Call> {
    let def = &package.def;
    let attrs: Vec<Value> = (0..def.attrs.len()).map(|i| attribute(package, spec, i)).collect();
    let shape = |kind: Kind| match kind {
        Kind::Whole | Kind::Mask => part.to_vec(),
        Kind::Gated => vec![part[0], 2 * part[1]],
        Kind::PerRow => vec![part[0], 1],
        Kind::Rows => vec![1],
    };
    let mut shapes: Vec<Vec<usize>> = def.inputs.iter().map(|t| shape(t.kind)).collect();
    for input in sums::summed(def) {
        shapes[input] = sums::row(def, input, &shapes[input]);
    }
    let given: Vec<bool> =
        (0..shapes.len()).map(|i| !leaves_out(package, spec, SignaturePart::Input(i))).collect();
    let meta = |((t, shape), given): ((&Tensor, _), &bool)| TensorMeta {
        shape,
        dtype: if *given { t.stored(dtype) } else { Stored::Nothing },
    };
    let shaped = def.inputs.iter().zip(shapes.iter().map(Vec::as_slice));
    let metas: Vec<TensorMeta<'_>> = shaped.zip(&given).map(meta).collect();
    let bound = bind(def, &attrs, &metas).ok()?;
    let outputs = infer(def, &attrs, &metas).ok()?.iter().map(|o| o.shape.to_vec()).collect();
    Some(Call { attrs, shapes, given, outputs, bound })
}

/// Returns the tiling data's fields for row counts, and their values for a call with one row count.
///
/// Empty for operators without row counts.
pub fn counted(package: &Package<'_>, call: &Call) -> Vec<(&'static str, u64)> {
    let along = call.bound.split.filter(|split| split.interleaved);
    let rows = along.map_or(1, |split| call.bound.domain[split.dim] as u64);
    package.def.rows().map_or(Vec::new(), |_| vec![("counts", 1), ("rowsOfCount", rows)])
}

pub fn planned(call: &Call, plan: &Plan, machine: &Machine) -> Option<Tiling> {
    tile(&Extent::new(&call.bound), &plan.need, machine).ok()
}

/// Returns the end of a test's name, for example `FLOAT16_TANH`.
pub fn case(package: &Package<'_>, plan: &Plan) -> String {
    format!("{}_{}", phrases::dtype(plan.dtype), package.spec_name(plan.spec))
}

pub fn shape_of(kind: Kind, part: [usize; 2]) -> Vec<usize> {
    let last = match kind {
        Kind::Gated => 2 * part[1],
        Kind::PerRow => 1,
        Kind::Whole | Kind::Mask | Kind::Rows => part[1],
    };
    vec![part[0], last]
}

pub fn braced(shape: &[usize]) -> String {
    let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("{{{}}}", dims.join(", "))
}

/// Returns the fields of a tiling: the name in the C++ struct, and the value.
pub fn values(t: &Tiling) -> [(&'static str, u64); 12] {
    [
        ("rows", t.rows),
        ("columns", t.columns),
        ("pieces", t.pieces),
        ("share", t.share),
        ("unitRows", t.unit_rows.into()),
        ("unitColumns", t.unit_columns.into()),
        ("tileRows", t.tile_rows.into()),
        ("tileColumns", t.tile_columns.into()),
        ("pitch", t.pitch.into()),
        ("cores", t.cores.into()),
        ("big", t.big.into()),
        ("path", t.path as u64),
    ]
}
