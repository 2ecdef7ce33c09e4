//! Tests the calls of gradients against the oracle, with dy = a = 1.

use super::*;
use crate::plan::arithmetic::Noise;
use half::{bf16, f16};
use op_dsl_ir::format::Format;

type Oracle = fn([f64; 3]) -> f64;

fn oracle(prim: Prim) -> Oracle {
    prim.row().oracle
}

/// A derivative as an operator computes it: the plan, and the indices of its input and output.
struct Case {
    plan: Plan,
    oracle: Oracle,
    x: usize,
    out: usize,
}

impl Case {
    fn at(&self, x: f32) -> f32 {
        let mut streams = vec![1.0; self.plan.inputs.len()];
        streams[self.x] = x;
        interpret(&self.plan, &streams, |_| f32::NAN)[self.out]
    }

    /// Returns each of `xs` with the value there.
    fn over(&self, xs: impl Iterator<Item = f32>) -> impl Iterator<Item = (f32, f32)> {
        over(&self.plan, self.x, self.out, xs)
    }

    fn exact(&self, x: f32) -> f64 {
        (self.oracle)([x.into(), 0.0, 0.0])
    }
}

/// Returns each of `xs` with an output of the plan, where the input `x` has this value and all others are 1.
fn over(
    plan: &Plan,
    x: usize,
    out: usize,
    xs: impl Iterator<Item = f32>,
) -> impl Iterator<Item = (f32, f32)> {
    let xs: Vec<f32> = xs.collect();
    let values = |xs: &[f32]| {
        let ones = vec![1.0; xs.len()];
        let mut streams = vec![&ones[..]; plan.inputs.len()];
        streams[x] = xs;
        interpret_all(plan, &streams, |_| f32::NAN, Noise::None).swap_remove(out)
    };
    // Parts whose buffers fit the first-level cache.
    let values: Vec<f32> = xs.chunks(512).flat_map(values).collect();
    xs.into_iter().zip(values)
}

/// Returns every gradient that is a derivative of one variable when dy = a = 1.
fn gradients(dtype: DType) -> Vec<(&'static str, Case)> {
    let case = |def: OpDef, prim, x, out| Case {
        plan: planned(&def, dtype),
        oracle: oracle(prim),
        x,
        out,
    };
    vec![
        ("GeGlu tanh", case(ge_glu_grad(Prim::GeluTanhGrad), Prim::GeluTanhGrad, 1, 0)),
        ("Gelu tanh", case(gelu_grad(Prim::GeluTanhGrad), Prim::GeluTanhGrad, 1, 0)),
        ("GeGlu none", case(ge_glu_grad(Prim::GeluGrad), Prim::GeluGrad, 1, 0)),
        ("Gelu none", case(gelu_grad(Prim::GeluGrad), Prim::GeluGrad, 1, 0)),
        ("SwiGlu gate", case(swi_glu_grad(), Prim::SiluGrad, 1, 0)),
        ("SwiGlu value", case(swi_glu_grad(), Prim::Silu, 1, 1)),
    ]
}

/// Returns every `every`th number of both signs, and a dense grid of `grid` numbers on each side of 0.
pub fn floats(every: u32, grid: i32) -> impl Iterator<Item = f32> {
    let patterns = (0..u32::MAX / every).map(move |i| f32::from_bits(i * every));
    let dense = (-grid..=grid).map(move |i| i as f32 * (20.0 / grid as f32));
    patterns.chain(dense).filter(|x| x.is_finite())
}

#[test]
fn f32_absolute_and_in_the_tail() {
    for (name, case) in gradients(DType::F32) {
        let (mut worst, mut tail) = ((0.0, 0.0), (0.0, 0.0));
        for (x, got) in case.over(floats(4999, 200_000)) {
            let want = case.exact(x);
            assert!(!got.is_nan(), "{name}({x}) is NaN");
            let error = (f64::from(got) - want).abs();
            // The value itself grows past 16, where half an ulp is more than 2^-22.
            if x.abs() <= 20.0 && error / want.abs().max(1.0) > worst.0 {
                worst = (error / want.abs().max(1.0), x);
            }
            if (-8.0..=-4.0).contains(&x) && error / want.abs() > tail.0 {
                tail = (error / want.abs(), x);
            }
        }
        let bar = if name.contains("tanh") { 8e-6 } else { 2e-6 };
        println!("{name}: {:.2e} at {}, tail {:.2e} at {}", worst.0, worst.1, tail.0, tail.1);
        assert!(worst.0 <= 0.5f64.powi(22), "{name}: {:e} at {}", worst.0, worst.1);
        assert!(tail.0 <= bar, "{name}: tail {:e} at {}, bar {bar:e}", tail.0, tail.1);
    }
}

