//! Every refusal with its message and its place.
//!
//! `TRYBUILD=overwrite cargo test -p op-dsl-tests --test ui` writes the `.stderr` files anew; read
//! the difference before keeping it.

#[test]
fn refusals() {
    let cases = trybuild::TestCases::new();
    for class in ["attribute", "formula", "gradient", "module", "signature"] {
        cases.compile_fail(format!("ui/{class}/*.rs"));
    }
}
