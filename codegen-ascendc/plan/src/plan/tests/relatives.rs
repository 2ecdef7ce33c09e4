//! Tests of sigmoids of one value and of its negation.

use super::*;
use op_dsl_ir::Node;

fn of_one(build: impl Fn(&mut Builder, Id) -> Id) -> OpDef {
    operator("Op", &["x"], &["y"], false, |b, s| vec![build(b, s[0])])
}

/// Returns the number of exponentials in a plan.
fn exponentials(def: &OpDef) -> usize {
    let plan = planned(def, DType::F32);
    plan.instrs.iter().filter(|i| i.api == Api::Exp).count()
}

fn sigmoid(b: &mut Builder, x: Id) -> Id {
    b.call(Prim::Sigmoid, &[x])
}

/// Returns `2 x + x^3`, and `-x^3 - 2 x` between bounds that no input of the test reaches.
fn both_ways(b: &mut Builder, x: Id) -> [Id; 2] {
    let (square, two) = (b.product(x, x), b.num(2.0));
    let sum = b.sum(two, square);
    let up = b.product(sum, x);
    let (low, high) = (b.num(-1e6), b.num(1e6));
    let held = b.call(Prim::Max, &[x, low]);
    let held = b.call(Prim::Min, &[held, high]);
    let cube = b.power(held, 3);
    let minus = b.negative(cube);
    let twice = b.scaled(2.0, held);
    [up, b.difference(minus, twice)]
}

#[test]
fn a_value_and_its_opposite_share_an_exponential_and_every_tail() {
    let def = of_one(|b, x| {
        let [up, down] = both_ways(b, x);
        let (s, rest) = (sigmoid(b, up), sigmoid(b, down));
        let three = b.scaled(3.0, rest);
        b.sum(s, three)
    });
    assert_eq!(exponentials(&def), 1);
    let graph = &def.specs[0].graph;
    for (on, dtype) in architectures().flat_map(|soc| DType::ALL.map(|d| (soc, d))) {
        let Ok(plan) = plan(&def, 0, dtype, on) else { continue };
        for x in [-1e30f32, -4.0, -2.0, -0.5, 0.0, 0.5, 2.0, 4.0, 1e30] {
            let x = arithmetic::round(x, Type::Data(dtype));
            let (got, want) =
                (interpret(&plan, &[x], |_| f32::NAN)[0], graph.eval(&[x.into()], &[]));
            let off = (f64::from(got) - want[0]).abs() / want[0];
            assert!(off <= if dtype == DType::F32 { 2e-6 } else { 5e-3 }, "{dtype} of {x}: {got}");
        }
        for (x, want) in [(f32::INFINITY, 1.0), (f32::NEG_INFINITY, 3.0)] {
            assert_eq!(interpret(&plan, &[x], |_| f32::NAN), [want], "{dtype} of {x}");
        }
    }
}

/// A derivative that is composed of the same sigmoids uses their exponential.
#[test]
fn primitives_are_made_of_sigmoids_that_are_there() {
    let def = of_one(|b, x| {
        let minus = b.negative(x);
        let (s, rest) = (sigmoid(b, x), sigmoid(b, minus));
        let bend = b.product(s, rest);
        let slope = b.call(Prim::SiluGrad, &[x]);
        b.product(bend, slope)
    });
    let brought = super::super::shared_sigmoid::run(&def.specs[0].graph).expect("relatives");
    assert!(brought.nodes.iter().all(|n| !matches!(n, Node::Call(Prim::SiluGrad, _))));
    for x in [-30.0, -1.2784645, 0.0, 1.5, 40.0] {
        let [got, want] = [&brought, &def.specs[0].graph].map(|graph| graph.eval(&[x], &[])[0]);
        assert!((got - want).abs() <= 1e-12 * want.abs() + 1e-16, "{x}: {got}, not {want}");
    }
}

#[test]
fn others_keep_their_own() {
    let two = |y: fn(&mut Builder, Id) -> Id| {
        of_one(|b, x| {
            let y = y(b, x);
            let (s, other) = (sigmoid(b, x), sigmoid(b, y));
            b.product(s, other)
        })
    };
    // A few points do not reveal a rarely taken branch, so it is not merged; a bound that changes values, they do reveal.
    let seldom = two(|b, x| {
        let (rare, zero) = (b.num(1.0 / 3.0), b.num(0.0));
        let is_rare = b.call(Prim::Eq, &[x, rare]);
        b.call(Prim::Select, &[is_rare, zero, x])
    });
    let felt = two(|b, x| {
        let bound = b.num(5.0);
        b.call(Prim::Min, &[x, bound])
    });
    let scaled = two(|b, x| b.scaled(-1.000001, x));
    for def in [seldom, felt, scaled] {
        assert!(
            super::super::shared_sigmoid::run(&def.specs[0].graph).is_none(),
            "{}",
            exponentials(&def)
        );
    }
}
