use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    let mut y = x;
    y = y * 2.0;
    y
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem {
    let y = &x;
    *y
}

#[op(name = "F2")]
fn f2(x: Elem) -> Elem {
    let y;
    y = x;
    y
}

#[op(name = "F3")]
fn f3(x: Elem) -> Elem {
    [x, x][0]
}

fn main() {}
