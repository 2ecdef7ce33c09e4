#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[formula]
    fn square(x: Elem) -> Elem {
        x * x
    }

    #[formula]
    fn text(x: Elem, name: &str) -> Elem {
        x
    }

    #[formula]
    unsafe fn careless(x: Elem) -> Elem {
        x
    }

    #[op(name = "Count")]
    pub fn count(x: Elem) -> Elem {
        square(x, x)
    }
}

fn main() {}
