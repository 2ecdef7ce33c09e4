//! Tensors of another element type than the operator computes in, cast by way of the workspace.

use crate::element::{Element, Whole};
use crate::operand::Operand;
use codegen_cpu::rt::elem::El;
use half::{bf16, f16};
use op_dsl_ir::DType;
use op_dsl_ir::bind::MAX_RANK;

/// Copies elements index by index, each by way of f32 and rounded to the nearest.
///
/// # Safety
/// Both have the same shape, and memory for all that they reach from `source` and `target` on.
pub unsafe fn cast(from: &Operand<Element>, source: usize, to: &Operand<DType>, target: usize) {
    let sizes = [from.element.size(), to.element.size()];
    let steps = [from.strides(), to.strides()].map(|strides| strides.split_last());
    let inner = [0, 1].map(|k| steps[k].map_or(0, |s| *s.0 * sizes[k] as isize));
    let outer = |k: usize, dim: usize| steps[k].map_or(0, |s| s.1[dim] * sizes[k] as isize);
    let (&n, dims) = from.shape().split_last().unwrap_or((&1, &[]));
    let line = line(from.element, to.element);
    let mut row = [from.first(source, sizes[0]), to.first(target, sizes[1])];
    let mut index = [0; MAX_RANK];
    for _ in 0..dims.iter().product() {
        // SAFETY: `n` elements along the innermost dimension of both, which the caller vouches for.
        unsafe { line(row, inner, n) };
        // The next row: one step along the innermost dimension that has one left.
        for dim in (0..dims.len()).rev() {
            index[dim] += 1;
            let forth = index[dim] < dims[dim];
            let by = if forth { 1 } else { 1 - dims[dim] as isize };
            for (k, row) in row.iter_mut().enumerate() {
                *row = row.wrapping_offset(by * outer(k, dim));
            }
            if forth {
                break;
            }
            index[dim] = 0;
        }
    }
}

/// Casts `n` elements from the first of two places to the second, with so many bytes between
/// neighbours at each.
type Line = unsafe fn([*mut u8; 2], [isize; 2], usize);

fn line(from: Element, to: DType) -> Line {
    macro_rules! to {
        ($From:ty) => {
            match to {
                DType::F16 => cast_line::<$From, f16>,
                DType::BF16 => cast_line::<$From, bf16>,
                DType::F32 => cast_line::<$From, f32>,
            }
        };
    }
    match from {
        Element::Float(DType::F16) => to!(f16),
        Element::Float(DType::BF16) => to!(bf16),
        Element::Float(DType::F32) => to!(f32),
        Element::Whole(Whole::Bool) => to!(Truth),
        Element::Whole(Whole::I8) => to!(i8),
        Element::Whole(Whole::U8) => to!(u8),
        Element::Whole(Whole::I16) => to!(i16),
        Element::Whole(Whole::I32) => to!(i32),
        Element::Whole(Whole::I64) => to!(i64),
    }
}

/// # Safety
/// Both places have `n` elements at those distances.
unsafe fn cast_line<From: Number, To: El>(place: [*mut u8; 2], step: [isize; 2], n: usize) {
    for i in 0..n as isize {
        let [from, to] = [0, 1].map(|k| place[k].wrapping_offset(i * step[k]));
        // SAFETY: as asked of the caller; neither need be aligned.
        unsafe {
            to.cast::<To>()
                .write_unaligned(To::from_f32(from.cast::<From>().read_unaligned().value()))
        };
    }
}

/// A number as memory has it.
trait Number: Copy {
    /// The nearest f32.
    fn value(self) -> f32;
}

/// A byte that is 0 or not.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Truth(u8);

macro_rules! numbers {
    ($($Number:ty: $value:expr;)*) => {$(
        impl Number for $Number {
            fn value(self) -> f32 {
                let value: fn($Number) -> f32 = $value;
                value(self)
            }
        }
    )*};
}
numbers! {
    f16: |v| v.to_f32();
    bf16: |v| v.to_f32();
    f32: |v| v;
    Truth: |v| (v.0 != 0) as u8 as f32;
    i8: |v| v as f32;
    u8: |v| v as f32;
    i16: |v| v as f32;
    i32: |v| v as f32;
    i64: |v| v as f32;
}
