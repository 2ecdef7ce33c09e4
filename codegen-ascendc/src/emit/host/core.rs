//! The maths of the host: how attributes select a specialisation, and how a call is tiled.
//!
//! It is self-contained C++17 without CANN, so that a launcher without an operator package can use it too.

use crate::arch::Arch;
use crate::emit::fragment::kept;
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::scheme::{Class, Scheme};
use crate::emit::text::Text;
use crate::emit::type_names::type_names;
use crate::tiling::{Footprint, Need, RowNeed};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{AttrKind, Kind, OpDef, Pattern, Tensor};
use op_dsl_ir::{DType, Stored};

/// C++ code of the tiling maths that is the same for every operator.
const TILE: &str = include_str!("fragments/tile.h");
/// C++ code of the tiling maths of operators with sums.
const SUMS: &str = include_str!("fragments/sums.h");
/// C++ code of the tiling maths of operators with functions of rows.
const ROWS: &str = include_str!("fragments/rows.h");
/// C++ functions that look up entries in the tables of architectures and kernels.
const FIND: &str = include_str!("fragments/find.h");

/// Wraps text in the namespace of an operator's host code.
///
/// The namespaces are opened one by one, because some toolkits build host code as C++14, and `namespace a::b` needs C++17.
pub fn in_namespace(package: &Package<'_>, text: &str) -> String {
    let inner = package.snake();
    let (open, close) = ("namespace ops {", "}  // namespace ops");
    format!("{open}\nnamespace {inner} {{\n\n{text}\n}}  // namespace {inner}\n{close}\n")
}

/// The `#include` directives that the C++ code of [`body`] needs, apart from that of the tiling data.
pub const INCLUDES: &str = "#include <algorithm>\n#include <cstddef>\n#include <cstdint>\n";

/// Writes the C++ code of `<op>_tiling_core.h` inside its namespace.
///
/// It has the functions `Tile`, `Collapse`, `SelectForm` and `FindNeed`; for an operator with sums also `TileSums`, `CollapseSums`
/// and `WorkspaceOf`.
pub fn body(package: &Package<'_>) -> String {
    let mut text = Text::new();
    text.line(format!("using TilingData = ::{};\n", package.tiling_data()));
    text.line(TILE);
    match Scheme::of(&package.def).class {
        Class::Elements => {}
        Class::Sums => _ = text.line(SUMS.replace("@modes@", sums::MODES)),
        Class::Rows => _ = text.line(rows(&package.def)),
    }
    text.line("// Compile info: data that the framework keeps between calls.");
    text.line("struct CompileInfo {\n    uint32_t arch;  // the platform's number of its architecture\n};\n");
    types(&mut text);
    forms(&mut text, package);
    select(&mut text, package);
    text.finish()
}

/// Returns whether some output holds integers of 8 bits, whose rows start at blocks of bytes.
pub fn has_integers(def: &OpDef) -> bool {
    let is_integer = |tensor: &Tensor| tensor.own.and_then(Stored::integers).is_some();
    def.outputs.iter().any(is_integer)
}

/// Returns the C++ code of the tiling maths of operators with functions of rows.
fn rows(def: &OpDef) -> String {
    let written = def.outputs.iter().filter(|tensor| tensor.kind == Kind::PerRow);
    let width = match written.filter_map(|tensor| tensor.own).map(Stored::size).min() {
        None => "need.size".into(),
        Some(size) => format!("std::min<uint64_t>(need.size, {size})"),
    };
    let has = [("@perrow@", def.per_row().next().is_some()), ("@integers@", has_integers(def))];
    kept(ROWS, &has).replace("@width@", &width)
}

/// Returns the name of the C++ constant for an element type, for example `TYPE_HALF`.
pub fn type_constant(dtype: DType) -> &'static str {
    type_names(dtype).constant
}

/// Returns the name of the C++ constant for a specialisation, for example `FORM_TANH`.
pub fn form_constant(package: &Package<'_>, spec: usize) -> String {
    format!("FORM_{}", package.spec_name(spec))
}

/// Returns the indices of the attributes that select the specialisation, in the order of the signature.
pub fn branching(package: &Package<'_>) -> Vec<usize> {
    let def = &package.def;
    let branches = |a: &usize| def.specs.iter().any(|s| s.when.iter().any(|(attr, _)| attr == a));
    (0..def.attrs.len()).filter(branches).collect()
}

