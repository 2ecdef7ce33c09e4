#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[formula]
    fn cut(x: Elem) -> Elem {
        x ^ 2.0
    }

    #[op(name = "One")]
    pub fn one(x: Elem) -> Elem {
        cut(x)
    }

    #[op(name = "Two", grad(name = "TwoGrad", wrt(x)))]
    pub fn two(x: Elem) -> Elem {
        cut(x) * cut(2.0 * x)
    }
}

fn main() {
    // One mistake is one message: what the module makes is there.
    let _ = (family::OPERATORS, family::TwoGrad, &family::ONE);
}
