//! Error messages: every invalid call gives one line, and writes nothing.
//!
//! The line names the operator, the argument, what is wrong and what is allowed.

mod driver;

use codegen_cpu::rt::call::{Operator, Options};
use codegen_cpu::rt::error::{Error, ViewError};
use codegen_cpu::rt::simd::Level;
use codegen_cpu::rt::view::{View, ViewMut};
use driver::{Tensor, binary, gated, mistaken};
use op_dsl_ir::DType::{self, BF16, F16, F32};
use op_dsl_ir::op::{Pattern, Value};
use std::cell::Cell;

const ATTRS: [Value; 2] = [Value::Int(-1), Value::Bool(true)];

/// Returns the message of a call on contiguous tensors.
///
/// It checks that the message is one line and that nothing was written.
fn message(
    op: &Operator,
    attrs: &[Value],
    inputs: &[(DType, &[usize])],
    outputs: &[(DType, &[usize])],
) -> String {
    let make =
        |(k, (dtype, shape)): (usize, &(DType, &[usize]))| Tensor::dense(*dtype, shape, k as u64);
    let inputs: Vec<Tensor> = inputs.iter().enumerate().map(make).collect();
    let mut outputs: Vec<Tensor> = outputs.iter().enumerate().map(make).collect();
    let before = outputs.clone();
    let views: Vec<View> = inputs.iter().map(|t| t.view().unwrap()).collect();
    let mut written: Vec<ViewMut> = outputs.iter_mut().map(|t| t.view_mut().unwrap()).collect();
    let result = op.run(attrs, &views, &mut written, &Options::default());
    let text = result.expect_err("a bad call").to_string();
    assert!(!text.contains('\n'));
    assert!(outputs.iter().zip(&before).all(|(a, b)| a.buf == b.buf));
    text
}

fn gated_message(inputs: [&[usize]; 3], output: &[usize]) -> String {
    let op = gated(Pattern::Halves);
    message(&op, &ATTRS, &inputs.map(|shape| (F32, shape)), &[(F32, output)])
}

#[test]
fn wrong_shapes_are_refused_by_name() {
    for (inputs, output, want) in [
        (
            [&[4, 3][..], &[4, 7], &[4, 3]],
            &[4, 7][..],
            "Gated: tensor `x` has shape [4, 7]; dimension 1 is cut in two and must be even",
        ),
        (
            [&[4, 2], &[4, 6], &[4, 3]],
            &[4, 6],
            "Gated: tensor `dy` has shape [4, 2]; must be [4, 3], which follows from `x`",
        ),
        (
            [&[4, 3], &[4, 6], &[12]],
            &[4, 6],
            "Gated: tensor `gelu` has shape [12]; must be [4, 3], which follows from `x`",
        ),
        (
            [&[4, 3], &[4, 6], &[4, 3]],
            &[6, 4],
            "Gated: tensor `dx` has shape [6, 4]; must be [4, 6], which follows from the inputs",
        ),
        ([&[], &[], &[]], &[], "Gated: tensor `dy` has rank 0; allowed: 1 to 8"),
    ] {
        assert_eq!(gated_message(inputs, output), want);
    }
    assert_eq!(
        message(&binary(), &[Value::Float(1.0)], &[(F32, &[2, 3]), (F32, &[4])], &[(F32, &[2, 3])]),
        "Binary: tensor `x` of shape [4] cannot be broadcast with [2, 3]; dimensions must be \
         equal or 1"
    );
    let strict = gated(Pattern::Halves).redefined(|def| def.empty = false);
    let shapes: [(DType, &[usize]); 3] = [(F32, &[0, 3]), (F32, &[0, 6]), (F32, &[0, 3])];
    assert_eq!(
        message(&strict, &ATTRS, &shapes, &[(F32, &[0, 6])]),
        "Gated: tensor `dy` of shape [0, 3] is empty, which this operator does not allow"
    );
}

#[test]
fn types_counts_and_attributes() {
    let op = gated(Pattern::Halves);
    let good: [(DType, &[usize]); 3] = [(F32, &[2, 3]), (F32, &[2, 6]), (F32, &[2, 3])];
    let out: [(DType, &[usize]); 1] = [(F32, &[2, 6])];
    let mut mixed = good;
    mixed[2].0 = F16;
    let with = |dim: i64| [Value::Int(dim), Value::Bool(true)];
    for (got, want) in [
        (
            message(&op, &ATTRS, &mixed, &out),
            "Gated: tensor `gelu` has dtype f16; allowed: f32, as `dy` has",
        ),
        (
            message(&op, &ATTRS, &good, &[(BF16, &[2, 6])]),
            "Gated: tensor `dx` has dtype bf16; allowed: f32",
        ),
        (
            message(&op, &ATTRS, &good[..2], &out),
            "Gated: got 2 input tensors; takes 3 (dy, x, gelu)",
        ),
        (message(&op, &ATTRS, &good, &[]), "Gated: got 0 output tensors; takes 1 (dx)"),
        (
            message(&op, &ATTRS, &[good[0]; 40], &out),
            "Gated: got 40 input tensors; takes 3 (dy, x, gelu)",
        ),
        (
            message(&op, &with(2), &good, &out),
            "Gated: attribute `dim` cannot be 2; allowed: -2 to 1 for tensors of rank 2",
        ),
        (
            message(&op, &with(-3), &good, &out),
            "Gated: attribute `dim` cannot be -3; allowed: -2 to 1 for tensors of rank 2",
        ),
        (
            message(&op, &with(i64::MIN), &good, &out),
            "Gated: attribute `dim` cannot be -9223372036854775808; allowed: -2 to 1 for tensors \
             of rank 2",
        ),
        (
            message(&op, &[Value::Int(0), Value::Int(7)], &good, &out),
            "Gated: attribute `activate_left` cannot be 7; allowed: true, false",
        ),
        (
            message(&op, &ATTRS[..1], &good, &out),
            "Gated: got 1 attribute values; takes 2 (dim, activate_left)",
        ),
    ] {
        assert_eq!(got, want);
    }
    let narrow = op.redefined(|def| def.dtypes = vec![F16, BF16].into());
    assert_eq!(
        message(&narrow, &ATTRS, &good, &out),
        "Gated: tensor `dy` has dtype f32; allowed: f16, bf16"
    );
}

