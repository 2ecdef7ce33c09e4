use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    x * ALPHA
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem {
    x * FRAC_1_SQRT_9
}

#[op(name = "F2")]
fn f2(x: Elem) -> Elem {
    z + 1.0
}

fn main() {}
