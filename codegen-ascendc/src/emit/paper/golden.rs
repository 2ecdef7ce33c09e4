//! `tests/assets/golden.py`: the operator in float64 on numpy arrays, rounded once.

use super::phrases;
use super::straight::{Syntax, prelude, straight};
use crate::emit::host::first;
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::text::{Comment, Text, header};
use crate::emit::tree::File;
use crate::emit::type_names::type_names;
use crate::plan::rows::nearest;
use op_dsl_ir::op::{
    Attr, AttrKind, Gate, Kind, Part, Pattern, RowFunction, Rule, Spec, Split, Stream, Tensor,
    Value,
};
use op_dsl_ir::{Graph, Stored, display};

/// Returns the Python file with the operator in float64.
pub fn file(package: &Package<'_>) -> File {
    let mut t = Text::new();
    t.line(header(package, "the operator in float64 on numpy arrays", Comment::Hash).trim_end())
        .line("");
    t.line("import math\n\nimport numpy as np\n");
    let graphs = || package.specs().into_iter().flat_map(|s| graphs(&package.def.specs[s]));
    let helpers = prelude(graphs(), Syntax::Python);
    if uses_erf(package) || helpers.contains("erfc(") {
        t.line(ERF);
    }
    let snake = package.snake();
    t.line(format!("__golden__ = {{\"kernel\": {{\"{snake}\": \"{snake}_golden\"}}}}\n"));
    if !helpers.is_empty() {
        t.line(&helpers).line("");
    }
    for spec in package.specs() {
        t.line(formula(package, spec));
    }
    if let Some(split) = &package.def.split {
        t.line(parts(split.pattern));
    }
    if package.def.rows().is_some() {
        t.line(COUNTED);
    }
    if sums::has(&package.def) {
        t.line(SUMMED);
    }
    if !package.def.along.is_empty() {
        t.line(LAID);
    }
    if package.def.has_row_functions() {
        t.line(OF_ROWS);
    }
    if package.def.outputs.iter().any(|output| output.kind == Kind::PerRow) {
        t.line(SINGLE);
    }
    t.line(golden(package));
    let text = t.finish();
    let text = text
        .replace("import math\n\n", if text.contains("math.") { "import math\n\n" } else { "" });
    File { path: "tests/assets/golden.py".into(), text }
}

fn uses_erf(package: &Package<'_>) -> bool {
    use op_dsl_ir::{Node, Prim};
    let erf = |n: &Node| matches!(n, Node::Call(Prim::Erf | Prim::Erfc, _));
    let mut graphs = package.specs().into_iter().flat_map(|s| graphs(&package.def.specs[s]));
    graphs.any(|graph| graph.nodes.iter().any(erf))
}

const ERF: &str = include_str!("golden/erf.py");

const COUNTED: &str = include_str!("golden/counted.py");

const LAID: &str = include_str!("golden/laid.py");

const SUMMED: &str = include_str!("golden/summed.py");

const SINGLE: &str = include_str!("golden/single.py");

const OF_ROWS: &str = include_str!("golden/rows.py");

/// Returns the graphs of a specialisation: those of its stages, then that of its results.
fn graphs(spec: &Spec) -> impl Iterator<Item = &Graph> {
    spec.stages.iter().map(|stage| &stage.spec.graph).chain([&spec.graph])
}

/// Python statements that split a gated tensor into gate and value, and that join the two again.
///
/// They are the bodies of the functions `parts` and `joined`.
struct Cut {
    what: &'static str,
    parts: [&'static str; 2],
    joined: &'static [&'static str],
}

const HALVES: Cut = Cut {
    what: "the halves of x along dim",
    parts: [
        "first, second = np.split(x, 2, axis=dim)",
        "return (first, second) if gate_first else (second, first)",
    ],
    joined: &["return np.concatenate((gate, value) if gate_first else (value, gate), axis=dim)"],
};

const PAIRS: Cut = Cut {
    what: "alternating elements of x along dim",
    parts: [
        "even, odd = np.take(x, range(0, x.shape[dim], 2), dim), np.take(x, range(1, x.shape[dim], 2), dim)",
        "return (even, odd) if gate_first else (odd, even)",
    ],
    joined: &[
        "dim %= gate.ndim",
        "pairs = np.stack((gate, value) if gate_first else (value, gate), axis=dim + 1)",
        "return pairs.reshape(gate.shape[:dim] + (-1,) + gate.shape[dim + 1:])",
    ],
};

