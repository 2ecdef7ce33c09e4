//! Errors of the general functions against f64, in ulp, measured through their block kernels.
//!
//! All levels of this CPU are measured. Budgets are the `ulp` column of `op_dsl_ir::prim::TABLE`. An ulp, a unit in the last
//! place of the true value, is never less than the smallest denormal. Where the true value is beyond the largest finite number,
//! infinity has an error of 0 ulp. The measured maxima are printed (`--nocapture`); `--ignored` visits all inputs.

mod levels;

use codegen_cpu::rt::abi::Streams;
use codegen_cpu::rt::block::{Body, Input, Kernels};
use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::load::Load;
use codegen_cpu::rt::math;
use codegen_cpu::rt::simd::{Isa, Level};
use codegen_cpu::rt::step::Floats;
use half::{bf16, f16};
use levels::levels;
use op_dsl_ir::Prim;

/// Largest step of any level, so that buffers of a multiple of it suit every level.
const STEP: usize = 64;

/// Sampling stride: larger off x86-64, because an emulator takes a hundred times as long.
const STRIDE: usize = if cfg!(target_arch = "x86_64") { 101 } else { 10_007 };

/// Runs a kernel over whole steps.
fn run<E: El>(kernels: &Kernels, level: Level, x: &[&[E]], y: &mut [E]) {
    assert!(level.is_available() && kernels.inputs() == x.len() && kernels.outputs() == 1);
    assert!(y.len().is_multiple_of(STEP) && x.iter().all(|x| x.len() == y.len()));
    let mut io = Streams::of(E::DTYPE);
    for (p, x) in io.start.iter_mut().zip(x) {
        *p = x.as_ptr().cast_mut().cast(); // never written, because it is an input
    }
    io.start[x.len()] = y.as_mut_ptr().cast();
    let f = kernels.get(E::DTYPE, level).expect("asked before");
    // SAFETY: every stream has that many whole steps; the CPU supports the SIMD level.
    unsafe { f(&io, y.len() / Kernels::step(E::DTYPE, level), false) }
}

/// A binary floating-point format: its precision and its exponent range.
#[derive(Clone, Copy)]
struct Format {
    digits: i32,
    min_exponent: i32,
    max_exponent: i32,
}

const F32: Format = Format { digits: 24, min_exponent: -126, max_exponent: 127 };
const F16: Format = Format { digits: 11, min_exponent: -14, max_exponent: 15 };
const BF16: Format = Format { digits: 8, min_exponent: -126, max_exponent: 127 };

impl Format {
    /// Error of `got` in ulp of `truth`; infinite where a special value is wrong.
    fn error(self, got: f64, truth: f64) -> f64 {
        if truth.is_nan() || got.is_nan() {
            return if truth.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
        }
        if truth == 0.0 {
            let same = got == 0.0 && got.is_sign_negative() == truth.is_sign_negative();
            return if same { 0.0 } else { f64::INFINITY };
        }
        // Infinity counts as the next number after the largest, as it does in rounding.
        let beyond = 2f64.powi(self.max_exponent + 1);
        let clamp = |v: f64| v.clamp(-beyond, beyond);
        let exponent = (truth.abs().to_bits() >> 52) as i32 - 1023;
        let exponent = exponent.clamp(self.min_exponent, self.max_exponent);
        let ulp = 2f64.powi(exponent + 1 - self.digits);
        (clamp(got) - clamp(truth)).abs() / ulp
    }
}

#[test]
fn errors_are_counted_in_ulp_of_the_truth() {
    assert_eq!(F32.error(1.0 + 2f64.powi(-23), 1.0), 1.0);
    assert_eq!(F32.error(0.0, 2f64.powi(-150)), 0.5);
    assert_eq!(F32.error(f64::INFINITY, 1e300), 0.0);
    assert_eq!(F32.error(f64::INFINITY, f32::MAX as f64), 1.0);
    assert_eq!(F32.error(f64::NAN, 1.0), f64::INFINITY);
    assert_eq!(F32.error(0.0, -0.0), f64::INFINITY);
    assert_eq!(F16.error(65504.0, 65536.0), 1.0);
    assert_eq!(BF16.error(1.0, 1.0), 0.0);
}

