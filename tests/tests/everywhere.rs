//! All 2^32 floats: operators by tables compared with the f64 evaluation of levels without FMA, rounded once.
//!
//! Takes two minutes per function on two cores. A machine without a level that has tables has nothing to compare.
#![allow(missing_docs)]

mod common;
#[path = "../../codegen-cpu/tests/levels/mod.rs"]
mod levels;

use common::*;
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;
use op_dsl::{Level, Operator, Options};
use ops_glu_grad::OPERATORS;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Functions of one variable, if all other inputs are 1, that levels without FMA evaluate in f64.
///
/// The second value is a zero crossing apart from `x = 0`.
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

/// Number of floats per call.
const CHUNK: usize = 1 << 20;
/// Largest error of tables of 32 and of 8 segments, in units in the last place.
const AT_MOST: [f64; 2] = [1.3, 1.6];
/// Near a zero crossing apart from `x = 0`, a unit is at least that of 2^-7.
const FLAT: f64 = 1.0 / (1u64 << 30) as f64;

/// Returns the levels that look up tables.
fn with_tables() -> Vec<Level> {
    levels::levels().into_iter().filter(|level| level.has_fma()).collect()
}

/// The largest error among results that differ from the f64 evaluation, and the number of these.
#[derive(Default)]
struct Found {
    most: f64,
    at: f32,
    differ: u64,
}

/// Compares each level with the f64 evaluation.
fn compare(op: &Operator, attrs: &[Value], zero: Option<f32>) -> Vec<(Level, Found)> {
    let levels = with_tables();
    let found = Mutex::new(levels.iter().map(|l| (*l, Found::default())).collect::<Vec<_>>());
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
            let at = |level| {
                let options = Options { level: Some(level), threads: 1, ..Options::default() };
                match run(op, attrs, &inputs, &options).swap_remove(0).data {
                    Data::F32(y) => y,
                    _ => unreachable!("f32 in, f32 out"),
                }
            };
            let Data::F32(x) = &inputs[activation].data else { unreachable!("f32 in") };
            let in_f64 = at(Level::Baseline);
            let mut all = vec![1.0; op.def().input_streams().len()];
            for (k, level) in levels.iter().enumerate() {
                let mut here = Found::default();
                for ((x, got), want) in x.iter().zip(at(*level)).zip(&in_f64) {
                    if got == *want || got.is_nan() && want.is_nan() {
                        continue;
                    }
                    let near = zero.is_some_and(|zero| (x - zero).abs() < 0.5);
                    let least = if near { FLAT } else { 0.0 };
                    let unit = ulp(DType::F32, f64::from(*want), 0.0).max(least);
                    all[activation] = f64::from(*x);
                    let off = (f64::from(got) - graph.eval(&all, &scalars)[0]).abs() / unit;
                    here.differ += 1;
                    if off > here.most || off.is_nan() {
                        (here.most, here.at) = (off, *x);
                    }
                }
                let found = &mut found.lock().unwrap()[k].1;
                found.differ += here.differ;
                if here.most > found.most || here.most.is_nan() {
                    (found.most, found.at) = (here.most, here.at);
                }
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
    assert!(!with_tables().is_empty(), "this machine has no tables");
    let mut missed = Vec::new();
    for (name, zero) in FUNCTIONS {
        let op = OPERATORS.iter().find(|op| op.name() == name).expect("an operator");
        for attrs in attribute_values(op).into_iter().filter(|a| !a.contains(&Value::Bool(true))) {
            for (level, Found { most, at, differ }) in compare(op, &attrs, zero) {
                let line = format!(
                    "{name} {attrs:?} on {level:?}: {most} units at {at:e}, {differ} differ"
                );
                println!("{line}");
                if most.is_nan() || most > AT_MOST[usize::from(level != Level::Avx512)] {
                    missed.push(line);
                }
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
