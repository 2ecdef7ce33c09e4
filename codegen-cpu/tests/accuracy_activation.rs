//! The activations' accuracy: every level of this CPU, both table widths, all element types.
//!
//! Budgets and judges are those of `op_dsl_ir::prim::TABLE`: its f64 formulas, which lose nothing in the
//! tails, are judged themselves by values computed in 60-digit arithmetic.

mod levels;

use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::simd::{AtLevel, Isa, Level};
use codegen_cpu::rt::step::{Floats, PAIR, width};
use fearless_simd::prelude::*;
use half::{bf16, f16};
use levels::levels;
use op_dsl_ir::Prim;

/// What is judged: the functions, and each half of a pair.
mod act {
    use super::{El, Floats, Isa};
    pub use codegen_cpu::rt::math::{activation::*, silu::*};

    #[inline(always)]
    pub fn silu_paired_with<S: Isa, E: El, const WIDE: bool, const W: usize>(
        s: S,
        x: Floats<S, W>,
    ) -> Floats<S, W> {
        silu_with_grad_with::<S, E, WIDE, W>(s, x).0
    }
    #[inline(always)]
    pub fn silu_grad_paired_with<S: Isa, E: El, const WIDE: bool, const W: usize>(
        s: S,
        x: Floats<S, W>,
    ) -> Floats<S, W> {
        silu_with_grad_with::<S, E, WIDE, W>(s, x).1
    }
}

type Run = fn(Level, &[f32], &mut [f32]);

/// A function with one width of tables, for each element type.
#[derive(Clone, Copy)]
struct Form {
    f32: Run,
    f16: Run,
    bf16: Run,
}

/// A form at one level.
struct Variant {
    name: String,
    level: Level,
    form: Form,
}

impl Variant {
    fn run(&self, of: impl Fn(&Form) -> Run, x: &[f32], y: &mut [f32]) {
        of(&self.form)(self.level, x, y)
    }
}

const TYPES: [fn(&Form) -> Run; 3] = [|f| f.f32, |f| f.f16, |f| f.bf16];

/// One function with all that is asked of it.
struct Function {
    name: &'static str,
    /// Whose budget it has.
    prim: Prim,
    exact: fn(f64) -> f64,
    /// Shares of the 65,536 inputs that may round otherwise than the exact value: f16, bf16.
    /// None: no promise, as the 16-bit result is that of the f32 form.
    misrounded: Option<(f64, f64)>,
    /// Values at -inf and +inf.
    limits: (f32, f32),
    /// Value at 0.
    middle: f32,
    variants: Vec<Variant>,
}

/// `run!(f, WIDE, E)`: `f_with` over a slice, in the steps of its kernels at a level, the last filled with
/// zeros.
macro_rules! run {
    ($with:ident, $wide:literal, $el:ty) => {{
        fn body<S: Isa, const W: usize>(s: S, x: &[f32], y: &mut [f32]) {
            s.vectorize(
                #[inline(always)]
                || {
                    let n = S::f32s::LEN;
                    for (x, y) in x.chunks(W * n).zip(y.chunks_mut(W * n)) {
                        let mut full = [0.0; 64];
                        full[..x.len()].copy_from_slice(x);
                        let mut v = Floats::<S, W>::splat(s, 0.0);
                        for (k, v) in v.0.iter_mut().enumerate() {
                            *v = S::f32s::from_slice(s, &full[k * n..(k + 1) * n]);
                        }
                        let r = act::$with::<S, $el, $wide, W>(s, v);
                        for (k, r) in r.0.iter().enumerate() {
                            full[k * n..(k + 1) * n].copy_from_slice(r.as_slice());
                        }
                        y.copy_from_slice(&full[..y.len()]);
                    }
                },
            )
        }
        struct Call<'a>(Level, &'a [f32], &'a mut [f32]);
        impl AtLevel for Call<'_> {
            type Output = ();
            fn at<S: Isa>(self, s: S) {
                let Call(level, x, y) = self;
                // A constant, so that one of the two is compiled.
                let w = const { if S::f32s::LEN == Level::Avx512.lanes() { 4 } else { PAIR } };
                assert_eq!(w, width(<$el>::DTYPE, level));
                if w == 4 { body::<S, 4>(s, x, y) } else { body::<S, PAIR>(s, x, y) }
            }
        }
        |level, x, y| level.run(Call(level, x, y)).expect("asked before")
    }};
}

