use op_dsl::prelude::*;

#[op(name = "F", speed = 3)]
fn f(x: Elem, beta: f32) -> Elem {
    let y = frobnicate(x);
    for _ in 0..3 {}
    y[0]
}

fn main() {}
