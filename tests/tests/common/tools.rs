//! Tools that tests need and a machine may lack: interpreters, their packages, debuggers.
//!
//! A missing tool is printed where libtest does not capture it. `OP_DSL_REQUIRE_TOOLS=numpy,valgrind` makes a missing
//! one of these a failure, so that a green run has skipped nothing in that list.
#![allow(dead_code, missing_docs)] // each test binary uses only a part

use std::io::Write;
use std::process::Command;

/// Returns whether `tool` is installed; prints what is skipped if it is not.
///
/// Panics if `OP_DSL_REQUIRE_TOOLS` lists a missing tool.
pub fn has_tool(tool: &str, is_there: bool, skipped: &str) -> bool {
    if !is_there {
        let required = std::env::var("OP_DSL_REQUIRE_TOOLS").unwrap_or_default();
        let is_required = required.split(',').any(|name| name.trim() == tool);
        assert!(!is_required, "OP_DSL_REQUIRE_TOOLS: this machine has no {tool}");
        let line = format!("SKIPPED: {skipped}: this machine has no {tool}\n");
        // Not by a print macro, because libtest captures its output and drops it if the test passes.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    is_there
}

/// Returns whether Python has a module; as [`has_tool`].
pub fn has_python_module(module: &str, skipped: &str) -> bool {
    let run = Command::new("python3").args(["-c", &format!("import {module}")]).output();
    has_tool(module, run.is_ok_and(|run| run.status.success()), skipped)
}
