//! `aclTensor`: the description of a tensor, exactly as the caller gave it.
//!
//! The description is not validated here, because only an operator can name the argument in its message.

use super::codes::*;
use crate::operand::{array, reply};
use crate::refusal::{Checked, pointer, refuse, status};
use crate::registry::{Handle, Registry};
use op_dsl_ir::bind::MAX_RANK;
use std::ffi::{CStr, c_char, c_void};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// All live `aclTensor` objects.
pub static TENSORS: Registry<AclTensor> = Registry::new();

/// Maximum number of dimensions of a tensor.
///
/// A description with more is refused without being read, because its pointers may not have as many elements.
const MOST_DIMS: u64 = 25;

/// List of dimensions or strides of a tensor.
///
/// A list with as many entries as operators support needs no allocation, because tensors are created and destroyed at
/// every call.
#[derive(Clone, Debug)]
pub enum Dims {
    /// The number of values, and up to [`MAX_RANK`] values.
    Few(usize, [i64; MAX_RANK]),
    /// More than [`MAX_RANK`] values.
    Many(Vec<i64>),
}

impl Dims {
    fn new(values: &[i64]) -> Dims {
        if values.len() > MAX_RANK {
            return Dims::Many(values.to_vec());
        }
        let mut all = [0; MAX_RANK];
        all.iter_mut().zip(values).for_each(|(to, from)| *to = *from);
        Dims::Few(values.len(), all)
    }

    /// Returns the strides of a contiguous tensor.
    ///
    /// Multiplication wraps for shapes that are too large or negative, because their strides are never used.
    fn dense(shape: &[i64]) -> Dims {
        let mut strides = vec![1i64; shape.len()];
        for i in (1..shape.len()).rev() {
            strides[i - 1] = strides[i].wrapping_mul(shape[i]);
        }
        Dims::new(&strides)
    }
}

impl Deref for Dims {
    type Target = [i64];
    fn deref(&self) -> &[i64] {
        match self {
            Dims::Few(count, all) => &all[..*count],
            Dims::Many(all) => all,
        }
    }
}

/// Start address of a tensor's memory, shared by all clones; 0 if there is no memory.
///
/// A tensor and the executors that were prepared with it share one address, so that a later change of the tensor's memory
/// affects these executors too.
#[derive(Clone, Debug)]
pub struct Address(Arc<AtomicUsize>);

impl Address {
    fn new(pointer: *mut c_void) -> Address {
        Address(Arc::new(AtomicUsize::new(pointer.expose_provenance())))
    }

    /// Returns the current start address of the tensor's memory.
    pub fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Changes the address for the tensor and all executors that share it.
    pub fn set(&self, pointer: *mut c_void) {
        self.0.store(pointer.expose_provenance(), Ordering::Relaxed);
    }
}

/// A tensor as described to `aclCreateTensor`.
#[derive(Clone, Debug)]
pub struct AclTensor {
    /// Element type, as a number of `aclDataType`.
    pub dtype: i32,
    /// Memory format, as a number of `aclFormat`.
    pub format: i32,
    /// Dimensions of the view, which is the tensor as operators see it.
    pub view: Dims,
    /// Stride in elements, per dimension of the view.
    pub strides: Dims,
    /// Number of elements between the start of the storage and the first element of the view.
    pub offset: i64,
    /// Dimensions of the storage, the memory that the view is in.
    pub storage: Dims,
    /// Start address of the storage, shared with executors.
    pub address: Address,
}

/// `dtype` of the placeholder for a tensor that is left out; no `aclDataType` has this number.
const NOTHING: i32 = i32::MIN;

impl AclTensor {
    /// Returns the placeholder for an optional tensor that the caller passed as null.
    pub fn absent() -> AclTensor {
        AclTensor {
            dtype: NOTHING,
            format: 2, // ACL_FORMAT_ND
            view: Dims::new(&[]),
            strides: Dims::new(&[]),
            offset: 0,
            storage: Dims::new(&[]),
            address: Address::new(std::ptr::null_mut()),
        }
    }

    /// Returns whether this is the placeholder for a tensor that the caller passed as null.
    pub fn is_absent(&self) -> bool {
        self.dtype == NOTHING
    }
}

/// Arguments of `aclCreateTensor`.
struct Description {
    view: *const i64,
    rank: u64,
    dtype: i32,
    strides: *const i64,
    offset: i64,
    format: i32,
    storage: *const i64,
    storage_rank: u64,
    data: *mut c_void,
}

