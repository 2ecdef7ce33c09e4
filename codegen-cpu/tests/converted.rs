//! Conversion between f32 and the types that kernels do not compute with, against rules in f64, at every level.

mod levels;

use codegen_cpu::rt::converted::{Converted, e4m3fn, e5m2};
use codegen_cpu::rt::simd::{AtLevel, Isa, Level};
use fearless_simd::prelude::*;
use half::{bf16, f16};
use levels::levels;
use op_dsl_ir::Stored;
use op_dsl_ir::format::Format;

/// Largest step of any level, to which buffers are padded.
const STEP: usize = 64;

/// A type whose elements have a value by a rule of this test.
trait Ruled: Converted + Default + std::fmt::Debug + PartialEq {
    fn value(self) -> f64;
    /// The element for a number, by arithmetic in f64.
    fn of(v: f64) -> Self;
}

macro_rules! integers {
    ($($T:ty)*) => {$(
        impl Ruled for $T {
            fn value(self) -> f64 {
                f64::from(self)
            }
            fn of(v: f64) -> $T {
                // Conversions of Rust saturate, and NaN is 0.
                v.round_ties_even() as $T
            }
        }
    )*};
}
integers!(i8 u8 i16 i32);

impl Ruled for bool {
    fn value(self) -> f64 {
        f64::from(u8::from(self))
    }
    fn of(v: f64) -> bool {
        v != 0.0
    }
}

macro_rules! floats {
    ($($T:ident $stored:ident)*) => {$(
        impl Ruled for $T {
            fn value(self) -> f64 {
                Format::of_stored(Stored::$stored).expect("floats").decode(self.0.into())
            }
            fn of(v: f64) -> $T {
                $T(Format::of_stored(Stored::$stored).expect("floats").encode(v) as u8)
            }
        }
    )*};
}
floats!(e4m3fn E4m3fn  e5m2 E5m2);

/// Loads `A` and stores `B`, in steps of `W` vectors.
struct Convert<'a, A, B, const W: usize>(&'a [A], &'a mut [B]);

impl<A: Converted, B: Converted, const W: usize> AtLevel for Convert<'_, A, B, W> {
    type Output = ();
    fn at<S: Isa>(self, s: S) {
        let (step, Convert(x, y)) = (W * S::f32s::LEN, self);
        assert!(x.len() == y.len() && x.len().is_multiple_of(step));
        s.vectorize(
            #[inline(always)]
            || {
                for (x, y) in x.chunks_exact(step).zip(y.chunks_exact_mut(step)) {
                    // SAFETY: both chunks are one step long.
                    unsafe {
                        let v = A::load_in_order::<S, W>(s, x.as_ptr());
                        B::store_in_order(s, y.as_mut_ptr(), v, false);
                    }
                }
            },
        )
    }
}

/// Converts at one level, by steps of two vectors and by steps of four, which must agree.
fn converted<A: Converted + Default, B: Converted + Default + PartialEq>(
    level: Level,
    x: &[A],
) -> Vec<B> {
    let mut from = x.to_vec();
    from.resize(x.len().next_multiple_of(STEP), A::default());
    let [mut two, mut four] = [0; 2].map(|_| vec![B::default(); from.len()]);
    level.run(Convert::<A, B, 2>(&from, &mut two)).expect("a level that is there");
    level.run(Convert::<A, B, 4>(&from, &mut four)).expect("a level that is there");
    // Every type but f32 has one NaN at most that differs from itself.
    assert!(two == four || size_of::<B>() == 4, "{}", level.name());
    two.truncate(x.len());
    two
}

/// Checks that all elements become their values, rounded to f32, and these become the elements again.
fn widens<T: Ruled>(all: &[T]) {
    for level in levels() {
        let wide: Vec<f32> = converted(level, all);
        let back: Vec<T> = converted(level, &wide);
        for ((x, v), back) in all.iter().zip(&wide).zip(&back) {
            let (want, level) = (x.value(), level.name());
            let is_right = *v == want as f32 || v.is_nan() && want.is_nan();
            assert!(is_right, "{x:?} -> {v}, not {want}, at {level}");
            assert!(want.is_nan() || *back == T::of(f64::from(*v)), "{x:?} and back, at {level}");
        }
    }
}

/// Checks the conversion of all f16, all bf16, all `ties` with their neighbours, and an even sample of f32.
fn narrows<T: Ruled>(ties: impl Iterator<Item = f64>) {
    let halves =
        (0..=u16::MAX).flat_map(|b| [f16::from_bits(b).to_f32(), bf16::from_bits(b).to_f32()]);
    let ties = ties.map(|v| v as f32).flat_map(|v| [v.next_down(), v, v.next_up()]);
    let sample = (0..=u32::MAX).step_by(4099).map(f32::from_bits);
    let all: Vec<f32> = halves.chain(ties).chain(sample).collect();
    for level in levels() {
        let narrow: Vec<T> = converted(level, &all);
        for (x, y) in all.iter().zip(&narrow) {
            let (want, bits) = (T::of(f64::from(*x)), x.to_bits());
            let is_nan = x.is_nan() && y.value().is_nan() && want.value().is_nan();
            assert!(
                *y == want || is_nan,
                "{bits:#010x} ({x}) -> {y:?}, not {want:?}, {}",
                level.name()
            );
        }
    }
}

fn halves(range: std::ops::RangeInclusive<i32>) -> impl Iterator<Item = f64> {
    range.map(|k| f64::from(k) / 2.0)
}

#[test]
fn integers_of_8_bits() {
    widens::<i8>(&(i8::MIN..=i8::MAX).collect::<Vec<_>>());
    widens::<u8>(&(0..=u8::MAX).collect::<Vec<_>>());
    narrows::<i8>(halves(-300..=300));
    narrows::<u8>(halves(-20..=600));
}

#[test]
fn integers_of_16_and_32_bits() {
    widens::<i16>(&(i16::MIN..=i16::MAX).collect::<Vec<_>>());
    widens::<i32>(
        &(i32::MIN..=i32::MAX).step_by(65_521).chain(-70_000..=70_000).collect::<Vec<_>>(),
    );
    narrows::<i16>(halves(-66_000..=66_000));
    narrows::<i32>(halves(-33_000_000..=-32_900_000).chain(halves(-10..=10)).chain([2147483648.0]));
}

#[test]
fn truth_values() {
    widens::<bool>(&[false, true]);
    narrows::<bool>([0.0, -0.0, f64::MIN_POSITIVE].into_iter());
}

/// Numbers in the middle between two of the type.
fn middles<T: Ruled>(of: fn(u8) -> T) -> impl Iterator<Item = f64> {
    let value = move |bits: u8| of(bits).value();
    (0..0x7f).flat_map(move |b| {
        let middle = 0.5 * (value(b) + value(b + 1));
        [middle, -middle]
    })
}

#[test]
fn floats_of_8_bits() {
    widens::<e4m3fn>(&(0..=u8::MAX).map(e4m3fn).collect::<Vec<_>>());
    widens::<e5m2>(&(0..=u8::MAX).map(e5m2).collect::<Vec<_>>());
    narrows::<e4m3fn>(middles(e4m3fn).chain([464.0, 480.0]));
    narrows::<e5m2>(middles(e5m2).chain([61440.0, 65536.0]));
}
