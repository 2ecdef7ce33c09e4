#[op_dsl::operators]
mod shared {
    use op_dsl::prelude::*;

    #[formula]
    fn relu(x: Elem) -> Elem {
        if x > 0.5 { x } else { 0.0 }
    }

    #[op(name = "Shared")]
    pub fn of_relu(x: Elem) -> Elem {
        relu(x) * x.relu()
    }
}

#[op_dsl::operators]
mod operators {
    use op_dsl::prelude::*;

    #[op(name = "Silu")]
    pub fn silu(x: Elem) -> Elem {
        x * sigmoid(x)
    }

    #[op(name = "Twice")]
    pub fn twice(x: Elem) -> Elem {
        2.0 * silu(x)
    }
}

mod own {
    use op_dsl::prelude::*;

    #[op(name = "Own")]
    pub fn own(x: Elem) -> Elem {
        #[formula]
        fn tanh(x: Elem) -> Elem {
            x / (1.0 + abs(x))
        }
        tanh(x)
    }
}

fn main() {}
