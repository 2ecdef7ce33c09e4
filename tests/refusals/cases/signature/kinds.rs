use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem, keep: bool) -> Elem {
    if keep { x } else { 0.0 }
}

#[op(name = "F1")]
fn f1(x: Elem, x: Elem) -> Elem {
    x
}

#[op(name = "F2")]
fn f2(x: Elem, #[attr(default = 1.0)] alpha: f64) -> Elem {
    alpha * x
}

#[op(name = "F3")]
fn f3(x: Elem, #[attr(default = 1)] n: usize) -> Elem {
    x
}

#[op(name = "F4")]
fn f4(x: Elem, #[attr(default = "none")] mode: String) -> Elem {
    x
}

#[op]
fn f5(x: Elem) -> Elem {
    x
}

fn main() {}
