//! `op_host/`: definition, shape inference, tiling; `op_graph/`: prototype.

pub mod core;

use super::package::Package;
use super::text::{Comment, header};
use super::tree::File;

/// The files, relative to the operator's directory.
pub fn files(package: &Package<'_>) -> Vec<File> {
    let snake = package.snake();
    let file = |path: String, text: String| File {
        path,
        text: format!("{}\n{text}", header(package, Comment::Slashes)),
    };
    vec![file(format!("op_host/{snake}_tiling_core.h"), core_header(package))]
}

/// An include guard around a header.
fn guarded(package: &Package<'_>, what: &str, text: &str) -> String {
    let guard = format!("{}_{what}_H_", package.snake().to_uppercase());
    format!("#ifndef {guard}\n#define {guard}\n\n{text}\n#endif  // {guard}\n")
}

fn core_header(package: &Package<'_>) -> String {
    let text = format!(
        "{}\n#include \"../op_kernel/{}_tiling_data.h\"\n\n{}",
        core::INCLUDES,
        package.snake(),
        core::in_namespace(package, "optiling", &core::body(package)),
    );
    guarded(package, "TILING_CORE", &text)
}
