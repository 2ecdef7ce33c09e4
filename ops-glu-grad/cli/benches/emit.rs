//! Time to write the packages of all operators: a run of the command line, for each layout.

use criterion::{Criterion, criterion_group, criterion_main};
use std::path::Path;
use std::process::Command;

fn emit(c: &mut Criterion) {
    let mut group = c.benchmark_group("emit");
    group.sample_size(10);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench_emit");
    for layout in ["ops-nn", "custom", "direct"] {
        group.bench_function(layout, |b| {
            b.iter(|| {
                let out = out.join(layout);
                let mut command = Command::new(env!("CARGO_BIN_EXE_ops-glu-grad"));
                command.args(["emit", "--all", "--soc", "ascend910b", "--layout", layout]);
                let told = command.arg("--out").arg(out).output().expect("the program runs");
                assert!(told.status.success());
            });
        });
    }
    group.finish();
}

criterion_group!(benches, emit);
criterion_main!(benches);