#[test]
fn attributes_from_text() {
    let op = gated(Pattern::Halves);
    assert_eq!(op.parse_attr("dim", "-2"), Ok((0, Value::Int(-2))));
    for (text, want) in [("true", true), ("1", true), ("false", false), ("0", false)] {
        assert_eq!(op.parse_attr("activate_left", text), Ok((1, Value::Bool(want))));
    }
    let error = |name, text| op.parse_attr(name, text).unwrap_err().to_string();
    assert_eq!(error("left", "1"), "Gated: no attribute `left`; it has dim, activate_left");
    assert_eq!(error("dim", "last"), "Gated: attribute `dim` cannot be `last`; allowed: integers");
    assert_eq!(
        error("activate_left", "yes"),
        "Gated: attribute `activate_left` cannot be `yes`; allowed: true, false"
    );
}

#[test]
fn unavailable_level_is_refused() {
    let missing = Level::ALL.into_iter().find(|l| !l.is_available()).unwrap();
    let options = Options { level: Some(missing), ..Options::default() };
    let t = Tensor::dense(F32, &[4], 1);
    let mut z = t.clone();
    let views = [t.view().unwrap(); 2];
    let result = binary().run(&[Value::Float(1.0)], &views, &mut [z.view_mut().unwrap()], &options);
    let text = result.unwrap_err().to_string();
    let start =
        format!("Binary: this CPU or this build does not have level {}; allowed: ", missing.name());
    assert!(text.starts_with(&start), "{text}");
}

#[test]
fn views_outside_their_data_are_refused() {
    let data = [0f32; 12];
    let strided =
        |shape: &[usize], strides: &[isize], at| View::strided(&data, shape, strides, at).err();
    assert_eq!(strided(&[3, 4], &[4, 1], 0), None);
    assert_eq!(strided(&[3, 4], &[-4, 1], 8), None);
    assert_eq!(strided(&[0, 4], &[4, 1], 12), None);
    assert_eq!(strided(&[1, 1], &[isize::MAX, isize::MIN], 11), None);
    let bounds = |shape: &[usize], strides: &[isize], at, first, last| {
        let want = ViewError::OutOfBounds {
            shape: shape.to_vec(),
            strides: strides.to_vec(),
            first,
            last,
            len: 12,
        };
        assert_eq!(strided(shape, strides, at), Some(want));
    };
    bounds(&[3, 4], &[4, 1], 1, 1, 12);
    bounds(&[3, 4], &[-4, 1], 7, -1, 10);
    bounds(&[13], &[0], 12, 12, 12);
    bounds(&[0], &[1], 13, 13, 13);
    bounds(&[1], &[1], usize::MAX, isize::MAX, isize::MAX);
    let huge = usize::MAX;
    for (shape, strides) in [
        (&[huge][..], &[0][..]),
        (&[huge, huge], &[0, 0]),
        (&[3], &[isize::MAX]),
        (&[3, 3], &[isize::MIN / 8, isize::MAX / 8]),
        (&[1 << (usize::BITS / 2), 1 << (usize::BITS / 2)], &[0, 0]),
    ] {
        let got = strided(shape, strides, 0);
        assert!(matches!(got, Some(ViewError::Overflow { .. })), "{got:?}");
    }
    assert_eq!(strided(&[1; 9], &[1; 9], 0), Some(ViewError::Rank { got: 9 }));
    assert_eq!(strided(&[1], &[], 0), Some(ViewError::Strides { strides: 0, rank: 1 }));
    for shape in [&[13][..], &[3, 5], &[huge, 2], &[1; 9]] {
        assert!(View::new(&data, shape).is_err());
        assert!(ViewMut::new(&mut data.clone(), shape).is_err());
    }
    for shape in [&[12][..], &[], &[0], &[huge, 0], &[1; 8]] {
        assert!(View::new(&data, shape).is_ok(), "{shape:?}");
        assert!(ViewMut::new(&mut data.clone(), shape).is_ok(), "{shape:?}");
    }
}

