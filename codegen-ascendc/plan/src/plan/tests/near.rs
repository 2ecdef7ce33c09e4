//! Tests of results near zeros: every plan is within its budget, relative to the result.

use super::*;

type Function = fn(&mut Builder, Id) -> Id;

fn tanh_of(b: &mut Builder, inner: Prim, x: Id) -> Id {
    let inner = b.call(inner, &[x]);
    b.call(Prim::Tanh, &[inner])
}

/// `c tanh(x / c)`
fn bent(b: &mut Builder, x: Id) -> Id {
    let c = b.num(30.0);
    let part = b.quotient(x, c);
    let t = b.call(Prim::Tanh, &[part]);
    b.product(c, t)
}

/// Functions with a zero at 0, or of a function that is near one there, as an author writes them.
const FUNCTIONS: &[(&str, Function)] = &[
    ("tanh", |b, x| b.call(Prim::Tanh, &[x])),
    ("erf", |b, x| b.call(Prim::Erf, &[x])),
    ("expm1", |b, x| b.call(Prim::Expm1, &[x])),
    ("log1p", |b, x| {
        let a = b.call(Prim::Abs, &[x]);
        b.call(Prim::Log1p, &[a])
    }),
    ("gelu", |b, x| b.call(Prim::Gelu, &[x])),
    ("c tanh(x / c)", bent),
    ("x tanh(e^x)", |b, x| {
        let t = tanh_of(b, Prim::Exp, x);
        b.product(x, t)
    }),
    ("x tanh(gelu x)", |b, x| {
        let t = tanh_of(b, Prim::Gelu, x);
        b.product(x, t)
    }),
    ("x tanh(ln(1 + sigmoid x))", |b, x| {
        let s = b.call(Prim::Sigmoid, &[x]);
        let t = tanh_of(b, Prim::Log1p, s);
        b.product(x, t)
    }),
    ("x sigmoid'", |b, x| {
        let minus = b.negative(x);
        let [s, r] = [x, minus].map(|x| b.call(Prim::Sigmoid, &[x]));
        let slope = b.product(s, r);
        b.product(x, slope)
    }),
    ("x - tanh x", |b, x| {
        let t = b.call(Prim::Tanh, &[x]);
        b.difference(x, t)
    }),
    ("sigmoid''", |b, x| {
        let minus = b.negative(x);
        let [s, r] = [x, minus].map(|x| b.call(Prim::Sigmoid, &[x]));
        let (first, second) = (b.product(s, r), b.product(r, s));
        let (first, second) = (b.product(first, r), b.product(second, s));
        b.difference(first, second)
    }),
    ("sigmoid(x) - 1/2", |b, x| {
        let (s, half) = (b.call(Prim::Sigmoid, &[x]), b.num(0.5));
        b.difference(s, half)
    }),
    ("(e^x - e^-x) / (e^x + e^-x)", |b, x| {
        let minus = b.negative(x);
        let [p, m] = [x, minus].map(|x| b.call(Prim::Exp, &[x]));
        let (above, below) = (b.difference(p, m), b.sum(p, m));
        b.quotient(above, below)
    }),
    ("x / (1 + |x|)", |b, x| {
        let (one, a) = (b.num(1.0), b.call(Prim::Abs, &[x]));
        let below = b.sum(one, a);
        b.quotient(x, below)
    }),
];

