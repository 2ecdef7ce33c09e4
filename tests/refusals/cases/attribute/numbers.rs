use op_dsl::prelude::*;

#[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
enum Value {
    A = 1 + 1,
    B = 7,
}

#[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
enum Twice {
    A = 1,
    B = 1,
}

#[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
enum Empty {}

#[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
enum Generic<const N: usize> {
    A,
}

#[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
enum Named {
    #[attr(nmae = "a")]
    A,
}

#[op(name = "Whole")]
fn whole(x: Elem, #[attr(default = 1, any)] n: i64) -> Elem {
    x
}

fn main() {}
