//! Formatting of generated C and Rust.

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

/// Maximum line width of rustfmt.
const WIDTH: usize = 100;

/// Returns `line` if it fits into [`WIDTH`], else `broken()`, the same code on several lines.
fn fitted(line: String, broken: impl FnOnce() -> String) -> String {
    let fits = line.lines().all(|l| l.len() <= WIDTH);
    if fits { line + "\n" } else { broken() }
}

fn items(indent: usize, items: &[String]) -> String {
    items.iter().map(|i| format!("{:indent$}{i},\n", "")).collect()
}

/// Returns the head of a public Rust function that returns a status: `pub {head}({params}) -> i32 {`.
pub fn function(head: &str, params: &[String]) -> String {
    let line = format!("pub {head}({}) -> i32 {{", params.join(", "));
    fitted(line, || format!("pub {head}(\n{}) -> i32 {{\n", items(4, params)))
}

/// Returns `let name = [a, b];` as a statement in a function.
pub fn array(name: &str, values: &[String]) -> String {
    let list = values.join(", ");
    fitted(format!("    let {name} = [{list}];"), || {
        fitted(format!("    let {name} =\n        [{list}];"), || {
            format!("    let {name} = [\n{}    ];\n", items(8, values))
        })
    })
}

/// Returns `static NAME: ty = value;`.
pub fn constant(name: &str, ty: &str, value: &str) -> String {
    fitted(format!("static {name}: {ty} = {value};"), || {
        format!("static {name}: {ty} =\n    {value};\n")
    })
}

/// Returns the source `unsafe { call }`, the result of a function, after a safety comment.
pub fn unsafely(call: &str) -> String {
    let reason = "    // SAFETY: as asked of the caller.\n";
    let block = fitted(format!("    unsafe {{ {call} }}"), || {
        format!("    unsafe {{\n        {call}\n    }}\n")
    });
    format!("{reason}{block}")
}
