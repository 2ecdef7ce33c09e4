//! What formulas may name without defining it: constants and primitives.

use op_dsl_ir::Prim;
use op_dsl_ir::prim::Style;
use std::f64::consts;

/// The constants of `std::f64::consts` that formulas know.
pub const CONSTANTS: &[(&str, f64)] = &[
    ("E", consts::E),
    ("FRAC_1_PI", consts::FRAC_1_PI),
    ("FRAC_1_SQRT_2", consts::FRAC_1_SQRT_2),
    ("FRAC_2_PI", consts::FRAC_2_PI),
    ("FRAC_2_SQRT_PI", consts::FRAC_2_SQRT_PI),
    ("FRAC_PI_2", consts::FRAC_PI_2),
    ("FRAC_PI_3", consts::FRAC_PI_3),
    ("FRAC_PI_4", consts::FRAC_PI_4),
    ("FRAC_PI_6", consts::FRAC_PI_6),
    ("FRAC_PI_8", consts::FRAC_PI_8),
    ("LN_10", consts::LN_10),
    ("LN_2", consts::LN_2),
    ("LOG10_2", consts::LOG10_2),
    ("LOG10_E", consts::LOG10_E),
    ("LOG2_10", consts::LOG2_10),
    ("LOG2_E", consts::LOG2_E),
    ("PI", consts::PI),
    ("SQRT_2", consts::SQRT_2),
    ("TAU", consts::TAU),
];

/// The constant of this name.
pub fn constant(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
}

/// The primitive that a formula calls by this name; operators have no name to call, and what has
/// three arguments is made by passes only.
pub fn function(name: &str) -> Option<Prim> {
    Prim::named(name).filter(|p| p.row().style == Style::Function && p.row().arity <= 2)
}

/// A list of all functions, for messages.
pub fn functions() -> String {
    let names = op_dsl_ir::prim::TABLE.iter().map(|r| r.name);
    names.filter(|n| function(n).is_some()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_not_functions() {
        assert_eq!(function("gelu"), Some(Prim::Gelu));
        assert_eq!(function("max"), Some(Prim::Max));
        assert_eq!(function("add"), None);
        assert_eq!(function("select"), None);
    }
}
