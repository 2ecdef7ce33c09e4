use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(#[split(along = dim)] x: Gated, #[rows] n: i64, #[attr(default = -1)] dim: Dim) -> Elem {
    x.value
}

#[op(name = "F1")]
fn f1(#[split(along = dim)] x: Gated, n: Option<Rows>, #[attr(default = -1)] dim: Dim) -> Elem {
    x.value + x.gate
}

#[op(name = "F2")]
fn f2(#[split(along = dim)] x: Gated, #[rows] n: Elem, #[attr(default = -1)] dim: Dim) -> Elem {
    x.value + x.gate + n
}

#[op(name = "F3")]
fn f3(x: Elem, #[rows] n: Rows) -> Elem {
    2.0 * x
}

#[op(name = "F4")]
fn f4(#[rows] n: Rows, #[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
    x.value + x.gate
}

#[op(name = "F5")]
fn f5(
    #[split(along = dim)] x: Gated,
    #[rows] n: Rows,
    #[rows] m: Option<Rows>,
    #[attr(default = -1)] dim: Dim,
) -> Elem {
    x.value + x.gate
}

#[op(name = "F6")]
fn f6(#[split(along = dim)] x: Gated, #[rows] n: Rows, #[attr(default = -1)] dim: Dim) -> Elem {
    x.value + x.gate * n
}

#[op(name = "F7")]
fn f7(
    #[split(along = dim)] x: Gated,
    #[rows] n: Option<Rows>,
    #[attr(default = -1)] dim: Dim,
) -> Elem {
    if n.is_some() { x.value } else { x.gate }
}

#[op(name = "F8", grad(name = "F8Grad", wrt(x, n)))]
fn f8(#[split(along = dim)] x: Gated, #[rows] n: Rows, #[attr(default = -1)] dim: Dim) -> Elem {
    x.value * x.gate
}

#[op(name = "F9", grad(name = "F9Grad", wrt(x), inputs(dy, x)))]
fn f9(#[split(along = dim)] x: Gated, #[rows] n: Rows, #[attr(default = -1)] dim: Dim) -> Elem {
    x.value * x.gate
}

#[op(name = "F10", grad(name = "F10Grad", wrt(x), inputs(n, dy, x)))]
fn f10(#[split(along = dim)] x: Gated, #[rows] n: Rows, #[attr(default = -1)] dim: Dim) -> Elem {
    x.value * x.gate
}

#[op(name = "F11")]
fn f11(
    #[split(along = dim)] x: Gated,
    #[rows]
    #[broadcast]
    #[unused]
    n: Rows,
    #[attr(default = -1)] dim: Dim,
) -> Elem {
    x.value * x.gate
}

#[op(name = "F12")]
fn f12(#[split(along = dim)] #[rows] n: Rows, #[attr(default = -1)] dim: Dim) -> Elem {
    1.0
}

#[op(name = "F13")]
fn f13(
    #[split(along = dim)] x: Gated,
    #[rows] n: Option<Rows>,
    #[attr(default = -1)] dim: Dim,
) -> Elem {
    match n {
        Some(_) => x.value,
        None => x.gate,
    }
}

#[op_dsl::operators]
mod by_hand {
    use op_dsl::prelude::*;

    #[op(name = "Forward")]
    pub fn forward(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
        x.value * x.gate
    }

    #[op(name = "Backward", grad_of = forward)]
    pub fn backward(
        dy: Elem,
        #[split(along = dim)] x: Gated,
        #[rows] n: Rows,
        #[attr(default = -1)] dim: Dim,
    ) -> Gated {
        Gated { gate: dy * x.value, value: dy * x.gate }
    }
}

fn main() {}
