//! Makes the AscendC package of the family, where a toolkit is installed.

// A family uses nothing but the prelude, so that a build script can include it as well.
#[path = "src/family.rs"]
mod family;

fn main() {
    op_dsl::build::ascendc(family::operators::OPERATORS);
}
