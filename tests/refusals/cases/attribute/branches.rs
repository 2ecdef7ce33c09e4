#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
    pub enum Mode {
        A,
        B,
    }

    #[op(name = "Missing")]
    pub fn missing(x: Elem, #[attr(default = Mode::A)] mode: Mode) -> Elem {
        match mode {
            Mode::A => x,
        }
    }

    #[op(name = "Foreign")]
    pub fn foreign(x: Elem, #[attr(default = Mode::A)] mode: Mode) -> Elem {
        match mode {
            Mode::C => x,
            _ => 2.0 * x,
        }
    }

    #[op(name = "Factor")]
    pub fn factor(x: Elem, #[attr(default = true)] twice: bool) -> Elem {
        x * twice
    }
}

fn main() {}
