//! Refused formulas.

use crate::{family, only, operator};

/// Returns the messages for a body of `fn f(x: Elem) -> Elem`.
fn body(text: &str) -> Vec<String> {
    operator("name = \"F\"", &format!("fn f(x: Elem) -> Elem {{ {text} }}"))
}

#[test]
fn expressions_that_are_no_formula() {
    for (text, want) in [
        ("for i in 0..3 { x; } x", "loops are not elementwise"),
        ("while true { } x", "loops are not elementwise"),
        ("loop {}", "loops are not elementwise"),
        ("(|v: Elem| v)(x)", "only functions with a plain name"),
        ("let f = |v: Elem| v; x", "closures have no graph"),
        ("let mut y = x; y", "do not change"),
        ("let y = x; y = 2.0 * y; y", "do not change"),
        ("let y = x; y += 1.0; y", "do not change"),
        ("&x + 1.0", "without `&`"),
        ("*x + 1.0", "without `*`"),
        ("x as f32", "remove the cast"),
        ("x[0]", "no neighbours to index"),
        ("return x;", "every element takes the same path"),
        ("if x > 0.0 { return x; } -x", "no early `return`"),
        ("println!(\"{}\", 1); x", "a macro cannot be seen through"),
        ("frobnicate(x)", "no function `frobnicate` is known; write a `#[formula]"),
        ("sigmiod(x)", "did you mean `sigmoid`?"),
        ("x.sigmiod()", "did you mean `sigmoid`?"),
        ("f64::exp(x)", "only functions with a plain name"),
        ("max(x)", "`max` takes 2 arguments and is given 1"),
        ("clamp(x, 1.0)", "`clamp` takes 3 arguments and is given 2"),
        ("mul3(x, x, x)", "no function `mul3` is known"),
        ("x % 2.0", "remainder"),
        ("y + x", "no value `y` is in sight"),
        ("NOPE * x", "no constant `NOPE` is in sight"),
        ("x.powi(x)", "the exponent must be seen here"),
        ("x.powi(100)", "beyond 64"),
        ("if x > 0.0 { x }", "write the `else` branch"),
        ("if x { x } else { x }", "a condition is needed"),
        ("match x { _ => x }", "`match` is on an attribute"),
        ("x.gate", "only a `Gated` has parts"),
        ("{ #[saved] let y = x; y }", "move the `let` to the top"),
        ("x; x", "goes nowhere"),
        ("let y = x;", "ends with its value"),
        ("(x, x)", "the signature has 1 output and this is 2"),
        ("x * \"two\"", "numbers only"),
        ("x * 0.5f32", "remove the suffix"),
        ("unsafe { x }", "remove `unsafe`"),
        ("x * (1.0 / 0.0)", "not finite"),
        ("struct G; x", "move the item out"),
        ("is_nan(x)", "this is true or false"),
        ("x * is_inf(x)", "this is true or false"),
        ("is_finite(x, x)", "`is_finite` takes 1 argument and is given 2"),
        ("if x.is_infinite() { 0.0 } else { x }", "write `is_inf(x)`"),
        ("if isnan(x) { 0.0 } else { x }", "write `is_nan(x)`"),
    ] {
        only(body(text), want);
    }
}

#[test]
fn values_of_another_type() {
    for (text, want) in [
        ("2 * x", "an integer; write `2.0`"),
        ("max(x, 0)", "an integer; write `0.0`"),
        ("if x > 1 { x } else { 1.0 }", "an integer; write `1.0`"),
        ("let k: f64 = 3; k * x", "an integer; write `3.0`"),
        ("let y: f32 = x; y", "`f32` is needed here and this is an element; write `Elem`"),
        ("#[formula] fn g(x: Elem, k: f32) -> Elem { k * x } g(x, x)", "write `Elem`"),
        ("#[formula] fn g(x: Elem) -> f64 { x } x * g(x)", "write `Elem`"),
        (
            "#[formula] fn g(x: Elem, odd: bool) -> Elem { if odd { x } else { 1.0 } } g(x, x)",
            "`bool`",
        ),
        ("const K: bool = true; if K { x } else { -x }", "`K` is no constant of a formula"),
    ] {
        only(body(text), want);
    }
}

#[test]
fn all_mistakes_at_once() {
    let found = body("let y = nope(x); let z = y * NOPE; for i in 0..2 {} x[0] + z");
    assert_eq!(found.len(), 4, "{found:?}");
}

#[test]
fn a_mistake_in_a_shared_formula_is_said_once() {
    let items = "
        #[derive(OpAttr)]
        enum Mode { A, B }
        #[formula]
        fn bad(x: Elem) -> Elem { x[0] }
        #[op(name = \"One\")]
        fn one(x: Elem, #[attr(default = Mode::A)] mode: Mode) -> Elem {
            match mode { Mode::A => bad(x), Mode::B => bad(x) + bad(2.0 * x) }
        }
        #[op(name = \"Two\")]
        fn two(x: Elem) -> Elem { bad(x) }";
    only(family(items), "no neighbours");
}

#[test]
fn match_arms_must_cover_plain_values() {
    let of = |arms: &str| {
        family(&format!(
            "#[derive(OpAttr)]
            enum Mode {{ A, B }}
            #[op(name = \"F\")]
            fn f(x: Elem, #[attr(default = Mode::A)] mode: Mode) -> Elem {{ match mode {{ {arms} }} }}"
        ))
    };
    assert_eq!(of("Mode::A => x, _ => 2.0 * x"), Vec::<String>::new());
    only(of("Mode::A => x"), "has no arm");
    only(of("Mode::A => x, other => x"), "would fit every value");
    only(of("Mode::A if true => x, _ => x"), "picked by its value alone");
    only(of("Mode::C => x, _ => x"), "no value of the attribute");
}
