//! Tests exponentials whose arguments are rounded: these errors grow with the argument.

use super::*;
use crate::plan::limits::uniforms;
use crate::plan::reference::BUDGET;
use op_dsl_ir::format::Format;

/// A formula of streams `x` and `z` and of an attribute `a`.
type Formula = fn(&mut Builder, Id, Id) -> Id;

const FORMULAS: [(&str, Formula); 10] = [
    ("exp(1.7 x)", |b, x, _| {
        let v = b.scaled(1.7, x);
        b.call(Prim::Exp, &[v])
    }),
    ("x exp(a x)", |b, x, _| {
        let a = b.scalar(0);
        let v = b.product(a, x);
        let e = b.call(Prim::Exp, &[v]);
        b.product(x, e)
    }),
    ("exp(x^2)", |b, x, _| {
        let v = b.product(x, x);
        b.call(Prim::Exp, &[v])
    }),
    ("exp(x z)", |b, x, z| {
        let v = b.product(x, z);
        b.call(Prim::Exp, &[v])
    }),
    ("exp(x / z)", |b, x, z| {
        let v = b.quotient(x, z);
        b.call(Prim::Exp, &[v])
    }),
    ("exp(x / 0.3 + 1.1)", |b, x, _| {
        let (c, more) = (b.num(0.3), b.num(1.1));
        let v = b.quotient(x, c);
        let v = b.sum(v, more);
        b.call(Prim::Exp, &[v])
    }),
    ("exp(0.7 x + 1.3 z)", |b, x, z| {
        let (v, w) = (b.scaled(0.7, x), b.scaled(1.3, z));
        let v = b.sum(v, w);
        b.call(Prim::Exp, &[v])
    }),
    ("exp(x^2 - 1.3 z)", |b, x, z| {
        let (v, w) = (b.product(x, x), b.scaled(1.3, z));
        let v = b.difference(v, w);
        b.call(Prim::Exp, &[v])
    }),
    ("exp(-mul3(x, z, z))", |b, x, z| {
        let v = b.call(Prim::Mul3, &[x, z, z]);
        let v = b.negative(v);
        b.call(Prim::Exp, &[v])
    }),
    ("expm1(1.7 x)", |b, x, _| {
        let v = b.scaled(1.7, x);
        b.call(Prim::Expm1, &[v])
    }),
];

const SOCS: [&str; 3] = ["ascend910b", "ascend950", "ascend310p"];

/// Value of the attribute.
const A: f64 = 1.625;

fn def(formula: Formula) -> OpDef {
    let mut def = operator("Op", &["x", "z"], &["y"], false, |b, s| vec![formula(b, s[0], s[1])]);
    let a = Attr { name: "a".into(), kind: AttrKind::Float, default: Value::Float(A), any: false };
    def.attrs = [def.attrs.to_vec(), vec![a]].concat().into();
    def
}

#[test]
fn arguments_of_exponentials_keep_what_they_lose() {
    for (name, formula) in FORMULAS {
        let def = def(formula);
        let graph = &def.specs[0].graph;
        for storage in [Storage::Registers, Storage::Memory] {
            for soc in SOCS.map(soc) {
                let plan = plan_in(&def, 0, DType::F32, soc, storage).expect("a plan");
                let place = format!("{name} {} {storage:?}", soc.name);
                assert!(plan.accuracy.is_good(), "{place}: {:?}", plan.accuracy);
                assert_eq!(plan.digits, Digits::Compensated, "{place}");
                let numbers = uniforms(&plan.graph, &[A]);
                let at =
                    |x: f32, z: f32| interpret(&plan, &[x, z], |id| numbers[id.index()] as f32)[0];
                for k in 0..4_000 {
                    let (x, z) = (0.013 * (k % 2_000) as f32 - 13.0, 0.003 * k as f32 - 5.0);
                    let want = graph.eval(&[x.into(), z.into()], &[A])[0];
                    let (least, most) = (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
                    if !(least..0.5 * most).contains(&want.abs()) {
                        continue;
                    }
                    let error = Format::of(DType::F32).error(at(x, z).into(), want, 0.0);
                    assert!(error <= BUDGET[2], "{place} at {x}, {z}: {error}");
                }
                for (x, z) in [(f32::INFINITY, 2.0), (f32::NEG_INFINITY, 2.0), (f32::MAX, 2.0)] {
                    let want = graph.eval(&[x.into(), z.into()], &[A])[0];
                    // `x exp(a x)` at -inf is infinity times 0 in the graph, which has no bounds of its own.
                    assert!(want.is_nan() || at(x, z) == want as f32, "{place} at {x}");
                }
                assert!(at(f32::NAN, 2.0).is_nan(), "{place}");
            }
        }
    }
}

/// Where a cheaper class is within the budget, arguments are not corrected.
#[test]
fn exact_arguments_are_not_corrected() {
    let exact: [Formula; 3] = [
        |b, x, _| b.call(Prim::Exp, &[x]),
        |b, x, _| {
            let v = b.scaled(-2.0, x);
            b.call(Prim::Exp, &[v])
        },
        |b, x, _| {
            let square = b.product(x, x);
            let v = b.scaled(-0.7, square);
            b.call(Prim::Exp, &[v])
        },
    ];
    for formula in exact {
        for soc in SOCS.map(soc) {
            let plan = plan(&def(formula), 0, DType::F32, soc).expect("a plan");
            assert_eq!(plan.digits, Digits::Absolute, "{}", soc.name);
        }
    }
}
