//! `tests/ut/`: unit tests in the frame of ops-nn. Its build finds them by name.

mod case;
mod host;
mod interface;
mod kernel;

use crate::emit::package::Package;
use crate::emit::text::{Comment, header};
use crate::emit::tree::File;
use op_dsl_ir::interface::Interface;

/// All files.
pub fn files(package: &Package<'_>, interface: &Interface) -> Vec<File> {
    let snake = package.snake();
    let file = |path: String, text: String| File {
        path: format!("tests/ut/{path}"),
        text: format!("{}\n{}\n", header(package, "unit tests", Comment::Slashes), text.trim_end()),
    };
    let mut files = vec![
        file(format!("op_host/test_{snake}_tiling.cpp"), host::tilings(package)),
        file(format!("op_host/test_{snake}_infershape.cpp"), host::shapes(package)),
        file(format!("op_api/test_{}.cpp", interface.header), interface::api(package, interface)),
    ];
    files.extend(
        kernel::kernel(package).map(|text| file(format!("op_kernel/test_{snake}.cpp"), text)),
    );
    files
}
