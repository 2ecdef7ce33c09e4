//! Errors of the functions in f64 vectors, against `libm` and the primitives' oracles, at every level.
//!
//! Errors are relative, because these values are rounded to f32 once, and may be multiplied before. The measured maxima are
//! printed (`--nocapture`), as powers of two.

mod levels;

use codegen_cpu::rt::simd::{AtLevel, Isa};
use codegen_cpu::rt::wide::{self, Wide};
use fearless_simd::prelude::*;
use levels::levels;
use op_dsl_ir::Prim;
use op_dsl_ir::oracle as o;

/// Sampling stride: a sweep visits every `STRIDE`-th input.
const STRIDE: usize = if cfg!(target_arch = "x86_64") { 4_001 } else { 100_003 };

/// Evaluates a function in vectors, on rows of numbers.
struct Rows<'a, const N: usize> {
    x: [&'a [f64]; N],
    f: Function,
}

/// Sample inputs: every `STRIDE`-th f32, and both signs of every exponent with critical fractions.
fn inputs() -> Vec<f64> {
    const FRACTIONS: [u32; 6] = [0, 1, 0x3f_ffff, 0x40_0000, 0x7f_fffe, 0x7f_ffff];
    let sweep = (0..=u32::MAX).step_by(STRIDE);
    let edges = (0..512u32).flat_map(|e| FRACTIONS.map(|f| (e << 23) | f));
    sweep.chain(edges).map(|bits| f64::from(f32::from_bits(bits))).collect()
}

/// The error relative to the value's size, or to `least` where the value is smaller.
///
/// It is infinite where a special value or the sign of a zero is wrong.
fn error(got: f64, truth: f64, least: f64) -> f64 {
    let special = truth.is_nan() || truth.is_infinite() || truth == 0.0;
    let same = got == truth && got.is_sign_negative() == truth.is_sign_negative();
    match special {
        true if same || truth.is_nan() && got.is_nan() => 0.0,
        // Where f64 itself underflows, one of the two may be zero before the other.
        true if truth == 0.0 && got.abs() < 1e-300 => 0.0,
        true => f64::INFINITY,
        false if got.is_nan() => f64::INFINITY,
        false => (got - truth).abs() / truth.abs().max(least),
    }
}

macro_rules! functions {
    ($($name:ident $truth:expr, $bits:literal, $tail:literal, $least:literal;)*) => {
        /// Name of a function.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        enum Function { $($name,)* powf, rem }

        impl AtLevel for Rows<'_, 1> {
            type Output = Vec<f64>;
            fn at<S: Isa>(self, s: S) -> Vec<f64> {
                map(s, self.x, |[x]| match self.f {
                    $(Function::$name => wide::$name(s, x),)*
                    Function::powf | Function::rem => unreachable!("two arguments"),
                })
            }
        }

        $(#[test]
        fn $name() {
            let truth: fn(f64) -> f64 = $truth;
            check(Function::$name, truth, $bits, $tail, $least);
        })*
    };
}

impl AtLevel for Rows<'_, 2> {
    type Output = Vec<f64>;
    fn at<S: Isa>(self, s: S) -> Vec<f64> {
        map(s, self.x, |[x, y]| match self.f {
            Function::rem => wide::rem(s, x, y),
            _ => wide::powf(s, x, y),
        })
    }
}

/// Applies a function of pairs of vectors to rows of any length.
fn map<S: Isa, const N: usize>(
    s: S,
    x: [&[f64]; N],
    f: impl Fn([Wide<S>; N]) -> Wide<S>,
) -> Vec<f64> {
    let (len, lanes) = (x[0].len(), S::f64s::LEN);
    let mut out = Vec::with_capacity(len + 4 * lanes);
    for at in (0..len).step_by(4 * lanes) {
        let y = f(x.map(|x| {
            let vector =
                |k: usize| S::f64s::from_fn(s, |i| *x.get(at + k * lanes + i).unwrap_or(&1.0));
            Wide([[vector(0), vector(1)], [vector(2), vector(3)]])
        }));
        y.0.iter().flatten().for_each(|v| out.extend_from_slice(v.as_slice()));
    }
    out.truncate(len);
    out
}

