//! Views of `ndarray` arrays, there and back.

use codegen_cpu::rt::error::ViewError;
use codegen_cpu::rt::view::{View, ViewMut};
use half::f16;
use ndarray::{Array, Array2, Ix2, IxDyn, s};
use op_dsl::ir::DType;

#[test]
fn any_slice_of_an_array_is_the_same_elements() {
    let array = Array::from_shape_fn((5, 7, 3), |(i, j, k)| (100 * i + 10 * j + k) as f32);
    let views = [
        array.view(),
        array.slice(s![1..4, ..;2, ..]),
        array.slice(s![..;-1, 2.., ..;-2]),
        array.view().permuted_axes([2, 0, 1]),
        array.slice(s![2..2, .., ..]),
    ];
    for slice in views {
        let view = View::try_from(slice).expect("rank 3");
        assert_eq!((view.shape(), view.strides()), (slice.shape(), slice.strides()));
        assert_eq!(view.to_ndarray::<f32>().expect("f32"), slice.into_dyn());
    }
}

#[test]
fn stride_zero_is_seen_many_times() {
    let view = View::strided(&[1.0f32, 2.0], &[3, 2], &[0, 1], 0).expect("in bounds");
    let want = ndarray::arr2(&[[1.0f32, 2.0]; 3]).into_dyn();
    assert_eq!(view.to_ndarray::<f32>().expect("f32"), want);
}

#[test]
fn what_does_not_fit_is_said() {
    let deep = Array::<f32, IxDyn>::zeros(IxDyn(&[1; 9]));
    let error = View::try_from(deep.view()).expect_err("rank 9");
    assert_eq!(error.to_string(), "a view of rank 9; allowed: 0 to 8");
    let halves = Array2::from_elem((2, 2), f16::ONE);
    let view = View::try_from(halves.view()).expect("rank 2");
    let error = view.to_ndarray::<f32>().expect_err("halves");
    assert_eq!(error, ViewError::DType { wanted: DType::F32, got: DType::F16 });
    assert_eq!(error.to_string(), "the view holds f16, not f32");
    // SAFETY: the bytes are there; only their alignment is odd.
    let odd = unsafe {
        let bytes = halves.as_ptr().cast::<u8>().add(1);
        View::from_raw_parts(bytes, DType::F16, &[2], &[1]).expect("a view")
    };
    let error = odd.to_ndarray::<f16>().expect_err("unaligned");
    assert_eq!(error.to_string(), "the view's memory is not aligned for f16");
}

#[test]
fn outputs() {
    let mut array = Array2::<f32>::zeros((4, 6));
    let slice: ndarray::ArrayViewMut<f32, Ix2> = array.slice_mut(s![..;-1, ..3]);
    let view = ViewMut::try_from(slice).expect("rank 2");
    assert_eq!((view.shape(), view.strides()), (&[4, 3][..], &[-6, 1][..]));
}
