//! Streams of a kernel with functions of rows: which have a number per element, the part of a tensor that they are, and whether they
//! are converted.

use super::super::super::fragment::kept;
use super::super::super::package::Package;
use super::super::super::text::Text;
use super::super::names::{Input, inputs, slot};
use op_dsl_ir::Stored;
use op_dsl_ir::op::{Kind, Part, Stream, Tensor};

/// Returns the input streams with a number per element that at least one plan of the package reads.
pub fn elements(package: &Package<'_>) -> Vec<Input> {
    let is_element = |input: &Input| package.def.inputs[input.stream.tensor].kind != Kind::PerRow;
    inputs(package).into_iter().filter(is_element).collect()
}

/// Returns the output streams with a number per element, and their names.
pub fn results(package: &Package<'_>) -> Vec<(Stream, String)> {
    let def = &package.def;
    let all = def.output_streams().into_iter().zip(def.output_names());
    all.filter(|(stream, _)| def.outputs[stream.tensor].kind != Kind::PerRow).collect()
}

/// Returns two C++ arguments for a stream: whether its tensor is gated, and the index of its part (gate or value).
pub fn side(stream: Stream) -> String {
    let part = match stream.part {
        Part::Whole => "0",
        Part::Gate => "gate_",
        Part::Value => "1 - gate_",
    };
    format!("{}, {part}", stream.part != Part::Whole)
}

/// Returns whether some kernel of the package has tensors of 16 bits, which are converted to `float`.
pub fn converts(package: &Package<'_>) -> bool {
    package.dtypes().iter().any(|dtype| dtype.is_narrow())
}

/// Returns the C++ type of the integers of an output; `None` if it holds floats.
pub fn integer(package: &Package<'_>, stream: Stream) -> Option<&'static str> {
    match package.def.outputs[stream.tensor].own {
        Some(Stored::Int8) => Some("int8_t"),
        Some(Stored::Uint8) => Some("uint8_t"),
        _ => None,
    }
}

/// Returns whether some result has a float per element.
pub fn has_floats(package: &Package<'_>) -> bool {
    results(package).iter().any(|(stream, _)| integer(package, *stream).is_none())
}

/// Writes C++ statements that round results from `float` to 16 bits; `from` is the buffer of the result in slot `@k@`.
pub fn round_results(package: &Package<'_>, from: &str, text: &mut Text) {
    let cast = |k: &str| {
        let from = from.replace("@k@", k);
        format!("Cast(out[{k} * capacity_], {from}, Formula::ROUND, tile.count);")
    };
    let all = results(package);
    let is_float = |stream| integer(package, stream).is_none();
    if all.iter().all(|(stream, _)| is_float(*stream)) {
        text.block("for (uint32_t k = 0; k < OUTPUTS; ++k)", "}", |text| {
            text.line(cast("k"));
        });
        return;
    }
    for (_, name) in all.into_iter().filter(|(stream, _)| is_float(*stream)) {
        text.line(cast(&slot(&name)));
    }
}

/// Returns the numbers of inputs and of outputs with one number per row.
pub fn counts(package: &Package<'_>) -> [usize; 2] {
    let is_per_row = |tensor: &&Tensor| tensor.kind == Kind::PerRow;
    [&package.def.inputs, &package.def.outputs].map(|all| all.iter().filter(is_per_row).count())
}

/// Returns whether kernels compute numbers of a row ahead of all walks along it.
pub fn begins(package: &Package<'_>) -> bool {
    let mut rows = package.plans.iter().filter_map(|plan| plan.rows.as_ref());
    rows.any(|rows| !rows.first().is_empty())
}

/// Returns the lines of a fragment that kernels of the package have.
pub fn of_package(package: &Package<'_>, text: &str) -> String {
    let [given, returned] = counts(package).map(|count| count > 0);
    let has = [
        ("@perrow@", given || returned),
        ("@given@", given),
        ("@returned@", returned),
        ("@begins@", begins(package)),
        ("@integers@", results(package).iter().any(|r| integer(package, r.0).is_some())),
        ("@elements@", !results(package).is_empty()),
    ];
    kept(text, &has)
}
