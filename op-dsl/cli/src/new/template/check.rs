//! The verdict of `cargo run --release -q -- check`, as a test. It needs a C++ compiler.

#[test]
fn operators_keep_their_promises() {
    match op_dsl::cli::check({crate}::OPERATORS) {
        Ok(said) => println!("{said}"),
        Err(said) => panic!("{said}"),
    }
}
