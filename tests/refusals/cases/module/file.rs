#[op_dsl::operators]
mod family;

fn main() {}
