//! `tests/ut/`: unit tests in the framework of ops-nn, whose build finds them by name.

mod case;
mod host;
mod interface;
mod kernel;

use crate::emit::package::Package;
use crate::emit::text::{Comment, header};
use crate::emit::tree::File;
use op_dsl_ir::interface::Interface;

/// Returns the unit tests of an operator.
pub fn files(package: &Package<'_>, interface: &Interface) -> Vec<File> {
    let api = interface::api(package, interface);
    let mut files = files_without_functions(package);
    files.push(file(package, format!("op_api/test_{}.cpp", interface.header), api));
    files
}

/// Returns the unit tests of an operator that has no aclnn functions.
pub fn files_without_functions(package: &Package<'_>) -> Vec<File> {
    let snake = package.snake();
    let mut files = vec![
        file(package, format!("op_host/test_{snake}_tiling.cpp"), host::tilings(package)),
        file(package, format!("op_host/test_{snake}_infershape.cpp"), host::shapes(package)),
    ];
    let kernel = kernel::kernel(package);
    files.extend(kernel.map(|text| file(package, format!("op_kernel/test_{snake}.cpp"), text)));
    files
}

fn file(package: &Package<'_>, path: String, text: String) -> File {
    File {
        path: format!("tests/ut/{path}"),
        text: format!("{}\n{}\n", header(package, "unit tests", Comment::Slashes), text.trim_end()),
    }
}
