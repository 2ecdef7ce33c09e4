//! The operator's entry of `scripts/kernel/binary_config/ascendc_config.json`, the repository's list
//! of compile options.

use crate::emit::package::{FUSION, Package};
use crate::emit::tree::File;

/// Where the entry is in the operator's directory.
pub fn path(package: &Package<'_>) -> String {
    format!("{}_ascendc_config.json", package.snake())
}

/// The entry alone: the file around it is the repository's.
pub fn file(package: &Package<'_>) -> File {
    let units: Vec<String> = package.socs.iter().map(|s| format!("\"{}\"", s.name)).collect();
    let fused = package.fused();
    let options: Vec<String> =
        fused.iter().map(|s| format!("\"{}\": [\"{FUSION}\"]", s.name)).collect();
    let options = match options.is_empty() {
        true => String::new(),
        false => format!(", \"compile_options\": {{{}}}", options.join(", ")),
    };
    // Kernels leave the order of dependent vector instructions to the compiler.
    let text = format!(
        "{{\"name\": \"{}\", \"compute_units\": [{}], \"auto_sync\": true{options}}}\n",
        package.def.name,
        units.join(", ")
    );
    File { path: path(package), text }
}
