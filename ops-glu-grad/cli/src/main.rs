//! The command line over the operators of `ops-glu-grad`.

use std::process::ExitCode;

/// Two example commands, which work unchanged from the root of the repository.
const EXAMPLE: &str = "\
cargo run --release -q -- run GeGluV2 --in x=ops-glu-grad/data/x.npy --out y=y.npy --out gelu=gelu.npy
cargo run --release -q -- run GeGluGradV2 --in dy=ops-glu-grad/data/dy.npy --in x=ops-glu-grad/data/x.npy --in gelu=gelu.npy --out dx=dx.npy";

/// CSV with the costs of handwritten versions of the same operators, for the command `report`.
const BY_HAND: &str = include_str!("../data/by_hand.csv");

fn main() -> ExitCode {
    let operators = ops_glu_grad::OPERATORS;
    op_dsl_cli::Program::new(operators, EXAMPLE).by_hand(BY_HAND).main()
}
