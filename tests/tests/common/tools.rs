//! Tools that a test needs and a machine may lack: interpreters, their packages, debuggers.
//!
//! A missing tool is printed where libtest does not capture it. `OP_DSL_REQUIRE_TOOLS=numpy,valgrind` makes a missing one of
//! these a failure, so that a green run has skipped nothing it lists.
#![allow(dead_code, missing_docs)] // each test binary uses its part

use std::io::Write;
use std::process::Command;

/// Whether `tool` is there; prints what is skipped if it is not.
///
/// Panics if `OP_DSL_REQUIRE_TOOLS` lists a missing tool.
pub fn has_tool(tool: &str, is_there: bool, skipped: &str) -> bool {
    if !is_there {
        let required = std::env::var("OP_DSL_REQUIRE_TOOLS").unwrap_or_default();
        let is_required = required.split(',').any(|name| name.trim() == tool);
        assert!(!is_required, "OP_DSL_REQUIRE_TOOLS: this machine has no {tool}");
        let line = format!("SKIPPED: {skipped}: this machine has no {tool}\n");
        // The print macros would write into the capture of a passing test, which nobody reads.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    is_there
}

/// [`has_tool`] for a module of Python.
pub fn has_python_module(module: &str, skipped: &str) -> bool {
    let run = Command::new("python3").args(["-c", &format!("import {module}")]).output();
    has_tool(module, run.is_ok_and(|run| run.status.success()), skipped)
}
