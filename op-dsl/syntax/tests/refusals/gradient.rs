//! Refused gradients.

use crate::{only, operator};

#[test]
fn gradient_arguments_must_fit_the_operator() {
    for (grad, want) in [
        ("name = \"G\"", "write `wrt(x)`"),
        ("name = \"G\", wrt(z)", "`z` is no input"),
        ("name = \"G\", wrt(x), inputs(x)", "upstream gradients: 0"),
        ("name = \"G\", wrt(x), inputs(dy)", "reads `x`, which is not among its inputs"),
        ("name = \"F\", wrt(x)", "another operator is called `F`"),
    ] {
        let args = format!("name = \"F\", grad({grad})");
        only(operator(&args, "fn f(x: Elem) -> Elem { x * x }"), want);
    }
}

#[test]
fn variables_without_a_gradient_are_refused() {
    for (args, item, want) in [
        (
            "grad(name = \"G\", wrt(x.gate))",
            "fn f(#[split(along = d)] x: Gated, #[attr(default = 0)] d: Dim) -> Elem { x.gate }",
            "has both parts of a gated tensor; write `wrt(x)`",
        ),
        (
            "grad(name = \"G\", wrt(b), inputs(dy, x))",
            "fn f(x: Elem, #[broadcast] b: Elem) -> Elem { x + b }",
            "the gradient by `b`, a sum over elements, has its shape; add `b` to its inputs",
        ),
        (
            "broadcast, grad(name = \"G\", wrt(x), grad(name = \"GG\", wrt(dy)))",
            "fn f(x: Elem, b: Elem) -> Elem { x * b }",
            "`dx` is a sum over elements, which has no second derivative here",
        ),
        (
            "grad(name = \"G\", wrt(b))",
            "fn f(#[split(along = d)] x: Gated, #[broadcast] b: Elem, #[rows] n: Rows, #[attr(default = 0)] d: Dim) -> Elem \
             { x.gate * x.value + b }",
            "`b` is broadcast, so its gradient is a sum over rows, of which some are not computed",
        ),
        (
            "grad(name = \"G\", wrt(x))",
            "fn f(x: Elem) -> Elem { #[saved] let s = 2.0 * x; s + 1.0 }",
            "does not read the saved value `s`",
        ),
    ] {
        only(operator(&format!("name = \"F\", {args}"), item), want);
    }
}

/// Each accepted item here is next to a refused one above.
#[test]
fn gradients_by_broadcast_inputs() {
    let item = "fn f(x: Elem, #[broadcast] b: Elem) -> Elem { x * b }";
    let found = operator("name = \"F\", grad(name = \"G\", wrt(x, b))", item);
    assert_eq!(found, Vec::<String>::new());
    let item = "fn f(x: Elem) -> Elem { x * x }";
    let found = operator("name = \"F\", broadcast, grad(name = \"G\", wrt(x))", item);
    assert_eq!(found, Vec::<String>::new());
}