/// Checks errors: `2^-bits` for values in the range of normal f32 numbers, `2^-tail` for smaller ones.
fn check(f: Function, truth: impl Fn(f64) -> f64, bits: i32, tail: i32, least: f64) {
    let x = inputs();
    let truth: Vec<f64> = x.iter().map(|x| truth(*x)).collect();
    for level in levels() {
        let y = level.run(Rows { x: [&x], f }).expect("asked before");
        hold(
            &format!("{f:?} at {}", level.name()),
            &y,
            &truth,
            |i| format!("{:e}", x[i]),
            [bits, tail],
            least,
        );
    }
}

fn hold(
    name: &str,
    got: &[f64],
    truth: &[f64],
    at: impl Fn(usize) -> String,
    [bits, tail]: [i32; 2],
    least: f64,
) {
    let mut worst = [(0.0, 0); 2];
    for (i, (got, truth)) in got.iter().zip(truth).enumerate() {
        let e = error(*got, *truth, least);
        // The tail includes values that are denormal in f64.
        let beyond = (truth.abs() < 1e-37) as usize;
        if e > worst[beyond].0 && truth.abs() >= 1e-290 || e.is_infinite() {
            worst[beyond] = (e, i);
        }
    }
    for ((e, i), (part, bits)) in
        worst.into_iter().zip([("", bits), (", below f32's normal numbers", tail)])
    {
        println!("{name}{part}: 2^{:.1} at {}", e.log2(), at(i));
        assert!(
            e <= 2f64.powi(-bits),
            "{name}({}) is {:e}, not {:e}: 2^{:.1}",
            at(i),
            got[i],
            truth[i],
            e.log2()
        );
    }
}

functions! {
    exp libm::exp, 50, 50, 0.0;
    expm1 libm::expm1, 50, 50, 0.0;
    ln libm::log, 50, 50, 0.0;
    log1p libm::log1p, 50, 50, 0.0;
    softplus |x| o::softplus([x, 0.0, 0.0]), 50, 50, 0.0;
    sigmoid |x| o::sigmoid([x, 0.0, 0.0]), 50, 50, 0.0;
    tanh libm::tanh, 50, 50, 0.0;
    erf libm::erf, 50, 50, 0.0;
    erfc libm::erfc, 46, 44, 0.0;
    erfinv |x| o::erfinv([x, 0.0, 0.0]), 50, 50, 0.0;
    normal_cdf |x| o::normal_cdf([x, 0.0, 0.0]), 46, 43, 0.0;
    gelu |x| o::gelu([x, 0.0, 0.0]), 46, 43, 0.0;
    gelu_grad |x| o::gelu_grad([x, 0.0, 0.0]), 45, 43, 0.0078125;
    gelu_tanh |x| o::gelu_tanh([x, 0.0, 0.0]), 44, 42, 0.0;
    gelu_tanh_grad |x| o::gelu_tanh_grad([x, 0.0, 0.0]), 45, 43, 0.0078125;
    silu |x| o::silu([x, 0.0, 0.0]), 50, 50, 0.0;
    silu_grad |x| o::silu_grad([x, 0.0, 0.0]), 46, 46, 0.0078125;
    sin libm::sin, 50, 50, 0.0;
    cos libm::cos, 50, 50, 0.0;
    atan libm::atan, 50, 50, 0.0;
    lgamma |x| o::lgamma([x, 0.0, 0.0]), 47, 47, 1.0;
    digamma |x| o::digamma([x, 0.0, 0.0]), 47, 47, 1.0;
    trigamma |x| o::trigamma([x, 0.0, 0.0]), 47, 47, 1.0;
}

/// Compares gamma functions with values that mpmath computed in 78 digits, at floats of all sizes and at those next to zeros.
///
/// Relative to the value everywhere on the right, next to zeros on the left to an eighth.
#[test]
fn gamma_functions_agree_with_a_table() {
    let mut seen = 0;
    for f in [Function::lgamma, Function::digamma, Function::trigamma] {
        let mut rows: Vec<[f64; 2]> = Vec::new();
        for line in include_str!("data/gamma_reference.csv").lines().skip(1) {
            let mut cells = line.split(',');
            if cells.next() == Some(&format!("{f:?}")) {
                let mut number = || cells.next().and_then(|c| c.parse().ok()).expect("a number");
                rows.push([number(), number()]);
            }
        }
        seen += rows.len();
        for (is_left, bits, least) in [(false, [52; 2], 0.0), (true, [55; 2], 0.125)] {
            let rows = || rows.iter().filter(|row| (row[0] < 0.0) == is_left);
            let x: Vec<f64> = rows().map(|row| row[0]).collect();
            let truth: Vec<f64> = rows().map(|row| row[1]).collect();
            for level in levels() {
                let y = level.run(Rows { x: [&x], f }).expect("asked before");
                let name = format!("{f:?} at {}", level.name());
                hold(&name, &y, &truth, |i| format!("{:e}", x[i]), bits, least);
            }
        }
    }
    assert!(seen > 2000);
}

