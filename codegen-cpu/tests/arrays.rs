//! Conversions between views and `ndarray` arrays, in both directions.

mod driver;

use codegen_cpu::rt::call::Options;
use codegen_cpu::rt::error::ViewError;
use codegen_cpu::rt::view::{View, ViewMut};
use driver::binary;
use half::f16;
use ndarray::{Array, Array2, IxDyn, s};
use op_dsl_ir::DType;
use op_dsl_ir::op::Value;
use std::cell::Cell;

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
    assert_eq!(error, ViewError::DType { wanted: DType::F32.into(), got: DType::F16.into() });
    assert_eq!(error.to_string(), "the view holds f16, not f32");
}

/// An array view promises that nobody writes its elements, and may go to other threads.
#[test]
fn what_others_may_write_is_no_array_view() {
    let mut data = [1.0f32, 2.0];
    let cells = Cell::from_mut(&mut data[..]).as_slice_of_cells();
    let of_cells = View::from_cells(cells, &[2], &[1], 0).expect("a view");
    assert_eq!(of_cells.to_ndarray::<f32>(), Err(ViewError::NotBorrowed));
    // SAFETY: `data` has the elements.
    let raw = unsafe { View::from_raw_parts(data.as_ptr().cast(), DType::F32, &[2], &[1]) };
    let error = raw.expect("a view").to_ndarray::<f32>().expect_err("raw parts");
    assert_eq!(
        error.to_string(),
        "a view of cells or raw parts is no array view, as others may write it; only one of a \
         slice or an array is"
    );
}

#[test]
fn strided_outputs_leave_gaps_untouched() {
    let op = binary();
    let a = Array::from_shape_fn((4, 3), |(i, j)| f32::from(i as u8) - 0.5 * f32::from(j as u8));
    let run = |z: ViewMut<'_>| {
        let a = View::try_from(a.view()).expect("rank 2");
        let attrs = [Value::Float(0.25)];
        op.run(&attrs, &[a, a], &mut [z], &Options::default()).expect("a call");
    };
    let mut dense = Array2::<f32>::zeros((4, 3));
    run(ViewMut::try_from(dense.view_mut()).expect("rank 2"));
    assert_eq!(dense, a.map(|a| a * a - 0.25));

    let mut array = Array2::<f32>::from_elem((4, 6), 7.0);
    let slice = array.slice_mut(s![..;-1, ..;2]);
    let view = ViewMut::try_from(slice).expect("rank 2");
    assert_eq!((view.shape(), view.strides()), (&[4, 3][..], &[-6, 2][..]));
    run(view);
    assert_eq!(array.slice(s![..;-1, ..;2]), dense);
    assert!(array.slice(s![.., 1..;2]).iter().all(|gap| *gap == 7.0));
}
