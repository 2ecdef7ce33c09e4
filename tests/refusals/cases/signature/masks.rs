use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem, #[mask] keep: bool) -> Elem {
    if keep { x } else { 0.0 }
}

#[op(name = "F1")]
fn f1(x: Elem, keep: Mask) -> Elem {
    if keep { x } else { 0.0 }
}

#[op(name = "F2")]
fn f2(#[mask] x: Elem) -> Elem {
    2.0 * x
}

#[op(name = "F3")]
fn f3(x: Elem, #[mask] keep: Mask) -> Elem {
    keep * x
}

#[op(name = "F4")]
fn f4(x: Elem, #[mask] keep: Mask) -> (Elem, Elem) {
    (x, keep)
}

#[op(name = "F5")]
fn f5(#[mask] keep: Mask) -> Elem {
    if keep { 1.0 } else { 0.0 }
}

#[op(name = "F6", grad(name = "F6Grad", wrt(x, keep)))]
fn f6(x: Elem, #[mask] keep: Mask) -> Elem {
    if keep { x } else { 0.0 }
}

#[op_dsl::operators]
mod by_hand {
    use op_dsl::prelude::*;

    #[op(name = "Forward")]
    pub fn forward(x: Elem) -> Elem {
        relu(x)
    }

    #[op(name = "Backward", grad_of = forward)]
    pub fn backward(dy: Elem, #[mask] positive: Mask) -> Elem {
        if positive { dy } else { 0.0 }
    }
}

#[op(name = "F7")]
fn f7(x: Elem, #[attr(default = true)] #[mask] keep: Mask, #[split(along = d)] #[mask] m: Mask) -> Elem {
    if keep && m { x } else { 0.0 }
}

fn main() {}
