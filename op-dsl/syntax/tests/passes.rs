//! The result of the passes for each rule: from an author's text to the graph for all back ends.
//!
//! `R` is 2^40, the bound at which the saturating pass clamps arguments.

use op_dsl_ir::display;
use op_dsl_ir::op::OpDef;
use op_dsl_syntax::function;
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the operators of `fn f(..) -> Elem { body }`.
///
/// Its parameters are those of `x`, `y`, `z` and the attribute `k` that the body mentions.
fn operators(args: TokenStream, body: &str) -> Vec<OpDef> {
    let has = |name: &str| body.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
    let elements = ["x", "y", "z"].into_iter().filter(|name| has(name));
    let mut params: Vec<String> = elements.map(|name| format!("{name}: Elem")).collect();
    if has("k") {
        params.push("#[attr(default = 1.0)] k: f32".to_owned());
    }
    let item = format!("fn f({}) -> Elem {{ {body} }}", params.join(", "));
    let family = function(args, item.parse().expect("tokens")).expect("a function");
    if let Some(error) = family.error {
        panic!("{body}: {error}");
    }
    family.ops.into_iter().map(|op| op.def).collect()
}

fn shown(def: &OpDef) -> String {
    let graph = &def.specs[0].graph;
    let text = display::expression(graph, &def.input_names(), &def.scalar_names());
    text.replace("1099511627776", "R").replace("min(max(x, -R), R)", "clamp(x)")
}

#[track_caller]
fn become_these(table: &[(&str, &str)]) {
    for (formula, want) in table {
        let [def] = &operators(quote!(name = "F", outputs(out)), formula)[..] else {
            panic!("one")
        };
        assert_eq!(shown(def), *want, "{formula}");
    }
}

/// Returns the gradient by `x`.
fn gradient(formula: &str) -> OpDef {
    let args = quote!(name = "F", outputs(out), grad(name = "G", wrt(x)));
    operators(args, formula).swap_remove(1)
}

#[track_caller]
fn have_gradients(table: &[(&str, &str)]) {
    for (formula, want) in table {
        assert_eq!(shown(&gradient(formula)), *want, "{formula}");
    }
}

#[test]
fn a_value_has_the_derivative_of_another() {
    let straight = "#[grad(identity)] let q = round(x / y); q * y";
    have_gradients(&[
        ("#[grad(identity)] let q = round(x); q", "dy"),
        (
            "#[grad(identity)] let q = round(2.0 * x); q * q",
            "dy * (2 * round(2 * x) + 2 * round(2 * x))",
        ),
        (straight, "dy"),
        ("#[grad(identity)] let q = round(y / x); q * x", "dy * (round(y / x) - y / x)"),
        ("#[grad(atan(k * x))] let q = heaviside(x); q", "k * (1 / (1 + k * x * (k * x))) * dy"),
        ("#[grad(tanh(x))] let q = x; q", "4 * sigmoid(2 * x) * sigmoid(-2 * x) * dy"),
        // The derivative is recognised as any other.
        ("#[grad(ln(1.0 + exp(x)))] let q = max(x, 0.0); q", "dy * sigmoid(x)"),
        // Without a derivative, a value is a constant.
        ("#[grad(0.0)] let q = exp(-x); q * x", "dy * exp(-min(x, R))"),
        ("with_grad(round(x), k * x)", "dy * k"),
    ]);
    // The formula itself has the value alone.
    become_these(&[
        (straight, "round(x / y) * y"),
        ("#[grad(y)] let q = 0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2)); q + y", "gelu(x) + y"),
    ]);
    // An input that cancels stays an input, because the derivative has no value where it is 0.
    assert_eq!(gradient(straight).input_names(), ["dy", "y"]);
}

#[test]
fn what_changes_nothing_goes() {
    become_these(&[
        ("x + 0.0", "x"),
        ("0.0 + x", "x"),
        ("x - 0.0", "x"),
        ("0.0 - x", "-x"),
        ("1.0 * x", "x"),
        ("x * 1.0", "x"),
        ("x / 1.0", "x"),
        ("-1.0 * x", "-x"),
        ("x * -1.0", "-x"),
        ("x / -1.0", "-x"),
        ("x + if x < 0.0 { y } else { 1.0 * y }", "x + y"),
    ]);
}

