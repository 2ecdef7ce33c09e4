use op_dsl::prelude::*;

#[op(name = "Few", updates(x))]
fn few(x: Elem, y: Elem) -> (Elem, Elem) {
    (x + y, x - y)
}

#[op(name = "Other", updates(z))]
fn other(x: Elem, y: Elem) -> Elem {
    x + y
}

#[op(name = "Twice", updates(x, x))]
fn twice(x: Elem, y: Elem) -> (Elem, Elem) {
    (x + y, x - y)
}

#[op(name = "Stored", updates(m))]
fn stored(x: Elem, m: Elem<f32>) -> Elem {
    x + m
}

#[op(name = "Missing", updates(m))]
fn missing(x: Elem, m: Option<Elem>) -> Elem {
    x + m.unwrap_or(0.0)
}

#[op(name = "Smaller", updates(b))]
fn smaller(x: Elem, #[broadcast] b: Elem) -> Elem {
    x + b
}

#[op(name = "Double", arithmetic = f64)]
fn double(x: Elem) -> Elem {
    x + x
}

#[op(name = "Whole", arithmetic = f32)]
fn whole(x: Elem) -> Elem {
    x / row_sum(x)
}

fn main() {}
