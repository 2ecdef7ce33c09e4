//! Tensor descriptors: the description exactly as the caller gave it.

use super::codes::*;
use crate::operand::array;
use crate::refusal::{refuse, status};
use crate::registry::{Handle, Registry};
use codegen_cpu::rt::view::contiguous_strides;
use op_dsl_ir::bind::{MAX_RANK, Shape};

/// All live tensor descriptors.
pub static TENSORS: Registry<TensorDescriptor> = Registry::new();

/// An infiniop tensor descriptor: element type, shape and strides as the caller gave them.
#[derive(Clone, Debug)]
pub struct TensorDescriptor {
    /// Element type, as a number of `infiniDtype_t`.
    pub dtype: i32,
    /// Dimensions, outermost first.
    pub shape: Shape,
    /// Stride in elements, per dimension.
    pub strides: Vec<isize>,
}

/// Creates a tensor descriptor. If `strides` is null, the tensor is contiguous.
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
            return too_many(); // left unread
        }
        // SAFETY: the caller upholds the `# Safety` contract.
        let Some(shape) = (unsafe { array(shape, ndim) }) else {
            return refuse(BAD_PARAM, format!("{NAME}: shape is null"));
        };
        // SAFETY: the caller upholds the `# Safety` contract.
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

/// Destroys a tensor descriptor.
///
/// Operator descriptors stay valid, because they have a copy of the layout.
#[unsafe(no_mangle)]
pub extern "C" fn infiniopDestroyTensorDescriptor(desc: Handle) -> i32 {
    status(INTERNAL_ERROR, || match TENSORS.take(desc) {
        None if !desc.is_null() => {
            refuse(BAD_PARAM, "infiniopDestroyTensorDescriptor: not a live tensor descriptor")
        }
        _ => Ok(()),
    })
}
