use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> PerRow {
    x
}

#[op(name = "F1", outputs(y, scale))]
fn f1(x: Elem, #[broadcast] w: Elem) -> (Elem, PerRow<f32>) {
    (x, row_max(x) * w)
}

#[op(name = "F2")]
fn f2(x: Elem) -> PerRow<i8> {
    row_sum(x)
}

#[op(name = "F3")]
fn f3(x: Elem, #[broadcast] scale: PerRow) -> Elem {
    x * scale
}

#[op(name = "F4")]
fn f4(x: Elem, scale: Option<PerRow>) -> Elem {
    x
}

#[op(name = "F5")]
fn f5(scale: PerRow) -> PerRow {
    2.0 * scale
}

#[op(name = "F6", grad(name = "F6Grad", wrt(x), grad(name = "F6GradGrad", wrt(x))))]
fn f6(x: Elem, scale: PerRow) -> Elem {
    x * x * scale
}

#[op(name = "F7")]
fn f7(
    #[split(along = dim)] x: Gated,
    scale: PerRow,
    #[rows] n: Rows,
    #[attr(default = -1)] dim: Dim,
) -> Elem {
    x.value * x.gate * scale
}
