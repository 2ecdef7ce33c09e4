//! Masks and optional inputs through the C interfaces, for user-defined operators.
//!
//! Their functions are those that the signatures generate.
#![allow(missing_docs)]

use op_dsl::{Operator, View, ViewMut};
use op_dsl_capi::{Handle, infiniop};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

#[op_dsl::operators]
pub mod masked {
    use op_dsl::prelude::*;

    #[op(name = "Kept", dtypes(f32))]
    pub fn kept(x: Elem, #[mask] keep: Mask) -> Elem {
        if keep { 3.0 * x } else { 0.25 }
    }

    #[op(name = "Scaled", dtypes(f32))]
    pub fn scaled(x: Elem, scale: Option<Elem>, #[mask] keep: Option<Mask>) -> Elem {
        let kept = if keep.unwrap_or(true) { x } else { 0.0 };
        kept * scale.unwrap_or(7.0)
    }
}

static OPERATORS: &[&Operator] = masked::OPERATORS;

op_dsl_capi::aclnn_functions! {
    "Kept" aclnnKeptGetWorkspaceSize
        aclnnKept(x: Tensor, keep: Tensor, y: Tensor);
    "Scaled" aclnnScaledGetWorkspaceSize
        aclnnScaled(x: Tensor, scale: Tensor, keep: Tensor, y: Tensor);
}

// SAFETY: the signatures are those that the library defines.
unsafe extern "C" {
    fn aclCreateTensor(
        view: *const i64,
        rank: u64,
        dtype: i32,
        strides: *const i64,
        offset: i64,
        format: i32,
        storage: *const i64,
        storage_rank: u64,
        data: *mut c_void,
    ) -> Handle;
    fn aclDestroyTensor(tensor: Handle) -> i32;
    fn aclGetRecentErrMsg() -> *const c_char;
    fn infiniopCreateHandle(handle: *mut Handle) -> i32;
    fn infiniopCreateTensorDescriptor(
        desc: *mut Handle,
        rank: usize,
        shape: *const usize,
        strides: *const isize,
        dtype: i32,
    ) -> i32;
}

const N: usize = 77;
const FLOAT: i32 = 0;
const INT8: i32 = 2;
const UINT8: i32 = 4;
const BOOL: i32 = 12;
const UINT1: i32 = 30;

fn tensor(dtype: i32, offset: usize, data: *mut c_void) -> Handle {
    let (shape, storage, one) = ([N as i64], [(N + offset) as i64], [1i64]);
    // SAFETY: the arrays have the lengths that are passed.
    unsafe {
        let (view, whole) = (shape.as_ptr(), storage.as_ptr());
        aclCreateTensor(view, 1, dtype, one.as_ptr(), offset as i64, 2, whole, 1, data)
    }
}

/// Calls `Kept` on ones with a mask that begins `offset` elements into its memory.
///
/// Returns the results, or the status and its message.
fn by_aclnn(dtype: i32, mask: &mut [u8], offset: usize) -> Result<Vec<f32>, String> {
    let (mut x, mut y) = (vec![1f32; N], vec![f32::NAN; N]);
    let tensors = [
        tensor(FLOAT, 0, x.as_mut_ptr().cast()),
        tensor(dtype, offset, mask.as_mut_ptr().cast()),
        tensor(FLOAT, 0, y.as_mut_ptr().cast()),
    ];
    let (mut size, mut executor) = (0, null_mut());
    let [x, keep, out] = tensors;
    // SAFETY: the tensors' memory is alive, and the output pointers are valid.
    let status = unsafe {
        match aclnnKeptGetWorkspaceSize(x, keep, out, &mut size, &mut executor) {
            0 => aclnnKept(null_mut(), size, executor, null_mut()),
            status => status,
        }
    };
    // SAFETY: each tensor is destroyed once, and the message is a terminated string.
    unsafe {
        tensors.iter().for_each(|t| assert_eq!(aclDestroyTensor(*t), 0));
        if status != 0 {
            return Err(CStr::from_ptr(aclGetRecentErrMsg()).to_string_lossy().into_owned());
        }
    }
    assert_eq!(size, 0, "nothing is copied");
    Ok(y)
}

fn described(dtype: i32) -> Handle {
    let (mut desc, shape) = (null_mut(), [N]);
    // SAFETY: the array has the length that is passed, and the output pointer is valid.
    let status =
        unsafe { infiniopCreateTensorDescriptor(&mut desc, 1, shape.as_ptr(), null(), dtype) };
    assert_eq!(status, 0);
    desc
}

fn is_kept(i: usize) -> bool {
    i.is_multiple_of(5) || i % 3 == 1
}

#[test]
fn masks_by_aclnn() {
    let want: Vec<f32> = (0..N).map(|i| if is_kept(i) { 3.0 } else { 0.25 }).collect();
    for offset in [0, 3, 8, 13] {
        let mut bytes = vec![9; offset + N];
        (0..N).for_each(|i| bytes[offset + i] = if is_kept(i) { [1, 64][i % 2] } else { 0 });
        let mut bits = vec![0u8; (offset + N).div_ceil(8)];
        (0..N).for_each(|i| bits[(offset + i) / 8] |= u8::from(is_kept(i)) << ((offset + i) % 8));
        assert_eq!(by_aclnn(BOOL, &mut bytes, offset), Ok(want.clone()));
        assert_eq!(by_aclnn(UINT8, &mut bytes, offset), Ok(want.clone()));
        assert_eq!(by_aclnn(UINT1, &mut bits, offset), Ok(want.clone()));
    }
    let refused = by_aclnn(INT8, &mut [0; N], 0).expect_err("a number");
    let allowed = "ACL_BOOL, ACL_UINT8, ACL_UINT1";
    assert_eq!(refused, format!("aclnnKept: keep has dtype ACL_INT8; allowed: {allowed}"));
}

