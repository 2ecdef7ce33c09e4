use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    frobnicate(x)
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem {
    sigmiod(x)
}

#[op(name = "F2")]
fn f2(x: Elem) -> Elem {
    x.sigmiod()
}

#[op(name = "F3")]
fn f3(x: Elem) -> Elem {
    std::convert::identity(x)
}

#[op(name = "F4")]
fn f4(x: Elem) -> Elem {
    let square = |v: Elem| v * v;
    square(x)
}

#[op(name = "F5")]
fn f5(x: Elem) -> Elem {
    println!("{x:?}");
    x
}

#[op(name = "F6")]
fn f6(x: Elem) -> Elem {
    max(x)
}

#[op(name = "F7")]
fn f7(x: Elem) -> Elem {
    x.powi(100)
}

fn main() {}
