use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem<i7>) -> Elem {
    x
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem<f64> {
    x
}

#[op(name = "F2", grad(name = "F2Grad", wrt(q)))]
fn f2(q: Elem<i8>, x: Elem) -> Elem {
    q * x
}

#[op(name = "F3", grad(name = "F3Grad", wrt(x)))]
fn f3(x: Elem) -> (Mask, Elem<u8>) {
    (x > 0.0, x)
}

#[op(name = "F4")]
fn f4(x: Elem) -> Mask {
    x
}
