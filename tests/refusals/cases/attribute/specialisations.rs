use op_dsl::prelude::*;

#[rustfmt::skip]
#[op(name = "Many")]
fn many(
    x: Elem,
    #[attr(default = true)] a0: bool,
    #[attr(default = true)] a1: bool,
    #[attr(default = true)] a2: bool,
    #[attr(default = true)] a3: bool,
    #[attr(default = true)] a4: bool,
    #[attr(default = true)] a5: bool,
    #[attr(default = true)] a6: bool,
    #[attr(default = true)] a7: bool,
) -> Elem {
    let x = if a0 { x } else { exp(x) };
    let x = if a1 { x } else { exp(x) };
    let x = if a2 { x } else { exp(x) };
    let x = if a3 { x } else { exp(x) };
    let x = if a4 { x } else { exp(x) };
    let x = if a5 { x } else { exp(x) };
    let x = if a6 { x } else { exp(x) };
    let x = if a7 { x } else { exp(x) };
    x
}

fn main() {}
