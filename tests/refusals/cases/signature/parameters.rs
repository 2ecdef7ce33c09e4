use op_dsl::prelude::*;

#[op(name = "NoTensor")]
fn no_tensor() -> Elem {
    exp(1.0)
}

#[op(name = "Slice")]
fn slice(x: Elem, z: Vec<f32>) -> Elem {
    x
}

#[op(name = "Pattern")]
fn pattern(x: Elem, (a, b): (Elem, Elem)) -> Elem {
    x
}

#[op(name = "Unread")]
fn unread(x: Elem, z: Elem) -> Elem {
    x
}

#[op(name = "Read")]
fn read(#[unused] x: Elem) -> Elem {
    x
}

#[op(name = "Marker")]
fn marker(#[fast] x: Elem) -> Elem {
    x
}

#[op(name = "Number")]
fn number(x: Elem) -> f64 {
    2.0
}

#[op(name = "Generic")]
fn generic<T>(x: Elem) -> Elem {
    x
}

#[op(name = "Async")]
async fn later(x: Elem) -> Elem {
    x
}

fn main() {}
