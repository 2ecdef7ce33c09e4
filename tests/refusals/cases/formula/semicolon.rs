#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[op(name = "Semicolon")]
    pub fn semicolon(x: Elem) -> Elem {
        let y = 2.0 * x
        y
    }
}

fn main() {}
