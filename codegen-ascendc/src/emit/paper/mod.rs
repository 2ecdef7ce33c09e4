//! Documents and generated tests: pages, an example, unit tests, the float64 oracle.
//!
//! ```text
//! straight  graphs as straight-line Python and C++ in float64
//! phrases   tensors, types and products, as documents name them
//! readme    README.md, the operator
//! page      docs/aclnn<..>.md, one per aclnn name
//! example   examples/test_aclnn_<..>.cpp, one per aclnn name
//! golden    tests/assets/golden.py
//! ut        tests/ut/, in the framework of ops-nn
//! st        tests/st/, of new operators, in the framework of ops-nn
//! ```

mod example;
mod golden;
mod page;
pub(crate) mod phrases;
mod readme;
mod st;
mod straight;
mod ut;

use super::package::Package;
use super::tree::File;
use op_dsl_ir::interface::Interface;

/// Returns documents and tests of an operator, with paths relative to the operator's directory.
pub fn files(package: &Package<'_>) -> Vec<File> {
    let interface = Interface::of(&package.def);
    let functions = &interface.functions;
    let mut files = vec![readme::file(package, functions), golden::file(package)];
    for function in functions {
        files.push(page::file(package, &interface, function));
        files.extend(example::file(package, &interface, function));
    }
    files.extend(ut::files(package, &interface));
    files
}

/// Returns documents and tests of an operator that has no aclnn functions, because only graphs call it.
pub fn files_without_functions(package: &Package<'_>) -> Vec<File> {
    let mut files = vec![readme::file(package, &[]), golden::file(package)];
    files.extend(ut::files_without_functions(package));
    files
}

/// Returns the system tests, which run on a device.
pub fn system_tests(package: &Package<'_>) -> Vec<File> {
    st::files(package, &Interface::of(&package.def))
}
