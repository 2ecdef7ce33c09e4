//! Tests functions whose arguments are rounded: in tails these errors grow with the argument.

use super::*;
use crate::plan::candidates;
use crate::plan::limits::uniforms;
use crate::plan::reference::BUDGET;
use crate::plan::target::Target;
use op_dsl_ir::format::Format;

/// A formula of streams `x` and `z` and of an attribute `a`.
type Formula = fn(&mut Builder, Id, Id) -> Id;

const FORMULAS: [(&str, Formula); 12] = [
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
    ("x sigmoid(x z)", |b, x, z| {
        let v = b.product(x, z);
        let s = b.call(Prim::Sigmoid, &[v]);
        b.product(x, s)
    }),
    ("tanh(0.7 x + z^2)", |b, x, z| {
        let (v, w) = (b.scaled(0.7, x), b.product(z, z));
        let v = b.sum(v, w);
        b.call(Prim::Tanh, &[v])
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
fn arguments_keep_what_they_lose() {
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
                    let eval = |x: f64| graph.eval(&[x, z.into()], &[A])[0];
                    // `x exp(a x)` at -inf is infinity times 0 in the graph, which has no bounds of its own. Those of silu are finite.
                    let (as_is, want) = (eval(x.into()), eval(f64::from(x).clamp(-1e60, 1e60)));
                    assert!(as_is.is_nan() || at(x, z) == want as f32, "{place} at {x}");
                }
                assert!(at(f32::NAN, 2.0).is_nan(), "{place}");
            }
        }
    }
}

/// Returns the larger error of the first plans of a graph on two architectures, where its results are normal numbers.
fn error_of_class(def: &OpDef, digits: Digits) -> f64 {
    let graph = &def.specs[0].graph;
    let error = |soc| {
        let target = Target { digits, ..Target::new(def, soc, DType::F32, Limits::Exact) };
        let plans = candidates::plans(graph, 0, target, Storage::Registers).expect("plans");
        let at = |x: f32, z: f32| interpret(&plans[0], &[x, z], |_| f32::NAN)[0];
        for x in [f32::INFINITY, f32::NEG_INFINITY] {
            let want = graph.eval(&[f64::from(x).clamp(-1e60, 1e60), 2.0], &[])[0] as f32;
            assert_eq!(at(x, 2.0), want, "{} at {x}", def.name);
        }
        assert!(at(f32::NAN, 2.0).is_nan(), "{}", def.name);
        let error = |k: i32| {
            let (x, z) = (0.013 * (k % 2_000) as f32 - 13.0, 0.003 * k as f32 - 5.0);
            let want = graph.eval(&[x.into(), z.into()], &[])[0];
            let is_normal = (f64::from(f32::MIN_POSITIVE)..1e38).contains(&want.abs());
            let error = Format::of(DType::F32).error(at(x, z).into(), want, 0.0);
            if is_normal { error } else { 0.0 }
        };
        (0..4_000).map(error).fold(0.0, f64::max)
    };
    ["ascend910b", "ascend950"].map(|name| error(soc(name))).into_iter().fold(0.0, f64::max)
}

#[test]
fn tails_keep_what_arguments_lose() {
    for prim in [Prim::Sigmoid, Prim::Silu, Prim::Softplus] {
        let product = |b: &mut Builder, x: Id, z: Id| {
            let v = b.product(x, z);
            b.call(prim, &[v])
        };
        let name = prim.row().name;
        let def = operator(name, &["x", "z"], &["y"], false, |b, s| vec![product(b, s[0], s[1])]);
        let [plain, corrected] =
            [Digits::Relative, Digits::Compensated].map(|digits| error_of_class(&def, digits));
        assert!(plain > BUDGET[2], "{name}: {plain} as it is");
        assert!(corrected <= BUDGET[2], "{name}: {corrected} corrected");
    }
}

/// `x silu'(x z)` has zeros where its terms are of the size of `x`, so that no plan is right to the last digit there.
#[test]
fn zeros_of_slopes_count_by_the_size_of_factors() {
    for prim in [Prim::SiluGrad, Prim::GeluGrad, Prim::GeluTanhGrad] {
        let slope = |b: &mut Builder, s: &[Id]| {
            let v = b.product(s[0], s[1]);
            let f = b.call(prim, &[v]);
            vec![b.product(s[0], f)]
        };
        let def = operator("Op", &["x", "z"], &["y"], false, slope);
        for soc in SOCS.map(soc) {
            let plan = plan_in(&def, 0, DType::F32, soc, Storage::Registers).expect("a plan");
            assert!(plan.accuracy.is_good(), "{prim:?} {}: {:?}", soc.name, plan.accuracy);
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
