use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem, #[broadcast(across = 1)] w: Elem) -> Elem {
    x * w
}

#[op(name = "F1")]
fn f1(x: Elem, #[broadcast(along = -1)] w: Elem) -> Elem {
    x * w
}

#[op(name = "F2")]
fn f2(#[broadcast(along = 1)] w: Elem) -> Elem {
    2.0 * w
}

#[op(name = "F3")]
fn f3(x: Elem, #[split(along = d)] #[broadcast(along = 1)] w: Gated, #[attr(default = -1)] d: Dim) -> Elem {
    x * w.gate * w.value
}