/// Returns the function as an operator, alone or times another stream.
fn written(build: Function, is_factor: bool) -> OpDef {
    let names: &[&'static str] = if is_factor { &["x", "w"] } else { &["x"] };
    let mut def = operator("Op", names, &["y"], true, |b, s| {
        let f = build(b, s[0]);
        vec![if is_factor { b.product(f, s[1]) } else { f }]
    });
    let spec = &mut def.specs.to_mut()[0];
    spec.wide = Some(op_dsl_ir::compile::wide(&spec.graph, &spec.graph, &[]));
    def
}

#[test]
fn every_type_is_within_its_budget() {
    for (name, build) in FUNCTIONS {
        for (is_factor, soc) in [false, true]
            .into_iter()
            .flat_map(|is_factor| architectures().map(move |soc| (is_factor, soc)))
        {
            let def = written(*build, is_factor);
            for &dtype in soc.arch.dtypes {
                let plan = plan(&def, 0, dtype, soc).expect("a plan");
                let found = plan.inaccurate();
                assert!(found.is_none(), "{name} {} {dtype}: {}", soc.name, found.unwrap());
            }
        }
    }
}

/// Tests inputs much nearer to zero and further from it than planning does, also with a unit of noise.
#[test]
fn tanh_keeps_its_digits_everywhere() {
    for (prim, at) in [
        (Prim::Tanh, libm::tanh as fn(f64) -> f64),
        (Prim::Erf, libm::erf),
        (Prim::Expm1, libm::expm1),
    ] {
        let def = operator("Op", &["x"], &["y"], true, |b, s| vec![b.call(prim, &[s[0]])]);
        let plan = planned(&def, DType::F32);
        let patterns = (0x0100_0000..0x4180_0000u32).step_by(4999).map(f32::from_bits);
        let xs: Vec<f32> = patterns.flat_map(|x| [x, -x]).collect();
        for (noise, most) in [(Noise::None, 8.0), (Noise::Unit(5), 14.0)] {
            let got = interpret_all(&plan, &[&xs], |_| f32::NAN, noise).swap_remove(0);
            for (x, got) in xs.iter().zip(got) {
                let error = op_dsl_ir::format::Format::of(DType::F32).error(
                    got.into(),
                    at((*x).into()),
                    0.0,
                );
                assert!(error <= most, "{prim:?}({x:e}) {noise:?}: {error}");
            }
        }
    }
}

/// Tests that products with normal results neither overflow nor become 0, for factors of every size.
///
/// This holds where the function itself is normal.
#[test]
fn products_with_normal_results_are_not_flushed() {
    let softsign: Function = |b, x| {
        let (one, a) = (b.num(1.0), b.call(Prim::Abs, &[x]));
        let below = b.sum(one, a);
        let square = b.product(below, below);
        b.quotient(one, square)
    };
    let prims: [Function; 4] = [
        |b, x| b.call(Prim::SiluGrad, &[x]),
        |b, x| b.call(Prim::GeluGrad, &[x]),
        |b, x| b.call(Prim::Sigmoid, &[x]),
        |b, x| b.call(Prim::Tanh, &[x]),
    ];
    for (k, build) in prims.into_iter().chain([softsign]).enumerate() {
        for spelling in 0..2 {
            let def = operator("Op", &["dy", "x"], &["y"], true, |b, s| {
                let f = build(b, s[1]);
                vec![if spelling == 0 { b.product(s[0], f) } else { b.product(f, s[0]) }]
            });
            let graph = &def.specs[0].graph;
            for (soc, dtype) in ["ascend910b", "ascend950", "ascend310p"]
                .into_iter()
                .flat_map(|on| soc(on).arch.dtypes.iter().map(move |d| (soc(on), *d)))
                .filter(|(_, dtype)| *dtype != DType::F16)
            {
                let plan = plan(&def, 0, dtype, soc).expect("a plan");
                let sizes = (-126..128).step_by(5).map(|e| libm::exp2f(e as f32));
                let sizes: Vec<f32> = sizes.flat_map(|v| [v, -v]).collect();
                for (dy, x) in sizes.iter().flat_map(|dy| sizes.iter().map(move |x| (*dy, *x))) {
                    let want = graph.eval(&[dy.into(), x.into()], &[])[0];
                    let f = want / f64::from(dy);
                    let (least, most) = (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
                    let is_normal = |v: f64| (2.0 * least..0.5 * most).contains(&v.abs());
                    // The square of a reciprocal may itself be out of range, so only the result must be normal.
                    if !is_normal(want) || k != 4 && !is_normal(f) {
                        continue;
                    }
                    let got = f64::from(interpret(&plan, &[dy, x], |_| f32::NAN)[0]);
                    let is_near = (got - want).abs() <= 0.01 * want.abs();
                    assert!(
                        is_near,
                        "{k} {} {dtype}: {dy:e}, {x:e}: {got:e}, not {want:e}",
                        soc.name
                    );
                }
            }
        }
    }
}

/// Tests that a function keeps its digits where an exponential in it is no normal number any more and the function still is.
///
/// `x e^x` is a normal number for 4 units of `x` more than `e^x`. The reciprocal of `1 + e^-x` is 0 there.
#[test]
fn products_with_subnormal_exponentials_are_not_cut_off() {
    let functions: [Function; 4] = [
        |b, x| b.call(Prim::Silu, &[x]),
        |b, x| {
            let (softplus, silu) = (b.call(Prim::Softplus, &[x]), b.call(Prim::Silu, &[x]));
            b.sum(softplus, silu)
        },
        |b, x| {
            let e = b.call(Prim::Exp, &[x]);
            b.product(x, e)
        },
        |b, x| {
            let (square, sigmoid) = (b.product(x, x), b.call(Prim::Sigmoid, &[x]));
            b.product(square, sigmoid)
        },
    ];
    for (k, build) in functions.into_iter().enumerate() {
        let def = operator("Op", &["dy", "x"], &["y"], true, |b, s| {
            let f = build(b, s[1]);
            vec![b.product(s[0], f)]
        });
        for soc in ["ascend910b", "ascend950", "ascend310p"].map(soc) {
            let plan = plan(&def, 0, DType::F32, soc).expect("a plan");
            for x in (8_600..9_600).map(|x| -0.01 * x as f32) {
                let want = def.specs[0].graph.eval(&[57.0, x.into()], &[])[0];
                let got = f64::from(interpret(&plan, &[57.0, x], |_| f32::NAN)[0]);
                // An exponential of 1e-42 has three digits, because it is a multiple of 1.4e-45.
                let least = 57.0 * f64::from(f32::MIN_POSITIVE);
                let is_near = want.abs() < least || (got - want).abs() <= 0.01 * want.abs();
                assert!(is_near, "{k} {}: {x}: {got:e}, not {want:e}", soc.name);
            }
        }
    }
}

/// An infinite factor that a derivative's terms share is listed by the plan.
///
/// It is `inf - inf` where the terms have different signs.
#[test]
fn infinities_that_are_lost_are_named() {
    for dtype in DType::ALL {
        let plan = planned(&swi_glu_grad(), dtype);
        assert!(plan.lost.contains(&0), "{dtype}: {:?}", plan.lost);
        let got = interpret(&plan, &[f32::INFINITY, -3.0, 1.0], |_| f32::NAN);
        assert!(got[0].is_nan(), "{dtype}: {got:?}");
        assert!(planned(&gelu_grad(Prim::GeluGrad), dtype).lost.is_empty(), "{dtype}");
    }
}
