use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    [x, x]
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem {
    let _r = 0..3;
    x
}

#[op(name = "F2")]
fn f2(x: Elem) -> Elem {
    let y = Some(x)?;
    y
}

#[op(name = "F3")]
fn f3(x: Elem) -> Elem {
    async { x }
}

#[op(name = "F4")]
fn f4(x: Elem) -> Elem {
    unsafe { x }
}

#[op(name = "F5")]
fn f5(x: Elem) -> Elem {
    x + const { 1.0 }
}

#[op(name = "F6")]
fn f6(x: Elem) -> Elem {
    try { x }
}

#[op(name = "F7")]
fn f7(x: Elem) -> Elem {
    _ + x
}

#[op(name = "F8")]
fn f8(x: Elem) -> Elem {
    yield x
}

#[op(name = "F9")]
fn f9(x: Elem) -> Elem {
    'a: { x }
}

#[op(name = "F10")]
fn f10(x: Elem) -> Elem {
    break x
}

#[op(name = "F11")]
fn f11(x: Elem) -> Elem {
    if x > 0.0 && let _y = x { x } else { -x }
}

fn main() {}
