use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    x + Elem::from(1.0 as f64)
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem {
    x ^ 2.0
}

#[op(name = "F2")]
fn f2(x: Elem) -> Elem {
    x * 0.5f32
}

#[op(name = "F3")]
fn f3(x: Elem) -> Elem {
    x * "two"
}

#[op(name = "F4")]
fn f4(x: Elem) -> Elem {
    x * (1.0 / 0.0)
}

#[op(name = "F5")]
fn f5(x: Elem) -> Elem {
    if x > 0.0 || x { x } else { -x }
}

#[op(name = "F6")]
fn f6(x: Elem) -> Elem {
    x.gate
}

#[op(name = "F7")]
fn f7(x: Elem) -> Elem {
    (x, x)
}

fn main() {}