/// Returns a C++ expression for how many leading dimensions of the tensors become rows of the matrix.
///
/// A kernel sees each tensor as a matrix. `dim` is the C++ expression of the split dimension. `attribute` returns the C++
/// expression of an attribute, given its index.
pub fn outer(package: &Package<'_>, dim: &str, attribute: impl Fn(usize) -> String) -> String {
    match package.def.split.as_ref().map(|s| s.pattern) {
        None => "0".into(),
        Some(Pattern::Halves) => dim.into(),
        Some(Pattern::Interleaved) => format!("{dim} + 1"),
        Some(Pattern::InterleavedIf(attr)) => format!("{dim} + ({} ? 1 : 0)", attribute(attr)),
    }
}

/// Returns a C++ expression for how many rows of the kernel's matrix one counted row consists of.
///
/// An input with row counts says how many leading rows of the tensors are computed. A counted row is several rows of the matrix
/// where the two parts of gated tensors are interleaved, because the matrix is then cut along the split dimension too. `dims`
/// and `dim` are the C++ expressions of the shape and of the split dimension. `attribute` returns the C++ expression of an
/// attribute, given its index.
pub fn rows_of_count(
    package: &Package<'_>,
    dims: &str,
    dim: &str,
    attribute: impl Fn(usize) -> String,
) -> String {
    match package.def.split.as_ref().map(|s| s.pattern) {
        None | Some(Pattern::Halves) => "1".into(),
        Some(Pattern::Interleaved) => format!("{dims}[{dim}]"),
        Some(Pattern::InterleavedIf(attr)) => format!("{} ? {dims}[{dim}] : 1", attribute(attr)),
    }
}

fn types(text: &mut Text) {
    text.line("// Element types, as the tiling key counts them.");
    for dtype in DType::ALL {
        text.line(format!("constexpr uint32_t {} = {};", type_constant(dtype), dtype as u8));
    }
    text.line("");
}

/// Writes C++ tables of specialisations, of architectures, and of the UB that each kernel needs.
fn forms(text: &mut Text, package: &Package<'_>) {
    text.line("// Forms of the formula, as the tiling key counts them.");
    for spec in 0..package.def.specs.len() {
        text.line(format!("constexpr uint32_t {} = {spec};", form_constant(package, spec)));
    }
    text.line("\n// The architectures there are kernels for, by the platform's number.");
    text.block("struct Arch", "};\n", |text| {
        text.line("uint32_t number;\nbool pads;  // copies can have any length in bytes; else multiples of 32");
    });
    let arch = |a: &&Arch| format!("{{{}, {}}}", a.number, a.pads);
    let archs: Vec<String> = package.archs().iter().map(arch).collect();
    text.line(format!("constexpr Arch ARCHS[] = {{{}}};\n", archs.join(", ")));
    text.line("// The kernels there are, and what a tile of each needs of UB.");
    text.block("struct Kernel", "};\n", |text| {
        text.line("uint32_t arch;\nuint32_t form;\nuint32_t type;\nNeed need;");
    });
    text.block("constexpr Kernel KERNELS[] =", "};\n", |text| {
        let of_rows = match Scheme::of(&package.def).class {
            Class::Rows => ", chunk, held, turned",
            _ => "",
        };
        text.line(format!(
            "// arch, form, type, {{bytes per element, {{fixed bytes, bits per element}} dense, small, pairs, even, gathers{of_rows}}}",
        ));
        for plan in &package.plans {
            let ub = |f: Option<Footprint>| {
                f.map_or("{0, 0}".into(), |f| format!("{{{}, {}}}", f.fixed, f.bits))
            };
            let Need { size, dense, small, pairs, even, gathers, rows } = plan.need;
            let (dense, small, pairs) = (ub(Some(dense)), ub(small), ub(pairs));
            let (form, ty) = (form_constant(package, plan.spec), type_constant(plan.dtype));
            let arch = plan.soc.arch.number;
            let of_rows = |n: RowNeed| format!(", {}, {}, {}", ub(Some(n.chunk)), n.held, ub(n.turned));
            let rows = rows.map_or(String::new(), of_rows);
            text.line(format!(
                "{{{arch}, {form}, {ty}, {{{size}, {dense}, {small}, {pairs}, {even}, {gathers}{rows}}}}},"
            ));
        }
    });
    text.lines(FIND).line("");
}

