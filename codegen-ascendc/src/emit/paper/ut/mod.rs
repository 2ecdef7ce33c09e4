//! `tests/ut/`: unit tests in the frame of ops-nn. Its build finds them by name.

mod host;
mod interface;
mod kernel;

use super::example::leaves_out;
use crate::emit::package::Package;
use crate::emit::text::{Comment, header};
use crate::emit::tree::File;
use crate::plan::Plan;
use op_dsl_ir::bind::{Bound, TensorMeta, bind, infer};
use op_dsl_ir::interface::Interface;
use op_dsl_ir::op::{AttrKind, Kind, Tensor, Value};
use op_dsl_ir::published::Of;
use op_dsl_ir::tiling::{Extent, Machine, Tiling, tile};
use op_dsl_ir::{DType, Stored};

/// All files.
pub fn files(package: &Package<'_>, interface: &Interface) -> Vec<File> {
    let snake = package.snake();
    let file = |path: String, text: String| File {
        path: format!("tests/ut/{path}"),
        text: format!("{}\n{}\n", header(package, "unit tests", Comment::Slashes), text.trim_end()),
    };
    let mut files = vec![
        file(format!("op_host/test_{snake}_tiling.cpp"), host::tilings(package)),
        file(format!("op_host/test_{snake}_infershape.cpp"), host::shapes(package)),
        file(format!("op_api/test_{}.cpp", interface.header), interface::api(package, interface)),
    ];
    files.extend(
        kernel::kernel(package).map(|text| file(format!("op_kernel/test_{snake}.cpp"), text)),
    );
    files
}

/// One call of the operator: attributes of a plan and the shape of one part.
struct Call {
    attrs: Vec<Value>,
    shapes: Vec<Vec<usize>>,
    /// Whether the call has each input.
    given: Vec<bool>,
    outputs: Vec<Vec<usize>>,
    bound: Bound,
}

/// The last dimension is the cut one.
fn call(package: &Package<'_>, spec: usize, dtype: DType, part: [usize; 2]) -> Option<Call> {
    let def = &package.def;
    let attrs: Vec<Value> = (0..def.attrs.len()).map(|i| attribute(package, spec, i)).collect();
    let shape = |kind: Kind| match kind {
        Kind::Whole | Kind::Mask => part.to_vec(),
        Kind::Gated => vec![part[0], 2 * part[1]],
        Kind::Rows => vec![1],
    };
    let shapes: Vec<Vec<usize>> = def.inputs.iter().map(|t| shape(t.kind)).collect();
    let given: Vec<bool> =
        (0..shapes.len()).map(|i| !leaves_out(package, spec, Of::Input(i))).collect();
    let meta = |((t, shape), given): ((&Tensor, _), &bool)| TensorMeta {
        shape,
        dtype: if *given { t.kind.stored(dtype) } else { Stored::Nothing },
    };
    let shaped = def.inputs.iter().zip(shapes.iter().map(Vec::as_slice));
    let metas: Vec<TensorMeta<'_>> = shaped.zip(&given).map(meta).collect();
    let bound = bind(def, &attrs, &metas).ok()?;
    let outputs = infer(def, &attrs, &metas).ok()?.iter().map(|o| o.shape.to_vec()).collect();
    Some(Call { attrs, shapes, given, outputs, bound })
}

/// What the specialisation asks, else the default; the last dimension.
fn attribute(package: &Package<'_>, spec: usize, attr: usize) -> Value {
    let def = &package.def;
    let forced = def.specs[spec].when.iter().find(|w| w.0 == attr).map(|w| w.1);
    match (forced, def.attrs[attr].default) {
        (Some(v), Value::Bool(_)) => Value::Bool(v != 0),
        (Some(v), _) => Value::Int(v),
        (None, _) if def.attrs[attr].kind == AttrKind::Dim => Value::Int(-1),
        (None, default) => default,
    }
}

fn planned(call: &Call, plan: &Plan, machine: &Machine) -> Option<Tiling> {
    tile(&Extent::new(&call.bound), &plan.need, machine).ok()
}

/// `GeGluGradV2Tiling.FLOAT16_TANH`
fn case(package: &Package<'_>, plan: &Plan) -> String {
    format!("{}_{}", crate::emit::paper::phrases::dtype(plan.dtype), package.spec_name(plan.spec))
}

fn shape_of(kind: Kind, part: [usize; 2]) -> Vec<usize> {
    vec![part[0], if kind == Kind::Gated { 2 * part[1] } else { part[1] }]
}

fn braced(shape: &[usize]) -> String {
    let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("{{{}}}", dims.join(", "))
}

/// Fields of the cut, as the struct names them.
fn values(t: &Tiling) -> [(&'static str, u64); 12] {
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
