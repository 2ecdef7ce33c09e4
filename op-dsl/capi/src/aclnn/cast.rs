//! Casts of integer inputs to the float type that kernels read.

use crate::element::Whole;
use crate::operand::Operand;
use codegen_cpu::with_element;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use op_dsl_ir::DType;
use op_dsl_ir::bind::MAX_RANK;

/// Copies each element of an integer or boolean tensor to the same index of a float tensor.
///
/// The element is converted to f32 and then rounded to the nearest value of the target type.
///
/// # Safety
/// Both tensors have the same shape, and their memory covers all elements that they reach from `source` and `target`.
pub unsafe fn cast(from: &Operand<Whole>, source: usize, to: &Operand<DType>, target: usize) {
    let mut outer = collapsed(from, to);
    let inner = outer.pop().unwrap_or(Dim { n: 1, steps: [0; 2] });
    let line = line(from.element, to.element);
    let mut place = [from.first(source, from.element.size()), to.first(target, to.element.size())];
    let mut index = [0; MAX_RANK];
    for _ in 0..outer.iter().map(|dim| dim.n).product() {
        // SAFETY: the caller guarantees the innermost dimension of both from here on.
        unsafe { line(place, inner) };
        // Advances to the next line: one step along the innermost dimension that has one left.
        for (dim, index) in outer.iter().zip(&mut index).rev() {
            let back = *index + 1 == dim.n;
            let by = if back { -(*index as isize) } else { 1 };
            place = [0, 1].map(|k| place[k].wrapping_offset(by * dim.steps[k]));
            *index = if back { 0 } else { *index + 1 };
            if !back {
                break;
            }
        }
    }
}

/// A dimension of two tensors of one shape: its length, and its stride in bytes in each tensor.
#[derive(Clone, Copy)]
struct Dim {
    n: usize,
    steps: [isize; 2],
}

/// Returns the fewest dimensions that describe the layouts of both tensors.
///
/// Dimensions with one element are dropped, and dimensions that are contiguous in both tensors are merged.
fn collapsed(from: &Operand<Whole>, to: &Operand<DType>) -> Vec<Dim> {
    let mut dims: Vec<Dim> = Vec::with_capacity(MAX_RANK);
    let all = from.shape().iter().zip(from.strides()).zip(to.strides());
    for ((&n, &a), &b) in all.filter(|((n, _), _)| **n != 1) {
        let steps = [a * from.element.size() as isize, b * to.element.size() as isize];
        match dims.last_mut() {
            Some(dim) if dim.steps == steps.map(|step| step.wrapping_mul(n as isize)) => {
                *dim = Dim { n: dim.n * n, steps };
            }
            _ => dims.push(Dim { n, steps }),
        }
    }
    dims
}

/// Function that casts the elements of one dimension, from the first address to the second.
type Line = unsafe fn([*mut u8; 2], Dim);

fn line(from: Whole, to: DType) -> Line {
    macro_rules! to {
        ($From:ty) => {
            with_element!(to, To => cast_line::<$From, To> as Line)
        };
    }
    match from {
        Whole::Bool => to!(Truth),
        Whole::I8 => to!(i8),
        Whole::U8 => to!(u8),
        Whole::I16 => to!(i16),
        Whole::I32 => to!(i32),
        Whole::I64 => to!(i64),
    }
}

/// Number of elements cast at a time.
///
/// There are few, because the three buffers stay in the L1 cache.
const BLOCK: usize = 256;

/// Casts the elements of one dimension from the first address in `place` to the second.
///
/// # Safety
/// Both addresses of `place` have the elements of the dimension.
unsafe fn cast_line<From: Number, To: Float>(place: [*mut u8; 2], dim: Dim) {
    let mut from = [From::default(); BLOCK];
    let (mut floats, mut to) = ([0.0; BLOCK], [To::default(); BLOCK]);
    for start in (0..dim.n).step_by(BLOCK) {
        let n = BLOCK.min(dim.n - start);
        let (from, floats, to) = (&mut from[..n], &mut floats[..n], &mut to[..n]);
        let at = |k: usize| place[k].wrapping_offset(start as isize * dim.steps[k]);
        // SAFETY: `n` elements are left at both places; the accesses do not need alignment.
        unsafe { gather(at(0), dim.steps[0], from) };
        From::widen(from, floats);
        To::narrow(floats, to);
        // SAFETY: as above.
        unsafe { scatter(to, at(1), dim.steps[1]) };
    }
}

/// Reads elements that are `step` bytes apart, the first of them at `place`, into `to`.
///
/// # Safety
/// At `place` there are as many elements as in `to`, `step` bytes apart.
unsafe fn gather<T: Copy>(place: *const u8, step: isize, to: &mut [T]) {
    if step == size_of::<T>() as isize {
        // SAFETY: the elements are contiguous, the caller guarantees them, and no one else accesses our slice.
        return unsafe { place.copy_to_nonoverlapping(to.as_mut_ptr().cast(), size_of_val(to)) };
    }
    for (i, to) in to.iter_mut().enumerate() {
        // SAFETY: the caller upholds the `# Safety` contract.
        *to = unsafe { place.wrapping_offset(i as isize * step).cast::<T>().read_unaligned() };
    }
}

/// Writes the elements of `from` to memory, `step` bytes apart, the first of them at `place`.
///
/// # Safety
/// `place` has room for as many elements as `from` has, `step` bytes apart.
unsafe fn scatter<T: Copy>(from: &[T], place: *mut u8, step: isize) {
    if step == size_of::<T>() as isize {
        // SAFETY: as in `gather`.
        return unsafe { place.copy_from_nonoverlapping(from.as_ptr().cast(), size_of_val(from)) };
    }
    for (i, &from) in from.iter().enumerate() {
        // SAFETY: the caller upholds the `# Safety` contract.
        unsafe { place.wrapping_offset(i as isize * step).cast::<T>().write_unaligned(from) };
    }
}

/// Element type in its memory representation (a boolean is a byte), with conversion to f32.
trait Number: Copy + Default {
    /// Converts each element of `from` to the nearest f32, in `to`.
    fn widen(from: &[Self], to: &mut [f32]);
}

/// A boolean stored as a byte: any value but 0 is true.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
struct Truth(u8);

macro_rules! numbers {
    ($($Number:ty: |$v:ident| $value:expr;)*) => {$(
        impl Number for $Number {
            fn widen(from: &[Self], to: &mut [f32]) {
                to.iter_mut().zip(from).for_each(|(to, $v)| *to = $value);
            }
        }
    )*};
}
numbers! {
    Truth: |v| (v.0 != 0) as u8 as f32;
    i8: |v| *v as f32;
    u8: |v| *v as f32;
    i16: |v| *v as f32;
    i32: |v| *v as f32;
    i64: |v| *v as f32;
}

/// A float type that kernels read.
trait Float: Copy + Default {
    /// Rounds each f32 of `from` to the nearest value of this type, in `to`.
    fn narrow(from: &[f32], to: &mut [Self]);
}

impl Float for f16 {
    fn narrow(from: &[f32], to: &mut [f16]) {
        to.convert_from_f32_slice(from);
    }
}

impl Float for bf16 {
    fn narrow(from: &[f32], to: &mut [bf16]) {
        to.convert_from_f32_slice(from);
    }
}

impl Float for f32 {
    fn narrow(from: &[f32], to: &mut [f32]) {
        to.copy_from_slice(from);
    }
}
