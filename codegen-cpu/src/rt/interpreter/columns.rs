//! Column elements of the interpreter, and the loop of an instruction over them.

use crate::rt::simd::Isa;
use crate::rt::step::Floats;
use crate::rt::wide::Wide;
use core::mem::MaybeUninit;

/// A unit of a column: as many numbers as two vectors of `f32` have.
///
/// A column is an array with one value per element. Instructions of the interpreter compute it unit by unit.
pub(super) trait Lanes<S: Isa>: Copy {
    /// Type of each number: `f32` or `f64`.
    type Number: Copy;
    /// Converts one number from f64, with rounding.
    fn number(v: f64) -> Self::Number;
    /// Returns whether a number that stands for a condition is true, that is, not 0.
    fn is_true(v: Self::Number) -> bool;
    /// Returns a unit with the same number in every lane.
    fn splat(s: S, v: Self::Number) -> Self;
    /// Reads one unit with one load per vector.
    ///
    /// A load of the whole unit would be compiled to a copy in memory.
    ///
    /// # Safety
    /// `from` must be valid for reads of one unit. It need not be aligned.
    unsafe fn read(from: *const Self) -> Self;
    /// Writes this unit to memory.
    ///
    /// # Safety
    /// `to` must be valid for writes of one unit. It need not be aligned.
    unsafe fn write(self, to: *mut Self);
    /// Converts two vectors of `f32` to a unit, exactly.
    fn promote(v: Floats<S>) -> Self;
    /// Rounds each number of this unit to `f32`, once.
    fn round(self) -> Floats<S>;
}

impl<S: Isa> Lanes<S> for Floats<S> {
    type Number = f32;
    #[inline(always)]
    fn number(v: f64) -> f32 {
        v as f32
    }
    #[inline(always)]
    fn is_true(v: f32) -> bool {
        v != 0.0
    }
    #[inline(always)]
    fn splat(s: S, v: f32) -> Self {
        Floats::splat(s, v)
    }
    #[inline(always)]
    unsafe fn read(from: *const Self) -> Self {
        let from = from.cast::<S::f32s>();
        // SAFETY: the caller vouches for the vectors.
        unsafe { Floats([from.read_unaligned(), from.add(1).read_unaligned()]) }
    }
    #[inline(always)]
    unsafe fn write(self, to: *mut Self) {
        let to = to.cast::<S::f32s>();
        // SAFETY: the caller vouches for the memory.
        unsafe {
            to.write_unaligned(self.0[0]);
            to.add(1).write_unaligned(self.0[1]);
        }
    }
    #[inline(always)]
    fn promote(v: Floats<S>) -> Self {
        v
    }
    #[inline(always)]
    fn round(self) -> Floats<S> {
        self
    }
}

impl<S: Isa> Lanes<S> for Wide<S> {
    type Number = f64;
    #[inline(always)]
    fn number(v: f64) -> f64 {
        v
    }
    #[inline(always)]
    fn is_true(v: f64) -> bool {
        v != 0.0
    }
    #[inline(always)]
    fn splat(s: S, v: f64) -> Self {
        Wide::splat(s, v)
    }
    #[inline(always)]
    unsafe fn read(from: *const Self) -> Self {
        let from = from.cast::<S::f64s>();
        // SAFETY: the caller vouches for the vectors.
        let vector = |k| unsafe { from.add(k).read_unaligned() };
        Wide([[vector(0), vector(1)], [vector(2), vector(3)]])
    }
    #[inline(always)]
    unsafe fn write(self, to: *mut Self) {
        let (to, [[a, b], [c, d]]) = (to.cast::<S::f64s>(), self.0);
        // SAFETY: the caller vouches for the memory.
        unsafe {
            to.write_unaligned(a);
            to.add(1).write_unaligned(b);
            to.add(2).write_unaligned(c);
            to.add(3).write_unaligned(d);
        }
    }
    #[inline(always)]
    fn promote(v: Floats<S>) -> Self {
        v.wide()
    }
    #[inline(always)]
    fn round(self) -> Floats<S> {
        self.narrow()
    }
}

/// Argument of an instruction: a column (one value per element), or one number for all elements.
#[derive(Clone, Copy)]
pub(super) struct Argument {
    pub at: *const u8,
    pub is_uniform: bool,
}

impl Argument {
    /// Reads unit `k` of a column, or returns a unit with the uniform number in every lane.
    ///
    /// # Safety
    /// `at` must point to a column of more than `k` units, or to one number, of the type of `L`.
    #[inline(always)]
    pub unsafe fn unit<S: Isa, L: Lanes<S>>(self, s: S, k: usize) -> L {
        // SAFETY: as required of the caller.
        unsafe {
            match self.is_uniform {
                true => L::splat(s, self.at.cast::<L::Number>().read()),
                false => L::read(self.at.cast::<L>().add(k)),
            }
        }
    }
}

/// Function of an instruction: computes `units` units of the column `to` from the arguments.
///
/// Arguments in excess of those of the instruction are ignored. All columns must be of the function's number type, and `to` may
/// be the column of an argument. The CPU must support the function's SIMD level.
pub(super) type Function = unsafe fn(units: usize, to: *mut u8, args: &[Argument; 3]);

/// Applies `f` to each unit of `N` arguments and writes the results to the column `to`.
///
/// # Safety
/// As [`Function`].
#[inline(always)]
pub(super) unsafe fn each<S: Isa, L: Lanes<S>, const N: usize>(
    units: usize,
    to: *mut u8,
    args: &[Argument; 3],
    f: impl Fn(S, [L; N]) -> L,
) {
    // SAFETY: the caller vouches for the SIMD level.
    let s = unsafe { S::assume() };
    s.vectorize(
        #[inline(always)]
        move || {
            // A uniform number is treated as a column of one unit that is read repeatedly.
            let mut numbers = [const { MaybeUninit::<L>::uninit() }; N];
            let (mut from, mut pace) = ([core::ptr::null::<L>(); N], [1; N]);
            for k in 0..N {
                from[k] = args[k].at.cast();
                if args[k].is_uniform {
                    // SAFETY: the caller vouches for the argument, and `numbers` has room.
                    unsafe { args[k].unit::<S, L>(s, 0).write(numbers[k].as_mut_ptr()) };
                    (from[k], pace[k]) = (numbers[k].as_ptr(), 0);
                }
            }
            let mut to = to.cast::<L>();
            for _ in 0..units {
                // SAFETY: one unit of each column is left, and the result has as many.
                unsafe {
                    let mut x = [L::read(from[0]); N];
                    for k in 1..N {
                        x[k] = L::read(from[k]);
                    }
                    for k in 0..N {
                        from[k] = from[k].wrapping_add(pace[k]);
                    }
                    f(s, x).write(to);
                    to = to.add(1);
                }
            }
        },
    )
}