macro_rules! form {
    ($with:ident, $wide:literal) => {
        Form {
            f32: run!($with, $wide, f32),
            f16: run!($with, $wide, f16),
            bf16: run!($with, $wide, bf16),
        }
    };
}

/// A form at every level, with the tables that kernels have there; on AVX2 with the others, too.
fn variants(wide: Form, narrow: Form) -> Vec<Variant> {
    let mut all = Vec::new();
    for level in levels() {
        if level == Level::Avx2 {
            all.push(Variant { name: "avx2, 8 entries".into(), level, form: narrow });
        }
        all.push(Variant { name: level.name().into(), level, form: wide });
    }
    all
}

macro_rules! function {
    ($prim:ident, $with:ident, $misrounded:expr, $limits:expr, $middle:expr) => {
        Function {
            name: Prim::$prim.row().name,
            prim: Prim::$prim,
            exact: |x| (Prim::$prim.row().oracle)([x, 0.0, 0.0]),
            misrounded: $misrounded,
            limits: $limits,
            middle: $middle,
            variants: variants(form!($with, true), form!($with, false)),
        }
    };
}

const HALF: Option<(f64, f64)> = Some((0.001, 0.0002));
const GATE: (f32, f32) = (0.0, 1.0);
const GATED: (f32, f32) = (0.0, f32::INFINITY);

fn normal_cdf() -> Function {
    function!(NormalCdf, normal_cdf_with, None, GATE, 0.5)
}
/// The factor of `x` in gelu's tanh form.
fn tanh_cdf() -> Function {
    let f = function!(GeluTanh, tanh_cdf_with, None, GATE, 0.5);
    let exact = |x| if x == 0.0 { 0.5 } else { (Prim::GeluTanh.row().oracle)([x, 0.0, 0.0]) / x };
    Function { name: "tanh_cdf", exact, ..f }
}
fn sigmoid() -> Function {
    function!(Sigmoid, sigmoid_with, None, GATE, 0.5)
}
fn gelu() -> Function {
    function!(Gelu, gelu_erf_with, None, GATED, 0.0)
}
fn gelu_tanh() -> Function {
    function!(GeluTanh, gelu_tanh_with, None, GATED, 0.0)
}
fn silu() -> Function {
    function!(Silu, silu_with, HALF, GATED, 0.0)
}
fn gelu_grad() -> Function {
    function!(GeluGrad, gelu_erf_grad_with, HALF, GATE, 0.5)
}
fn gelu_tanh_grad() -> Function {
    function!(GeluTanhGrad, gelu_tanh_grad_with, HALF, GATE, 0.5)
}
fn silu_grad() -> Function {
    function!(SiluGrad, silu_grad_with, HALF, GATE, 0.5)
}
fn silu_paired() -> Function {
    let f = function!(Silu, silu_paired_with, HALF, GATED, 0.0);
    Function { name: "silu, paired", ..f }
}
fn silu_grad_paired() -> Function {
    let f = function!(SiluGrad, silu_grad_paired_with, HALF, GATE, 0.5);
    Function { name: "silu_grad, paired", ..f }
}

fn all() -> [Function; 11] {
    [
        normal_cdf(),
        tanh_cdf(),
        sigmoid(),
        gelu(),
        gelu_tanh(),
        silu(),
        gelu_grad(),
        gelu_tanh_grad(),
        silu_grad(),
        silu_paired(),
        silu_grad_paired(),
    ]
}

