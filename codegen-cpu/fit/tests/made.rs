//! Composed functions from one table in 16 bits, checked at all inputs.

mod common;

use common::{BF16, Case, F16, named};
use op_dsl_fit::{Element, Function, Made, Polynomial, Request, Symmetry, Table};

const ALL: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// A function that is computed from another case.
const fn case(name: &'static str, f: fn(f64) -> common::number::Number) -> Case {
    Case { name, f, domain: ALL, limits: [None; 2] }
}

const SIGMOID_GRAD: Case = case("sigmoid'", |x| 0.25 * (named("tanh'").f)(0.5 * x));
const QUICK_GELU: Case = case("quick_gelu", |x| {
    let known = common::number::constant(1.0 / 1.702);
    known * (named("silu").f)(1.702 * x)
});
const GELU_TANH: Case = case("gelu_tanh", |x| {
    let inner = 2.0 * (2.0 / core::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
    common::number::exact(x) * (named("sigmoid").f)(inner)
});

/// Pairs of functions, and whether both are polynomials in one basis function `g`.
fn pairs() -> Vec<([&'static Case; 2], bool)> {
    vec![
        ([named("silu"), named("silu'")], true),
        ([named("sigmoid"), &SIGMOID_GRAD], true),
        ([named("tanh"), named("tanh'")], true),
        ([&QUICK_GELU, named("quick_gelu'")], true),
        ([&GELU_TANH, named("gelu_tanh'")], true),
        ([named("gelu"), named("gelu'")], false),
        ([named("mish"), named("mish'")], false),
        ([named("softplus"), named("sigmoid")], false),
    ]
}

/// Returns a line for each pair.
///
/// It has `g`, its table, the number of wrong results of either function, and the cost. The last column is the cost of a table
/// for each function.
fn report(element: Element, entries: usize) -> String {
    let mut report = String::from("functions g symmetry degree [from, to) wrong cost each\n");
    for (cases, is_made) in pairs() {
        let oracles = cases.map(|case| case.oracle());
        let [f, g] = [0, 1].map(|k| Function::new(&oracles[k], cases[k].hints()));
        let functions = [&f, &g];
        let found = Made::find(&functions);
        assert_eq!(found.is_some(), is_made, "{}: {found:?}", cases[0].name);
        let Some(made) = found else { continue };
        let request = Request { multiplied: true, ..Request::new(element, entries) };
        // A difference in `g` may have too few digits for a factor because terms cancel, for example `1 - g^2` of tanh.
        let Some(table) = made.table(&functions, &request) else {
            report += &format!("{:10} no table\n", cases[0].name);
            continue;
        };
        let wrong = [0, 1].map(|k| wrong(cases[k], element, &table, &made.results[k]));
        let each = functions.iter().map(|f| f.fit(&request).map_or(f64::NAN, |t| t.cost()));
        report += &format!(
            "{:10} {:8} {:6} {} [{:7.3}, {:6.3}) {wrong:2?} {:.3} {:.3}\n",
            cases[0].name,
            format!("{:?}", made.base),
            if table.design.symmetry == Symmetry::None { "none" } else { "folded" },
            table.design.degree,
            table.low,
            table.high,
            made.cost(&table),
            each.sum::<f64>(),
        );
    }
    report
}

/// Number of inputs whose result is not rounded correctly; panics if one is off by more than a unit.
fn wrong(case: &Case, element: Element, table: &Table, made: &Polynomial) -> usize {
    let is_wrong = |x: &f32| {
        let Some(g) = table.eval(*x) else { return false };
        let want = (case.f)((*x).into()).value;
        let (got, right) = (element.round(made.at(*x, g).into()), element.round(want));
        let off = (got - want).abs() / element.ulp(want);
        assert!(off <= 1.0, "{} at {x}: {got}, {want}", case.name);
        got != right && off > 0.5 + 1e-6
    };
    let wrong = element.inputs().iter().filter(|x| is_wrong(x)).count();
    assert!(wrong <= 13, "{}: {wrong}", case.name);
    wrong
}

#[test]
fn bf16_pairs_from_tables_of_32_segments_are_accurate() {
    insta::assert_snapshot!("bf16_in_32_segments", report(BF16, 32));
}

#[test]
fn bf16_pairs_from_tables_of_8_segments_are_accurate() {
    insta::assert_snapshot!("bf16_in_8_segments", report(BF16, 8));
}

#[test]
fn f16_pairs_from_tables_of_32_segments_are_accurate() {
    insta::assert_snapshot!("f16_in_32_segments", report(F16, 32));
}

#[test]
fn f16_pairs_from_tables_of_8_segments_are_accurate() {
    insta::assert_snapshot!("f16_in_8_segments", report(F16, 8));
}

/// A function that is only close to a polynomial in another is not composed of it.
#[test]
fn what_is_only_near_is_not_made() {
    let near = case("x sigmoid(x) + 1e-6 exp(-x^2)", |x| {
        let bell = (-1.0 * (common::number::exact(x) * common::number::exact(x))).exp();
        (named("silu").f)(x) + 1e-6 * bell
    });
    let [f, g] = [named("sigmoid"), &near].map(|case| case.oracle());
    let [f, g] = [Function::new(&f, Default::default()), Function::new(&g, Default::default())];
    assert_eq!(Made::find(&[&f, &g]), None);
}
