//! `op_host/`: definition, shape inference, tiling; `op_graph/`: prototype.
//!
//! ```text
//! definition  <op>_def.cpp                  the signature, for the build
//! prototype   <op>_proto.h                  the signature, for graphs
//! checks      <op>_checks.h                 checks of attributes and shapes, with their messages
//! shapes      <op>_infershape.cpp           shapes and element types of the outputs
//! core        <op>_tiling_core.h            the tiling maths, without CANN
//! tiling      <op>_tiling.cpp               context -> core -> tiling data, key, cores, workspace
//! fragments/                                the code that is the same for every operator
//! ```

mod checks;
pub mod core;
mod definition;
mod prototype;
mod shapes;
mod tiling;

pub use checks::{along_table, first, fragment, has_masks, has_optional, lead, sum_tables};
pub use tiling::{fill, mask_types};

use super::package::Package;
use super::text::{Comment, header};
use super::tree::File;

/// Returns the files of `op_host/` and `op_graph/`, with paths relative to the operator's directory.
pub fn files(package: &Package<'_>) -> Vec<File> {
    let file = |directory: &str, end: &str, what: &str, text: String| File {
        path: format!("{directory}/{}_{end}", package.snake()),
        text: format!("{}\n{text}", header(package, what, Comment::Slashes)),
    };
    let host = |end: &str, what: &str, text| file("op_host", end, what, text);
    let prototype = guarded(package, "PROTO", &prototype::prototype(package));
    let cmake = header(package, "how its prototype is built", Comment::Hash)
        + "\n# Prototypes of this directory.\nadd_graph_plugin_sources()\n";
    vec![
        host("def.cpp", "the signature, for the build", definition::definition(package)),
        host("checks.h", "what is refused, and in which words", checks_header(package)),
        host("infershape.cpp", "shapes and element types of the outputs", shapes::file(package)),
        host("tiling_core.h", "how a call is cut into tiles", core_header(package)),
        host("tiling.cpp", "from a call to the tiling data", tiling::file(package)),
        file("op_graph", "proto.h", "the signature, for graphs", prototype),
        File { path: "op_graph/CMakeLists.txt".into(), text: cmake },
    ]
}

/// Wraps the C++ text of a header in an include guard, whose name has the operator's and `what`.
fn guarded(package: &Package<'_>, what: &str, text: &str) -> String {
    let guard = format!("{}_{what}_H_", package.snake().to_uppercase());
    format!("#ifndef {guard}\n#define {guard}\n\n{text}\n#endif  // {guard}\n")
}

fn checks_header(package: &Package<'_>) -> String {
    let body = core::in_namespace(package, &checks::body(package));
    guarded(package, "CHECKS", &format!("{}\n{body}", checks::INCLUDES))
}

fn core_header(package: &Package<'_>) -> String {
    let text = format!(
        "{}\n#include \"../op_kernel/{}_tiling_data.h\"\n\n{}",
        core::INCLUDES,
        package.snake(),
        core::in_namespace(package, &core::body(package)),
    );
    guarded(package, "TILING_CORE", &text)
}
