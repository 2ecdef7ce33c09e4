//! Emits the AscendC package of the family.

// A family depends only on the prelude, so that a build script can include it as well.
#[path = "src/gates.rs"]
mod family;

fn main() {
    op_dsl::build::ascendc(family::gates::OPERATORS);
}
