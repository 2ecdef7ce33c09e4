use op_dsl::prelude::*;

#[op(name = "None")]
fn none(x: Gated) -> Elem {
    x.gate * x.value
}

#[op(name = "NoDim")]
fn no_dim(#[split(along = dim)] x: Gated) -> Elem {
    x.gate * x.value
}

#[op(name = "NoAlong")]
fn no_along(#[split(interleaved)] x: Gated) -> Elem {
    x.gate * x.value
}

#[op(name = "Selector")]
fn selector(
    #[split(along = dim, gate_left = left)] x: Gated,
    #[attr(default = -1)] dim: Dim,
) -> Elem {
    x.gate * x.value
}

#[op(name = "Turns")]
fn turns(
    #[split(along = dim, interleaved = turns)] x: Gated,
    #[attr(default = -1)] dim: Dim,
) -> Elem {
    x.gate * x.value
}

#[op(name = "Number")]
fn number(
    #[split(along = dim, interleaved = 1)] x: Gated,
    #[attr(default = -1)] dim: Dim,
) -> Elem {
    x.gate * x.value
}

#[op(name = "Whole")]
fn whole(#[split(along = dim)] x: Elem, #[attr(default = -1)] dim: Dim) -> Elem {
    x
}

#[op(name = "Differ")]
fn differ(
    #[split(along = dim)] x: Gated,
    #[split(along = dim, interleaved)] z: Gated,
    #[attr(default = -1)] dim: Dim,
) -> Elem {
    x.gate * x.value + z.gate * z.value
}

#[op(name = "Output")]
fn output(x: Elem) -> Gated {
    Gated { gate: x, value: x }
}

fn main() {}