#[test]
fn numbers_are_computed() {
    become_these(&[
        ("exp(0.0) * x", "x"),
        // NaN is not folded, and neither is a comparison.
        ("sqrt(-1.0) * x", "sqrt(-1) * x"),
        ("if 1.0 < 2.0 { x } else { y }", "if 1 < 2 { x } else { y }"),
        ("x * 3.0", "3 * x"),
        ("3.0 * (5.0 * x)", "15 * x"),
        ("0.5 * (x * y)", "0.5 * x * y"),
        ("3.0 * (y * z) * 5.0", "mul3(15, y, z)"),
        ("x / 4.0", "0.25 * x"),
        ("x / -4.0", "-0.25 * x"),
        // The reciprocal of 3 is rounded, that of 2^120 is close to underflow, and that of 2^-120 close to overflow.
        ("x / 3.0", "x / 3"),
        ("x / 1329227995784916000000000000000000000.0", "x / 1.329227995784916e36"),
        ("x / 7.52316384526264e-37", "x / 7.52316384526264e-37"),
        // Not folded, because f32 has neither 1e60 nor 1e-60.
        ("1e30 * (1e30 * x)", "1e30 * (1e30 * x)"),
        ("1e-20 * (1e-20 * x)", "1e-20 * (1e-20 * x)"),
    ]);
}

#[test]
fn signs_move_outwards_and_meet() {
    become_these(&[
        ("- -x", "x"),
        ("-(x - y)", "y - x"),
        ("-(3.0 * x)", "-3 * x"),
        ("x + -y", "x - y"),
        ("-x + y", "y - x"),
        ("x - -y", "x + y"),
        ("3.0 * -x", "-3 * x"),
        ("-x * -y", "x * y"),
        ("-x * y", "-(x * y)"),
        ("x * -y", "-(x * y)"),
        ("-x / -y", "x / y"),
        ("-x / y", "-(x / y)"),
        ("x / -y", "-(x / y)"),
    ]);
}

#[test]
fn rows_of_the_table_are_recognised() {
    become_these(&[
        ("0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2))", "gelu(x)"),
        ("0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))", "gelu_tanh(x)"),
        ("x / (1.0 + exp(-x))", "silu(x)"),
        ("ln(1.0 + exp(x))", "softplus(x)"),
        ("0.5 * (1.0 + erf(x * FRAC_1_SQRT_2))", "normal_cdf(x)"),
        ("1.0 / (1.0 + exp(-x))", "sigmoid(x)"),
        ("(exp(2.0 * x) - 1.0) / (exp(2.0 * x) + 1.0)", "tanh(x)"),
        ("1.0 - erf(x)", "erfc(x)"),
        ("exp(x) - 1.0", "expm1(x)"),
        ("ln(1.0 + x)", "log1p(x)"),
        ("normal_cdf(x) + x * exp(-0.5 * x * x) * 0.3989422804014327", "gelu_grad(x)"),
        ("sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x)))", "silu_grad(x)"),
        (
            "let t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
             0.5 * (1.0 + t)
                 + 0.5 * x * (1.0 - t * t) * 0.7978845608028654 * (1.0 + 0.134145 * x * x)",
            "gelu_tanh_grad(x)",
        ),
        // Mirrored, negated, and of a composite variable; the largest subexpression is recognised first.
        ("1.0 - 1.0 / (1.0 + exp(-x))", "sigmoid(-x)"),
        ("-1.0 / (1.0 + exp(-x))", "-sigmoid(x)"),
        ("ln(1.0 - x)", "log1p(-x)"),
        ("x * y / (1.0 + exp(-x * y))", "silu(x * y)"),
        ("k * x / (1.0 + exp(-k * x))", "silu(k * x)"),
    ]);
}