/// The largest error seen, and its input.
#[derive(Clone, Copy, Default)]
struct Worst {
    error: f64,
    at: f32,
    got: f64,
}

impl Worst {
    fn see(&mut self, error: f64, at: f32, got: f64) {
        if error > self.error {
            *self = Worst { error, at, got };
        }
    }
}

/// Measures the largest error of a unary function at every level, over inputs given in chunks.
fn measure(
    prim: Prim,
    kernels: &Kernels,
    inputs: impl Iterator<Item = f32>,
) -> Vec<(Level, Worst)> {
    const CHUNK: usize = 4096;
    let oracle = prim.row().oracle;
    let mut worst: Vec<_> = levels().into_iter().map(|l| (l, Worst::default())).collect();
    let (mut x, mut y) = (Vec::with_capacity(CHUNK), vec![0f32; CHUNK]);
    let mut inputs = inputs.peekable();
    while inputs.peek().is_some() {
        x.clear();
        x.extend(inputs.by_ref().take(CHUNK));
        x.resize(CHUNK, 1.0);
        let truth: Vec<f64> = x.iter().map(|&x| oracle([x as f64, 0.0, 0.0])).collect();
        for (level, worst) in &mut worst {
            run(kernels, *level, &[&x], &mut y);
            for ((&x, &y), &t) in x.iter().zip(&y).zip(&truth) {
                worst.see(F32.error(y as f64, t), x, y as f64);
            }
        }
    }
    worst
}

fn check(prim: Prim, kernels: &Kernels, inputs: impl Iterator<Item = f32>) {
    let row = prim.row();
    let worst = measure(prim, kernels, inputs);
    for (level, w) in &worst {
        let (name, level) = (row.name, level.name());
        println!("{name:9} {level:9} {:.3} ulp at {:e} = {:#010x}", w.error, w.at, w.at.to_bits());
    }
    for (level, w) in worst {
        let budget = if level.has_fma() { row.ulp.0 } else { row.ulp.1 };
        let (name, level) = (row.name, level.name());
        assert!(
            w.error <= budget as f64,
            "{name}({:e}) = {:e}: {} ulp at {level}, {budget} allowed",
            w.at,
            w.got,
            w.error
        );
    }
}

/// Both signs of every exponent with critical fractions, including both infinities and a few NaNs.
fn edges() -> impl Iterator<Item = f32> {
    const FRACTIONS: [u32; 8] = [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x7f_fffe, 0x7f_ffff];
    (0..512u32).flat_map(|e| FRACTIONS.map(|f| f32::from_bits((e << 23) | f)))
}

/// Every `stride`-th bit pattern.
fn patterns(stride: usize) -> impl Iterator<Item = f32> {
    (0..=u32::MAX).step_by(stride).map(f32::from_bits)
}

/// Checks all 65,536 inputs of a 16-bit type: evaluated in f32 and rounded, the error is at most 1 ulp.
fn check_16<E: El>(prim: Prim, kernels: &Kernels, format: Format, from_bits: fn(u16) -> E) {
    let x: Vec<E> = (0..=u16::MAX).map(from_bits).collect();
    let mut y = vec![E::default(); x.len()];
    for level in levels() {
        run(kernels, level, &[&x], &mut y);
        let mut worst = Worst::default();
        for (x, y) in x.iter().zip(&y) {
            let truth = (prim.row().oracle)([x.to_f32() as f64, 0.0, 0.0]);
            worst.see(format.error(y.to_f32() as f64, truth), x.to_f32(), y.to_f32() as f64);
        }
        let (name, level) = (prim.row().name, level.name());
        println!("{name:9} {level:9} {:.3} ulp of {:?}", worst.error, E::DTYPE);
        assert!(
            worst.error <= 1.0,
            "{name}({:e}) = {:e}: {} ulp of {:?} at {level}",
            worst.at,
            worst.got,
            worst.error,
            E::DTYPE
        );
    }
}

