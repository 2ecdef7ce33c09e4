use op_dsl::prelude::*;

#[op(name = "Method")]
fn method(&self, x: Elem) -> Elem {
    x
}

#[op(name = "Unsafe")]
unsafe fn careless(x: Elem) -> Elem {
    x
}

#[op(name = "Extern")]
extern "C" fn foreign(x: Elem) -> Elem {
    x
}

#[op(name = "Variadic")]
fn variadic(x: Elem, ...) -> Elem {
    x
}

#[op(name = "Nothing")]
fn nothing(x: Elem) {
    x
}

#[op(name = "Typo")]
fn typo(x: Elm) -> Elem {
    x
}

fn main() {}