#[test]
fn nothing_else_is() {
    become_these(&[
        ("x * sigmoid(x + y)", "x * sigmoid(x + y)"),
        ("x * sigmoid(k * x)", "x * sigmoid(k * x)"),
        // Equal to silu at every sample, but not below -3.
        ("max(x, -3.0) * sigmoid(x)", "max(max(x, -R), -3) * sigmoid(x)"),
        // A factor that is wrong in the tenth digit.
        ("0.5 * x * (1.0 + erf(0.7071067812572582 * x))", {
            "0.5 * erfc(-0.7071067812572582 * x) * max(x, -R)"
        }),
    ]);
}

#[test]
fn what_cancels_is_written_otherwise() {
    become_these(&[
        ("1.0 + tanh(x)", "2 * sigmoid(2 * x)"),
        ("tanh(x) + 1.0", "2 * sigmoid(2 * x)"),
        ("1.0 - tanh(x)", "2 * sigmoid(-2 * x)"),
        // Numbers that the rewrite creates are folded, and so are those before it.
        ("1.0 + tanh(3.0 * x)", "2 * sigmoid(6 * x)"),
        ("-tanh(x) + 1.0", "2 * sigmoid(-2 * x)"),
        ("1.0 + tanh(-x)", "2 * sigmoid(-2 * x)"),
        ("1.0 - tanh(x) * tanh(x)", "4 * sigmoid(2 * x) * sigmoid(-2 * x)"),
        // Differences of squares, where the number has an exact square root and the variable is an input.
        ("1.0 - x * x", "(1 - x) * (1 + x)"),
        ("y * (x.powi(2) - 4.0)", "y * (x - 2) * (x + 2)"),
        ("3.0 - x * x", "3 - x * x"),
        ("1.0 + x * x", "1 + x * x"),
        ("1.0 - x * y", "1 - x * y"),
        ("1.0 - sqrt(x) * sqrt(x)", "1 - sqrt(x) * sqrt(x)"),
        // These stay, because they do not cancel, or not everywhere.
        ("2.0 + tanh(x)", "2 + tanh(x)"),
        ("2.0 - tanh(x)", "2 - tanh(x)"),
        ("y - tanh(x)", "y - tanh(x)"),
        ("1.0 - tanh(x) * tanh(y)", "1 - tanh(x) * tanh(y)"),
    ]);
}

#[test]
fn bounded_factors_come_first() {
    become_these(&[
        ("x * y * z", "x * y * z"),
        ("y * gelu_grad(x)", "y * gelu_grad(x)"),
        ("y * z * sigmoid(x)", "sigmoid(x) * y * z"),
        // A factor above one: `mul3` selects the order by the values.
        ("y * z * gelu_grad(x)", "mul3(gelu_grad(x), y, z)"),
        // Attributes come first.
        ("y * z * gelu_grad(x) * k", "mul3(k * gelu_grad(x), y, z)"),
        ("2.0 * y * k * z", "mul3(2 * k, y, z)"),
        ("0.5 * y * z * gelu_grad(x)", "0.5 * gelu_grad(x) * y * z"),
        ("-2.0 * y * z * sigmoid(x)", "mul3(-2 * sigmoid(x), y, z)"),
        ("y * z * sigmoid(x) * tanh(x) * 1.5", "mul3(1.5 * sigmoid(x) * tanh(x), y, z)"),
        // Bounded factors.
        ("y * z * abs(sigmoid(x))", "abs(sigmoid(x)) * y * z"),
        ("y * z * (sigmoid(x) + erf(x))", "mul3(sigmoid(x) + erf(x), y, z)"),
        ("y * z * (0.25 * sigmoid(x) - 0.75)", "(0.25 * sigmoid(x) - 0.75) * y * z"),
        ("y * z * (if x < y { -sigmoid(x) } else { 3.0 })", {
            "mul3(if x < y { -sigmoid(x) } else { 3 }, y, z)"
        }),
        (
            "y * z * (if x < y { sigmoid(x) } else { z })",
            "y * z * (if x < y { sigmoid(x) } else { z })",
        ),
        ("y * z * min(x, 1.0)", "y * z * min(x, 1)"),
        // A product with another use is not merged into a larger one, so that powers stay few multiplications.
        ("x.powi(4)", "x * x * (x * x)"),
        ("y * z + sigmoid(x) * (y * z)", "y * z + sigmoid(x) * (y * z)"),
    ]);
}

