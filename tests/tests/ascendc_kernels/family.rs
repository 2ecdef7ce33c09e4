//! All kernels of the family, on every product and in both variants, on a few shapes each.
//!
//! Results agree with the graph, and the model, which adds no synchronisation itself, reports nothing. The kernels in
//! the table of `ascendc_kernels.rs` are tested in depth.

use super::common::{attribute_values, is_second};
use super::program::{Planned, Program};
use super::{calls_and_traffic, check};
use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::{Options, Package};
use codegen_ascendc::plan::Storage;
use ops_glu_grad::OPERATORS;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Shapes and numbers of cores: ragged rows, rows of several tiles, and fewer elements than a block.
const RUNS: [([usize; 2], u32); 3] = [([37, 65], 40), ([3, 2048], 48), ([9, 7], 2)];

/// Number of kernels in one program, limited because the compiler takes memory for each.
const TOGETHER: usize = 12;

/// Runs every operator that has a kernel on a product, and panics with all failures.
fn everywhere(soc: &str, storage: Storage) {
    let soc = Soc::named(soc).expect("a target");
    let options = Options { storage, ..Options::default() };
    let (mut runs, mut wrong) = (0, Vec::new());
    for ops in OPERATORS.chunks(TOGETHER) {
        let able = |op: &&'static op_dsl::Operator| -> Option<Planned> {
            // The command `check` runs kernels of sums, whose tiling takes the shapes of all inputs.
            op.def().sums.is_empty().then_some(())?;
            Some((*op, Package::able(op.def(), &[soc], options.clone()).ok()?.0))
        };
        let packages: Vec<Planned> = ops.iter().filter_map(able).collect();
        if packages.is_empty() {
            continue;
        }
        for p in Program::compiled(packages, soc, &[]) {
            let result = catch_unwind(AssertUnwindSafe(|| every_form(&p)));
            runs += result.as_ref().unwrap_or(&0);
            wrong.extend(result.is_err().then(|| p.op.name()));
        }
    }
    println!("{} {storage:?}: {runs} runs, wrong: {wrong:?}", soc.name);
    // About two thirds of 1038 where the product has no bf16.
    assert!(runs > 650 && wrong.is_empty(), "{runs} runs on {}, wrong: {wrong:?}", soc.name);
}

/// Runs every variant and element type of an operator; returns the number of runs.
fn every_form(p: &Program) -> usize {
    let mut runs = 0;
    for attrs in attribute_values(p.op) {
        for dtype in p.dtypes().into_iter().filter(|dtype| p.has(&attrs, *dtype)) {
            for (shape, cores) in RUNS {
                check(p, &attrs, &shape, dtype, cores);
                runs += 1;
            }
            if is_second(p.op) {
                calls_and_traffic(p, &attrs, dtype);
            }
        }
    }
    runs
}

macro_rules! products {
    ($($test:ident: $soc:literal $storage:ident;)*) => {$(
        #[test]
        #[ignore = "plans and compiles for minutes: .ci/deep everything"]
        fn $test() {
            everywhere($soc, Storage::$storage);
        }
    )*};
}

products! {
    on_910b: "ascend910b" Registers;
    on_310p: "ascend310p" Registers;
    on_910: "ascend910" Registers;
    on_950_in_registers: "ascend950" Registers;
    on_950_in_memory: "ascend950" Memory;
}
