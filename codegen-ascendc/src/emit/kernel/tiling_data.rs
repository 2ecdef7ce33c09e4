//! The struct that the host fills and the kernel reads: [`Tiling`], then the operator's own fields.
//!
//! [`Tiling`]: crate::tiling::Tiling

use super::super::package::Package;
use super::super::scheme::{Class, Scheme};
use super::super::tree::File;
use super::names::header_file;
use super::sums;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Gate, OpDef};

/// Field of the C++ struct with the tiling data, which the host passes to the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// C++ type: `uint64_t`, `uint32_t` or `float`.
    pub ty: &'static str,
    /// Name in AscendC's style, for example `tileRows`.
    pub name: String,
    /// Meaning of the field, as a comment in the emitted code.
    pub doc: String,
}

/// Fields of `crate::tiling::Tiling` in its order: C++ type, name, meaning.
const TILING: [(&str, &str, &str); 12] = [
    ("uint64_t", "rows", "rows of the matrix"),
    ("uint64_t", "columns", "columns of one part"),
    ("uint64_t", "pieces", "units that one row is cut into; 1 when units are rows"),
    ("uint64_t", "share", "units of every core; the first `big` have one more"),
    ("uint32_t", "unitRows", "rows of a unit; 1 when a row is cut"),
    ("uint32_t", "unitColumns", "columns of a unit when a row is cut"),
    ("uint32_t", "tileRows", "most rows of a tile; 0 when a row does not fit"),
    ("uint32_t", "tileColumns", "most columns of a tile that is a segment"),
    ("uint32_t", "pitch", "elements between rows in UB"),
    ("uint32_t", "cores", "cores with work"),
    ("uint32_t", "big", "how many of them have one unit more"),
    ("uint32_t", "path", "0: rows per tile, 1: columns per tile, 2: small rows"),
];

/// Fields of an operator with sums, apart from how each input lies in the domain: C++ type, name, meaning.
const SUMS: [(&str, &str, &str); 15] = [
    ("uint64_t", "chunks", "units that the rows of a piece are cut into"),
    ("uint64_t", "wholeRow", "elements between rows of a tensor that has all elements"),
    ("uint64_t", "wholeGroup", "elements between groups there"),
    ("uint64_t", "gatedRow", "the same of a tensor of two parts"),
    ("uint64_t", "gatedGroup", "and between its groups"),
    ("uint64_t", "gatedPart", "and between its parts"),
    ("uint64_t", "kept", "elements of a sum that has several"),
    (
        "uint64_t",
        "slots",
        "partial sums of each of them in the workspace; 0 where units write the results",
    ),
    ("uint64_t", "plane", "numbers of one sum's partial sums there, for each of their two parts"),
    ("uint32_t", "finalColumns", "most sums of a core's piece behind the barrier"),
    ("uint32_t", "vector", "1 if each column has a sum of its own, 0 if a group has one"),
    ("uint32_t", "times", "columns of one element of a sum; 1 if each has its own"),
    ("uint32_t", "joined", "rows in one; 1 if columns of an element are side by side"),
    (
        "uint32_t",
        "rest",
        "elements of rows beyond the last that is whole, where several are in one",
    ),
    ("uint32_t", "meets", "1 if partial sums are added behind a barrier, else 0"),
];

/// Fields of an operator with functions of rows: C++ type, name, meaning.
const ROWS: [(&str, &str, &str); 3] = [
    ("uint64_t", "group", "rows of a part of a gated tensor that lie side by side"),
    ("uint32_t", "buffers", "buffers of each queue"),
    (
        "uint32_t",
        "held",
        "elements of either part of a row that stays in UB between walks along it",
    ),
];

/// Returns whether an attribute says at run time which part of gated tensors is the gate.
pub fn gate_is_an_attribute(def: &OpDef) -> bool {
    def.split.as_ref().is_some_and(|s| matches!(s.gate, Gate::LeftIf(_)))
}

/// Returns all fields of the C++ struct with the tiling data, padded to a multiple of 8 bytes.
pub fn fields(package: &Package<'_>) -> Vec<Field> {
    let field = |ty, name: &str, doc: &str| Field { ty, name: name.into(), doc: doc.into() };
    let mut fields: Vec<Field> = TILING.iter().map(|(ty, n, doc)| field(ty, n, doc)).collect();
    if let Some(rows) = package.def.rows() {
        let name = &package.def.inputs[rows].name;
        let counts = format!("entries of `{name}`; 0 where a call leaves it out: all rows");
        fields.push(field("uint64_t", "counts", &counts));
        fields.push(field(
            "uint64_t",
            "rowsOfCount",
            "rows of the matrix in each row that they count",
        ));
    }
    if Scheme::of(&package.def).adds {
        fields.extend(SUMS.iter().map(|(ty, n, doc)| field(ty, n, doc)));
        for input in sums::broadcast(&package.def) {
            let name = &package.def.inputs[input].name;
            let doc =
                format!("`{name}`: 0 for all elements, 1 for one of each sum, 2 for one of all");
            fields.push(field("uint32_t", &sums::mode(&package.def, input), &doc));
        }
    }
    if Scheme::of(&package.def).class == Class::Rows {
        fields.extend(ROWS.iter().map(|(ty, n, doc)| field(ty, n, doc)));
    }
    if gate_is_an_attribute(&package.def) {
        fields.push(field("uint32_t", "gateFirst", "1 if the gate is the first part, else 0"));
    }
    for attr in package.def.attrs.iter().filter(|a| a.kind.is_scalar()) {
        fields.push(field("float", &cpp_name(&attr.name), "attribute of the operator"));
    }
    let bytes: usize = fields.iter().map(|f| if f.ty == "uint64_t" { 8 } else { 4 }).sum();
    if !bytes.is_multiple_of(8) {
        fields.push(field("uint32_t", "reserved", "0: keeps the size a multiple of 8 bytes"));
    }
    fields
}

/// Returns the file `<op>_tiling_data.h`, which declares the struct that the host passes to the kernel.
pub fn file(package: &Package<'_>) -> File {
    header_file(package, "_tiling_data", "what the host tells the kernel", |text| {
        text.line("#include <cstdint>\n");
        text.line("// Tiling that the host passes to the kernel. The matrix is a part of a gated tensor, or a tensor without parts.");
        text.block(&format!("struct {}", package.tiling_data()), "};", |text| {
            for Field { ty, name, doc } in fields(package) {
                text.line(format!("{ty} {name};  // {doc}"));
            }
        });
    })
}
