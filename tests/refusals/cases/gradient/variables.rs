use op_dsl::prelude::*;

#[op(name = "F0", grad(name = "F0Grad", wrt(x.gate, x.value)))]
fn f0(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
    x.gate * x.value
}

#[op(name = "F1", grad(name = "F1Grad", wrt(1)))]
fn f1(x: Elem) -> Elem {
    x * x
}

#[op(name = "F2", grad(name = "F2Grad", wrt(x, bias), inputs(dy, x)))]
fn f2(x: Elem, #[broadcast] bias: Elem) -> Elem {
    x * x + bias
}

#[op(name = "F3", broadcast, grad(name = "F3Grad", wrt(x), grad(name = "F3GradGrad", wrt(dy))))]
fn f3(x: Elem, z: Elem) -> Elem {
    x * z
}

#[op(name = "F5", grad(name = "F5Grad", wrt(bias)))]
fn f5(
    #[split(along = dim)] x: Gated,
    #[broadcast] bias: Elem,
    #[rows] counts: Rows,
    #[attr(default = -1)] dim: Dim,
) -> Elem {
    x.gate * x.value + bias
}

#[op(name = "F4", grad(name = "F4Grad", wrt(x)))]
fn f4(x: Elem) -> Elem {
    #[saved]
    let s = 3.0 * x;
    s + 1.0
}

fn main() {}
