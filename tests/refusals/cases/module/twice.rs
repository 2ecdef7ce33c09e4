#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[op(name = "One")]
    #[op(name = "Two")]
    pub fn f(x: Elem) -> Elem {
        x
    }

    #[formula]
    mod inner {}
}

fn main() {}
