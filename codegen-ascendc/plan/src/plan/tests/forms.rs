//! Tests every row of the table of forms against its oracle, with and without noise.

use super::accuracy::{floats, widened};
use super::*;
use crate::sequence::forms::circle;
use op_dsl_ir::format::Format;
use op_dsl_ir::prim::TABLE;

/// Error bars of a form.
struct Bar {
    prim: Prim,
    /// In f32: absolute where the function is at most 1, relative where it is more.
    absolute: f64,
    /// In f32: relative for `|x|` from 4 to 8, where the function is below 1e-2.
    tail: f64,
}

/// 2^-22.
const ABSOLUTE: f64 = 2.384_185_791_015_625e-7;

/// Primitives that miss the bars of the others.
///
/// In tails, an argument of the exponential that is rounded costs half a unit of it, whatever is fitted to the rest. This is 1.9e-6
/// of the value at `v = 49` (gelu by tanh at -8, where the square, the cube and their products cost as much each) and 1.9e-6 below
/// `a^2 = 64` (erfc).
const EXCEPTIONS: [Bar; 5] = [
    Bar { prim: Prim::GeluTanh, absolute: ABSOLUTE, tail: 8e-6 },
    Bar { prim: Prim::GeluTanhGrad, absolute: ABSOLUTE, tail: 8e-6 },
    Bar { prim: Prim::Erfc, absolute: ABSOLUTE, tail: 2.5e-6 },
    // These are sums of a small number and 1, so their tails have no relative accuracy.
    Bar { prim: Prim::Expm1, absolute: ABSOLUTE, tail: f64::INFINITY },
    Bar { prim: Prim::Log1p, absolute: ABSOLUTE, tail: f64::INFINITY },
];

fn bar(prim: Prim) -> Bar {
    let known = EXCEPTIONS.into_iter().find(|b| b.prim == prim);
    known.unwrap_or(Bar { prim, absolute: ABSOLUTE, tail: 2e-6 })
}

/// Returns every primitive that has a form.
fn smooth() -> Vec<Prim> {
    let has = |prim: &Prim| {
        crate::column::form_of(
            *prim,
            DType::F32,
            Limits::Exact,
            Digits::Absolute,
            soc("ascend910b").arch,
        )
        .is_some()
    };
    TABLE.iter().map(|row| row.prim).filter(has).collect()
}

#[test]
fn what_has_no_calls_is_refused_by_name() {
    for prim in [Prim::Rem, Prim::Erfinv, Prim::Lgamma, Prim::Digamma, Prim::Trigamma] {
        let args = |s: &[Id]| vec![s[0]; prim.row().arity];
        let def = operator("Op", &["x"], &["y"], true, |b, s| vec![b.call(prim, &args(s))]);
        let refusal = plan(&def, 0, DType::F32, soc("ascend910b")).expect_err("no sequence");
        assert_eq!(refusal.why, Why::Missing(prim.row().name));
    }
}

fn values(prim: Prim, dtype: DType, on: &str, xs: &[f32], noise: Noise) -> Vec<f32> {
    let def = operator("Op", &["x"], &["y"], true, |b, s| vec![b.call(prim, &[s[0]])]);
    let plan = plan(&def, 0, dtype, soc(on)).expect("a plan");
    interpret_all(&plan, &[xs], |_| f32::NAN, noise).swap_remove(0)
}

fn exact(prim: Prim, x: f32) -> f64 {
    (prim.row().oracle)([x.into(), 0.0, 0.0])
}

/// Returns true if `x` is in the range in which a primitive is accurate.
///
/// Sine and cosine have no digits beyond their largest argument, and no limit at infinities.
fn is_judged(prim: Prim, x: f32) -> bool {
    let domain = prim.row().domain;
    let most = if matches!(prim, Prim::Sin | Prim::Cos) { circle::LARGEST } else { f64::INFINITY };
    let x = f64::from(x);
    (domain.0..=domain.1).contains(&x) && x.abs() <= most
}

const NOISES: [Noise; 2] = [Noise::None, Noise::Unit(7)];

#[test]
fn f32_absolute_and_in_the_tail() {
    let xs: Vec<f32> = floats(49_999, 20_000).collect();
    for prim in smooth() {
        let domain = prim.row().domain;
        let within = |x: &f32| (domain.0..=domain.1).contains(&f64::from(*x));
        let xs: Vec<f32> = xs.iter().copied().filter(within).collect();
        let bar = bar(prim);
        for noise in NOISES {
            let (mut worst, mut tail) = ((0.0, 0.0), (0.0, 0.0));
            for (x, got) in xs.iter().zip(values(prim, DType::F32, "ascend910b", &xs, noise)) {
                let (got, want) = (f64::from(got), exact(prim, *x));
                assert!(!got.is_nan(), "{prim:?}({x}) is NaN");
                let error = (got - want).abs();
                if x.abs() <= 20.0 && error / want.abs().max(1.0) > worst.0 {
                    worst = (error / want.abs().max(1.0), *x);
                }
                let falls = (4.0..=8.0).contains(&x.abs()) && want.abs() < 1e-2;
                if falls && error / want.abs() > tail.0 {
                    tail = (error / want.abs(), *x);
                }
            }
            println!(
                "{prim:?} {noise:?}: {:.2e} at {}, tail {:.2e} at {}",
                worst.0, worst.1, tail.0, tail.1
            );
            if noise == Noise::None {
                assert!(worst.0 <= bar.absolute, "{prim:?}: {:e} at {}", worst.0, worst.1);
                assert!(tail.0 <= bar.tail, "{prim:?}: tail {:e} at {}", tail.0, tail.1);
            }
        }
    }
}

/// All inputs are within one unit of the true value; with noise, within one step of the nearest value.
#[test]
fn sixteen_bits_to_one_ulp_everywhere() {
    for dtype in [DType::F16, DType::BF16] {
        let xs: Vec<f32> = (0..=u16::MAX).map(|b| widened(b, dtype)).collect();
        for prim in smooth() {
            for noise in NOISES {
                let (mut worst, mut at) = (0.0, 0.0);
                for (x, got) in xs.iter().zip(values(prim, dtype, "ascend910b", &xs, noise)) {
                    if x.is_nan() {
                        assert!(got.is_nan(), "{prim:?} {dtype} of NaN is {got}");
                    }
                    if x.is_nan() || !is_judged(prim, *x) {
                        continue;
                    }
                    let (got, want) = (f64::from(got), exact(prim, *x));
                    let near = Format::of(dtype).round(want);
                    if got == near {
                        continue;
                    }
                    assert!(x.is_finite(), "{prim:?} {dtype}({x}) = {got}, not {want}");
                    assert!(!got.is_nan(), "{prim:?} {dtype}({x}) is NaN");
                    let from = if noise == Noise::None { want } else { near };
                    let error = (got - from).abs() / Format::of(dtype).ulp(want);
                    if error > worst {
                        (worst, at) = (error, *x);
                    }
                }
                println!("{prim:?} {dtype} {noise:?}: {worst:.3} at {at}");
                assert!(worst <= 1.0, "{prim:?} {dtype} {noise:?}: {worst} at {at}");
            }
        }
    }
}
