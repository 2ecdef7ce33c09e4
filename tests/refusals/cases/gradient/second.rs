use op_dsl::prelude::*;

#[op(name = "A", grad(name = "AG", wrt(x), grad(name = "AGG", wrt(x), grad(name = "AGGG", wrt(x)))))]
fn third(x: Elem) -> Elem {
    x * x * x * x
}

#[op(name = "B", grad(name = "BGrad", wrt(x), grad(wrt(x))))]
fn nameless(x: Elem) -> Elem {
    x * x * x
}

#[op(name = "C", grad(name = "CGrad", wrt(x), grad(name = "CGradGrad", wrt(dy, s))))]
fn by_what_was_saved(x: Elem) -> Elem {
    #[saved]
    let s = exp(x);
    s * x
}

#[op(
    name = "D",
    grad(name = "DGrad", wrt(x), inputs(dy, s), grad(name = "DGradGrad", wrt(dy), inputs(ddx, dy)))
)]
fn without_what_was_saved(x: Elem) -> Elem {
    #[saved]
    let s = exp(x);
    2.0 * s
}

#[op(name = "F", grad(name = "FGrad", wrt(x), grad(name = "FGradGrad", wrt(dy, z))))]
fn unknown(x: Elem) -> Elem {
    x * x
}

#[op(name = "G", grad(name = "GGrad", wrt(x), grad(name = "GGradGrad", wrt(x, keep))))]
fn by_a_mask(x: Elem, #[mask] keep: Mask) -> Elem {
    if keep { x * x } else { 0.0 }
}

#[op(name = "H", grad(name = "HGrad", wrt(x), grad(name = "HGradGrad", wrt(dy), inputs(ddx, dy))))]
fn unconnected(x: Elem) -> Elem {
    x * x
}

#[op(name = "I", grad(name = "IGrad", wrt(x, w), grad(name = "IGradGrad", wrt(dy, x))))]
fn a_third_derivative_of_lgamma(x: Elem, w: Elem) -> Elem {
    digamma(x) + w * w
}

// The derivative by `w` needs none of `x`.
#[op(name = "J", grad(name = "JGrad", wrt(w)))]
fn beside(x: Elem, w: Elem) -> Elem {
    trigamma(x) * w
}

// The author chose another derivative.
#[op(name = "K", grad(name = "KGrad", wrt(x)))]
fn chosen(x: Elem) -> Elem {
    with_grad(trigamma(x), x)
}

#[op_dsl::operators]
mod by_hand {
    use op_dsl::prelude::*;

    #[op(name = "Cube")]
    pub fn cube(x: Elem) -> Elem {
        x * x * x
    }

    #[op(name = "CubeGrad", grad_of = cube, wrt(x), outputs(dx), grad(name = "Second", wrt(dy, x)))]
    pub fn cube_grad(dy: Elem, x: Elem, squared: Option<Elem>) -> Elem {
        3.0 * dy * squared.unwrap_or(x * x)
    }
}

fn main() {}
