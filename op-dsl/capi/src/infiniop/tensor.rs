//! Tensor descriptors: what the caller said, word for word.

use super::codes::*;
use crate::operand::array;
use crate::refusal::{refuse, status};
use crate::registry::{Handle, Registry};
use codegen_cpu::rt::view::contiguous_strides;
use op_dsl_ir::bind::{MAX_RANK, Shape};

/// All tensor descriptors that were not destroyed.
pub static TENSORS: Registry<TensorDescriptor> = Registry::new();

/// A tensor descriptor.
#[derive(Clone, Debug)]
pub struct TensorDescriptor {
    /// `infiniDtype_t`
    pub dtype: i32,
    /// Dimensions, outermost first.
    pub shape: Shape,
    /// Elements between neighbours of each dimension.
    pub strides: Vec<isize>,
}

/// Describes a tensor. Without strides its elements lie side by side.
///
/// # Safety
/// `desc_ptr` is null or may be written; each array is null or has `ndim` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infiniopCreateTensorDescriptor(
    desc_ptr: *mut Handle,
    ndim: usize,
    shape: *const usize,
    strides: *const isize,
    dtype: i32,
) -> i32 {
    const NAME: &str = "infiniopCreateTensorDescriptor";
    status(INTERNAL_ERROR, || {
        if desc_ptr.is_null() {
            return refuse(BAD_PARAM, format!("{NAME}: desc_ptr is null"));
        }
        let too_many = || {
            let message = format!("{NAME}: {ndim} dimensions; allowed: up to {MAX_RANK}");
            refuse(BAD_TENSOR_SHAPE, message)
        };
        if ndim > MAX_RANK {
            return too_many(); // unread
        }
        // SAFETY: as asked of the caller.
        let Some(shape) = (unsafe { array(shape, ndim) }) else {
            return refuse(BAD_PARAM, format!("{NAME}: shape is null"));
        };
        // SAFETY: as asked of the caller.
        let strides = match unsafe { array(strides, ndim) } {
            Some(strides) => strides.to_vec(),
            None => contiguous_strides(shape)[..ndim].to_vec(),
        };
        let Some(shape) = Shape::new(shape) else { return too_many() };
        let tensor = TensorDescriptor { dtype, shape, strides };
        // SAFETY: not null, and the caller's to write.
        unsafe { desc_ptr.write(TENSORS.insert(tensor)) };
        Ok(())
    })
}

/// Ends a tensor descriptor. Operator descriptors keep what they need of it.
#[unsafe(no_mangle)]
pub extern "C" fn infiniopDestroyTensorDescriptor(desc: Handle) -> i32 {
    status(INTERNAL_ERROR, || match TENSORS.take(desc) {
        None if !desc.is_null() => {
            refuse(BAD_PARAM, "infiniopDestroyTensorDescriptor: not a live tensor descriptor")
        }
        _ => Ok(()),
    })
}
