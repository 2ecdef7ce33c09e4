use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    x * 2.0;
    x
}

#[op(name = "F1")]
fn f1(x: Elem) -> Elem {
    let _y = x;
}

#[op(name = "F2")]
fn f2(x: Elem) -> Elem {
    fn helper() {}
    x
}

#[op(name = "F3")]
fn f3(x: Elem) -> Elem {
    let y = {
        #[saved]
        let y = x;
        y
    };
    y
}

fn main() {}