impl Description {
    /// Converts the description to a tensor; errors name the C function `function`.
    ///
    /// # Safety
    /// Each array of the description is null or has the length stated there.
    unsafe fn read(&self, function: &str) -> Checked<AclTensor> {
        if self.rank.max(self.storage_rank) > MOST_DIMS {
            let message = format!("{function}: more than {MOST_DIMS} dimensions");
            return refuse(ACLNN_ERR_PARAM_INVALID, message);
        }
        let null =
            |what: &str| refuse(ACLNN_ERR_PARAM_NULLPTR, format!("{function}: {what} is null"));
        let (rank, storage_rank) = (self.rank as usize, self.storage_rank as usize);
        // SAFETY: the caller upholds the `# Safety` contract.
        let Some(view) = (unsafe { array(self.view, rank) }) else { return null("viewDims") };
        // SAFETY: the caller upholds the `# Safety` contract.
        let Some(storage) = (unsafe { array(self.storage, storage_rank) }) else {
            return null("storageDims");
        };
        // SAFETY: the caller upholds the `# Safety` contract.
        let strides = unsafe { array(self.strides, rank) };
        Ok(AclTensor {
            dtype: self.dtype,
            format: self.format,
            view: Dims::new(view),
            strides: strides.map_or_else(|| Dims::dense(view), Dims::new),
            offset: self.offset,
            storage: Dims::new(storage),
            address: Address::new(self.data),
        })
    }
}

/// Creates a tensor; null when its description cannot be read.
///
/// # Safety
/// Each array is null or has the stated length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclCreateTensor(
    view_dims: *const i64,
    view_dims_num: u64,
    data_type: i32,
    stride: *const i64,
    offset: i64,
    format: i32,
    storage_dims: *const i64,
    storage_dims_num: u64,
    tensor_data: *mut c_void,
) -> Handle {
    pointer(|| {
        let description = Description {
            view: view_dims,
            rank: view_dims_num,
            dtype: data_type,
            strides: stride,
            offset,
            format,
            storage: storage_dims,
            storage_rank: storage_dims_num,
            data: tensor_data,
        };
        // SAFETY: the caller upholds the `# Safety` contract.
        let tensor = unsafe { description.read("aclCreateTensor") }?;
        Ok(TENSORS.insert(tensor))
    })
}

/// Replaces a tensor's description.
///
/// Executors that were prepared with the old description keep running on the old memory, because the new description has
/// an address of its own.
///
/// # Safety
/// Each array is null or has the stated length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInitTensor(
    tensor: Handle,
    view_dims: *const i64,
    view_dims_num: u64,
    data_type: i32,
    stride: *const i64,
    offset: i64,
    format: i32,
    storage_dims: *const i64,
    storage_dims_num: u64,
    tensor_data: *mut c_void,
) -> i32 {
    status(ACLNN_ERR_INNER, || {
        live("aclInitTensor", tensor)?;
        let description = Description {
            view: view_dims,
            rank: view_dims_num,
            dtype: data_type,
            strides: stride,
            offset,
            format,
            storage: storage_dims,
            storage_rank: storage_dims_num,
            data: tensor_data,
        };
        // SAFETY: the caller upholds the `# Safety` contract.
        let read = unsafe { description.read("aclInitTensor") }?;
        TENSORS.update(tensor, |t| *t = read);
        Ok(())
    })
}

/// Destroys a tensor.
///
/// Executors stay valid, because they have a copy of the tensor's layout and share its address. The memory belongs to the
/// caller.
#[unsafe(no_mangle)]
pub extern "C" fn aclDestroyTensor(tensor: Handle) -> i32 {
    status(ACLNN_ERR_INNER, || match TENSORS.take(tensor) {
        None if !tensor.is_null() => {
            refuse(ACLNN_ERR_PARAM_INVALID, "aclDestroyTensor: not a live aclTensor")
        }
        _ => Ok(()),
    })
}

fn live(function: &str, tensor: Handle) -> Checked<Arc<AclTensor>> {
    match TENSORS.get(tensor) {
        Some(tensor) => Ok(tensor),
        None if tensor.is_null() => {
            refuse(ACLNN_ERR_PARAM_NULLPTR, format!("{function}: tensor is null"))
        }
        None => refuse(ACLNN_ERR_PARAM_INVALID, format!("{function}: not a live aclTensor")),
    }
}

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

/// Returns the address of a symbol that the process has loaded, or null if there is none.
fn symbol(name: &CStr) -> *mut c_void {
    const EVERYWHERE: *mut c_void = std::ptr::null_mut(); // RTLD_DEFAULT
    // SAFETY: the name is NUL-terminated.
    unsafe { dlsym(EVERYWHERE, name.as_ptr()) }
}

/// Allocates memory that the caller frees: with `delete[]` in a C++ process, else with `free`.
fn for_caller(bytes: usize) -> *mut c_void {
    // `std::terminate` shows that there is a C++ run-time: a sanitizer has `operator new[]` as well, but not this.
    let new = symbol(c"_ZnamRKSt9nothrow_t");
    if new.is_null() || symbol(c"_ZSt9terminatev").is_null() {
        // SAFETY: `malloc` accepts any size.
        return unsafe { malloc(bytes) };
    }
    // SAFETY: by its mangled name, this is `operator new[](size_t, const std::nothrow_t&)`.
    let new: unsafe extern "C" fn(usize, *const u8) -> *mut c_void =
        unsafe { std::mem::transmute(new) };
    // SAFETY: the tag is an empty object that nothing reads.
    unsafe { new(bytes, &0) }
}

