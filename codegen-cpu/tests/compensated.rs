//! Functions of double-floats against f64, in ulp, at all levels of this CPU that have FMA.
//!
//! The argument is a difference of two floats, as in `exp(x - row_max(x))`, which f64 holds to more digits than the results need.

mod levels;

use codegen_cpu::rt::abi::Streams;
use codegen_cpu::rt::block::{Body, Input, Kernels};
use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::load::Load;
use codegen_cpu::rt::math::double_float::DoubleFloat;
use codegen_cpu::rt::simd::{Isa, Level};
use codegen_cpu::rt::step::Floats;
use levels::levels;
use op_dsl_ir::DType;

/// Returns the error budget of `exp` for a result, in ulp; 0.5 is rounding. Denormal results are rounded twice.
fn budget(truth: f64) -> f64 {
    if truth < f64::from(f32::MIN_POSITIVE) { 0.8 } else { 0.6 }
}

/// Number of elements in a run, a multiple of the steps of all levels.
const CHUNK: usize = 4096;

/// `e^(x - y)`, where the difference is a double-float.
struct Exp;

impl Body<2, 0, 1> for Exp {
    fn eval<S: Isa, E: El, const W: usize>(
        s: S,
        [x, y]: [Input<'_, S, E, W>; 2],
        _: [Floats<S, W>; 0],
    ) -> [Floats<S, W>; 1] {
        [DoubleFloat::sum_of(s, x.load(), -y.load()).exp(s)]
    }
}

/// Computes `e^(x - y)` for all `x` at a level.
fn exp(level: Level, x: &[f32; CHUNK], y: f32) -> Vec<f32> {
    let (kernels, y, mut e) = (Kernels::of::<Exp, 2, 0, 1>(), [y; CHUNK], vec![0.0; CHUNK]);
    let mut io = Streams::of(DType::F32);
    io.start[0] = x.as_ptr().cast_mut().cast();
    io.start[1] = y.as_ptr().cast_mut().cast();
    io.start[2] = e.as_mut_ptr().cast();
    let kernel = kernels.get(DType::F32, level).expect("a level of this machine");
    // SAFETY: every stream has as many whole steps; the CPU supports the SIMD level.
    unsafe { kernel(&io, CHUNK / Kernels::step(DType::F32, level), false) }
    e
}

/// Returns the error of `got` in ulp of `truth`, which are units of the smallest denormal at least.
fn error(got: f32, truth: f64) -> f64 {
    if truth.is_nan() || got.is_nan() {
        return if truth.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    // Infinity counts as the next number after the largest, as it does in rounding.
    let [got, truth] = [got.into(), truth].map(|v: f64| v.min(2f64.powi(128)));
    let exponent = ((truth.to_bits() >> 52) as i32 - 1023).clamp(-126, 127);
    (got - truth).abs() / 2f64.powi(exponent - 23)
}

fn fma_levels() -> impl Iterator<Item = Level> {
    levels().into_iter().filter(|level| level.has_fma())
}

#[test]
fn exponentials_of_differences_are_within_budget() {
    // Off x86-64 an emulator takes a hundred times as long.
    let chunks = if cfg!(target_arch = "x86_64") { 200 } else { 4 };
    let mut bits = 1u32;
    for level in fma_levels() {
        let mut worst = (0.0, 0.0, 0.0);
        for y in [0.0, 1e-3, 1.7, -33.3, 60.1, 12_345.678, -7e-39, 3e5] {
            for _ in 0..chunks {
                let x: [f32; CHUNK] = core::array::from_fn(|_| {
                    bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    // From -110 to 90, where results are 0 and infinite at the ends.
                    y + (bits as f32 / u32::MAX as f32) * 200.0 - 110.0
                });
                for (x, e) in x.iter().zip(exp(level, &x, y)) {
                    let truth = (f64::from(*x) - f64::from(y)).exp();
                    let error = error(e, truth) * 0.6 / budget(truth);
                    if error > worst.0 {
                        worst = (error, *x, y);
                    }
                }
            }
        }
        let (error, x, y) = worst;
        println!("exp {} {error:.3} ulp at {x:e} - {y:e}", level.name());
        assert!(error <= 0.6, "{}: {error} ulp at {x:e} - {y:e}", level.name());
    }
}

/// Infinities, NaN and numbers far apart give what arithmetic in f64 gives.
#[test]
fn special_differences_give_what_arithmetic_gives() {
    let special = [0.0, -0.0, 1.0, 3e38, -3e38, 1e-40, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let mut x = [1.0; CHUNK];
    x[..special.len()].copy_from_slice(&special);
    for level in fma_levels() {
        for y in special {
            for (x, e) in special.iter().zip(exp(level, &x, y)) {
                let truth = (f64::from(*x) - f64::from(y)).exp();
                assert!(
                    error(e, truth) <= budget(truth),
                    "{}: e^({x:e} - {y:e}) = {e:e}",
                    level.name()
                );
            }
        }
    }
}
