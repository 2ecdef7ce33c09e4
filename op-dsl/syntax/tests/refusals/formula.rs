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

/// Each accepted item here is next to a refused one.
#[test]
fn a_derivative_of_its_own() {
    for text in [
        "#[grad(identity)] let q = round(x); q",
        "#[grad(identity)] let q = (2.0 * x).floor(); q",
        "#[grad(clamp(x, -1.0, 1.0))] let q = if x > 0.0 { 1.0 } else { -1.0 }; q",
        "#[grad(0.0)] let q = x; q * x",
        "let q = { #[grad(identity)] let r = sign(x); r }; q",
        "with_grad(sign(x), tanh(x))",
    ] {
        assert_eq!(body(text), Vec::<String>::new(), "{text}");
    }
    for (text, want) in [
        ("#[grad] let q = round(x); q", "`grad` names a derivative; write `identity`, or"),
        ("#[grad()] let q = round(x); q", "`grad` names a derivative; write `identity`, or"),
        ("#[grad = x] let q = round(x); q", "this takes its arguments in parentheses"),
        (
            "#[grad(identity)] let q = round(x) * x; q",
            "`identity` is the argument of a call `f(x)`",
        ),
        ("#[grad(identity)] let q = max(x, 0.0); q", "write the expression whose derivative"),
        ("#[grad(identiy)] let q = round(x); q", "no value `identiy` is in sight"),
        ("#[grad(q)] let q = round(x); q", "no value `q` is in sight"),
        ("#[grad(x, x)] let q = round(x); q", "unexpected token"),
        ("#[grad(x > 0.0)] let q = round(x); q", "this is true or false"),
        ("#[grad(identity)] #[grad(x)] let q = round(x); q", "`grad` is given twice"),
        ("#[grad(x)] let (q, r) = (x, x); q + r", "an element is needed here and this is a tuple"),
        ("#[grad(identity)] x + 1.0", "only a `let` has a derivative of its own"),
        ("if x > 0.0 { #[grad(identity)] { x } } else { x }", "only a `let` has a derivative"),
        ("with_grad(x)", "`with_grad` takes 2 arguments and is given 1"),
    ] {
        let found = body(text);
        assert!(found.iter().any(|message| message.contains(want)), "{text}: {found:?}");
    }
    only(operator("name = \"F\"", "#[grad(identity)] fn f(x: Elem) -> Elem { x }"), "only a `let`");
    only(operator("name = \"F\"", "fn f(#[grad] x: Elem) -> Elem { x }"), "only a `let`");
    only(
        family(
            "#[op(name = \"F\", outputs(y))] fn f(x: Elem) -> Elem { #[grad(x)] let q = sign(x); q }
             #[op(name = \"G\", grad_of = f)] fn g(dy: Elem, x: Elem) -> Elem { dy + 0.0 * x }",
        ),
        "`f` has a derivative that is not that of its values; remove `grad_of`",
    );
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
