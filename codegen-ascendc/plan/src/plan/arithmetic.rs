//! The result of a call on numbers, and of a sequence of calls, computed without hardware.
//!
//! Every call is rounded to the type it works in; compound calls are rounded twice, also after the product. `Exp`, `Ln`, `Sqrt` and
//! `Div` are assumed to be correctly rounded, or, with noise, to be one unit off now and then.

use crate::sequence::{Api, Compare, Scalar, Seq, Source, Type, Val};
use half::{bf16, f16};
use op_dsl_ir::DType;

/// Simulated rounding of `Exp`, `Ln`, `Sqrt` and `Div`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Results are rounded to nearest.
    None,
    /// Results are rounded to nearest, then moved by one unit in the last place: down, up or not at all, at random from this seed.
    Unit(u64),
}

impl Noise {
    pub(super) fn on(&mut self, api: Api, v: f32) -> f32 {
        let Noise::Unit(seed) = self else { return v };
        if !matches!(api, Api::Exp | Api::Ln | Api::Sqrt | Api::Div) || v == 0.0 || !v.is_finite() {
            return v;
        }
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        match (*seed >> 33) % 3 {
            0 => v.next_down(),
            1 => v.next_up(),
            _ => v,
        }
    }
}

/// Returns value `y` of a sequence of vector calls, for each of the numbers `xs` as its value `x`.
///
/// Each value of the sequence is an array with one entry per number of `xs`, because buffers are assigned only later.
pub(super) fn evaluate(seq: &Seq, x: Val, xs: &[f32], y: Val, mut noise: Noise) -> Vec<f32> {
    let mut values: Vec<Vec<f32>> = Vec::with_capacity(y.0 + 1);
    for (i, step) in seq.steps.iter().enumerate().take(y.0 + 1) {
        let c = match step.scalar {
            Some(Scalar::Const(c)) => c,
            _ => f32::NAN,
        };
        values.push(match step.source {
            _ if i == x.0 => xs.to_vec(),
            Source::Load(_) => vec![f32::NAN; xs.len()],
            Source::Splat => vec![c; xs.len()],
            Source::Call(api) => {
                let skip = usize::from(api.accumulates());
                let of = |k: usize| step.args.get(k).map(|a| &values[a.0]);
                let (old, args) = (of(0).filter(|_| skip == 1), [0, 1, 2].map(|k| of(k + skip)));
                let at = |of: Option<&Vec<f32>>, i: usize| of.map_or(f32::NAN, |v| v[i]);
                let one = |i: usize| {
                    let value = call(api, step.ty, args.map(|a| at(a, i)), c, at(old, i));
                    round(noise.on(api, value), step.ty)
                };
                (0..xs.len()).map(one).collect()
            }
        });
    }
    values.swap_remove(y.0)
}

/// Returns `v` rounded to a 16-bit type; for other types, returns `v` itself.
pub(crate) fn round(v: f32, ty: Type) -> f32 {
    match ty {
        Type::Data(DType::F16) => f16::from_f32(v).to_f32(),
        Type::Data(DType::BF16) => bf16::from_f32(v).to_f32(),
        _ => v,
    }
}

/// Returns `a` if `first`, else `b`; NaN if either is NaN, as in `op_dsl_ir::oracle`.
fn pick(a: f32, b: f32, first: bool) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::NAN
    } else if first {
        a
    } else {
        b
    }
}

fn holds(by: Compare, a: f32, b: f32) -> f32 {
    let truth = match by {
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Gt => a > b,
        Compare::Ge => a >= b,
        Compare::Eq => a == b,
    };
    truth as u8 as f32
}

/// Computes a vector call for many elements and rounds the results to type `to`.
///
/// Each argument has one value per element. `s` is the scalar. `out` holds the old values of the destination and receives the
/// results.
pub(super) fn call_all(
    api: Api,
    to: Type,
    args: [&[f32]; 3],
    s: f32,
    out: &mut [f32],
    noise: &mut Noise,
) {
    let [a, b, c] = args;
    // Each common call has its own loop, so that the `match` is outside of the loop.
    macro_rules! each {
        ($($usual:pat => $api:expr),*) => {
            match api {
                $($usual => {
                    for (((old, a), b), c) in out.iter_mut().zip(a).zip(b).zip(c) {
                        *old = call($api, to, [*a, *b, *c], s, *old);
                    }
                })*
            }
        };
    }
    each! {
        Api::Add => Api::Add, Api::Sub => Api::Sub, Api::Mul => Api::Mul, Api::Div => Api::Div,
        Api::Adds => Api::Adds, Api::Muls => Api::Muls, Api::Axpy => Api::Axpy,
        Api::FusedMulAdd => Api::FusedMulAdd, Api::Select => Api::Select, Api::Exp => Api::Exp,
        api => api
    }
    if *noise != Noise::None {
        out.iter_mut().for_each(|v| *v = noise.on(api, *v));
    }
    if matches!(to, Type::Data(dtype) if dtype.is_narrow()) {
        out.iter_mut().for_each(|v| *v = round(*v, to));
    }
}

/// Returns the result of a vector call for one element, before the final rounding to type `to`.
///
/// `a`, `b` and `c` are the vector arguments, `s` is the scalar, and `old` the previous value of the destination.
#[inline(always)]
pub(super) fn call(api: Api, to: Type, [a, b, c]: [f32; 3], s: f32, old: f32) -> f32 {
    match api {
        Api::Abs => a.abs(),
        Api::Exp => libm::exp(a.into()) as f32,
        Api::Ln => libm::log(a.into()) as f32,
        Api::Sqrt => a.sqrt(),
        Api::Add => a + b,
        Api::Sub => a - b,
        Api::Mul => a * b,
        Api::Div => a / b,
        Api::Max => pick(a, b, a > b),
        Api::Min => pick(a, b, a < b),
        Api::Adds => a + s,
        Api::Muls => a * s,
        Api::Maxs => pick(a, s, a > s),
        Api::Mins => pick(a, s, a < s),
        Api::Axpy => round(a * s, to) + old,
        Api::FusedMulAdd => round(old * a, to) + b,
        Api::Compare(by) => holds(by, a, b),
        Api::Compares(by) => holds(by, a, s),
        Api::Select => {
            if a != 0.0 {
                b
            } else {
                c
            }
        }
        Api::Cast(_) => a,
        Api::Duplicate => s,
    }
}
