use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    x * 1.0e39
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem {
    x * 1.0e-39
}

#[op(name = "F2")]
fn f2(x: Elem) -> Elem {
    x * (1.0e30 * 1.0e30)
}

#[op(name = "F3")]
fn f3(x: Elem) -> Elem {
    x * 1.0e999
}

#[op(name = "F4")]
fn f4(x: Elem) -> Elem {
    x.powi(99999999999999999999)
}

#[op(name = "F5")]
fn f5(x: Elem) -> Elem {
    x.powi(x)
}

#[op(name = "F6")]
fn f6(x: Elem) -> Elem {
    x & 1.0
}

#[op(name = "F7")]
fn f7(x: Elem) -> Elem {
    x + true
}

#[op(name = "F8")]
fn f8(x: Elem) -> Elem {
    let mut y = x;
    y += x;
    y
}

#[op(name = "F9")]
fn f9(x: Elem) -> Elem {
    frob + x
}

fn main() {}
