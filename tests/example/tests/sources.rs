//! The files that the build script emitted.

use op_dsl_example::{PACKAGE, PROJECT, gates};
use std::fs;
use std::path::Path;

#[test]
fn the_project_is_there() {
    let read = |path: &str| fs::read_to_string(Path::new(PROJECT).join(path)).expect(path);
    let names: String = gates::OPERATORS.iter().map(|op| format!("{}\n", op.name())).collect();
    assert_eq!(read(".generated"), format!("op-dsl\n{names}"));
    assert!(read("op_kernel/swish_gate_grad.cpp").contains("swish_gate_grad"));
    assert!(read("op_host/CMakeLists.txt").contains("npu_op_library"));
    assert!(PACKAGE.is_none_or(|package| Path::new(package).is_file()));
}
