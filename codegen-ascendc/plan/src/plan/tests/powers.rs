//! Powers, and formulas of sines, cosines and arctangents.

use super::*;

/// Returns an operator of one input; scalar 0 of its formula is `alpha`, which is 1 at first.
fn own(build: impl Fn(&mut Builder, Id) -> Id) -> OpDef {
    operator("Own", &["x"], &["y"], true, |b, s| vec![build(b, s[0])])
}

fn power(b: &mut Builder, x: Id, y: f64) -> Id {
    let y = b.num(y);
    b.call(Prim::Pow, &[x, y])
}

/// Returns formulas of one input, each with a name.
fn formulas() -> Vec<(&'static str, OpDef)> {
    let turn = |b: &mut Builder, x: Id, prim: Prim| {
        let a = b.scalar(0);
        let t = b.product(a, x);
        (a, b.call(prim, &[t]))
    };
    vec![
        (
            "(1 - sigmoid x)^2.2",
            own(|b, x| {
                let x = b.negative(x);
                let p = b.call(Prim::Sigmoid, &[x]);
                power(b, p, 2.2)
            }),
        ),
        (
            "|x|^0.75",
            own(|b, x| {
                let size = b.call(Prim::Abs, &[x]);
                power(b, size, 0.75)
            }),
        ),
        ("x^3", own(|b, x| power(b, x, 3.0))),
        ("x^-1.5", own(|b, x| power(b, x, -1.5))),
        (
            "1.7^x",
            own(|b, x| {
                let base = b.num(1.7);
                b.call(Prim::Pow, &[base, x])
            }),
        ),
        (
            "x^alpha",
            own(|b, x| {
                let y = b.scalar(0);
                b.call(Prim::Pow, &[x, y])
            }),
        ),
        // Snake, of BigVGAN: Ziyin et al., 2020.
        (
            "x + sin(a x)^2 / a",
            own(|b, x| {
                let (a, sin) = turn(b, x, Prim::Sin);
                let square = b.product(sin, sin);
                let term = b.quotient(square, a);
                b.sum(x, term)
            }),
        ),
        (
            "1 + sin(a x)",
            own(|b, x| {
                let (_, sin) = turn(b, x, Prim::Sin);
                let one = b.num(1.0);
                b.sum(one, sin)
            }),
        ),
        // A layer of a sinusoidal representation network: Sitzmann et al., 2020.
        (
            "sin(30 x)",
            own(|b, x| {
                let t = b.scaled(30.0, x);
                b.call(Prim::Sin, &[t])
            }),
        ),
        (
            "x cos(a x)",
            own(|b, x| {
                let (_, cos) = turn(b, x, Prim::Cos);
                b.product(x, cos)
            }),
        ),
        (
            "x atan(a x)",
            own(|b, x| {
                let (_, atan) = turn(b, x, Prim::Atan);
                b.product(x, atan)
            }),
        ),
    ]
}

#[test]
fn formulas_of_powers_and_angles_are_within_budget_on_every_target() {
    for (name, def) in formulas() {
        for soc in architectures() {
            for &dtype in soc.arch.dtypes {
                let plan = plan(&def, 0, dtype, soc).expect("a plan");
                let found = &plan.accuracy;
                assert!(found.is_good(), "{name} on {} in {dtype}: {found:?}", soc.name);
            }
        }
    }
}

/// Returns `x^y` as a plan in `dtype` computes it, with `y` a number and with `y` an input.
fn powers(x: f32, y: f32, dtype: DType) -> [f32; 2] {
    let on = soc("ascend910b");
    let by_number = own(|b, x| power(b, x, y.into()));
    let by_input =
        operator("Own", &["x", "y"], &["z"], true, |b, s| vec![b.call(Prim::Pow, &[s[0], s[1]])]);
    let [number, input] =
        [by_number, by_input].map(|def| plan(&def, 0, dtype, on).expect("a plan"));
    [interpret(&number, &[x], |_| 1.0)[0], interpret(&input, &[x, y], |_| 1.0)[0]]
}

#[test]
fn powers_have_the_signs_and_limits_of_pow() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    for (x, y, want) in [
        (-2.0, 2.0, 4.0),
        (-2.0, 3.0, -8.0),
        (-2.0, -1.0, -0.5),
        (-2.0, 0.5, nan),
        (0.0, 2.0, 0.0),
        (0.0, 0.5, 0.0),
        (0.0, 0.0, 1.0),
        (0.0, -1.0, inf),
        (inf, 0.5, inf),
        (inf, -2.0, 0.0),
        (inf, 0.0, 1.0),
        (1.0, 40.0, 1.0),
        (nan, 2.0, nan),
    ] {
        for dtype in DType::ALL {
            for got in powers(x, y, dtype) {
                assert!(got == want || got.is_nan() && want.is_nan(), "{dtype}: {x}^{y} is {got}");
            }
        }
    }
}

/// Sines of huge numbers have no digits, but stay within -1 and 1; those of infinities are NaN.
#[test]
fn sines_are_bounded_everywhere() {
    for prim in [Prim::Sin, Prim::Cos] {
        let def = own(|b, x| b.call(prim, &[x]));
        for soc in architectures() {
            let plan = plan(&def, 0, DType::F32, soc).expect("a plan");
            for x in [1e5, 1e7, -3e9, 1e30, f32::MAX] {
                let got = interpret(&plan, &[x], |_| f32::NAN)[0];
                assert!(got.abs() <= 1.0, "{prim:?}({x}) is {got}");
            }
            for x in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
                assert!(interpret(&plan, &[x], |_| f32::NAN)[0].is_nan());
            }
        }
    }
}
