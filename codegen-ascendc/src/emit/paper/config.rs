//! The operator's entry of `scripts/kernel/binary_config/ascendc_config.json`.

use crate::emit::package::Package;
use crate::emit::tree::File;

/// The entry alone: the file around it is the repository's.
pub fn file(package: &Package<'_>) -> File {
    let units: Vec<String> = package.socs.iter().map(|s| format!("\"{}\"", s.name)).collect();
    // Kernels leave the order of dependent vector instructions to the compiler.
    let text = format!(
        "{{\"name\": \"{}\", \"compute_units\": [{}], \"auto_sync\": true}}\n",
        package.def.name,
        units.join(", ")
    );
    File { path: format!("{}_ascendc_config.json", package.snake()), text }
}