/// Numbers of all kinds, and pairs whose power is in the range of f32.
#[test]
fn powf_is_accurate_for_special_pairs_too() {
    let special = [
        0.0,
        1.0,
        0.5,
        2.0,
        3.0,
        4.0,
        1.5,
        9_007_199_254_740_993.0,
        1e300,
        f64::INFINITY,
        f64::NAN,
    ];
    let special: Vec<f64> = special.iter().flat_map(|x| [*x, -x]).collect();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (a, b) in special.iter().flat_map(|a| special.iter().map(move |b| (*a, *b))) {
        x.push(a);
        y.push(b);
    }
    for (i, a) in inputs().into_iter().filter(|a| *a > 0.0 && a.is_finite()).enumerate() {
        let exponent = -150.0 + 278.0 * (i as f64 * 0.618_033_988_749_895).fract();
        let b = f64::from((exponent / a.log2()) as f32);
        x.extend([a, -a]);
        y.extend([b, b.round()]);
    }
    let truth: Vec<f64> = x.iter().zip(&y).map(|(x, y)| libm::pow(*x, *y)).collect();
    for level in levels() {
        let got = level.run(Rows { x: [&x, &y], f: Function::powf }).expect("asked before");
        let at = |i: usize| format!("{:e}, {:e}", x[i], y[i]);
        hold(&format!("powf at {}", level.name()), &got, &truth, at, [45, 45], 0.0);
    }
}

/// Quotients of all sizes, next to integers too, and special numbers: remainders round nothing.
#[test]
fn rem_is_exact() {
    let special = [0.0, 1.0, 2.5, 1e-310, 5e-324, 1e300, f64::MAX, f64::INFINITY, f64::NAN];
    let special: Vec<f64> = special.iter().flat_map(|x| [*x, -x]).collect();
    let pairs = special.iter().flat_map(|a| special.iter().map(move |b| (*a, *b)));
    let (mut x, mut y): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        seed >> 11
    };
    for i in 0..400_000 {
        let divisor = f64::from_bits(next() & ((1 << 52) - 1) | (next() % 2046) << 52);
        // Mostly quotients below 2^60, whose fraction is random or that are a few units away from an integer.
        let whole = (next() >> (next() % 53)) as f64;
        let near =
            f64::from_bits((divisor * whole).to_bits().wrapping_add(next() % 5).wrapping_sub(2));
        let other = divisor * (next() as f64) * f64::exp2(-((next() % 53) as f64));
        let value = if i % 2 == 0 { near } else { other };
        x.push(if next() % 2 == 0 { value } else { -value });
        y.push(if next() % 2 == 0 { divisor } else { -divisor });
    }
    let truth: Vec<f64> = x.iter().zip(&y).map(|(x, y)| libm::fmod(*x, *y)).collect();
    for level in levels() {
        let got = level.run(Rows { x: [&x, &y], f: Function::rem }).expect("asked before");
        for (i, (got, want)) in got.iter().zip(&truth).enumerate() {
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{:e} % {:e} is {got:e}, not {want:e} at {}", x[i], y[i], level.name());
        }
    }
}

/// Checks the oracles, which are accurate in the tails too, against values from 60-digit arithmetic.
#[test]
fn the_references_agree_with_sixty_digits() {
    let of_x = |f: fn([f64; 3]) -> f64| move |x: f64| f([x, 0.0, 0.0]);
    let mut seen = 0;
    for line in include_str!("data/activation_reference.csv").lines().skip(1) {
        let mut cells = line.split(',');
        let name = cells.next().expect("a name");
        let mut number = || cells.next().and_then(|c| c.parse::<f64>().ok()).expect("a number");
        let (x, want) = (number(), number());
        let got = match Prim::named(name) {
            Some(prim) => of_x(prim.row().oracle)(x),
            // The factor of `x` in the tanh form of gelu.
            None if x == 0.0 => 0.5,
            None => of_x(o::gelu_tanh)(x) / x,
        };
        let error = (got - want).abs();
        assert!(error <= 1e-13 * want.abs() || error <= 1e-16, "{name} at {x}: {error:e}");
        seen += 1;
    }
    assert!(seen > 1500);
}
