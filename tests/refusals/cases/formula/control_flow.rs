use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    for _ in 0..3 {}
    x
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem {
    while 1.0 < 0.0 {}
    x
}

#[op(name = "F2")]
fn f2(x: Elem) -> Elem {
    loop {}
}

#[op(name = "F3")]
fn f3(x: Elem) -> Elem {
    return x;
}

#[op(name = "F4")]
fn f4(x: Elem) -> Elem {
    if x > 0.0 {
        let _ = x;
    }
    x
}

fn main() {}
