//! Time to write the packages of all operators: the least of ten runs of the command line, for each layout.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

fn main() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench_emit");
    for layout in ["ops-nn", "custom", "direct"] {
        let run = || {
            let begin = Instant::now();
            let mut command = Command::new(env!("CARGO_BIN_EXE_ops-glu-grad"));
            command.args(["emit", "--all", "--soc", "ascend910b", "--layout", layout]);
            let told = command.arg("--out").arg(out.join(layout)).output();
            assert!(told.expect("the program runs").status.success());
            begin.elapsed().as_secs_f64()
        };
        let least = (0..10).map(|_| run()).fold(f64::INFINITY, f64::min);
        println!("{layout:<7} {least:.3} s");
    }
}
