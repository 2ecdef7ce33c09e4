use op_dsl::prelude::*;

#[op(name = "F")]
fn f(x: Elem) -> Elem {
    #[formula]
    fn again(x: Elem) -> Elem {
        again(x) * 0.5
    }
    again(x)
}

fn main() {}
