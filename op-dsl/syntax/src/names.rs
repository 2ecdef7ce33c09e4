//! The names that every formula knows: constants and primitives.

pub mod elsewhere;

use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Builder, Id};
use op_dsl_ir::prim::Style;
use op_dsl_ir::row::RowFunction;
use std::f64::consts;
use syn::Ident;

/// Lists constants of `std` by name and value.
macro_rules! constants {
    ($($name:ident)*) => { &[$((stringify!($name), consts::$name)),*] };
}

/// The constants of `std::f64::consts` that formulas know.
pub const CONSTANTS: &[(&str, f64)] = constants! {
    E FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6
    FRAC_PI_8 LN_10 LN_2 LOG10_2 LOG10_E LOG2_10 LOG2_E PI SQRT_2 TAU
};

/// Returns the value of the `std` constant of this name; `None` if formulas do not know it.
pub fn constant(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
}

/// Lists functions by name and by text, as Rust functions.
macro_rules! texts {
    ($($name:ident($($x:ident),*) $doc:literal $body:block)*) => {
        &[$((
            stringify!($name),
            concat!("fn ", stringify!($name), "(", $(stringify!($x), ": Elem,",)* ") -> Elem ", stringify!($body)),
        )),*]
    };
}

/// Functions that are formulas of other functions: name and text.
pub const WRITTEN: &[(&str, &str)] = op_dsl_ir::written_functions!(texts);

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

/// Returns the function of a row that formulas call by this name; `None` if there is none.
pub fn row(name: &str) -> Option<RowFunction> {
    RowFunction::ALL.into_iter().find(|function| function.name() == name)
}

/// Returns whether formulas have a function or predicate of this name.
pub fn is_known(name: &str) -> bool {
    functions().any(|known| known == name)
}

/// Returns the primitive that formulas call by this name; `None` if there is none.
///
/// Primitives written as operators, such as `+`, have no name to call, and only compiler passes create `mul3`.
pub fn primitive(name: &str) -> Option<Prim> {
    Prim::named(name).filter(|p| p.row().style == Style::Function && *p != Prim::Mul3)
}

/// Returns the names of all functions and predicates that formulas may call, except `powi`.
pub fn functions() -> impl Iterator<Item = &'static str> {
    let rows = op_dsl_ir::prim::TABLE.iter().map(|r| r.name).filter(|n| primitive(n).is_some());
    let written = WRITTEN.iter().map(|(name, _)| *name);
    let of_rows = RowFunction::ALL.iter().map(|function| function.name());
    rows.chain(written).chain(TESTS.iter().map(|(name, _)| *name)).chain(of_rows)
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

    /// Returns, for each function that is a formula of others, arguments and its value there by `std`.
    fn values() -> Vec<(&'static str, Vec<f64>, f64)> {
        let of = |name, args: &[f64], value| (name, args.to_vec(), value);
        vec![
            of("recip", &[-4.0], -0.25),
            of("rsqrt", &[6.25], 0.4),
            of("cbrt", &[-1.25], (-1.25f64).cbrt()),
            of("hypot", &[0.625, -1.25], 0.625f64.hypot(-1.25)),
            of("exp2", &[-1.25], (-1.25f64).exp2()),
            of("exp10", &[-1.25], 10f64.powf(-1.25)),
            of("log2", &[0.625], 0.625f64.log2()),
            of("log10", &[0.625], 0.625f64.log10()),
            of("logit", &[0.625], (0.625f64 / 0.375).ln()),
            of("logaddexp", &[0.625, -1.25], (0.625f64.exp() + (-1.25f64).exp()).ln()),
            of("tan", &[-1.25], (-1.25f64).tan()),
            of("asin", &[-0.625], (-0.625f64).asin()),
            of("asin", &[1.0], 1f64.asin()),
            of("acos", &[-0.625], (-0.625f64).acos()),
            of("acos", &[-1.0], std::f64::consts::PI),
            of("atan2", &[0.625, -1.25], 0.625f64.atan2(-1.25)),
            of("atan2", &[-0.625, -1.25], (-0.625f64).atan2(-1.25)),
            of("atan2", &[0.625, 1.25], 0.625f64.atan2(1.25)),
            of("atan2", &[-2.5, 1.25], (-2.5f64).atan2(1.25)),
            of("atan2", &[2.5, 0.0], 2.5f64.atan2(0.0)),
            of("asinh", &[-1.25], (-1.25f64).asinh()),
            of("acosh", &[3.5], 3.5f64.acosh()),
            of("atanh", &[-0.625], (-0.625f64).atanh()),
            of("copysign", &[0.625, -1.25], -0.625),
            of("copysign", &[-0.625, 0.0], 0.625),
            of("heaviside", &[0.625], 1.0),
            of("heaviside", &[0.0], 0.0),
            of("floor", &[-1.25], -2.0),
            of("floor", &[2.5], 2.0),
            of("floor", &[-3.0], -3.0),
            of("ceil", &[-1.25], -1.0),
            of("ceil", &[3.5], 4.0),
            of("trunc", &[-1.75], -1.0),
            of("trunc", &[1.75], 1.0),
            of("trunc", &[-2.25], -2.0),
            of("sinc", &[0.0], 1.0),
            of("sinc", &[2.625], (2.625 * consts::PI).sin() / (2.625 * consts::PI)),
            of("sinc", &[-3.0], 0.0),
        ]
    }

    #[test]
    fn formulas_of_others_have_the_values_of_std() {
        let values = values();
        for (name, _) in WRITTEN {
            assert!(values.iter().any(|(known, ..)| known == name), "{name} has no value");
        }
        for (name, args, want) in values {
            let names = &["x", "y"][..args.len()];
            let params = names.iter().map(|x| format!("{x}: Elem")).collect::<Vec<_>>().join(", ");
            // A constant of the author's does not change what the function means.
            let item = format!(
                "fn f({params}) -> Elem {{ const PI: f64 = 3.0; {name}({}) }}",
                names.join(", ")
            );
            let args_of_op = "name = \"F\", outputs(result)".parse().expect("tokens");
            let family =
                crate::function(args_of_op, item.parse().expect("tokens")).expect("a function");
            assert!(family.error.is_none(), "{name}: {:?}", family.error);
            let got = family.ops[0].def.specs[0].traced.eval(&args, &[])[0];
            assert!(
                (got - want).abs() <= 1e-14 * want.abs(),
                "{name}{args:?} is {got}, not {want}"
            );
        }
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
