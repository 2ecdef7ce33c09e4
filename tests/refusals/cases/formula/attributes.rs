use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    #[inline]
    let y = x;
    y
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem {
    #[saved]
    let s = x;
    #[saved]
    let s = 2.0 * s;
    s
}

#[op(name = "F2")]
fn f2(x: Elem) -> Elem {
    #[saved]
    let (y, z) = (x, x);
    y + z
}

fn main() {}
