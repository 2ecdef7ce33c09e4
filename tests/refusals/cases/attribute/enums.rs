use op_dsl::prelude::*;

#[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
enum Fields {
    A(i64),
    B,
}

#[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
enum Names {
    A,
    #[attr(name = "a")]
    B,
}

#[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
struct NoEnum;

fn main() {}
