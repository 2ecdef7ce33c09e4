//! The names that every formula knows: constants and primitives.

pub mod elsewhere;

use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Builder, Id};
use op_dsl_ir::prim::Style;
use std::f64::consts;
use syn::Ident;

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

/// Returns the value of the `std` constant of this name; `None` if formulas do not know it.
pub fn constant(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
}

/// Builder of a graph expression: takes the argument's node and returns the result's node.
type Write = fn(&mut Builder, Id) -> Id;

/// A function that a formula calls by its name.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// A primitive: an operation that is one node of a graph.
    Row(Prim),
    /// A function of one argument that expands to an expression of primitives.
    Written(Write),
}

/// The functions that expand to expressions of primitives: `exp2(x)` is `exp(LN_2 * x)`, for example.
const WRITTEN: &[(&str, Write)] = &[
    ("recip", |b, x| {
        let unit = b.num(1.0);
        b.quotient(unit, x)
    }),
    ("exp2", |b, x| {
        let scaled = b.scaled(consts::LN_2, x);
        b.call(Prim::Exp, &[scaled])
    }),
    ("log2", |b, x| {
        let log = b.call(Prim::Ln, &[x]);
        b.scaled(consts::LOG2_E, log)
    }),
];

/// Builds a predicate on a node. Returns a comparison node and whether its result is to be negated.
type Ask = fn(&mut Builder, Id) -> (Id, bool);

/// Predicates on one value: name and builder.
///
/// Formulas compute with real numbers, so "infinite" means beyond the largest number of f32.
const TESTS: &[(&str, Ask)] = &[
    ("is_nan", |b, x| (b.call(Prim::Eq, &[x, x]), true)),
    ("is_inf", |b, x| {
        let (size, largest) = (b.call(Prim::Abs, &[x]), b.num(LARGEST));
        (b.call(Prim::Lt, &[largest, size]), false)
    }),
    ("is_finite", |b, x| {
        let (size, largest) = (b.call(Prim::Abs, &[x]), b.num(LARGEST));
        (b.call(Prim::Le, &[size, largest]), false)
    }),
];

const LARGEST: f64 = f32::MAX as f64;

/// Returns the builder of the predicate of this name; `None` if formulas do not know it.
pub fn test(name: &str) -> Option<Ask> {
    TESTS.iter().find(|(known, _)| *known == name).map(|(_, ask)| *ask)
}

/// Returns whether formulas have a function or predicate of this name.
pub fn is_known(name: &str) -> bool {
    function(name).is_some() || test(name).is_some()
}

impl Function {
    /// Number of the function's arguments.
    pub fn arity(self) -> usize {
        match self {
            Function::Row(prim) => prim.row().arity,
            Function::Written(_) => 1,
        }
    }

    /// Adds a call of the function to a graph; `args` has as many nodes as [`Function::arity`] says.
    pub fn call(self, b: &mut Builder, args: &[Id]) -> Id {
        match self {
            Function::Row(prim) => b.call(prim, args),
            Function::Written(f) => f(b, args[0]),
        }
    }
}

/// Returns the function that formulas call by this name; `None` if there is none.
///
/// Primitives written as operators, such as `+`, have no name to call, and only compiler passes create `mul3`.
pub fn function(name: &str) -> Option<Function> {
    let row = Prim::named(name).filter(|p| p.row().style == Style::Function && *p != Prim::Mul3);
    let written = || WRITTEN.iter().find(|(known, _)| *known == name);
    row.map(Function::Row).or_else(|| written().map(|(_, f)| Function::Written(*f)))
}

/// Returns the names of all functions and predicates that formulas may call, except `powi`.
pub fn functions() -> impl Iterator<Item = &'static str> {
    let rows = op_dsl_ir::prim::TABLE.iter().map(|r| r.name).filter(|n| function(n).is_some());
    rows.chain(WRITTEN.iter().map(|(name, _)| *name)).chain(TESTS.iter().map(|(name, _)| *name))
}

/// Returns a tensor's name: that of its parameter, without a final `_` if the rest is a Rust keyword.
///
/// For example, `self_` becomes `self`, and `x_` stays.
pub fn tensor(ident: &Ident) -> String {
    let name = ident.to_string();
    match name.strip_suffix('_') {
        Some(word) if !word.is_empty() && syn::parse_str::<Ident>(word).is_err() => word.to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_names_of_tensors() {
        let name = |text| tensor(&Ident::new(text, proc_macro2::Span::call_site()));
        assert_eq!(["self_", "in_", "x_", "_", "x"].map(name), ["self", "in", "x_", "_", "x"]);
    }

    #[test]
    fn operators_are_not_functions() {
        let known: Vec<&str> = functions().collect();
        for (name, want) in
            [("gelu", true), ("max", true), ("recip", true), ("add", false), ("select", false)]
        {
            assert_eq!(known.contains(&name), want, "{name}");
        }
    }
}
