#[op_dsl::operators(fast)]
mod family {
    use op_dsl::prelude::*;

    #[op(name = "S")]
    struct S;

    #[op(name = "F")]
    pub fn f(x: Elem) -> Elem {
        x
    }
}

#[op_dsl::operators]
fn not_a_module() {}

fn main() {}
