use op_dsl::prelude::*;

#[op(outputs(z))]
fn none(x: Elem) -> Elem {
    x
}

#[op(name = "lower_case")]
fn lower(x: Elem) -> Elem {
    x
}

#[op(name = "Twice", name = "Again")]
fn twice(x: Elem) -> Elem {
    x
}

#[op(name = "Outputs", outputs(a, b))]
fn outputs(x: Elem) -> Elem {
    x
}

#[op(name = "Clash", outputs(y))]
fn clash(y: Elem) -> Elem {
    y
}

#[op(name = "Types", dtypes(f32, f64))]
fn types(x: Elem) -> Elem {
    x
}

#[op(name = "Unknown", speed = 3)]
fn unknown(x: Elem) -> Elem {
    x
}

#[op(name = "Elem", grad(name = "Dim", wrt(x)))]
fn taken(x: Elem) -> Elem {
    x
}

fn main() {}
