use op_dsl::prelude::*;

#[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
enum Mode {
    A,
    B,
}

// A macro sees only its own tokens.
#[op(name = "F")]
fn f(x: Elem, #[attr(default = Mode::A)] mode: Mode) -> Elem {
    match mode {
        Mode::A => x,
        Mode::B => -x,
    }
}

fn main() {}
