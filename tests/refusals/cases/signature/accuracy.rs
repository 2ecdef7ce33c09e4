use op_dsl::prelude::*;

#[op(name = "Coarse", accuracy = "coarse")]
fn coarse(x: Elem) -> Elem {
    x + x
}

#[op(name = "Word", accuracy = fast)]
fn word(x: Elem) -> Elem {
    x + x
}

#[op(name = "Portion", accuracy = "fast")]
fn portion(x: Elem) -> Elem {
    x / row_sum(x)
}

#[op(name = "Both", arithmetic = f32, accuracy = "fast")]
fn both(x: Elem) -> Elem {
    x + x
}

#[op(name = "Slope", grad(name = "SlopeGrad", wrt(x), accuracy = "low"))]
fn slope(x: Elem) -> Elem {
    exp(x)
}

#[op(name = "Share", grad(name = "ShareGrad", wrt(x), accuracy = "fast"))]
fn share(x: Elem) -> Elem {
    x / row_sum(x)
}

fn main() {}
