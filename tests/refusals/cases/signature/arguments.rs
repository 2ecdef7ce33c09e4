use op_dsl::prelude::*;

#[op(name = "NoType", dtypes())]
fn no_type(x: Elem) -> Elem {
    x
}

#[op(name = "SameType", dtypes(f32, f32))]
fn same_type(x: Elem) -> Elem {
    x
}

#[op(name = "NoOutput", outputs())]
fn no_output(x: Elem) -> Elem {
    x
}

#[op(name = "Argument")]
fn argument(#[split(dim = along)] x: Gated, #[attr(default = -1)] along: Dim) -> Elem {
    x.gate
}

#[op(name = "Gate")]
fn gate(#[split(along = dim, gate_left = 1)] x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
    x.gate
}

fn main() {}