/// Writes a pointer to a copy of a tensor's dimensions or strides, and their number.
///
/// `list` selects the dimensions or strides. The caller frees the copy.
///
/// # Safety
/// `values` and `count` are each null or may be written.
unsafe fn give(
    function: &str,
    tensor: Handle,
    list: fn(&AclTensor) -> &[i64],
    values: *mut *mut i64,
    count: *mut u64,
) -> i32 {
    status(ACLNN_ERR_INNER, || {
        let tensor = live(function, tensor)?;
        if values.is_null() || count.is_null() {
            let message = format!("{function}: the place for an answer is null");
            return refuse(ACLNN_ERR_PARAM_NULLPTR, message);
        }
        let list = list(&tensor);
        let copy = for_caller(size_of_val(list).max(1)).cast::<i64>();
        if copy.is_null() {
            return refuse(ACLNN_ERR_INNER_NULLPTR, format!("{function}: no memory"));
        }
        // SAFETY: the copy has room for the list; both places are not null.
        unsafe {
            copy.copy_from_nonoverlapping(list.as_ptr(), list.len());
            values.write(copy);
            count.write(list.len() as u64);
        }
        Ok(())
    })
}

/// Writes a pointer to a copy of the view's dimensions, which the caller frees, and their number.
///
/// # Safety
/// Each place is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetViewShape(
    tensor: Handle,
    view_dims: *mut *mut i64,
    view_dims_num: *mut u64,
) -> i32 {
    // SAFETY: the caller upholds the `# Safety` contract.
    unsafe { give("aclGetViewShape", tensor, |t| &t.view, view_dims, view_dims_num) }
}

/// Writes a pointer to a copy of the view's strides, which the caller frees, and their number.
///
/// # Safety
/// Each place is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetViewStrides(
    tensor: Handle,
    strides: *mut *mut i64,
    strides_num: *mut u64,
) -> i32 {
    // SAFETY: the caller upholds the `# Safety` contract.
    unsafe { give("aclGetViewStrides", tensor, |t| &t.strides, strides, strides_num) }
}

/// Writes a pointer to a copy of the storage's dimensions, which the caller frees, and their number.
///
/// # Safety
/// Each place is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetStorageShape(
    tensor: Handle,
    storage_dims: *mut *mut i64,
    storage_dims_num: *mut u64,
) -> i32 {
    // SAFETY: the caller upholds the `# Safety` contract.
    unsafe { give("aclGetStorageShape", tensor, |t| &t.storage, storage_dims, storage_dims_num) }
}

/// Writes to `place` the property of a tensor that the function `of` returns.
///
/// # Safety
/// `place` is null or may be written.
unsafe fn tell<T>(function: &str, tensor: Handle, place: *mut T, of: fn(&AclTensor) -> T) -> i32 {
    status(ACLNN_ERR_INNER, || {
        let tensor = live(function, tensor)?;
        let name = format!("{function}: the place for the answer");
        // SAFETY: the caller upholds the `# Safety` contract.
        unsafe { reply(ACLNN_ERR_PARAM_NULLPTR, &name, place, of(&tensor)) }
    })
}

/// Writes the number of elements between the start of the storage and the first element of the view.
///
/// # Safety
/// `offset` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetViewOffset(tensor: Handle, offset: *mut i64) -> i32 {
    // SAFETY: the caller upholds the `# Safety` contract.
    unsafe { tell("aclGetViewOffset", tensor, offset, |t| t.offset) }
}

/// Writes the `aclFormat` of a tensor.
///
/// # Safety
/// `format` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetFormat(tensor: Handle, format: *mut i32) -> i32 {
    // SAFETY: the caller upholds the `# Safety` contract.
    unsafe { tell("aclGetFormat", tensor, format, |t| t.format) }
}

/// Writes the `aclDataType` of a tensor.
///
/// # Safety
/// `data_type` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDataType(tensor: Handle, data_type: *mut i32) -> i32 {
    // SAFETY: the caller upholds the `# Safety` contract.
    unsafe { tell("aclGetDataType", tensor, data_type, |t| t.dtype) }
}

/// Writes the start address of a tensor's storage.
///
/// # Safety
/// `addr` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetRawTensorAddr(tensor: Handle, addr: *mut *mut c_void) -> i32 {
    let of = |t: &AclTensor| std::ptr::with_exposed_provenance_mut(t.address.get());
    // SAFETY: the caller upholds the `# Safety` contract.
    unsafe { tell("aclGetRawTensorAddr", tensor, addr, of) }
}

/// Changes the start address of a tensor's storage, without copying.
///
/// Executors that were prepared with the tensor use the new address too, because they share it.
#[unsafe(no_mangle)]
pub extern "C" fn aclSetRawTensorAddr(tensor: Handle, addr: *mut c_void) -> i32 {
    status(ACLNN_ERR_INNER, || {
        live("aclSetRawTensorAddr", tensor)?.address.set(addr);
        Ok(())
    })
}
