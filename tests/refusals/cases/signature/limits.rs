use op_dsl::prelude::*;

#[op(name = "Tensors")]
fn tensors(
    x0: Elem,
    x1: Elem,
    x2: Elem,
    x3: Elem,
    x4: Elem,
    x5: Elem,
    x6: Elem,
    x7: Elem,
    x8: Elem,
) -> Elem {
    x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8
}

#[op(name = "Floats")]
fn floats(
    x: Elem,
    #[attr(default = 1.0)] a0: f32,
    #[attr(default = 1.0)] a1: f32,
    #[attr(default = 1.0)] a2: f32,
    #[attr(default = 1.0)] a3: f32,
    #[attr(default = 1.0)] a4: f32,
    #[attr(default = 1.0)] a5: f32,
    #[attr(default = 1.0)] a6: f32,
    #[attr(default = 1.0)] a7: f32,
    #[attr(default = 1.0)] a8: f32,
) -> Elem {
    x * a0 * a1 * a2 * a3 * a4 * a5 * a6 * a7 * a8
}

fn main() {}