#[test]
fn masks_by_infiniop() {
    static KEPT: infiniop::Entry = infiniop::Entry::new(&OPERATORS, "Kept", "Kept");
    let mut handle = null_mut();
    // SAFETY: the output pointer is valid.
    assert_eq!(unsafe { infiniopCreateHandle(&mut handle) }, 0);
    let [f32, i8, bool, u8] = [13, 3, 2, 7].map(described);
    let x = [1f32; N];
    let mask: Vec<u8> = (0..N).map(|i| if is_kept(i) { 200 } else { 0 }).collect();
    for mask_type in [bool, u8] {
        let (mut desc, mut y) = (null_mut(), [f32::NAN; N]);
        let addresses = [y.as_mut_ptr().cast(), x.as_ptr().cast(), mask.as_ptr().cast()];
        // SAFETY: outputs come before inputs, and the memory of each is alive.
        unsafe {
            assert_eq!(infiniop::create(&KEPT, handle, &mut desc, &[f32, f32, mask_type]), 0);
            assert_eq!(infiniop::run(&KEPT, desc, &addresses), 0);
        }
        assert!((0..N).all(|i| y[i] == if is_kept(i) { 3.0 } else { 0.25 }));
    }
    let mut desc = null_mut();
    // SAFETY: as above.
    let status = unsafe { infiniop::create(&KEPT, handle, &mut desc, &[f32, f32, i8]) };
    assert_eq!(status, 10, "INFINI_STATUS_BAD_TENSOR_DTYPE");
}

#[test]
fn optional_tensors_are_null() {
    static SCALED: infiniop::Entry = infiniop::Entry::new(&OPERATORS, "Scaled", "Scaled");
    let (mut x, mut scale, mut mask) = (vec![1f32; N], vec![2f32; N], vec![0u8; N]);
    let mut handle = null_mut();
    // SAFETY: the output pointer is valid.
    assert_eq!(unsafe { infiniopCreateHandle(&mut handle) }, 0);
    for (with_scale, with_mask) in [(false, false), (true, false), (false, true), (true, true)] {
        let want = match (with_mask, with_scale) {
            (true, _) => 0.0,
            (false, true) => 2.0,
            (false, false) => 7.0,
        };
        let mut y = vec![f32::NAN; N];
        let given = |with: bool, dtype, data: *mut c_void| {
            if with { tensor(dtype, 0, data) } else { null_mut() }
        };
        let tensors = [
            tensor(FLOAT, 0, x.as_mut_ptr().cast()),
            given(with_scale, FLOAT, scale.as_mut_ptr().cast()),
            given(with_mask, BOOL, mask.as_mut_ptr().cast()),
            tensor(FLOAT, 0, y.as_mut_ptr().cast()),
        ];
        let (mut size, mut executor) = (0, null_mut());
        let [a, b, c, out] = tensors;
        // SAFETY: the memory of the tensors that are given is alive.
        unsafe {
            let status = aclnnScaledGetWorkspaceSize(a, b, c, out, &mut size, &mut executor);
            assert_eq!(status, 0);
            assert_eq!(aclnnScaled(null_mut(), size, executor, null_mut()), 0);
            tensors.iter().for_each(|t| assert_eq!(aclDestroyTensor(*t), 0));
        }
        assert_eq!(y, [want; N]);

        y.fill(f32::NAN);
        let (f32, bool) = (described(13), described(2));
        let mut desc = null_mut();
        let some = |with, desc| if with { desc } else { null_mut() };
        let descs = [f32, f32, some(with_scale, f32), some(with_mask, bool)];
        let address = |with, data: *const c_void| if with { data } else { null() };
        let addresses = [
            y.as_mut_ptr().cast(),
            x.as_ptr().cast(),
            address(with_scale, scale.as_ptr().cast()),
            address(with_mask, mask.as_ptr().cast()),
        ];
        // SAFETY: as above.
        unsafe {
            assert_eq!(infiniop::create(&SCALED, handle, &mut desc, &descs), 0);
            assert_eq!(infiniop::run(&SCALED, desc, &addresses), 0);
        }
        assert_eq!(y, [want; N]);
    }
    // A tensor that is not optional must be given.
    let (mut size, mut executor) = (0, null_mut());
    let out = tensor(FLOAT, 0, null_mut());
    // SAFETY: the output pointers are valid.
    let status = unsafe {
        aclnnScaledGetWorkspaceSize(
            null_mut(),
            null_mut(),
            null_mut(),
            out,
            &mut size,
            &mut executor,
        )
    };
    assert_eq!(status, 161_001);
}

/// The C interface and the Rust call have the same results.
#[test]
fn masks_by_rust() {
    let mut mask = vec![0u8; N];
    (0..N).for_each(|i| mask[i] = u8::from(is_kept(i)));
    let (x, mut y) = ([1f32; N], [f32::NAN; N]);
    let view = View::new(&mask, &[N]).expect("a view");
    let out = ViewMut::new(&mut y, &[N]).expect("a view");
    masked::Kept {}.run(View::new(&x, &[N]).expect("a view"), view, out).expect("a call");
    assert_eq!(by_aclnn(BOOL, &mut mask, 0), Ok(y.to_vec()));
}