/// Checks that a value depends neither on its lane nor on its neighbours.
fn check_lanes(kernels: &Kernels) {
    let x: Vec<f32> = patterns(0x10_0001).chain(edges()).take(8192 - STEP).collect();
    let n = x.len() / STEP * STEP;
    let (mut y, mut z) = (vec![0f32; n], vec![0f32; n]);
    for level in levels() {
        run(kernels, level, &[&x[..n]], &mut y);
        for shift in 1..STEP {
            let mut moved = x[..n].to_vec();
            moved.rotate_left(shift * 97);
            run(kernels, level, &[&moved], &mut z);
            z.rotate_right(shift * 97);
            let same = |a: &f32, b: &f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(y.iter().zip(&z).all(|(a, b)| same(a, b)), "at {}", level.name());
        }
    }
}

macro_rules! functions {
    ($stride:expr; $($name:ident $prim:ident;)*) => {$(
        mod $name {
            use super::*;

            struct Call;
            impl Body<1, 0, 1> for Call {
                #[inline(always)]
                fn eval<S: Isa, E: El, const W: usize>(s: S, [x]: [Input<'_, S, E, W>; 1], _: [Floats<S, W>; 0]) -> [Floats<S, W>; 1] {
                    [math::$name::<S, E, W>(s, x.load())]
                }
            }
            const KERNELS: Kernels = Kernels::of::<Call, 1, 0, 1>();

            #[test]
            fn sampled_inputs_stay_within_ulp_budget() {
                check(Prim::$prim, &KERNELS, patterns($stride));
            }
            #[test]
            fn ends_and_exponents() {
                check(Prim::$prim, &KERNELS, edges());
            }
            #[test]
            fn all_16_bit_inputs() {
                check_16(Prim::$prim, &KERNELS, F16, f16::from_bits);
                check_16(Prim::$prim, &KERNELS, BF16, bf16::from_bits);
            }
            #[test]
            fn lanes_are_independent() {
                check_lanes(&KERNELS);
            }
            #[test]
            #[ignore = "2^31 inputs: minutes"]
            fn all_positive() {
                check(Prim::$prim, &KERNELS, (0..1 << 31).map(f32::from_bits));
            }
            #[test]
            #[ignore = "2^31 inputs: minutes"]
            fn all_negative() {
                check(Prim::$prim, &KERNELS, (1 << 31..=u32::MAX).map(f32::from_bits));
            }
        }
    )*};
}

functions! { STRIDE;
    round Round;
    exp Exp;
    expm1 Expm1;
    ln Ln;
    log1p Log1p;
    tanh Tanh;
    erf Erf;
    erfc Erfc;
    softplus Softplus;
}

// Functions that are evaluated in f64, which `accuracy_wide` tests.
functions! { 10 * STRIDE;
    sin Sin;
    cos Cos;
    atan Atan;
}

macro_rules! pair {
    ($body:ident $name:ident) => {
        struct $body;
        impl Body<2, 0, 1> for $body {
            #[inline(always)]
            fn eval<S: Isa, E: El, const W: usize>(
                s: S,
                [x, y]: [Input<'_, S, E, W>; 2],
                _: [Floats<S, W>; 0],
            ) -> [Floats<S, W>; 1] {
                [math::$name::<S, E, W>(s, x.load(), y.load())]
            }
        }
    };
}
pair!(Min min);
pair!(Max max);
pair!(Powf powf);
pair!(Rem rem);

fn check_pairs<E: El>(prim: Prim, kernels: &Kernels) {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.5,
        -65280.0,
        f32::MIN_POSITIVE,
        -1e-40,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        -f32::NAN,
    ]
    .map(E::from_f32);
    let pairs: Vec<(E, E)> =
        values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y))).collect();
    let (mut x, mut y): (Vec<E>, Vec<E>) = pairs.into_iter().unzip();
    let n = x.len().next_multiple_of(STEP);
    x.resize(n, E::default());
    y.resize(n, E::default());
    let mut z = vec![E::default(); n];
    for level in levels() {
        run(kernels, level, &[&x, &y], &mut z);
        for ((x, y), z) in x.iter().zip(&y).zip(&z) {
            let (x, y, z) = (x.to_f32() as f64, y.to_f32() as f64, z.to_f32() as f64);
            let truth = (prim.row().oracle)([x, y, 0.0]);
            let right = z == truth || z.is_nan() && truth.is_nan();
            assert!(right, "{}({x}, {y}) = {z} at {}", prim.row().name, level.name());
        }
    }
}

