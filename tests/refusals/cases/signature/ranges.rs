use op_dsl::prelude::*;

#[op(name = "Turned")]
fn turned(#[range(1.0, 0.0)] x: Elem) -> Elem {
    x
}

#[op(name = "OfMask")]
fn of_mask(
    x: Elem,
    #[mask]
    #[range(0.0, 1.0)]
    keep: Mask,
) -> Elem {
    if keep { x } else { 0.0 }
}

#[op(name = "Dimension")]
fn dimension(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
    x.value * x.gate * dim
}

fn main() {}
