//! `op_host/<op>_infershape.cpp`: shapes and element types of the outputs.

use super::checks::{attribute, fragment};
use super::core;
use crate::emit::package::Package;
use crate::emit::text::Text;

/// C++ code of shape inference that is the same for every operator.
const SHAPES: &str = include_str!("fragments/shapes.h");

/// Writes the C++ code of `<op>_infershape.cpp`, without the comment at its head.
pub fn file(package: &Package<'_>) -> String {
    let (snake, def) = (package.snake(), &package.def);
    let mut text = Text::new();
    text.line("namespace {\n");
    text.line("// Inputs are broadcast against each other; else their shapes must agree.");
    text.line(format!("constexpr bool BROADCAST = {};", def.broadcast));
    text.line("// Inputs may differ in element type, and outputs have the one that holds all.");
    text.line(format!("constexpr bool PROMOTE = {};\n", def.promote));
    text.line(fragment(SHAPES, def));
    text.line("ge::graphStatus InferShape(gert::InferShapeContext* context)\n{");
    let dim = def.split.as_ref().map(|s| attribute(def, s.dim));
    if dim.is_some() {
        text.line("    Attributes attributes{};");
        text.line("    if (ReadAttributes(context, attributes) != ge::GRAPH_SUCCESS) {");
        text.line("        return ge::GRAPH_FAILED;\n    }");
    }
    let dim = dim.unwrap_or_else(|| "0".into());
    text.line(format!("    return InferShapes(context, {dim});\n}}\n"));
    text.line("}  // namespace\n");
    text.line(format!(
        "IMPL_OP_INFERSHAPE({}).InferShape(InferShape).InferDataType(InferDataType);",
        def.name
    ));
    format!("#include \"{snake}_checks.h\"\n\n{}", core::in_namespace(package, &text.finish()))
}
