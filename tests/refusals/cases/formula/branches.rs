use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    if x > 0.0 {
        x
    }
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem {
    if let y = x { y } else { x }
}

#[op(name = "F2")]
fn f2(x: Elem) -> Elem {
    let Some(y) = x else { x };
    y
}

#[op(name = "F3")]
fn f3(x: Elem) -> Elem {
    let [y] = x;
    y
}

#[op(name = "F4")]
fn f4(x: Elem) -> Elem {
    let y = { };
    x
}

#[op(name = "F5")]
fn f5(x: Elem) -> Elem {
    if x > 0.0 { x } else { x > 1.0 }
}

fn main() {}
