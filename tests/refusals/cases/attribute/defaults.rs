#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
    pub enum Mode {
        A,
        B,
    }

    #[op(name = "Missing")]
    pub fn missing(x: Elem, n: bool) -> Elem {
        if n { x } else { -x }
    }

    #[op(name = "Wrong")]
    pub fn wrong(x: Elem, #[attr(default = 1)] n: bool) -> Elem {
        if n { x } else { -x }
    }

    #[op(name = "Variant")]
    pub fn variant(x: Elem, #[attr(default = Mode::C)] mode: Mode) -> Elem {
        if mode == Mode::A { x } else { -x }
    }

    #[op(name = "Unknown")]
    pub fn unknown(x: Elem, #[attr(default = 1)] n: i64, #[attr(defualt = 1.0)] a: f32) -> Elem {
        x * a
    }

    #[op(name = "Wire")]
    pub fn wire(x: Elem, #[attr(default = true, wire = "string")] n: bool) -> Elem {
        if n { x } else { -x }
    }

    #[op(name = "Without")]
    pub fn without(x: Elem, n: i64) -> Elem {
        x
    }
}

fn main() {}
