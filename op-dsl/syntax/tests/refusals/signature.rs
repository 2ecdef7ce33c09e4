//! Refused signatures of operators and their attributes.

use crate::{messages, only, operator, tokens};
use op_dsl_syntax::attribute_enum;

const NAMED: &str = "name = \"F\"";

#[test]
fn arguments_of_an_operator() {
    for (args, want) in [
        ("", "has no name"),
        ("name = \"lower\"", "write a capital"),
        ("name = \"F\", name = \"G\"", "given twice"),
        ("name = \"F\", speed = 2", "unknown argument"),
        ("name = \"F\", dtypes(f64)", "unknown element type"),
        ("name = \"F\", outputs(a, b)", "names 2 of 1"),
        ("name = \"F\", outputs(x)", "two tensors are called"),
        ("name = \"F\", grad_of = g", "no operator is called `g`"),
    ] {
        only(operator(args, "fn f(x: Elem) -> Elem { x }"), want);
    }
}

#[test]
fn wrong_parameters_are_refused_with_advice() {
    for (item, want) in [
        ("fn f() -> Elem { 1.0 }", "needs a tensor"),
        (
            "fn f(x: Vec<f32>) -> Elem { 1.0 }",
            "a tensor is `Elem`, `Gated`, `Mask`, `PerRow` or `Rows`",
        ),
        ("fn f(x: Elm) -> Elem { x }", "did you mean `Elem`?"),
        ("fn f(x: Elem, x: Elem) -> Elem { x }", "another parameter is called `x`"),
        ("fn f(x: Elem, n: i64) -> Elem { x }", "has no default"),
        ("fn f(x: Elem, n: bool) -> Elem { x }", "for a tensor of truth values, `#[mask] n: Mask`"),
        ("fn f(x: Elem, #[attr(default = 1.0)] a: f64) -> Elem { a * x }", "write `f32`"),
        ("fn f(x: Elem, #[attr(default = 1)] n: usize) -> Elem { x }", "write `i64`"),
        ("fn f(x: Elem, #[attr(default = \"a\")] n: String) -> Elem { x }", "derive `OpAttr`"),
        ("fn f(x: Elem, #[attr(default = 1)] n: bool) -> Elem { x }", "`true` or `false`"),
        ("fn f(x: Elem, z: Elem) -> Elem { x }", "does not read `z`"),
        ("fn f(#[unused] x: Elem) -> Elem { x }", "remove `#[unused]`"),
        ("fn f(x: Gated) -> Elem { x.gate }", "needs its split"),
        ("fn f(#[split(along = d)] x: Gated) -> Elem { x.gate }", "no parameter `d: Dim`"),
        ("fn f(#[split(along = d)] x: Elem) -> Elem { x }", "only a gated tensor is split"),
        ("fn f(x: Elem, #[mask] m: bool) -> Elem { x }", "write `#[mask] m: Mask`"),
        ("fn f(x: Elem, m: Mask) -> Elem { if m { x } else { 0.0 } }", "write `#[mask] m: Mask`"),
        ("fn f(#[mask] m: Mask) -> Elem { if m { 1.0 } else { 0.0 } }", "a tensor of numbers"),
        ("fn f(x: Elem, #[mask] m: Mask) -> Elem { m * x }", "this is true or false"),
        ("fn f(&self, x: Elem) -> Elem { x }", "is not a method"),
        ("fn f((x, y): Elem, z: Elem) -> Elem { z }", "one plain name"),
        ("fn f(x: Elem, #[broadcast(across = 1)] w: Elem) -> Elem { x * w }", "known: along"),
        ("fn f(x: Elem, #[broadcast(along = -1)] w: Elem) -> Elem { x * w }", "from 0 to 7"),
        ("fn f(x: Elem, #[broadcast(along = 8)] w: Elem) -> Elem { x * w }", "from 0 to 7"),
        ("fn f(#[broadcast(along = 1)] w: Elem) -> Elem { w }", "write one without `along`"),
        (
            "fn f(x: Elem, #[broadcast(along = 1)] #[split(along = d)] w: Gated, #[attr(default = 0)] d: Dim) -> Elem \
             { x * w.gate * w.value }",
            "is split along a dimension already",
        ),
        ("fn f(x: Elem, #[range(1.0, 0.0)] t: Elem) -> Elem { x * t }", "the smaller first"),
        ("fn f(x: Elem, #[range(1.0)] t: Elem) -> Elem { x * t }", "write `#[range(0.0, 1.0)]`"),
        (
            "fn f(x: Elem, #[mask] #[range(0.0, 1.0)] m: Mask) -> Elem { if m { x } else { 0.0 } }",
            "only tensors of numbers have a range",
        ),
        (
            "fn f(x: Elem, #[attr(default = 1.0)] #[range(0.0, 1.0)] a: f32) -> Elem { a * x }",
            "only tensors have this",
        ),
    ] {
        only(operator(NAMED, item), want);
    }
}

#[test]
fn functions_and_results() {
    for (item, want) in [
        ("fn f(x: Elem) { x }", "write `-> Elem`"),
        ("fn f(x: Elem) -> f64 { x }", "an output is an `Elem`"),
        ("fn f(x: Elem) -> Gated { Gated { gate: x, value: x } }", "there is none"),
        ("async fn f(x: Elem) -> Elem { x }", "remove `async`"),
        ("unsafe fn f(x: Elem) -> Elem { x }", "remove `unsafe`"),
        ("fn f<T>(x: Elem) -> Elem { x }", "is not generic"),
    ] {
        only(operator(NAMED, item), want);
    }
}

#[test]
fn attribute_enums_need_distinct_plain_values() {
    for (item, want) in [
        ("enum E { A(i64) }", "remove the fields"),
        ("enum E { A = 1, B = 1 }", "has the wire value 1 already"),
        ("enum E { A, #[attr(name = \"a\")] B }", "has the name \"a\" already"),
        ("enum E {}", "needs at least one value"),
        ("enum E<T> { A }", "has no parameters"),
        ("struct E;", "derive `OpAttr` on an enum"),
    ] {
        only(messages(attribute_enum(tokens(item)).err()), want);
    }
}
