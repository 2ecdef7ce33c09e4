//! `tests/st/`: system test cases of a new operator for the device test framework of ops-nn.
//!
//! The expected results come from the emitted reference, in float64. An operator that the repository has keeps its own cases.

use super::golden::word;
use crate::emit::host::first;
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::text::{Comment, Text, header};
use crate::emit::tree::File;
use crate::emit::type_names::type_names;
use op_dsl_ir::interface::{Function, Interface, Param};
use op_dsl_ir::op::{AttrKind, Kind, Value};
use op_dsl_ir::published::{SignaturePart, Type};
use op_dsl_ir::{DType, Stored};

/// Shapes of tensors in the test cases; a gated tensor is twice as long in the last dimension.
///
/// The first fits into one block, the rows of the second end inside a block, and the third takes several tiles.
const SHAPES: [&[usize]; 3] = [&[2, 4], &[3, 5, 26], &[64, 1024]];

/// Returns the test cases as a JSON file, and the Python file that computes the expected results.
///
/// Empty for operators with masks of bits or row counts, because the framework cannot generate these inputs.
pub fn files(package: &Package<'_>, interface: &Interface) -> Vec<File> {
    let (def, function) = (&package.def, interface.main());
    let of_bits = |kind| kind == Kind::Mask && def.masks() == Stored::Bit;
    if def.inputs.iter().any(|t| t.kind == Kind::Rows || of_bits(t.kind)) {
        return Vec::new();
    }
    let place = format!("tests/st/{}", function.name);
    let file = |name: String, text| File { path: format!("{place}/{name}"), text };
    vec![
        file(format!("atk_{}.json", function.name), cases(package, function)),
        file(format!("executor_{}.py", function.name), executor(package, function)),
    ]
}

/// Returns the name by which the test cases refer to the class that computes the expected results.
fn reference(package: &Package<'_>) -> String {
    format!("op_dsl_{}", package.snake())
}

/// Returns the JSON text with one test case for each element type and shape.
fn cases(package: &Package<'_>, function: &Function) -> String {
    let name = function.name.trim_start_matches("aclnn");
    let all = package.dtypes().into_iter().flat_map(|d| SHAPES.map(|shape| (d, shape)));
    let case = |(id, (dtype, shape)): (usize, (DType, &[usize]))| {
        let inputs: Vec<String> = function
            .params
            .iter()
            .filter_map(|p| input(package, function, p, dtype, shape))
            .collect();
        format!(
            "    {{\"id\": {id}, \"name\": \"{name}\", \"aclnn_name\": \"{name}\", \"api_type\": \"{}\",\n     \
             \"standard\": {{\"acc\": \"default\", \"perf\": \"not_key\"}}, \"inputs\": [\n{}\n     ]}}",
            reference(package),
            inputs.join(",\n")
        )
    };
    let cases: Vec<String> = all.enumerate().map(case).collect();
    format!("[\n{}\n]\n", cases.join(",\n"))
}

/// Returns the JSON text for one argument of a test case.
///
/// `None` for outputs and for arguments that the call leaves out.
fn input(
    package: &Package<'_>,
    function: &Function,
    param: &Param,
    dtype: DType,
    shape: &[usize],
) -> Option<String> {
    let def = &package.def;
    let (kind, ty, shape, range) = match param.of {
        SignaturePart::Input(i) if param.optional && def.presence(i).is_some() => return None,
        SignaturePart::Input(i) => {
            let mut shape = shape.to_vec();
            let gated = def.inputs[i].kind == Kind::Gated;
            if let (Some(last), true) = (shape.last_mut(), gated) {
                *last *= 2;
            }
            if let (Some(last), Kind::PerRow) = (shape.last_mut(), def.inputs[i].kind) {
                *last = 1;
            }
            if sums::summed(def).contains(&i) {
                shape = sums::row(def, i, &shape);
            }
            let (ty, range) = match def.inputs[i].kind {
                Kind::Mask => ("bool", "[0, 1]"),
                _ => {
                    let own = def.inputs[i].own.and_then(|own| own.number());
                    (type_names(own.unwrap_or(dtype)).test, "[-5, 5]")
                }
            };
            ("tensor", ty, format!("{shape:?}"), range.to_string())
        }
        SignaturePart::Attr(i) => {
            let value = function.fixed(i).unwrap_or(def.attrs[i].default);
            let kind = if param.ty == Type::Scalar { "scalar" } else { "attr" };
            let ty = match param.ty {
                Type::Bool => "bool",
                Type::Chars => "string",
                Type::Int => "int",
                _ => "fp32",
            };
            (kind, ty, "null".into(), json(&def.attrs[i].kind, value))
        }
        SignaturePart::Output(_) | SignaturePart::Unused => return None,
    };
    Some(format!(
        "      {{\"name\": \"{}\", \"type\": \"{kind}\", \"required\": true, \"dtype\": \"{ty}\", \"shape\": {shape}, \
         \"range_values\": {range}, \"backward\": false, \"align_32B\": null, \"outlier_values\": null}}",
        param.name
    ))
}

fn json(kind: &AttrKind, value: Value) -> String {
    match (kind, value) {
        (AttrKind::Enum { wire_str: true, .. }, Value::Int(value)) => {
            format!("\"{}\"", kind.variant_name(value))
        }
        (_, value) => value.literal(),
    }
}

/// Returns the Python file with the class that the framework calls for the expected results.
fn executor(package: &Package<'_>, function: &Function) -> String {
    let (def, snake) = (&package.def, package.snake());
    let mut t = Text::new();
    let what = "the reference for tests on a device";
    t.line(header(package, what, Comment::Hash).trim_end());
    t.line(PREAMBLE.replace("@golden@", &format!("{snake}_golden")));
    t.line(format!("@register(\"{}\")\nclass Reference(BaseApi):", reference(package)));
    t.line("    def __call__(self, input_data: InputDataset, with_output: bool = False):");
    t.line("        given = input_data.kwargs");
    let tensors = (0..def.inputs.len()).map(|i| {
        let name = function.name_of(SignaturePart::Input(i));
        if name.is_empty() { "None".into() } else { format!("numbers(given.get(\"{name}\"))") }
    });
    let attrs = def.passed().iter().enumerate().map(|(i, attr)| {
        let name = function.name_of(SignaturePart::Attr(i));
        (!name.is_empty()).then(|| format!("{}=given[\"{name}\"]", word(&attr.name)))
    });
    let arguments: Vec<String> = tensors.chain(attrs.flatten()).collect();
    t.line(format!("        results = {snake}_golden({})", arguments.join(", ")));
    let like = function.name_of(SignaturePart::Input(first(def)));
    t.line(format!("        dtype = given[\"{like}\"].dtype"));
    t.line("        results = [torch.from_numpy(result).to(dtype) for result in results]");
    t.line("        return results[0] if len(results) == 1 else results");
    t.finish()
}

const PREAMBLE: &str = include_str!("st/preamble.py");