/// Writes the C++ function `SelectForm`, which selects a specialisation by the values of attributes.
///
/// It returns the first specialisation whose values all match.
fn select(text: &mut Text, package: &Package<'_>) {
    let def = &package.def;
    let name = |attr: usize| cpp_name(&def.attrs[attr].name);
    let parameters: Vec<String> =
        branching(package).into_iter().map(|a| format!("int64_t {}", name(a))).collect();
    let head = format!("inline uint32_t SelectForm({})", parameters.join(", "));
    if parameters.is_empty() {
        text.line("// There is one form only.");
        text.line(format!("{head} {{ return {}; }}", form_constant(package, 0)));
        return;
    }
    text.line("// No form has these values of the attributes.");
    text.line("constexpr uint32_t NO_FORM = UINT32_MAX;\n");
    text.line("// Which form the attributes pick.");
    text.line(format!("{head}\n{{"));
    for (spec, s) in def.specs.iter().enumerate() {
        let of = |&(attr, value): &(usize, i64)| match def.attrs[attr].kind {
            AttrKind::Bool => format!("{} {} 0", name(attr), if value != 0 { "!=" } else { "==" }),
            _ => format!("{} == {value}", name(attr)),
        };
        let all: Vec<String> = s.when.iter().map(of).collect();
        let when = if all.is_empty() { "true".into() } else { all.join(" && ") };
        text.line(format!("    if ({when}) {{"));
        text.line(format!("        return {};\n    }}", form_constant(package, spec)));
    }
    text.line("    return NO_FORM;\n}");
}

/// Returns the C++ expression of the bytes of workspace that a kernel needs for itself; `None` if it takes none.
///
/// `data` is the C++ expression of the tiling data.
pub fn workspace(package: &Package<'_>, data: &str) -> Option<String> {
    let def = &package.def;
    let sums = || def.output_streams().iter().filter(|s| def.sum(s.tensor).is_some()).count();
    Scheme::of(def).workspace.then(|| format!("WorkspaceOf({data}, {})", sums()))
}

/// The shape of a call, as C++ expressions.
pub struct CallShape<'e> {
    /// Dimensions of one part, and their number.
    pub dims: [&'e str; 2],
    /// How many dimensions lead, as [`outer`] returns it.
    pub outer: &'e str,
    /// Whether there are gated tensors.
    pub split: &'e str,
    /// Number of inputs.
    pub inputs: &'e str,
}

/// Writes C++ statements that declare `extent`, the shape of a call as the tiling takes it.
///
/// With sums, inputs may have other shapes. The statements `shapes` declare them, and those that `refuse` writes call
/// `CollapseSums`, which fills in `extent` and the array `modes`.
pub fn collapse(
    text: &mut Text,
    package: &Package<'_>,
    call: &CallShape<'_>,
    shapes: &str,
    refuse: impl FnOnce(&mut Text),
) {
    let CallShape { dims: [dims, rank], outer, split, inputs } = call;
    let Scheme { adds, extent, collapse, .. } = Scheme::of(&package.def);
    if !adds {
        text.line(format!("const {extent} extent = {collapse}({dims}, {rank}, {outer}, {split});"));
        return;
    }
    text.lines(shapes);
    text.line(format!("uint32_t modes[{inputs}] = {{}};\n{extent} extent{{}};"));
    refuse(text);
}

/// Writes C++ statements that store in the tiling data how each input of an operator with sums lies in the domain.
///
/// `data` is the C++ expression of a field without its name; `modes` is the array that `CollapseSums` has filled.
pub fn fill_modes(text: &mut Text, package: &Package<'_>, data: &str) {
    for (input, mode) in sums::broadcast(&package.def).into_iter().zip(modes(package)) {
        text.line(format!("{data}{mode} = modes[{input}];"));
    }
}

/// Returns the names of the tiling data's fields that say how each input lies in the domain; empty without sums.
pub fn modes(package: &Package<'_>) -> Vec<String> {
    let def = &package.def;
    sums::broadcast(def).into_iter().map(|input| sums::mode(def, input)).collect()
}
