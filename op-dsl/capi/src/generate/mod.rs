//! Generation of the part of the C interface that depends on the operators.
//!
//! It is one Rust file of exported functions and their headers, so that adding an operator adds its functions.

mod aclnn;
mod file;
mod infiniop;
mod text;

pub use file::File;

use codegen_cpu::rt::call::Operator;

/// Returns the generated C headers and the Rust file of exported functions for a table of operators.
///
/// Operators with published interfaces get those. Operators of `own` get the functions that their signatures give; their names must
/// be the crate's own. Others get none, because CANN may have another signature under the name that their functions would have.
pub fn files(table: &[&Operator], own: &[&Operator]) -> Vec<File> {
    let infini: Vec<infiniop::Row<'_>> = table.iter().filter_map(|o| infiniop::row(o)).collect();
    let aclnn: Vec<aclnn::Row<'_>> = table.iter().filter_map(|o| aclnn::row(o, own)).collect();
    let mut files: Vec<File> = aclnn.iter().map(aclnn::Row::header).collect();
    files.extend(infini.iter().map(infiniop::Row::header));
    let rows: String = aclnn.iter().map(aclnn::Row::functions).collect();
    let functions: String = infini.iter().map(infiniop::Row::functions).collect();
    let [aclnn, infiniop] = [("aclnn", rows), ("infiniop", functions)]
        .map(|(interface, rows)| format!("\nop_dsl_capi::{interface}_functions! {{\n{rows}}}\n"));
    let text = format!("{HEAD}{aclnn}{infiniop}");
    files.push(File { path: "src/functions.rs".into(), text });
    files
}

/// First lines of the generated Rust file.
const HEAD: &str = "\
//! The functions that C calls: generated from the table of operators by
//! `op_dsl_capi::generate`, do not edit.
#![allow(non_snake_case)]

use ops_glu_grad::OPERATORS;
";
