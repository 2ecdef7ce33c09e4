use op_dsl::prelude::*;

#[op(name = "F0")]
fn f0(x: Elem) -> Elem {
    if x > 0.0 {
        return x;
    }
    -x
}

fn main() {}
