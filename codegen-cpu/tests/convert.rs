//! Conversion between f32 and the 16-bit types, bit for bit against the `half` crate, at every level.
//!
//! The baseline and fallback levels run the portable f16 code. NaN may change its payload, but narrowing must return a quiet
//! NaN.

mod levels;

use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::simd::{AtLevel, Isa, Level};
use fearless_simd::prelude::*;
use half::{bf16, f16};
use levels::levels;

/// Largest step of any level, to which buffers are padded.
const STEP: usize = 32;

/// A 16-bit type, given by its bits.
trait Half: El {
    const QUIET: u16;
    fn of(bits: u16) -> Self;
    fn bits(self) -> u16;
    fn is_nan(self) -> bool;
    /// Midpoint between this number and the next in magnitude, where rounding changes direction.
    fn midpoint(bits: u16) -> f32;
}

impl Half for f16 {
    const QUIET: u16 = 0x0200;
    fn of(bits: u16) -> f16 {
        f16::from_bits(bits)
    }
    fn bits(self) -> u16 {
        self.to_bits()
    }
    fn is_nan(self) -> bool {
        f16::is_nan(self)
    }
    fn midpoint(bits: u16) -> f32 {
        let value = |bits: u16| match bits & 0x7fff {
            // Infinity counts as this number in rounding.
            0x7c00 => 65536.0,
            b => f16::from_bits(b).to_f32(),
        };
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        sign * 0.5 * (value(bits) + value((bits & 0x7fff).min(0x7bff) + 1))
    }
}

impl Half for bf16 {
    const QUIET: u16 = 0x0040;
    fn of(bits: u16) -> bf16 {
        bf16::from_bits(bits)
    }
    fn bits(self) -> u16 {
        self.to_bits()
    }
    fn is_nan(self) -> bool {
        bf16::is_nan(self)
    }
    fn midpoint(bits: u16) -> f32 {
        f32::from_bits((bits as u32) << 16 | 0x8000)
    }
}

/// Loads `A` and stores `B`, register by register.
///
/// Elements of a step are permuted if the two types order them differently.
struct Convert<'a, A, B>(&'a [A], &'a mut [B]);

impl<A: El, B: El> AtLevel for Convert<'_, A, B> {
    type Output = ();
    fn at<S: Isa>(self, s: S) {
        let (step, Convert(x, y)) = (2 * S::f32s::LEN, self);
        assert!(x.len() == y.len() && x.len().is_multiple_of(step));
        s.vectorize(
            #[inline(always)]
            || {
                for (x, y) in x.chunks_exact(step).zip(y.chunks_exact_mut(step)) {
                    // SAFETY: both chunks are one step long.
                    unsafe { B::store(s, y.as_mut_ptr(), A::load::<S, 2>(s, x.as_ptr()), false) }
                }
            },
        )
    }
}

/// Converts at one level, and restores the order of the elements.
fn converted<A: El, B: El>(level: Level, x: &[A]) -> Vec<B> {
    let n = x.len().next_multiple_of(STEP);
    let mut from = x.to_vec();
    from.resize(n, A::default());
    let mut raw = vec![B::default(); n];
    level.run(Convert(&from, &mut raw)).expect("a level that is there");

    // Finds the permutation of a step by small integers, because these are exact in every type.
    let numbers: Vec<A> = (0..STEP).map(|i| A::from_f32(i as f32)).collect();
    let mut places = vec![B::default(); STEP];
    level.run(Convert(&numbers, &mut places)).expect("a level that is there");
    let mut y = raw.clone();
    for (at, &v) in raw.iter().enumerate() {
        y[at / STEP * STEP + places[at % STEP].to_f32() as usize] = v;
    }
    y.truncate(x.len());
    y
}

fn widens<T: Half>() {
    let x: Vec<T> = (0..=u16::MAX).map(T::of).collect();
    let mut first: Option<Vec<u32>> = None;
    for level in levels() {
        let wide: Vec<f32> = converted(level, &x);
        // Levels must agree on the payloads of NaN, too.
        let bits: Vec<u32> = wide.iter().map(|v| v.to_bits()).collect();
        assert!(*first.get_or_insert_with(|| bits.clone()) == bits, "at {}", level.name());
        let back: Vec<T> = converted(level, &x);
        for ((x, w), b) in x.iter().zip(&wide).zip(&back) {
            let (bits, want, level) = (x.bits(), x.to_f32(), level.name());
            if x.is_nan() {
                assert!(w.is_nan() && b.is_nan(), "{bits:#06x} at {level}");
            } else {
                assert_eq!(w.to_bits(), want.to_bits(), "{bits:#06x} -> {w:e} at {level}");
                assert_eq!(b.bits(), bits, "{bits:#06x} there and back at {level}");
            }
        }
    }
}

fn narrows<T: Half>(x: &[f32]) {
    for level in levels() {
        for x in x.chunks(1 << 16) {
            let y: Vec<T> = converted(level, x);
            for (x, y) in x.iter().zip(&y) {
                let (want, bits, level) = (T::from_f32(*x), x.to_bits(), level.name());
                let right = if x.is_nan() {
                    y.is_nan() && y.bits() & T::QUIET != 0
                } else {
                    y.bits() == want.bits()
                };
                assert!(right, "{bits:#010x} -> {y:?}, not {want:?}, at {level}");
            }
        }
    }
}

/// Each value of the type and each midpoint, with their neighbours in f32.
fn boundaries<T: Half>() -> Vec<f32> {
    let points = (0..=u16::MAX).flat_map(|b| [T::of(b).to_f32(), T::midpoint(b)]);
    points.flat_map(|v| [v.next_down(), v, v.next_up()]).collect()
}

/// Every 1009th pattern, the ends of every binade, and NaNs of all kinds.
fn strided() -> Vec<f32> {
    let ends = (0..512u32).flat_map(|e| [e << 23, (e << 23) | 1, (e << 23) | 0x7f_ffff]);
    let nans = [0x7f80_0001, 0xff80_0001, 0x7fbf_ffff, 0x7fc0_0000, 0xffff_ffff, 0x7f80_1000];
    (0..=u32::MAX).step_by(1009).chain(ends).chain(nans).map(f32::from_bits).collect()
}

#[test]
fn f16_widens_exactly() {
    widens::<f16>();
}

#[test]
fn bf16_widens_exactly() {
    widens::<bf16>();
}

#[test]
fn f16_narrows_to_nearest_even() {
    narrows::<f16>(&boundaries::<f16>());
    narrows::<f16>(&strided());
}

#[test]
fn bf16_narrows_to_nearest_even() {
    // Arithmetic on former bf16 values creates only quiet NaNs with zeros in the lower bits.
    let arises = |x: &f32| !x.is_nan() || x.to_bits() & 0x0040_ffff == 0x0040_0000;
    let (boundaries, strided) = (boundaries::<bf16>().into_iter(), strided().into_iter());
    narrows::<bf16>(&boundaries.chain(strided).filter(arises).collect::<Vec<_>>());
}

#[test]
fn f32_passes_through() {
    let x = strided();
    for level in levels() {
        let y: Vec<f32> = converted(level, &x);
        assert!(x.iter().zip(&y).all(|(a, b)| a.to_bits() == b.to_bits()), "{}", level.name());
    }
}