/// Writes the Python functions `parts` and `joined`, which split a gated tensor and join its parts.
fn parts(pattern: Pattern) -> String {
    let (what, more) = match pattern {
        Pattern::Halves => (HALVES.what.to_string(), ""),
        Pattern::Interleaved => (PAIRS.what.to_string(), ""),
        Pattern::InterleavedIf(_) => {
            (format!("{} or {}", PAIRS.what, HALVES.what), ", interleaved")
        }
    };
    let mut t = Text::new();
    t.line(format!("def parts(x, dim, gate_first{more}):"));
    t.line(format!("    \"\"\"Gate and value: {what}.\"\"\""));
    t.each(&cut(pattern, &HALVES.parts, &PAIRS.parts)).line("\n");
    t.line(format!("def joined(gate, value, dim, gate_first{more}):"));
    t.line("    \"\"\"The inverse of parts.\"\"\"");
    t.each(&cut(pattern, HALVES.joined, PAIRS.joined)).line("");
    t.finish()
}

/// Returns the body of a Python function that splits or joins tensors in one of the patterns.
///
/// `halves` is the body where the parts are halves, `pairs` the body where they are interleaved. If an attribute decides, the
/// body has both.
fn cut(pattern: Pattern, halves: &[&str], pairs: &[&str]) -> Vec<String> {
    let indented = |by: &str, lines: &[&str]| -> Vec<String> {
        lines.iter().map(|line| format!("{by}{line}")).collect()
    };
    match pattern {
        Pattern::Halves => indented("    ", halves),
        Pattern::Interleaved => indented("    ", pairs),
        Pattern::InterleavedIf(_) => {
            let choice = vec!["    if interleaved:".to_string()];
            [choice, indented("        ", pairs), indented("    ", halves)].concat()
        }
    }
}

/// Returns an operator's name as a valid Python name.
///
/// An underscore is appended to reserved words and to names that the emitted file uses.
pub fn word(name: &str) -> String {
    #[rustfmt::skip]
    const KEYWORDS: &[&str] = &[
        "and", "assert", "class", "counted", "def", "del", "dtype", "elif", "erf", "erfc", "except", "finally",
        "formula", "from", "gate_first", "global", "import", "is", "joined", "laid", "lambda", "math",
        "nonlocal", "not", "np", "of_rows", "or", "parts", "pass", "raise", "single", "summed", "with",
    ];
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.into() }
}

/// Returns the Python name of a stream (a tensor or one of its parts), for example `x_gate`.
fn stream_name(tensors: &[Tensor], stream: &Stream) -> String {
    let name = word(&tensors[stream.tensor].name);
    match stream.part {
        Part::Whole => name,
        Part::Gate => format!("{name}_gate"),
        Part::Value => format!("{name}_value"),
    }
}

fn stream_names(tensors: &[Tensor], streams: &[Stream]) -> Vec<String> {
    streams.iter().map(|s| stream_name(tensors, s)).collect()
}

/// Returns the name of a specialisation's Python function, for example `formula_tanh`.
fn formula_name(package: &Package<'_>, spec: usize) -> String {
    match package.spec_name(spec).to_ascii_lowercase() {
        name if name == "formula" => name,
        name => format!("formula_{name}"),
    }
}

