//! Outputs of another element type than the operator computes in: the result goes to the
//! workspace, and from there to the caller's tensor.

use super::function::Resolved;
use crate::operand::Operand;
use half::{bf16, f16};
use op_dsl_ir::DType;
use op_dsl_ir::published::Of;

/// Where results begin in the workspace: at cache lines.
const ALIGN: usize = 64;

/// Bytes that a call needs besides its tensors.
pub fn workspace(resolved: &Resolved, computed: DType, operands: &[Operand]) -> u64 {
    let outputs = (0..resolved.operator.def().outputs.len()).filter_map(|i| {
        let operand = &operands[resolved.position(Of::Output(i))?];
        Some(dense(operand, computed)?.dense_bytes().next_multiple_of(ALIGN) as u64)
    });
    outputs.sum()
}

/// The result in the workspace, if the output is not of the type that is computed in.
pub fn dense(output: &Operand, computed: DType) -> Option<Operand> {
    if output.dtype == computed || output.is_empty() {
        return None;
    }
    let strides = codegen_cpu::rt::view::contiguous_strides(output.shape());
    Operand::new(computed, output.shape(), &strides[..output.shape().len()], 0)
}

/// Copies elements in order, each rounded to the nearest of the other type.
///
/// # Safety
/// `from` is dense, `to` has its shape, and both have their memory.
pub unsafe fn cast(from: &Operand, to: &Operand) {
    let (first, shape) = (from.first(), to.shape());
    let count: usize = shape.iter().product();
    for i in 0..count {
        let (mut rest, mut at) = (i, 0isize);
        for (&n, &stride) in shape.iter().zip(to.strides()).rev() {
            at += (rest % n) as isize * stride;
            rest /= n;
        }
        // SAFETY: element `i` of `from`, and the one with the same index of `to`.
        unsafe {
            let value = load(from.dtype, first.add(i * from.dtype.size()));
            store(to.dtype, to.first().offset(at * to.dtype.size() as isize), value);
        }
    }
}

/// # Safety
/// There is an element of the type.
unsafe fn load(dtype: DType, at: *const u8) -> f32 {
    // SAFETY: as asked of the caller.
    unsafe {
        match dtype {
            DType::F16 => at.cast::<f16>().read_unaligned().to_f32(),
            DType::BF16 => at.cast::<bf16>().read_unaligned().to_f32(),
            DType::F32 => at.cast::<f32>().read_unaligned(),
        }
    }
}

/// # Safety
/// There is room for an element of the type.
unsafe fn store(dtype: DType, at: *mut u8, value: f32) {
    // SAFETY: as asked of the caller.
    unsafe {
        match dtype {
            DType::F16 => at.cast::<f16>().write_unaligned(f16::from_f32(value)),
            DType::BF16 => at.cast::<bf16>().write_unaligned(bf16::from_f32(value)),
            DType::F32 => at.cast::<f32>().write_unaligned(value),
        }
    }
}
