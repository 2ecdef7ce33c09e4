use op_dsl::prelude::*;

#[op(name = "A", grad(wrt(x)))]
fn nameless(x: Elem) -> Elem {
    x * x
}

#[op(name = "B", grad(name = "BGrad"))]
fn of_nothing(x: Elem) -> Elem {
    x * x
}

#[op(name = "C", grad(name = "CGrad", wrt(z)))]
fn of_unknown(x: Elem) -> Elem {
    x * x
}

#[op(name = "D", grad(name = "DGrad", wrt(x), inputs(x)))]
fn no_upstream(x: Elem) -> Elem {
    x * x
}

#[op(name = "E", grad(name = "EGrad", wrt(x), inputs(dy)))]
fn unconnected(x: Elem) -> Elem {
    x * x
}

#[op(name = "G", grad(name = "G", wrt(x)))]
fn same_name(x: Elem) -> Elem {
    x * x
}

#[op(name = "H", grad_of = nobody)]
fn by_hand(x: Elem) -> Elem {
    2.0 * x
}

#[op(name = "J", grad(name = "JGrad", wrt(x), outputs(a, b)))]
fn outputs(x: Elem) -> Elem {
    x * x
}

fn main() {}
