//! Device memory, which is host memory.
//!
//! Live allocations are recorded, so that a double free or an access past the end is answered with a status.

use super::codes::*;
use crate::refusal::{Checked, refuse, status};
use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Start address and layout of each live allocation.
static ALLOCATIONS: Mutex<BTreeMap<usize, Layout>> = Mutex::new(BTreeMap::new());
/// Alignment of allocations: a cache line.
const ALIGN: usize = 64;

fn allocations() -> MutexGuard<'static, BTreeMap<usize, Layout>> {
    ALLOCATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether the bytes `first..end`, counted from `base`, may be used.
///
/// If `base` is in an allocation, all of these bytes must be in it; otherwise none of the bytes may be in any allocation.
/// Memory that was allocated elsewhere is the caller's responsibility.
pub fn within_allocation(base: usize, first: usize, end: usize) -> bool {
    let allocations = allocations();
    let (Some(from), Some(to)) = (base.checked_add(first), base.checked_add(end)) else {
        return false;
    };
    // Returns the last allocation that starts at or before an address, and its end.
    let below = |address: usize| {
        let (start, layout) = allocations.range(..=address).next_back()?;
        Some((*start, start + layout.size()))
    };
    match below(base).filter(|block| base < block.1) {
        Some((start, room)) => start <= from && from <= to && to <= room,
        None => below(to.saturating_sub(1)).is_none_or(|block| from >= to || block.1 <= from),
    }
}

fn allocate(function: &str, pointer: *mut *mut c_void, size: usize) -> Checked<()> {
    let wrong = |what| refuse(ACL_ERROR_INVALID_PARAM, format!("{function}: {what}"));
    if pointer.is_null() {
        return wrong("the place for the pointer is null");
    }
    if size == 0 {
        return wrong("size is 0");
    }
    let full = || refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, format!("{function}: no {size} bytes"));
    let Ok(layout) = Layout::from_size_align(size, ALIGN) else { return full() };
    // SAFETY: the layout is not of size 0.
    let memory = unsafe { alloc(layout) };
    if memory.is_null() {
        return full();
    }
    allocations().insert(memory.expose_provenance(), layout);
    // SAFETY: not null, and the caller's to write.
    unsafe { pointer.write(memory.cast()) };
    Ok(())
}

fn free(function: &str, pointer: *mut c_void) -> Checked<()> {
    if pointer.is_null() {
        return refuse(ACL_ERROR_INVALID_PARAM, format!("{function}: the pointer is null"));
    }
    let Some(layout) = allocations().remove(&pointer.addr()) else {
        let message = format!("{function}: {pointer:p} is not the start of a live allocation");
        return refuse(ACL_ERROR_RT_PARAM_INVALID, message);
    };
    // SAFETY: it was allocated with this layout, and only this call has taken it from the list.
    unsafe { dealloc(pointer.cast(), layout) };
    Ok(())
}

/// Allocates device memory. The policy has no effect, because device memory is host memory.
///
/// # Safety
/// `dev_ptr` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMalloc(dev_ptr: *mut *mut c_void, size: usize, _policy: i32) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || allocate("aclrtMalloc", dev_ptr, size))
}

/// Frees memory that `aclrtMalloc` allocated.
///
/// # Safety
/// The memory is no longer in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFree(dev_ptr: *mut c_void) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || free("aclrtFree", dev_ptr))
}

/// Allocates host memory.
///
/// # Safety
/// `host_ptr` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocHost(host_ptr: *mut *mut c_void, size: usize) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || allocate("aclrtMallocHost", host_ptr, size))
}

/// Frees memory that `aclrtMallocHost` allocated.
///
/// # Safety
/// The memory is no longer in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeHost(host_ptr: *mut c_void) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || free("aclrtFreeHost", host_ptr))
}

/// Checks that a copy or fill of `count` bytes stays within the memory at `pointer`.
///
/// The pointer must not be null, and `count` bytes must fit into both `max` bytes and the allocation. The error names
/// the function and its argument `name`.
fn room(
    function: &str,
    name: &str,
    pointer: *const c_void,
    max: usize,
    count: usize,
) -> Checked<()> {
    if pointer.is_null() {
        return refuse(ACL_ERROR_INVALID_PARAM, format!("{function}: {name} is null"));
    }
    if count > max || count > isize::MAX as usize {
        let message = format!("{function}: {count} bytes do not fit into the {max} of {name}");
        return refuse(ACL_ERROR_RT_PARAM_INVALID, message);
    }
    if !within_allocation(pointer.addr(), 0, count) {
        let message = format!("{function}: {count} bytes at {name} pass the end of its allocation");
        return refuse(ACL_ERROR_RT_PARAM_INVALID, message);
    }
    Ok(())
}

/// Copies `count` bytes between host and device memory, in any direction.
///
/// # Safety
/// Each pointer is null or has the stated number of bytes, and no other thread uses those of `dst`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpy(
    dst: *mut c_void,
    dest_max: usize,
    src: *const c_void,
    count: usize,
    kind: i32,
) -> i32 {
    const KINDS: std::ops::Range<i32> = 0..8;
    status(ACL_ERROR_INTERNAL_ERROR, || {
        if count == 0 {
            return Ok(());
        }
        if !KINDS.contains(&kind) {
            let message = format!("aclrtMemcpy: {kind} is no aclrtMemcpyKind");
            return refuse(ACL_ERROR_INVALID_PARAM, message);
        }
        room("aclrtMemcpy", "dst", dst, dest_max, count)?;
        room("aclrtMemcpy", "src", src, count, count)?;
        // SAFETY: neither is null, and the caller guarantees that both have `count` bytes.
        unsafe { std::ptr::copy(src.cast::<u8>(), dst.cast::<u8>(), count) };
        Ok(())
    })
}

/// Copies as `aclrtMemcpy`; the copy is complete when this function returns.
///
/// # Safety
/// As `aclrtMemcpy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyAsync(
    dst: *mut c_void,
    dest_max: usize,
    src: *const c_void,
    count: usize,
    kind: i32,
    stream: crate::Handle,
) -> i32 {
    let checked = status(ACL_ERROR_INTERNAL_ERROR, || match super::is_stream(stream) {
        true => Ok(()),
        false => refuse(ACL_ERROR_RT_INVALID_HANDLE, "aclrtMemcpyAsync: not a live stream"),
    });
    // SAFETY: the caller upholds the `# Safety` contract.
    if checked == 0 { unsafe { aclrtMemcpy(dst, dest_max, src, count, kind) } } else { checked }
}

/// Sets `count` bytes of memory to the byte `value`.
///
/// # Safety
/// `dev_ptr` is null or has `max_count` bytes that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemset(
    dev_ptr: *mut c_void,
    max_count: usize,
    value: i32,
    count: usize,
) -> i32 {
    status(ACL_ERROR_INTERNAL_ERROR, || {
        if count == 0 {
            return Ok(());
        }
        room("aclrtMemset", "devPtr", dev_ptr, max_count, count)?;
        // SAFETY: not null, and the caller guarantees that it has `count` bytes.
        unsafe { std::ptr::write_bytes(dev_ptr.cast::<u8>(), value as u8, count) };
        Ok(())
    })
}
