//! All 2^32 floats: operators by their tables beside themselves in f64, rounded once, as levels without FMA evaluate them.
//!
//! Takes two minutes a function on two cores. A machine whose best level has no tables has nothing to compare.
#![allow(missing_docs)]

mod common;

use common::*;
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;
use op_dsl::{Level, Operator, Options};
use ops_glu_grad::OPERATORS;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Operators that are a function of their activation where all else is 1, and that levels without FMA evaluate in f64; and where
/// one is zero besides at 0.
const FUNCTIONS: [(&str, Option<f32>); 8] = [
    ("GeluV2", None),
    ("GeluGradV2", Some(-0.752)),
    ("Silu", None),
    ("SiluGrad", Some(-1.278)),
    ("Mish", None),
    ("MishGrad", Some(-1.193)),
    ("FastGelu", None),
    ("FastGeluGrad", Some(-0.751)),
];

/// Floats of one call.
const CHUNK: usize = 1 << 20;
/// What tables of 32 segments may be off, and those of 8, in units in the last place.
const AT_MOST: [f64; 2] = [1.3, 1.6];
/// Near a zero beside 0 a unit is no less than that of 2^-7.
const FLAT: f64 = 1.0 / (1u64 << 30) as f64;

/// How far off results are at most that differ from those of f64, and how many do: others are right.
#[derive(Default)]
struct Found {
    most: f64,
    at: f32,
    differ: u64,
}

fn compare(op: &Operator, attrs: &[Value], zero: Option<f32>) -> Found {
    let found = Mutex::new(Found::default());
    let next = AtomicU32::new(0);
    let (graph, scalars) = (graph(op, attrs), scalars(attrs));
    let is_upstream = |name: &str| ["dy", "grad"].contains(&name);
    let activation =
        op.def().inputs.iter().position(|t| !is_upstream(&t.name)).expect("an activation");
    let work = || {
        let mut inputs = inputs(op, attrs, &[CHUNK], DType::F32, |_| 1.0);
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk as usize >= (1 << 32) / CHUNK {
                return;
            }
            let first = chunk * CHUNK as u32;
            inputs[activation].data =
                Data::F32((0..CHUNK as u32).map(|i| f32::from_bits(first + i)).collect());
            let results = [Level::best(), Level::Baseline].map(|level| {
                let options = Options { level: Some(level), threads: 1, ..Options::default() };
                run(op, attrs, &inputs, &options).swap_remove(0).data
            });
            let (Data::F32(x), [Data::F32(by_table), Data::F32(in_f64)]) =
                (&inputs[activation].data, results)
            else {
                unreachable!("f32 in, f32 out");
            };
            let mut here = Found::default();
            let mut all = vec![1.0; op.def().input_streams().len()];
            for ((x, got), want) in x.iter().zip(by_table).zip(in_f64) {
                if got == want || got.is_nan() && want.is_nan() {
                    continue;
                }
                let near = zero.is_some_and(|zero| (x - zero).abs() < 0.5);
                let unit = ulp(DType::F32, want.into(), 0.0).max(if near { FLAT } else { 0.0 });
                all[activation] = f64::from(*x);
                let off = (f64::from(got) - graph.eval(&all, &scalars)[0]).abs() / unit;
                here.differ += 1;
                if off > here.most || off.is_nan() {
                    (here.most, here.at) = (off, *x);
                }
            }
            let mut found = found.lock().unwrap();
            found.differ += here.differ;
            if here.most > found.most || here.most.is_nan() {
                (found.most, found.at) = (here.most, here.at);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    found.into_inner().unwrap()
}

#[test]
#[ignore = "takes minutes"]
fn tables_are_as_right_as_they_promise() {
    assert_ne!(Level::best(), Level::Baseline, "this machine has no tables");
    let bar = AT_MOST[usize::from(Level::best() != Level::Avx512)];
    let mut missed = Vec::new();
    for (name, zero) in FUNCTIONS {
        let op = OPERATORS.iter().find(|op| op.name() == name).expect("an operator");
        for attrs in attribute_values(op).into_iter().filter(|a| !a.contains(&Value::Bool(true))) {
            let Found { most, at, differ } = compare(op, &attrs, zero);
            let line = format!(
                "{name} {attrs:?} on {:?}: {most} units at {at:e}, {differ} differ",
                Level::best()
            );
            println!("{line}");
            if most.is_nan() || most > bar {
                missed.push(line);
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
