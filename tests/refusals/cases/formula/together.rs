//! Mistakes of every kind at once: one message each.
#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[op(name = "Wrong")]
    pub fn wrong(x: Elem, z: Elem) -> Elem {
        nope(x)
    }

    #[op(name = "Unused")]
    pub fn unused(x: Elem, z: Elem) -> Elem {
        x
    }

    #[op(name = "Wrong")]
    pub fn again(x: Elem) -> Elem {
        x
    }

    #[op(name = "Tensor", grad(name = "Unused", wrt(x)))]
    pub fn tensor(x: f32) -> Elem {
        x * x
    }

    #[op(name = "Wired", grad(name = "WiredGrad", wrt(x), inputs(x)))]
    pub fn wired(x: Elem) -> Elem {
        x * x
    }
}

fn main() {}