/// Spacing of a binary format with `digits` of fraction and least exponent `min_exp` at `v`.
fn spacing(v: f64, digits: i32, min_exp: i32) -> f64 {
    let exponent = ((v.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    f64::from_bits(((exponent.max(min_exp) - digits + 1023) as u64) << 52)
}

/// The larger of two errors with where they are; a NaN is the largest.
fn worse(a: (f64, f32), b: (f64, f32)) -> (f64, f32) {
    if b.0 > a.0 || b.0.is_nan() { b } else { a }
}

impl Function {
    /// The unit that errors are counted in: the ulp of the exact value, but next to a zero
    /// crossing at some x != 0 not below that of 2^-7.
    fn unit(&self, x: f64, exact: f64) -> f64 {
        let crossing = self.misrounded.is_some() && x > -1.6 && x < -0.5;
        spacing(exact, 23, -126).max(if crossing { 2f64.powi(-30) } else { 0.0 })
    }

    /// Checks f32 on those bit patterns; prints and asserts the largest error of each variant.
    fn sweep(&self, patterns: impl Iterator<Item = u32>) {
        let mut worst = vec![(0.0, 0.0); self.variants.len()];
        let mut patterns = patterns.map(f32::from_bits).filter(|x| x.is_finite()).peekable();
        let (mut x, mut y) = (Vec::new(), vec![0.0; 4096]);
        while patterns.peek().is_some() {
            x.clear();
            x.extend(patterns.by_ref().take(4096));
            let judged: Vec<(f64, f64)> = x
                .iter()
                .map(|&x| {
                    let exact = (self.exact)(f64::from(x));
                    (exact, 1.0 / self.unit(f64::from(x), exact))
                })
                .collect();
            for (variant, worst) in self.variants.iter().zip(&mut worst) {
                let y = &mut y[..x.len()];
                variant.run(|f| f.f32, &x, y);
                for (k, (exact, per_unit)) in judged.iter().enumerate() {
                    let error = (f64::from(y[k]) - exact).abs() * per_unit;
                    *worst = worse(*worst, (error, x[k]));
                }
            }
        }
        for (variant, (error, at)) in self.variants.iter().zip(&worst) {
            println!("{:15} {:18} {error:6.3} ulp at {at:e}", self.name, variant.name);
        }
        for (variant, (error, at)) in self.variants.iter().zip(worst) {
            let (fma, without) = self.prim.row().ulp;
            let budget = if variant.level.has_fma() { fma } else { without };
            assert!(
                error <= f64::from(budget),
                "{}, {}: {error} ulp at {at:e}",
                self.name,
                variant.name
            );
        }
    }

    /// A stride through all patterns, and every pattern next to a power of two or a place where
    /// a formula changes; fewer where an emulator takes a hundred times as long.
    fn strided(&self) {
        const STRIDE: usize = if cfg!(target_arch = "x86_64") { 193 } else { 19_301 };
        const AROUND: u32 = if cfg!(target_arch = "x86_64") { 2000 } else { 20 };
        let places = [-0.751_79f32, -0.752_46, -1.278_46, -14.54, -10.89, -108.65, 4.0, 6.0];
        let around = places
            .into_iter()
            .map(f32::to_bits)
            .chain((0..512).map(|e: u32| e << 23))
            .flat_map(|b| (0..2 * AROUND).map(move |k| b.wrapping_add(k).wrapping_sub(AROUND)));
        self.sweep((0..=u32::MAX).step_by(STRIDE).chain(around));
    }

    /// All inputs of a 16-bit type with `digits` of fraction and least exponent `min_exp`.
    fn half<E: El>(&self, of: fn(&Form) -> Run, allowed: f64, digits: i32, min_exp: i32) {
        let bits = |v: f64| {
            let unit = spacing(v, digits, min_exp);
            (v / unit).round_ties_even() * unit
        };
        let x: Vec<f32> = (0..=u16::MAX)
            .map(|b| half_from_bits::<E>(b).to_f32())
            .filter(|x| x.is_finite())
            .collect();
        for variant in &self.variants {
            let mut y = vec![0.0; x.len()];
            variant.run(of, &x, &mut y);
            let (mut wrong, mut worst) = (0, (0.0, 0.0));
            for (&x, &y) in x.iter().zip(&y) {
                let exact = bits((self.exact)(f64::from(x)));
                let got = f64::from(E::from_f32(y).to_f32());
                if got != exact || got.is_sign_negative() != exact.is_sign_negative() {
                    wrong += 1;
                }
                let error = (got - exact).abs() / spacing(exact, digits, min_exp);
                worst = worse(worst, (error, x));
            }
            println!(
                "{:15} {:18} {:?} {wrong} not correctly rounded, at most {} ulp, at {:e}",
                self.name,
                variant.name,
                E::DTYPE,
                worst.0,
                worst.1
            );
            assert!(worst.0 <= 1.0, "{}, {}", self.name, variant.name);
            assert!(f64::from(wrong) <= allowed * 65536.0, "{}, {}", self.name, variant.name);
        }
    }
}

fn half_from_bits<E: El>(bits: u16) -> E {
    assert_eq!(size_of::<E>(), 2);
    // SAFETY: both 16-bit types are transparent over their bits.
    unsafe { core::mem::transmute_copy(&bits) }
}

macro_rules! strided {
    ($($name:ident: $f:ident, $every:ident;)*) => {$(
        #[test]
        fn $name() {
            $f().strided();
        }
        #[test]
        #[ignore = "minutes"]
        fn $every() {
            $f().sweep(0..=u32::MAX);
        }
    )*};
}

strided! {
    normal_cdf_in_f32: normal_cdf, normal_cdf_everywhere;
    tanh_cdf_in_f32: tanh_cdf, tanh_cdf_everywhere;
    sigmoid_in_f32: sigmoid, sigmoid_everywhere;
    gelu_in_f32: gelu, gelu_everywhere;
    gelu_tanh_in_f32: gelu_tanh, gelu_tanh_everywhere;
    silu_in_f32: silu, silu_everywhere;
    gelu_grad_in_f32: gelu_grad, gelu_grad_everywhere;
    gelu_tanh_grad_in_f32: gelu_tanh_grad, gelu_tanh_grad_everywhere;
    silu_grad_in_f32: silu_grad, silu_grad_everywhere;
    silu_paired_in_f32: silu_paired, silu_paired_everywhere;
    silu_grad_paired_in_f32: silu_grad_paired, silu_grad_paired_everywhere;
}

#[test]
fn sixteen_bit_results_are_within_one_ulp_and_nearly_always_correctly_rounded() {
    for f in all() {
        let (f16_share, bf16_share) = f.misrounded.unwrap_or((0.001, 0.001));
        f.half::<f16>(|v| v.f16, f16_share, 10, -14);
        f.half::<bf16>(|v| v.bf16, bf16_share, 7, -126);
    }
}

#[test]
fn special_values() {
    let nans = [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffff_ffff)];
    for f in all() {
        for v in &f.variants {
            for of in TYPES {
                let mut y = [0.0; 4];
                v.run(of, &nans, &mut y);
                assert!(y.iter().all(|y| y.is_nan()), "{}, {}: {y:?}", f.name, v.name);
                v.run(of, &[f32::NEG_INFINITY, f32::INFINITY, -f32::MAX, 0.0], &mut y);
                let want = [f.limits.0, f.limits.1, f.limits.0, f.middle];
                assert!(same_after_rounding(&y, &want), "{}, {}: {y:?}", f.name, v.name);
                let far = if f.limits.1 == 1.0 { 1.0 } else { f32::MAX };
                v.run(of, &[-0.0, f32::MAX, -1e4, 1e-40], &mut y);
                let tiny = if f.limits.1 == 1.0 { 0.5 } else { 5e-41 };
                let want = [f.middle, far, f.limits.0, tiny];
                assert!(same_after_rounding(&y, &want), "{}, {}: {y:?}", f.name, v.name);
                assert!(f.middle != 0.0 || y[0].is_sign_negative(), "{}, {}", f.name, v.name);
            }
        }
    }
}

/// Tables of both signs tell that an `x` is outside by the bits of `2 + x / width / 2^22`, which are all zero
/// for one real number.
#[test]
fn no_large_negative_number_is_taken_for_one_in_a_table() {
    let zeros = [0.28, 0.34, 0.42].map(|width: f32| -width * 8_388_624.0);
    let x: Vec<f32> = zeros
        .iter()
        .flat_map(|zero| (0..8192).map(|k| f32::from_bits(zero.to_bits() - 4096 + k)))
        .collect();
    for f in all() {
        for v in &f.variants {
            for of in TYPES {
                let mut y = vec![f32::NAN; x.len()];
                v.run(of, &x, &mut y);
                let want = vec![f.limits.0; x.len()];
                assert!(same_after_rounding(&y, &want), "{}, {}", f.name, v.name);
            }
        }
    }
}

/// The 16-bit forms may stop at an end value that only rounds to the limit.
fn same_after_rounding(got: &[f32], want: &[f32]) -> bool {
    got.iter().zip(want).all(|(g, w)| g == w || (g - w).abs() < 2f32.powi(-25))
}

#[test]
fn an_element_does_not_depend_on_its_neighbours() {
    // In no order, so that neighbours differ in whether they leave a table.
    let x: Vec<f32> = (0..4096).map(|k| (k * 1237 % 4096) as f32 * 0.007_3 - 15.0).collect();
    let beside = [0.1, -9.0, f32::NAN, f32::INFINITY, -3.99, 1e-40, -120.0, 5.5];
    for f in all() {
        for v in &f.variants {
            for of in TYPES {
                let mut alone = vec![0.0; x.len()];
                v.run(of, &x, &mut alone);
                // In other lanes of the same vector, and in the same lane of each level's others.
                for block in [1, 4, 8, 16] {
                    let is_x = |i: usize| (i / block).is_multiple_of(2);
                    let at = |i: usize| i / (2 * block) * block + i % block;
                    let other = |i: usize| beside[(i + i / block * 3) % 8];
                    let mixed: Vec<f32> =
                        (0..8192).map(|i| if is_x(i) { x[at(i)] } else { other(i) }).collect();
                    let mut y = vec![0.0; mixed.len()];
                    v.run(of, &mixed, &mut y);
                    let same = |i: usize| y[i].to_bits() == alone[at(i)].to_bits();
                    let all = (0..8192).filter(|i| is_x(*i)).all(same);
                    assert!(all, "{}, {}, by {block}", f.name, v.name);
                }
            }
        }
    }
}

/// One test tells for all vectors of a step whether a lane is in the tail.
#[test]
fn no_nan_hides_that_a_lane_is_in_the_tail() {
    for f in all() {
        for v in &f.variants {
            for of in TYPES {
                let mut want = [0.0];
                v.run(of, &[-9.0], &mut want);
                for (far, nan) in (0..64 * 64).map(|i| (i / 64, i % 64)).filter(|(a, b)| a != b) {
                    let (mut x, mut y) = ([0.1; 64], [0.0; 64]);
                    (x[far], x[nan]) = (-9.0, f32::NAN);
                    v.run(of, &x, &mut y);
                    let same = y[far].to_bits() == want[0].to_bits();
                    assert!(same, "{}, {}: {far}, {nan}", f.name, v.name);
                }
            }
        }
    }
}

#[test]
fn the_references_agree_with_sixty_digits() {
    let table = include_str!("data/activation_reference.csv");
    let functions = all();
    let mut seen = 0;
    for line in table.lines().skip(1) {
        let mut cells = line.split(',');
        let (name, x, want) = (cells.next(), cells.next(), cells.next());
        let f = functions.iter().find(|f| Some(f.name) == name).expect("a known function");
        let number = |c: Option<&str>| c.and_then(|c| c.parse::<f64>().ok()).expect("a number");
        let (x, want) = (number(x), number(want));
        let error = ((f.exact)(x) - want).abs();
        assert!(error <= 1e-13 * want.abs() || error <= 1e-16, "{} at {x}: {error:e}", f.name);
        seen += 1;
    }
    assert!(seen > 1500);
}
