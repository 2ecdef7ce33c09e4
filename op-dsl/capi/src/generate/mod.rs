//! The part of the C interface that depends on the operators: one Rust file of exported
//! functions, and their headers. Adding an operator adds its functions.

mod aclnn;
mod infiniop;
mod text;

use codegen_cpu::rt::call::Operator;

/// A file: its path in the crate of the operators, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// `include/aclnnop/aclnn_geglu.h`
    pub path: String,
    /// All of it.
    pub text: String,
}

/// Every file for a table of operators.
pub fn files(table: &[&Operator]) -> Vec<File> {
    let infini: Vec<infiniop::Row<'_>> = table.iter().filter_map(|o| infiniop::row(o)).collect();
    let theirs = |o: &&&Operator| infini.iter().any(|r| r.covers(o.name()));
    let aclnn: Vec<aclnn::Row<'_>> =
        table.iter().filter(|o| !theirs(o)).map(|o| aclnn::row(o)).collect();
    let mut files: Vec<File> = aclnn.iter().map(aclnn::Row::header).collect();
    files.extend(infini.iter().map(infiniop::Row::header));
    let functions = aclnn.iter().map(aclnn::Row::functions);
    let functions = functions.chain(infini.iter().map(infiniop::Row::functions));
    let path = "src/capi.rs".into();
    files.push(File { path, text: HEAD.to_string() + &functions.collect::<String>() });
    files
}

/// The start of the Rust file.
const HEAD: &str = "\
//! The functions that C calls, one after another: generated from the table of operators by
//! `op_dsl::capi::generate`, do not edit.
#![allow(non_snake_case, clippy::too_many_arguments)]

use crate::OPERATORS;
use op_dsl::capi::Handle;
use op_dsl::capi::aclnn::{self, Argument};
use op_dsl::capi::infiniop;
use std::ffi::{c_char, c_void};
";