#[test]
fn what_vanishes_holds_the_rest_still() {
    become_these(&[
        ("x * x * sigmoid(x) * sigmoid(-x)", "sigmoid(x) * sigmoid(-x) * clamp(x) * clamp(x)"),
        ("x * exp(-x)", "min(x, R) * exp(-min(x, R))"),
        ("x * tanh(ln(1.0 + exp(x)))", "max(x, -R) * tanh(softplus(x))"),
        // Each of several streams is clamped on its own.
        ("x * x * y * exp(-y)", "x * x * min(y, R) * exp(-min(y, R))"),
        ("(x * sigmoid(3.0 * x)) * (y * sigmoid(3.0 * y))", {
            "sigmoid(3 * x) * sigmoid(3 * y) * max(x, -R) * max(y, -R)"
        }),
        // These stay: nothing vanishes, or only at a point, or because of another stream, or it cannot be decided.
        ("x * tanh(x)", "x * tanh(x)"),
        ("(x - 1099511627776.0) * x", "(x - R) * x"),
        ("x * sigmoid(y)", "x * sigmoid(y)"),
        ("x * (k + x) * sigmoid(y)", "sigmoid(y) * x * (k + x)"),
    ]);
}

#[test]
fn what_has_settled_does_not_meet_infinities() {
    become_these(&[
        (
            "tanh(x * x * x - x * x)",
            "tanh(min(x, R) * min(x, R) * min(x, R) - min(x, R) * min(x, R))",
        ),
        (
            "exp(x * x - x * x * x)",
            "exp(min(x, R) * min(x, R) - min(x, R) * min(x, R) * min(x, R))",
        ),
        ("erf(x * x * x - x)", "erf(clamp(x) * clamp(x) * clamp(x) - clamp(x))"),
        ("normal_cdf(x * x * exp(x))", "normal_cdf(max(x, -R) * max(x, -R) * exp(max(x, -R)))"),
        // These stay: no infinities meet in the first two, the third does not saturate, the fourth depends on two
        // streams.
        ("sigmoid(3.0 * x)", "sigmoid(3 * x)"),
        ("sigmoid(x * x)", "sigmoid(x * x)"),
        ("softplus(x * x * x - x * x)", "softplus(x * x * x - x * x)"),
        ("tanh(x * x * y - x * y)", "tanh(x * x * y - x * y)"),
    ]);
}

#[test]
fn gradients_take_their_simplest_safe_form() {
    have_gradients(&[
        ("x + y", "dy"),
        ("y - x", "-dy"),
        // `(x + x) * dy` would be infinite where a small `dy` makes the result finite.
        ("x * x", "mul3(2, dy, x)"),
        // Recognised before it is differentiated, because `dy` would separate the parts afterwards.
        ("ln(1.0 + exp(x))", "dy * sigmoid(x)"),
        ("0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2))", "dy * gelu_grad(x)"),
        // The untaken branch contributes zero, whatever `dy` is, and none of its own values.
        ("if x < y { 2.0 * x } else { y }", "if x < y { 2 * dy } else { 0 }"),
        (
            "if x < 0.0 { 2.0 * sqrt(-x) } else { x }",
            "dy * (if x < 0 { -2 * (0.5 / sqrt(-x)) } else { 1 })",
        ),
        ("abs(x)", "dy * (if 0 < x { 1 } else { if x < 0 { -1 } else { x } })"),
        ("1.0 - tanh(x)", "-(4 * sigmoid(2 * x) * sigmoid(-2 * x) * dy)"),
    ]);
}

#[test]
fn a_gradient_is_shown_without_factors_of_one() {
    let def = gradient("3.0 * (y - x)");
    let names = (def.input_names(), def.scalar_names());
    assert_eq!(display::expression(&def.specs[0].traced, &names.0, &names.1), "-3 * dy");
}
