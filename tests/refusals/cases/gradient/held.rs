#[op_dsl::operators]
pub mod family {
    use op_dsl::prelude::*;

    #[op(name = "Square", grad(name = "SquareGrad", wrt(x), inputs(dy, features = z)))]
    pub fn square(x: Elem) -> Elem {
        x * x
    }

    #[op(name = "ByHand", grad_of = square, outputs(dx))]
    pub fn by_hand(dy: Elem, #[holds(z)] features: Elem) -> Elem {
        2.0 * features * dy
    }

    #[op(name = "ByUnknown", grad_of = square, wrt(z), outputs(dx))]
    pub fn by_unknown(dy: Elem, x: Elem) -> Elem {
        2.0 * x * dy
    }

    #[op(name = "NoGradient", wrt(x))]
    pub fn no_gradient(x: Elem) -> Elem {
        x * x
    }

    #[op(name = "HoldsNothing")]
    pub fn holds_nothing(#[holds(y)] x: Elem) -> Elem {
        x * x
    }
}

fn main() {}