pub fn widened(bits: u16, dtype: DType) -> f32 {
    match dtype {
        DType::F16 => f16::from_bits(bits).to_f32(),
        _ => bf16::from_bits(bits).to_f32(),
    }
}

/// Returns all finite numbers of a 16-bit type.
fn finite(dtype: DType) -> impl Iterator<Item = f32> {
    (0..=u16::MAX).map(move |b| widened(b, dtype)).filter(|x| x.is_finite())
}

/// All inputs are within one ulp of the true value.
///
/// The none form in bf16 is within one step of the nearest value, and below the normal range within 7.6e-39.
#[test]
fn sixteen_bits_to_one_ulp_everywhere() {
    for dtype in [DType::F16, DType::BF16] {
        for (name, case) in gradients(dtype) {
            let by_steps = dtype == DType::BF16 && name.contains("none");
            let mut worst = (0.0, 0.0);
            for (x, got) in case.over(finite(dtype)) {
                let want = case.exact(x);
                assert!(!got.is_nan(), "{name} {dtype}({x}) is NaN");
                let got = f64::from(got);
                if by_steps && want.abs() < 2f64.powi(-126) {
                    assert!((got - want).abs() <= 7.6e-39, "{name} {dtype}({x}) = {got:e}");
                    continue;
                }
                let from = if by_steps { Format::of(dtype).round(want) } else { want };
                let error = if got == from {
                    0.0
                } else {
                    (got - from).abs() / Format::of(dtype).ulp(want)
                };
                if error > worst.0 {
                    worst = (error, x);
                }
            }
            println!("{name} {dtype}: {:.3} at {}", worst.0, worst.1);
            assert!(worst.0 <= 1.0, "{name} {dtype}: {} at {}", worst.0, worst.1);
        }
    }
}

#[test]
fn limits_and_nan() {
    for dtype in DType::ALL {
        for (name, case) in gradients(dtype) {
            let up = if name == "SwiGlu value" { f32::INFINITY } else { 1.0 };
            assert_eq!(case.at(f32::INFINITY), up, "{name} {dtype} at +inf");
            assert_eq!(case.at(f32::NEG_INFINITY), 0.0, "{name} {dtype} at -inf");
            assert!(case.at(f32::NAN).is_nan(), "{name} {dtype} of NaN");
        }
    }
}

/// `x^n / (1 + x^(2n))^(1/2)` is 1 far out, where its square leaves `float` long before `x` does.
#[test]
fn limits_are_right_where_powers_overflow() {
    for (n, on) in [(1, "ascend910b"), (1, "ascend950"), (2, "ascend910b")] {
        let def = operator("Own", &["dy", "x"], &["y"], true, |b, s| {
            let x = b.power(s[1], n);
            let (one, square) = (b.num(1.0), b.product(x, x));
            let sum = b.sum(one, square);
            let root = b.call(Prim::Sqrt, &[sum]);
            let y = b.quotient(x, root);
            vec![b.product(s[0], y)]
        });
        for dtype in [DType::F32, DType::BF16] {
            let plan = plan(&def, 0, dtype, soc(on)).expect("a plan");
            for x in [1e12, 1e20, 3e38, f32::INFINITY] {
                let at = |x: f32| interpret(&plan, &[0.5, x], |_| f32::NAN)[0];
                let below = if n == 1 { -0.5 } else { 0.5 };
                assert_eq!([at(x), at(-x)], [0.5, below], "{x:e} to the {n} on {on} in {dtype}");
            }
        }
    }
}

/// `ln(1 + u^2)` and `u / (1 + u^2)` are no limits far out, where `u^2` leaves `float`; the argument is an input or a difference.
#[test]
fn functions_are_right_where_powers_overflow() {
    for (is_difference, on, dtype) in [
        (false, "ascend910b", DType::F32),
        (false, "ascend950", DType::BF16),
        (true, "ascend910b", DType::BF16),
        (true, "ascend950", DType::F32),
    ] {
        let def = operator("Own", &["t", "x"], &["y", "dy"], true, |b, s| {
            let u = if is_difference { b.difference(s[1], s[0]) } else { s[1] };
            let (one, square) = (b.num(1.0), b.product(u, u));
            let sum = b.sum(one, square);
            [b.call(Prim::Ln, &[sum]), b.quotient(u, sum)].to_vec()
        });
        let plan = plan(&def, 0, dtype, soc(on)).expect("a plan");
        for e in 40..128 {
            let x = 1.5 * libm::exp2f(e as f32);
            let got = interpret(&plan, &[1.0, x], |_| f32::NAN);
            let want = [2.0 * libm::log(x.into()), 1.0 / f64::from(x)];
            for (got, want) in got.iter().zip(want) {
                let off = (f64::from(*got) - want).abs() / Format::of(dtype).ulp(want);
                assert!(off <= 2.0 || want < 1.2e-38, "{x:e} on {on} in {dtype}: {got:e}");
            }
        }
        let ends = interpret(&plan, &[1.0, f32::NEG_INFINITY], |_| f32::NAN);
        assert_eq!(ends, [f32::INFINITY, 0.0], "{on} in {dtype}");
    }
}

