use op_dsl::prelude::*;

#[op(name = "A", grad(name = "AGrad", wrt(x, x)))]
fn by_twice(x: Elem) -> Elem {
    x * x
}

#[op(name = "B", grad(name = "BGrad", wrt(x), inputs(dy, x, x)))]
fn input_twice(x: Elem) -> Elem {
    x * x
}

#[op(name = "C", grad(name = "CGrad", wrt(dy)))]
fn clash(dy: Elem) -> Elem {
    dy * dy
}

#[op(name = "D", grad(name = "DGrad", by(x)))]
fn unknown(x: Elem) -> Elem {
    x * x
}

#[op(name = "E", grad(name = "EGrad", wrt(x), inputs(dx, x)))]
fn in_and_out(x: Elem) -> Elem {
    x * x
}

#[op(name = "G", grad(name = "GGrad", wrt(x, z), outputs(a, a)))]
fn out_twice(x: Elem, z: Elem) -> Elem {
    x * z
}

fn main() {}
