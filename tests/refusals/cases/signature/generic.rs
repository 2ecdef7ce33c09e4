#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[op(name = "Generic", grad(name = "GenericGrad", wrt(x)))]
    pub fn generic<T>(x: T) -> T {
        x * x
    }

    #[formula]
    fn twice<T: Into<Elem>>(x: T) -> Elem {
        2.0 * x
    }

    #[op(name = "Twice")]
    pub fn of_twice(x: Elem) -> Elem {
        twice(x)
    }
}

fn main() {}