/// The difference of two inputs is as large as they are: neither may be clamped where only a function of it has reached its limit.
#[test]
fn inputs_of_a_difference_keep_their_size() {
    let def = operator("Own", &["x", "t"], &["y"], true, |b, s| {
        let (one, u) = (b.num(1.0), b.difference(s[0], s[1]));
        let square = b.product(u, u);
        let sum = b.sum(one, square);
        let root = b.call(Prim::Sqrt, &[sum]);
        vec![b.quotient(u, root)]
    });
    for on in ["ascend910b", "ascend950"] {
        let plan = plan(&def, 0, DType::F32, soc(on)).expect("a plan");
        for (x, t, want) in [(1e13, 2e12, 1.0), (1e13, 1e18, -1.0), (-4e17, -3e17, -1.0)] {
            assert_eq!(interpret(&plan, &[x, t], |_| f32::NAN), [want], "{x:e} - {t:e} on {on}");
        }
    }
}

/// The other half of a gated gradient is a product.
///
/// Its value also shows that no buffer was reused too early.
#[test]
fn products_and_other_halves() {
    for dtype in DType::ALL {
        let plan = planned(&ge_glu_grad(Prim::GeluGrad), dtype);
        let out = interpret(&plan, &[3.0, 0.75, -2.5, 0.625], |_| f32::NAN);
        let want = 3.0 * -2.5 * oracle(Prim::GeluGrad)([0.75, 0.0, 0.0]);
        assert!(
            (f64::from(out[0]) - want).abs() <= Format::of(dtype).ulp(want).max(1e-6),
            "{out:?} {want}"
        );
        assert_eq!(out[1], 1.875, "{dtype}");
        let plan = planned(&swi_glu_grad(), dtype);
        let out = interpret(&plan, &[3.0, 0.75, -2.5], |_| f32::NAN);
        for (got, want) in [
            (out[0], -7.5 * oracle(Prim::SiluGrad)([0.75, 0.0, 0.0])),
            (out[1], 3.0 * oracle(Prim::Silu)([0.75, 0.0, 0.0])),
        ] {
            assert!(
                (f64::from(got) - want).abs() <= Format::of(dtype).ulp(want).max(1e-6),
                "{got} {want}"
            );
        }
    }
}

/// Tests forward operators on finite inputs, away from where the formula itself underflows.
#[test]
fn forward_operators_stay_within_error_bounds() {
    let cases = [
        (ge_glu(Prim::GeluTanh), Prim::GeluTanh, 8e-6),
        (ge_glu(Prim::Gelu), Prim::Gelu, 2e-6),
        (swi_glu(), Prim::Silu, 1e-6),
    ];
    for (def, prim, tail) in cases {
        let f32s = planned(&def, DType::F32);
        for (x, got) in over(&f32s, 0, 0, floats(4999, 200_000)) {
            let want = oracle(prim)([x.into(), 0.0, 0.0]);
            let error = (f64::from(got) - want).abs();
            assert!(!got.is_nan(), "{} of {x}", f32s.op);
            if (-8.0..=20.0).contains(&x) {
                let least = 1.5e-45; // the smallest step there is
                assert!(error <= tail * want.abs() + least, "{} {prim:?}({x}): {error:e}", f32s.op);
            }
        }
        for dtype in [DType::F16, DType::BF16] {
            let plan = planned(&def, dtype);
            for (x, got) in over(&plan, 0, 0, finite(dtype)) {
                let want = oracle(prim)([x.into(), 0.0, 0.0]);
                if want.abs() >= 1e-20 || dtype == DType::F16 {
                    let error = (f64::from(got) - want).abs();
                    assert!(
                        error <= Format::of(dtype).ulp(want),
                        "{} {prim:?} {dtype}({x})",
                        plan.op
                    );
                }
            }
        }
    }
}