#[test]
fn outputs_that_overlap_themselves() {
    let mut data = [0f32; 60];
    let mut error = |shape: &[usize], strides: &[isize]| {
        let first = if strides.contains(&-1) { 3 } else { 0 };
        ViewMut::strided(&mut data, shape, strides, first).err().map(|e| e.to_string())
    };
    for (shape, strides) in [
        (&[3, 4, 5][..], &[20, 5, 1][..]),
        (&[5, 4, 3], &[1, 5, 20]),
        (&[4, 3, 5], &[5, 20, 1]),
        (&[3, 2, 2], &[20, 10, 2]),
        (&[1, 4], &[0, 1]),
        (&[1, 4], &[-7, -1]),
        (&[3, 2], &[2, 3]),
        (&[3, 2, 2], &[2, 3, 20]),
        (&[0, 4], &[0, 0]),
    ] {
        assert_eq!(error(shape, strides), None);
    }
    for (shape, strides) in
        [(&[4][..], &[0][..]), (&[3, 4], &[3, 1]), (&[2, 2], &[1, 1]), (&[2, 2, 2], &[3, 2, 1])]
    {
        let text = error(shape, strides).unwrap();
        assert!(text.contains("may write an element twice"), "{text}");
    }
}

/// Runs [`binary`] on operands and an output of one shape in a single buffer.
fn overlap(shape: &[usize], x: (&[isize], usize), z: (&[isize], usize)) -> Result<(), Error> {
    let mut data = vec![1f32; 200];
    let cells = Cell::from_mut(&mut data[..]).as_slice_of_cells();
    let y = Tensor::dense(F32, shape, 1);
    let x = View::from_cells(cells, shape, x.0, x.1).unwrap();
    let z = ViewMut::from_cells(cells, shape, z.0, z.1).unwrap();
    binary().run(&[Value::Float(0.5)], &[y.view().unwrap(), x], &mut [z], &Options::default())
}

#[test]
fn inputs_that_overlap_outputs() {
    let refused = |r: Result<(), Error>| {
        let text = r.expect_err("an overlap").to_string();
        assert_eq!(
            text,
            "Binary: output `z` overlaps input `x`; they must be the same elements in the same \
             places, or share none"
        );
    };
    let s = &[10, 1][..];
    overlap(&[5, 10], (s, 0), (s, 0)).unwrap(); // in place
    overlap(&[5, 10], (s, 0), (s, 50)).unwrap(); // adjacent
    overlap(&[5, 5], (s, 0), (s, 5)).unwrap(); // columns of one matrix
    overlap(&[5, 5], (&[10, 2], 0), (&[10, 2], 1)).unwrap(); // even and odd columns
    overlap(&[5, 5], (&[20, 1], 10), (&[20, 1], 0)).unwrap(); // even and odd rows
    refused(overlap(&[5, 10], (s, 0), (s, 1)));
    refused(overlap(&[5, 10], (s, 0), (s, 49)));
    refused(overlap(&[5, 6], (s, 0), (s, 5)));
    refused(overlap(&[5, 10], (&[-10, 1], 40), (s, 0))); // upside down
    refused(overlap(&[5, 5], (&[1, 5], 0), (&[5, 1], 0))); // transposed
    refused(overlap(&[5, 10], (&[0, 1], 0), (s, 0))); // broadcast
    refused(overlap(&[5, 10], (&[0, 0], 44), (s, 0)));
    overlap(&[5, 10], (&[0, 0], 50), (s, 0)).unwrap();
}

#[test]
fn parts_of_gated_tensors_that_overlap() {
    let (rows, m) = (4, 6);
    let (dy, gelu) = (Tensor::dense(F32, &[rows, m], 1), Tensor::dense(F32, &[rows, m], 2));
    let mut data = vec![1f32; 100];
    let cells = Cell::from_mut(&mut data[..]).as_slice_of_cells();
    let shape = [rows, 2 * m];
    let run = |x_at, dx_at| {
        let x = View::from_cells(cells, &shape, &[12, 1], x_at).unwrap();
        let dx = ViewMut::from_cells(cells, &shape, &[12, 1], dx_at).unwrap();
        let inputs = [dy.view().unwrap(), x, gelu.view().unwrap()];
        gated(Pattern::Halves).run(&ATTRS, &inputs, &mut [dx], &Options::default())
    };
    assert_eq!(run(0, 0), Ok(()));
    assert_eq!(run(0, 48), Ok(()));
    // The gate's half of one tensor overlaps the value's half of the other.
    let text = run(0, 6).unwrap_err().to_string();
    assert!(text.starts_with("Gated: output `dx."), "{text}");
    assert!(text.contains("overlaps input `x."), "{text}");
}

/// A definition that contradicts its kernels is refused, because all later code relies on it.
#[test]
fn kernels_of_another_operator() {
    let text =
        message(&mistaken(), &[Value::Float(1.0)], &[(F32, &[2]), (F32, &[2])], &[(F32, &[2])]);
    assert_eq!(text, "Binary: its kernels do not match its description (input streams)");
}
