#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
    pub enum Mode {
        A,
        B,
    }

    #[op(name = "Binding")]
    pub fn binding(x: Elem, #[attr(default = Mode::A)] mode: Mode) -> Elem {
        match mode {
            Mode::A => x,
            _other => 2.0 * x,
        }
    }

    #[op(name = "Guard")]
    pub fn guard(x: Elem, #[attr(default = Mode::A)] mode: Mode) -> Elem {
        match mode {
            Mode::A if true => x,
            _ => 2.0 * x,
        }
    }

    #[op(name = "Element")]
    pub fn element(x: Elem) -> Elem {
        match x {
            _ => 2.0 * x,
        }
    }
}

fn main() {}
