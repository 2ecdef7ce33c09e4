//! The command `verify`, which must find no miss.
#![allow(missing_docs)]

use op_dsl::Operator;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs `verify` on operators with the arguments `line`, and panics with what it says if anything is missed.
pub fn finds_no_miss(operators: &[&'static Operator], line: &[&str]) {
    let mut out = Vec::new();
    let words = ["tests", "verify"].iter().chain(line).map(OsString::from);
    let code = op_dsl_cli::run(operators, "", words, &mut out);
    let said = String::from_utf8_lossy(&out);
    println!("{said}");
    assert!(code == ExitCode::SUCCESS && !said.contains("MISSED"), "{said}");
}