fn formula(package: &Package<'_>, spec: usize) -> String {
    let def = &package.def;
    let inputs = stream_names(&def.inputs, &def.input_streams());
    let outputs = stream_names(&def.outputs, &def.output_streams());
    let scalars: Vec<String> = def.scalar_names().iter().map(|s| word(s)).collect();
    let graph = &def.specs[spec].graph;
    let stages = &def.specs[spec].stages;
    let streams = phrases::streams(&def.specs[spec], &inputs);
    let code = straight(graph, &streams, &scalars, Syntax::Python);
    let mut t = Text::new();
    let params = [inputs.clone(), scalars.clone()].concat().join(", ");
    t.line(format!("def {}({params}):", formula_name(package, spec)));
    t.line("    \"\"\"");
    for line in display::listing(graph, &streams, &scalars, &outputs).lines() {
        t.line(format!("    {line}"));
    }
    t.line("    \"\"\"");
    for stage in stages.iter() {
        let row = &streams[stage.value];
        let graph = nearest(&def.specs[spec], &stage.spec.graph);
        let code = straight(&graph, &streams, &scalars, Syntax::Python);
        t.each(&code.lines.iter().map(|line| format!("    {line}")).collect::<Vec<_>>());
        let value = &code.outputs[0];
        let function = match stage.rule {
            Rule::Uniform => {
                t.line(format!("    {row} = {value}"));
                continue;
            }
            Rule::Reduce(RowFunction::Sum) => "np.sum",
            Rule::Reduce(RowFunction::Mean) => "np.mean",
            Rule::Reduce(RowFunction::Max) => "np.max",
        };
        let all = inputs.join(", ");
        if let Some(terms) = stage.terms {
            t.line(format!("    {} = {value}", streams[terms]));
        }
        t.line(format!("    {row} = of_rows({function}, {value}, {all})"));
    }
    for line in &code.lines {
        t.line(format!("    {line}"));
    }
    let outputs = match def.is_by_rows() {
        false => code.outputs,
        true => {
            // A result may be the same for a whole row.
            let streams = def.output_streams();
            let one = |(value, stream): (&String, &Stream)| {
                let shape = match def.outputs[stream.tensor].kind {
                    Kind::PerRow => "single(np.broadcast_shapes(*shapes))",
                    _ => "np.broadcast_shapes(*shapes)",
                };
                format!("{value} + np.zeros({shape})")
            };
            let shapes: Vec<String> =
                inputs.iter().map(|name| format!("np.shape({name})")).collect();
            t.line(format!("    shapes = {}", tuple(&shapes)));
            code.outputs.iter().zip(&streams).map(one).collect()
        }
    };
    t.line(format!("    return {}\n", tuple(&outputs)));
    t.finish()
}

/// Returns the Python literal for an attribute's value, which is given as a number.
fn value(kind: &AttrKind, value: i64) -> String {
    match kind {
        AttrKind::Bool | AttrKind::Given(_) => if value != 0 { "True" } else { "False" }.into(),
        AttrKind::Enum { wire_str: true, .. } => {
            format!("{:?}", kind.variant_name(value))
        }
        _ => value.to_string(),
    }
}

fn default(kind: &AttrKind, of: Value) -> String {
    match of {
        Value::Float(x) => format!("{x:?}"),
        Value::Bool(b) => value(kind, b.into()),
        Value::Int(v) => value(kind, v),
    }
}

