//! The command line over the operators: `cargo run --release -q -- check`, `explain`, `bench`, `emit`, ...

fn main() -> std::process::ExitCode {
    op_dsl::cli::main({crate}::OPERATORS, "cargo run --release -q -- check")
}
