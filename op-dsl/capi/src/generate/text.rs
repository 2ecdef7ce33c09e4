//! Formatting of generated C, and names in generated Rust.

use op_dsl_ir::op::snake;

/// Returns a C header with an include guard, the comment `about`, includes and declarations.
pub fn header(guard: &str, about: &str, includes: &[&str], declarations: &str) -> String {
    let includes: String = includes.iter().map(|i| format!("#include \"{i}\"\n")).collect();
    format!(
        "/* {about}\n   Generated from the table of operators, do not edit. */\n\
         #ifndef {guard}\n#define {guard}\n\n{includes}\n{declarations}\n#endif\n"
    )
}

/// Returns a C prototype, one argument per line.
pub fn prototype(head: &str, params: &[String]) -> String {
    format!("{head}(\n    {});\n", params.join(",\n    "))
}

/// Converts a C argument's name to Rust: `gradOutput` becomes `grad_output`, `self` becomes `self_`.
pub fn rust_name(name: &str) -> String {
    let name = snake(name);
    match name.as_str() {
        "self" | "type" | "in" | "ref" | "move" | "match" | "box" | "use" | "where" => name + "_",
        _ => name,
    }
}