/// Writes the Python function `<op>_golden`, which the test framework calls.
fn golden(package: &Package<'_>) -> String {
    let def = &package.def;
    let mut t = Text::new();
    let needed = |i: usize| def.presence(i).is_none();
    let last = (0..def.inputs.len()).rfind(|i| needed(*i)).unwrap_or(0);
    let param = |(i, t): (usize, &Tensor)| {
        let default = if i > last { "=None" } else { "" };
        format!("{}{default}", word(&t.name))
    };
    let mut params: Vec<String> = def.inputs.iter().enumerate().map(param).collect();
    params.push("*".into());
    params.extend(
        def.passed().iter().map(|a| format!("{}={}", word(&a.name), default(&a.kind, a.default))),
    );
    params.push("**_".into());
    if def.passed().is_empty() {
        params.retain(|p| p != "*");
    }
    t.line(format!("def {}_golden({}):", package.snake(), params.join(", ")));
    t.line("    \"\"\"Outputs for numpy inputs; parameters as in the operator's definition.\"\"\"");
    t.line(format!("    dtype = {}", dtype(package)));
    for (i, input) in def.laid_out().iter().enumerate().filter(|(_, t)| t.used) {
        let name = word(&input.name);
        let line = format!("{name} = {}", numbers(package, input));
        match needed(i) {
            true => t.line(format!("    {line}")),
            false => t.line(format!("    if {name} is not None:\n        {line}")),
        };
    }
    let decides = |(i, t): (usize, &Tensor)| {
        (def.along(i).is_none() && needed(i)).then(|| format!("np.ndim({})", word(&t.name)))
    };
    let ranks: Vec<String> = def.laid_out().iter().enumerate().filter_map(decides).collect();
    for along in def.along.iter() {
        let (name, dim, ranks) = (word(&def.inputs[along.input].name), along.dim, ranks.join(", "));
        t.line(format!(
            "    {name}_own, {name} = np.shape({name}), laid({name}, {dim}, max({ranks}, 0))"
        ));
    }
    // Attributes become float64, because division by 0 must give an infinity and Python numbers raise an error.
    for attr in def.passed().iter().filter(|a| a.kind == AttrKind::Float) {
        let name = word(&attr.name);
        t.line(format!("    {name} = np.float64({name})"));
    }
    let along = def.split.as_ref().map(|split| along(package, split)).unwrap_or_default();
    if let Some(split) = &def.split {
        if let Some(wide) = def.wide.first().filter(|_| sums::has(def)) {
            // Inputs that are broadcast may have fewer dimensions, and are aligned at the innermost.
            let (dim, wide) = (word(&def.attrs[split.dim].name), word(&def.inputs[*wide].name));
            t.line(format!("    if {dim} >= 0:\n        {dim} -= {wide}.ndim"));
        }
        t.line(format!("    gate_first = {}", gate_first(package, split.gate)));
        for input in def.inputs.iter().filter(|i| i.kind == Kind::Gated) {
            let name = word(&input.name);
            t.line(format!("    {name}_gate, {name}_value = parts({name}, {along})"));
        }
    }
    let chosen = chosen(package, &mut t);
    let inputs = stream_names(&def.inputs, &def.input_streams());
    let outputs = stream_names(&def.outputs, &def.output_streams());
    let scalars: Vec<String> = def.scalar_names().iter().map(|s| word(s)).collect();
    let args = [inputs, scalars].concat().join(", ");
    t.line("    with np.errstate(all=\"ignore\"):");
    t.line(format!("        {} = {chosen}({args})", tuple(&outputs)));
    let wide = def.input_streams().into_iter().find(|s| def.wide.contains(&s.tensor));
    for stream in def.output_streams().iter().filter(|_| sums::has(def)) {
        let (Some(input), Some(wide)) = (def.sum(stream.tensor), &wide) else { continue };
        let like = Stream { tensor: input, part: stream.part };
        let (sum, domain) = (stream_name(&def.outputs, stream), stream_name(&def.inputs, wide));
        let own = match def.along(input) {
            Some(_) => format!(".reshape({}_own)", word(&def.inputs[input].name)),
            None => String::new(),
        };
        let like = stream_name(&def.inputs, &like);
        t.line(format!(
            "    {sum} = summed(np.broadcast_to({sum}, {domain}.shape), np.shape({like})){own}"
        ));
    }
    for output in def.outputs.iter().filter(|o| o.kind == Kind::Gated) {
        let name = word(&output.name);
        t.line(format!("    {name} = joined({name}_gate, {name}_value, {along})"));
    }
    if let (Some(rows), Some(split)) = (def.rows(), &def.split) {
        let (counts, dim) = (word(&def.inputs[rows].name), word(&def.attrs[split.dim].name));
        let clear = def.outputs.iter().map(|o| word(&o.name));
        let clear: Vec<String> =
            clear.map(|o| format!("{o} = counted({o}, {dim}, {counts})")).collect();
        match needed(rows) {
            true => t.line(format!("    {}", clear.join("\n    "))),
            false => t.line(format!(
                "    if {counts} is not None:\n        {}",
                clear.join("\n        ")
            )),
        };
    }
    let all: Vec<String> = def.outputs.iter().map(rounded).collect();
    t.line("    with np.errstate(over=\"ignore\"):");
    t.line(format!("        return [{}]", all.join(", ")));
    t.finish().trim_end().to_string()
}

/// Returns the Python expression of an output in its element type: integers are the nearest, and 0 for NaN.
fn rounded(output: &Tensor) -> String {
    let name = word(&output.name);
    let value = match output.own.and_then(Stored::integers) {
        Some((least, greatest)) => {
            format!(
                "np.clip(np.rint(np.nan_to_num({name}, posinf=np.inf, neginf=-np.inf)), {least}, {greatest})"
            )
        }
        None => name,
    };
    format!("{value}.astype({})", own(output))
}