#[test]
fn min_and_max_are_exact_and_keep_nan() {
    const MIN: Kernels = Kernels::of::<Min, 2, 0, 1>();
    const MAX: Kernels = Kernels::of::<Max, 2, 0, 1>();
    check_pairs::<f32>(Prim::Min, &MIN);
    check_pairs::<f16>(Prim::Min, &MIN);
    check_pairs::<bf16>(Prim::Min, &MIN);
    check_pairs::<f32>(Prim::Max, &MAX);
    check_pairs::<f16>(Prim::Max, &MAX);
    check_pairs::<bf16>(Prim::Max, &MAX);
}

#[test]
fn remainders_are_exact() {
    const REM: Kernels = Kernels::of::<Rem, 2, 0, 1>();
    check_pairs::<f32>(Prim::Rem, &REM);
    check_pairs::<f16>(Prim::Rem, &REM);
    check_pairs::<bf16>(Prim::Rem, &REM);
    // Every quotient between the ends of the range.
    let (mut x, mut y): (Vec<f32>, Vec<f32>) = patterns(STRIDE)
        .map(|x| (x, f32::from_bits(x.to_bits().wrapping_mul(0x9e37_79b9))))
        .unzip();
    let n = x.len() / STEP * STEP;
    (x.truncate(n), y.truncate(n));
    let mut z = vec![0f32; n];
    for level in levels() {
        run(&REM, level, &[&x, &y], &mut z);
        for ((x, y), z) in x.iter().zip(&y).zip(&z) {
            let same = z.to_bits() == (x % y).to_bits() || z.is_nan() && (x % y).is_nan();
            assert!(same, "{x:e} % {y:e} = {z:e} at {}", level.name());
        }
    }
}

#[test]
fn powers_are_rounded_once() {
    const POWF: Kernels = Kernels::of::<Powf, 2, 0, 1>();
    let special =
        [0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let specials = special.iter().flat_map(|x| special.map(|y| (*x, y)));
    // Exponents that spread the powers of every base over the whole range.
    let swept = patterns(100_003).enumerate().flat_map(|(i, x)| {
        let by = (i as f64 * 0.618_033_988_749_895).fract();
        let y = ((-152.0 + 282.0 * by) / f64::from(x).abs().log2()) as f32;
        [(x, y), (x, y.round())]
    });
    let (mut x, mut y): (Vec<f32>, Vec<f32>) = specials.chain(swept).unzip();
    let n = x.len().next_multiple_of(STEP);
    x.resize(n, 1.0);
    y.resize(n, 1.0);
    let mut z = vec![0f32; n];
    for level in levels() {
        run(&POWF, level, &[&x, &y], &mut z);
        for ((&x, &y), &z) in x.iter().zip(&y).zip(&z) {
            let truth = libm::pow(x.into(), y.into());
            let error = F32.error(z.into(), truth);
            assert!(error <= 0.501, "{x:e}^{y:e} = {z:e}: {error} ulp at {}", level.name());
        }
    }
}
