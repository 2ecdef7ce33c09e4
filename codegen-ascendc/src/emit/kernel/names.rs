//! Names that the kernel's files share, and the input streams that have them.

use super::super::package::Package;
use super::super::text::{Comment, Text, header, story};
use super::super::tree::File;
use super::super::type_names::type_names;
use crate::plan::{Buffer, Plan};
use crate::sequence::Scalar;
use op_dsl_ir::DType;
use op_dsl_ir::names::{cpp_name, is_taken};
use op_dsl_ir::op::{OpDef, Part, Stream};

/// Returns the name of the C++ constant for the slot that a stream has in the buffer of a queue.
///
/// For example, the stream `x.gate` has the constant `X_GATE`.
pub fn slot(name: &str) -> String {
    let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name = if is_taken(name) { format!("{name}_") } else { name.to_string() };
    name.chars().map(upper).collect()
}

/// Returns the name of a stream, which is a tensor or one part of a gated tensor.
///
/// For example, `dy` or `x.gate`. `output` says whether it is an output stream.
pub fn stream_name(def: &OpDef, stream: Stream, output: bool) -> String {
    let tensors = if output { &def.outputs } else { &def.inputs };
    let name = &tensors[stream.tensor].name;
    match stream.part {
        Part::Whole => name.to_string(),
        Part::Gate => format!("{name}.gate"),
        Part::Value => format!("{name}.value"),
    }
}

/// Returns the name of an element type in C++, for example `half`.
pub fn cpp(dtype: DType) -> &'static str {
    type_names(dtype).cpp
}

/// Returns the file `<op><part>.h`, with the comment at its head, `what` the file is, and an include guard around `body`.
///
/// For example, the guard is `GE_GLU_GRAD_V2_TILING_KEY_H` for the part `_tiling_key`.
pub fn header_file(
    package: &Package<'_>,
    part: &str,
    what: &str,
    body: impl FnOnce(&mut Text),
) -> File {
    let name = format!("{}{part}", package.snake());
    let guard = format!("{}_H", name.to_ascii_uppercase());
    let mut text = Text::new();
    text.line(header(package, what, Comment::Slashes));
    if part == "_compute" {
        text.line(story(package, Comment::Slashes));
    }
    text.line(format!("#ifndef {guard}\n#define {guard}\n"));
    body(&mut text);
    text.line(format!("\n#endif  // {guard}"));
    File { path: format!("{name}.h"), text: text.finish() }
}

/// Returns a C++ statement that runs only in kernels for which a constant condition is true.
pub fn if_constexpr(condition: &str, statement: &str) -> String {
    let mut text = Text::new();
    text.block(&format!("if constexpr ({condition})"), "}", |text| _ = text.line(statement));
    text.finish()
}

/// Returns the C++ namespace of the kernel's classes.
pub fn namespace(package: &Package<'_>) -> String {
    format!("{}Kernel", package.def.name)
}

/// Joins `head`, a list of arguments and `tail`, with line breaks between arguments where needed.
///
/// All lines are aligned with the first argument.
pub fn wrapped(head: &str, args: &[String], tail: &str) -> String {
    const WIDTH: usize = 110;
    let column = head.rsplit('\n').next().map_or(0, str::len);
    let mut out = head.to_string();
    if args.is_empty() {
        out.push_str(tail);
    }
    let mut at = column;
    for (i, arg) in args.iter().enumerate() {
        let end = if i + 1 == args.len() { tail } else { "," };
        if i > 0 && at + arg.len() + end.len() + 1 > WIDTH {
            out.push('\n');
            out.push_str(&" ".repeat(column));
            at = column;
        } else if i > 0 {
            out.push(' ');
            at += 1;
        }
        out.push_str(arg);
        out.push_str(end);
        at += arg.len() + end.len();
    }
    out
}

/// Input stream (a tensor, or one part of a gated tensor) that at least one plan reads.
pub struct Input {
    /// Index among the operator's input streams.
    pub index: usize,
    /// Tensor that holds the stream, and the part of it: the whole tensor, the gate or the value.
    pub stream: Stream,
    /// Name of the stream, for example `x.gate`.
    pub name: String,
    /// Whether all plans of the package read the stream.
    pub always: bool,
    /// Whether the stream is a mask, with one truth value per element.
    pub truths: bool,
}

impl Input {
    /// Guards a C++ statement so that only specialisations that read this stream execute it.
    pub(super) fn guarded(&self, statement: String) -> String {
        if self.always {
            return statement;
        }
        if_constexpr(&format!("Formula::READS_{}", slot(&self.name)), &statement)
    }
}

/// Returns the input streams that at least one plan of the package reads.
pub fn inputs(package: &Package<'_>) -> Vec<Input> {
    let def = &package.def;
    let of = |(index, stream): (usize, Stream)| {
        let reads = |p: &Plan| p.inputs[index].is_some();
        let always = package.plans.iter().all(reads);
        let name = stream_name(def, stream, false);
        let truths = def.is_mask(index);
        package.plans.iter().any(reads).then_some(Input { index, stream, name, always, truths })
    };
    def.input_streams().into_iter().enumerate().filter_map(of).collect()
}

/// Returns the C++ name of a plan's splat number `k`, which is a vector of equal numbers.
pub fn splat(plan: &Plan, k: usize) -> String {
    match plan.splats[k] {
        Scalar::Const(1.0) => "ones".into(),
        _ => format!("c{k}"),
    }
}

/// Returns the C++ name of a buffer that a plan's vector calls read or write.
pub fn buffer(plan: &Plan, buffer: Buffer) -> String {
    let name = plan.buffer(buffer);
    match buffer {
        Buffer::In(_) | Buffer::Out(_) => cpp_name(&name),
        _ => name,
    }
}