/// Returns the Python expression of an output's element type.
fn own(output: &Tensor) -> String {
    match output.own {
        None => "dtype".into(),
        Some(Stored::Number(dtype)) => type_names(dtype).numpy.into(),
        Some(other) => format!("np.{}", other.name()),
    }
}

/// Returns the Python expression that converts an input to an array of float64.
fn numbers(package: &Package<'_>, input: &Tensor) -> String {
    let (name, def) = (word(&input.name), &package.def);
    match (input.kind, def.masks()) {
        (Kind::Mask, Stored::Bit) => {
            let like = word(&def.inputs[first(def)].name);
            format!(
                "np.unpackbits(np.asarray({name}, np.uint8), count={like}.size, bitorder=\"little\")\
                 .reshape({like}.shape)"
            )
        }
        (Kind::Mask, _) => format!("(np.asarray({name}) != 0).astype(np.float64)"),
        _ => format!("np.asarray({name}).astype(np.float64)"),
    }
}

fn dtype(package: &Package<'_>) -> String {
    let def = &package.def;
    let number = |i: usize| {
        matches!(def.inputs[i].kind, Kind::Whole | Kind::Gated) && def.inputs[i].own.is_none()
    };
    let deciding = |i: &usize| def.presence(*i).is_none() && number(*i);
    let deciding = (0..def.inputs.len()).filter(deciding);
    let names: Vec<String> = deciding.map(|i| word(&def.inputs[i].name)).collect();
    if !package.def.promote || names.len() < 2 {
        return format!("{}.dtype", names[0]);
    }
    let same: Vec<String> = names.iter().map(|n| format!("{n}.dtype")).collect();
    format!("{0}.dtype if {1} else np.dtype(np.float32)", names[0], same.join(" == "))
}

fn gate_first(package: &Package<'_>, gate: Gate) -> String {
    match gate {
        Gate::Left => "True".into(),
        Gate::Right => "False".into(),
        Gate::LeftIf(attr) => word(&package.def.attrs[attr].name),
    }
}

/// Returns the Python arguments that follow the tensors in calls of `parts` and of `joined`.
///
/// These functions split gated tensors and join their parts. The arguments are the split dimension, whether the gate is first
/// and, if an attribute decides whether the parts are interleaved, this attribute.
fn along(package: &Package<'_>, split: &Split) -> String {
    let name = |attr: usize| word(&package.def.attrs[attr].name);
    let more = match split.pattern {
        Pattern::InterleavedIf(attr) => format!(", {}", name(attr)),
        _ => String::new(),
    };
    format!("{}, gate_first{more}", name(split.dim))
}

/// Returns a list of Python expressions as a tuple, with a final comma if there is only one.
fn tuple(words: &[String]) -> String {
    if let [one] = words { format!("({one},)") } else { words.join(", ") }
}

/// Writes the Python statement that selects a formula by the attributes, if there is a choice.
///
/// Returns the name of the function that computes the formula.
fn chosen(package: &Package<'_>, t: &mut Text) -> String {
    let specs = package.specs();
    if let [only] = specs[..]
        && package.def.specs[only].when.is_empty()
    {
        return formula_name(package, only);
    }
    let attrs: Vec<usize> = package.def.specs[specs[0]].when.iter().map(|w| w.0).collect();
    t.line("    formula = {");
    for spec in specs {
        let key: Vec<String> = package.def.specs[spec]
            .when
            .iter()
            .map(|(a, v)| value(&package.def.attrs[*a].kind, *v))
            .collect();
        t.line(format!("        ({},): {},", key.join(", "), formula_name(package, spec)));
    }
    let name = |a: &usize| match &package.def.attrs[*a] {
        Attr { kind: AttrKind::Given(_), name, .. } => format!("{} is not None", word(name)),
        attr => word(&attr.name),
    };
    let names: Vec<String> = attrs.iter().map(name).collect();
    t.line(format!("    }}[({},)]", names.join(", ")));
    "formula".into()
}
