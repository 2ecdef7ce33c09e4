//! Tests of functions that are fractions of an exponential: their cost and accuracy.

use super::*;
use crate::plan::accept::Judge;

type Function = fn(&mut Builder, Id) -> Id;

fn sigmoids(b: &mut Builder, x: Id) -> [Id; 2] {
    let minus = b.negative(x);
    [x, minus].map(|x| b.call(Prim::Sigmoid, &[x]))
}

/// A function as an author or a derivative writes it, and its most calls in f32, f16 and bf16.
const FUNCTIONS: &[(&str, Function, [usize; 3])] = &[
    (
        "mish",
        |b, x| {
            let s = b.call(Prim::Softplus, &[x]);
            let t = b.call(Prim::Tanh, &[s]);
            b.product(x, t)
        },
        [8, 8, 8],
    ),
    (
        "mish'",
        |b, x| {
            let plus = b.call(Prim::Softplus, &[x]);
            let t = b.call(Prim::Tanh, &[plus]);
            let s = b.call(Prim::Sigmoid, &[x]);
            let square = b.product(t, t);
            let one = b.num(1.0);
            let less = b.difference(square, one);
            let bend = b.product(x, less);
            let bend = b.product(bend, s);
            b.difference(t, bend)
        },
        [11, 11, 11],
    ),
    (
        "sigmoid', far out its limit",
        |b, x| {
            let [s, rest] = sigmoids(b, x);
            let slope = b.product(s, rest);
            let (zero, end) = (b.num(0.0), b.num(-256.0));
            let is_far = b.call(Prim::Lt, &[x, end]);
            b.call(Prim::Select, &[is_far, zero, slope])
        },
        [6, 6, 6],
    ),
    (
        "x sigmoid(1.702 x)'",
        |b, x| {
            let z = b.scaled(1.702, x);
            let [s, rest] = sigmoids(b, z);
            let bend = b.product(s, rest);
            let bend = b.product(bend, z);
            b.sum(s, bend)
        },
        [8, 8, 8],
    ),
    (
        "silu''",
        |b, x| {
            let [s, rest] = sigmoids(b, x);
            let tilt = b.difference(rest, s);
            let bend = b.product(x, tilt);
            let two = b.num(2.0);
            let sum = b.sum(two, bend);
            let slope = b.product(s, rest);
            b.product(slope, sum)
        },
        [14, 14, 14],
    ),
    (
        "sigmoid'",
        |b, x| {
            let [s, rest] = sigmoids(b, x);
            b.product(s, rest)
        },
        [5, 5, 6],
    ),
    (
        "tanh'",
        |b, x| {
            let twice = b.scaled(2.0, x);
            let [s, rest] = sigmoids(b, twice);
            let slope = b.product(s, rest);
            b.scaled(4.0, slope)
        },
        [6, 7, 7],
    ),
];

fn op(build: Function) -> OpDef {
    operator("Op", &["x"], &["y"], true, |b, s| vec![build(b, s[0])])
}

#[test]
fn how_many_calls() {
    for (name, build, most) in FUNCTIONS {
        for (dtype, most) in [DType::F32, DType::F16, DType::BF16].into_iter().zip(most) {
            let plan = planned(&op(*build), dtype);
            let casts = if dtype == DType::F32 { 0 } else { 2 };
            let calls: Vec<&str> = plan.instrs.iter().map(|i| i.api.name()).collect();
            println!("{name} {dtype}: {} {} {calls:?}", plan.cost.calls - casts, plan.cost.cycles);
            assert!(plan.cost.calls - casts <= *most, "{name} {dtype}: {calls:?}");
        }
    }
}

/// Tests all inputs of 16 bits, and as many of `float`.
#[test]
fn right_everywhere() {
    for (name, build, _) in FUNCTIONS {
        let def = op(*build);
        for dtype in DType::ALL {
            let judge = Judge::new(&def.specs[0].graph, Digits::Absolute, dtype, 1);
            for noise in [Noise::None, Noise::Unit(3)] {
                let xs = judge.inputs();
                let got = interpret_all(&planned(&def, dtype), &[xs], |_| f32::NAN, noise);
                let miss = judge.miss(&got[0], noise);
                assert!(miss.is_none(), "{name} {dtype} {noise:?}: {miss:?}");
            }
        }
    }
}

/// A bound stays where another function is split off.
///
/// Otherwise `x^2 e^(-x^2)` of a huge number would be NaN instead of 0.
#[test]
fn bounds_beside_functions_stay() {
    let def = operator("Op", &["x"], &["y", "z"], true, |b, s| {
        let [low, high] = [-1.0, 1.0].map(|sign| b.num(sign * (1u64 << 40) as f64));
        let above = b.call(Prim::Max, &[s[0], low]);
        let held = b.call(Prim::Min, &[above, high]);
        let (square, of_held) = (b.power(s[0], 2), b.power(held, 2));
        let minus = b.negative(square);
        let bell = b.call(Prim::Exp, &[minus]);
        let [left, right] = sigmoids(b, s[0]);
        vec![b.product(left, right), b.product(bell, of_held)]
    });
    for dtype in DType::ALL {
        let plan = planned(&def, dtype);
        for x in [-1e30, 1e12, 1e38, f32::INFINITY] {
            assert_eq!(interpret(&plan, &[x], |_| f32::NAN), [0.0, 0.0], "{dtype} of {x}");
        }
    }
}
