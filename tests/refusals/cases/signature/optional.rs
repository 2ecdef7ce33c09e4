use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem, t: Option<Elem>) -> Elem {
    x + t
}

#[op(name = "F1")]
fn f1(x: Elem, t: Option<Elem>) -> Elem {
    x + t.unwrap()
}

#[op(name = "F2")]
fn f2(x: Elem, t: Option<f32>) -> Elem {
    x
}

#[op(name = "F3")]
fn f3(#[split(along = dim)] x: Option<Gated>, #[attr(default = -1)] dim: Dim) -> Elem {
    1.0
}

#[op(name = "F4")]
fn f4(t: Option<Elem>) -> Elem {
    t.unwrap_or(1.0)
}

#[op(name = "F5")]
fn f5(x: Elem, t: Option<Elem>) -> Elem {
    match t {
        Some(t) => t,
        Other => x,
    }
}

#[op(name = "F6", grad(name = "F6Grad", wrt(x, t)))]
fn f6(x: Elem, t: Option<Elem>) -> Elem {
    x * t.unwrap_or(x)
}

#[op(name = "F7", grad(name = "F7Grad", wrt(x), inputs(dy, x)))]
fn f7(x: Elem, t: Option<Elem>) -> Elem {
    x * x + t.unwrap_or(x)
}

#[op(name = "F8")]
fn f8(x: Elem, t: Option<Elem>) -> Elem {
    if let Some(y) = x { y } else { t.unwrap_or(x) }
}

#[op(name = "F9")]
fn f9(x: Elem, t: Option<Elem>) -> Elem {
    match t {
        true => x,
        _ => x,
    }
}

fn main() {}
