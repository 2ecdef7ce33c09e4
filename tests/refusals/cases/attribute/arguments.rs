use op_dsl::prelude::*;

#[op(name = "Equals")]
fn equals(x: Elem, #[attr = 1.0] a: f32) -> Elem {
    x * a
}

#[op(name = "Twice")]
fn twice(x: Elem, #[attr(default = 1.0)] #[attr(default = 2.0)] a: f32) -> Elem {
    x * a
}

#[op(name = "Wire")]
fn wire(x: Elem, #[attr(default = 1.0, wire = "number")] a: f32) -> Elem {
    x * a
}

#[op(name = "Tensor")]
fn tensor(#[attr(default = 1.0)] x: Elem) -> Elem {
    x
}

#[op(name = "Unused")]
fn unused(x: Elem, #[unused] #[attr(default = 1.0)] a: f32) -> Elem {
    x * a
}

#[op(name = "Integer")]
fn integer(x: Elem, #[attr(default = 1.5)] n: i64) -> Elem {
    x
}

#[op(name = "Layout")]
fn layout(x: Elem, #[attr(default = 1)] n: i64) -> Elem {
    x.powi(n)
}

fn main() {}
