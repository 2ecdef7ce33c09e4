//! Gradients with respect to broadcast inputs: sums over the elements that share an element of the input.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

mod common;

use common::{Random, Tensor, run};
use op_dsl::ir::DType;
use op_dsl::ir::op::{Kind, Value};
use op_dsl::{Operator, Options, View, ViewMut};
use std::cell::Cell;

#[op_dsl::operators]
pub mod layers {
    use op_dsl::prelude::*;

    /// `gamma * tanh(x) + beta`
    #[op(name = "Affine", grad(name = "AffineGrad", wrt(x, gamma, beta)))]
    pub fn affine(x: Elem, #[broadcast] gamma: Elem, #[broadcast] beta: Elem) -> Elem {
        gamma * tanh(x) + beta
    }

    /// `a * b`, where either may be broadcast.
    #[op(name = "Times", broadcast, grad(name = "TimesGrad", wrt(a, b)))]
    pub fn times(a: Elem, b: Elem) -> Elem {
        a * b
    }

    /// `gate * value` after a bias for each.
    #[op(name = "Biased", grad(name = "BiasedGrad", wrt(x, bias)))]
    pub fn biased(
        #[split(along = dim, interleaved = pairs)] x: Gated,
        #[broadcast] bias: Gated,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = false)] pairs: bool,
    ) -> Elem {
        (x.gate + bias.gate) * (x.value + bias.value)
    }
}

fn operator(name: &str) -> &'static Operator {
    layers::OPERATORS.iter().find(|op| op.name() == name).expect("an operator")
}

/// Returns the position in a tensor of this shape that belongs to element `i` of a tensor of shape `full`.
fn position(full: &[usize], shape: &[usize], i: usize) -> usize {
    let (mut rest, mut at, mut stride) = (i, 0, 1);
    for d in (0..full.len()).rev() {
        let index = rest % full[d];
        rest /= full[d];
        if let Some(n) = (d + shape.len()).checked_sub(full.len()).map(|d| shape[d]) {
            at += if n == 1 { 0 } else { index * stride };
            stride *= n;
        }
    }
    at
}

/// Returns a tensor repeated to the shape `full`.
fn expanded(tensor: &Tensor, full: &[usize]) -> Tensor {
    let mut next = 0..;
    let mut value = || tensor.at(position(full, &tensor.shape, next.next().expect("an index")));
    Tensor::new(full, tensor.dtype(), &mut value)
}

/// Compares the outputs of a call with sums of those of the same call with all inputs repeated to their full shapes.
///
/// The elements are the same bits in both. The sums are rounded once, from more digits than the type has.
fn check(op: &Operator, attrs: &[Value], inputs: &[Tensor], full: impl Fn(Kind) -> Vec<usize>) {
    let kinds = op.def().inputs.iter().map(|t| full(t.kind));
    let whole: Vec<Tensor> = inputs.iter().zip(kinds).map(|(t, full)| expanded(t, &full)).collect();
    let elements = run(op, attrs, &whole, &Options::default());
    let got = run(op, attrs, inputs, &Options::default());
    for (k, (got, elements)) in got.iter().zip(&elements).enumerate() {
        let mut sums = vec![(0.0, 0.0f64); got.shape.iter().product()];
        for i in 0..elements.shape.iter().product() {
            let (x, sum) = (elements.at(i), &mut sums[position(&elements.shape, &got.shape, i)]);
            *sum = (sum.0 + x, sum.1 + x.abs());
        }
        let digits = if got.dtype() == DType::F32 { 24 } else { 8 };
        for (i, (sum, size)) in sums.into_iter().enumerate() {
            let allowed = sum.abs() * 2f64.powi(-digits) * 1.001 + size * 1e-12;
            let shapes: Vec<_> = inputs.iter().map(|t| &t.shape).collect();
            let at = (op.name(), got.dtype(), k, shapes);
            assert!((got.at(i) - sum).abs() <= allowed, "{at:?}[{i}]: {} not {sum}", got.at(i));
        }
    }
}

/// Returns the shape that keeps the dimensions of `full` whose bit is set in `keep`, and leaves out `missing` leading ones.
fn smaller(full: &[usize], keep: usize, missing: usize) -> Vec<usize> {
    let one = |(d, n): (usize, &usize)| if keep >> d & 1 == 1 { *n } else { 1 };
    full.iter().enumerate().map(one).skip(missing).collect()
}

#[test]
fn sums_over_any_dimensions_are_rounded_once() {
    let mut random = Random(1);
    let ranks: [&[usize]; 6] =
        [&[5], &[3, 4], &[2, 3, 4], &[3, 1, 5, 2], &[2, 3, 1, 2, 2], &[2, 1, 2, 1, 2, 2, 1, 3]];
    for full in ranks {
        let rank = full.len();
        for keep in 0..1usize << rank {
            for dtype in DType::ALL {
                let mut tensor = |shape: &[usize]| Tensor::new(shape, dtype, || random.normal(1.0));
                let gamma = smaller(full, keep, 0);
                let beta = smaller(full, keep, keep.trailing_zeros().min(rank as u32) as usize);
                let inputs = [full, full, &gamma, &beta].map(&mut tensor);
                check(operator("AffineGrad"), &[], &inputs, |_| full.to_vec());
                let other = smaller(full, !keep, 0);
                let inputs = [full, &gamma, &other].map(&mut tensor);
                check(operator("TimesGrad"), &[], &inputs, |_| full.to_vec());
            }
        }
    }
}

#[test]
fn parts_of_a_gated_tensor_are_summed_apart() {
    let mut random = Random(2);
    for full in [[2usize, 3, 4], [2, 2, 2], [1, 5, 7]] {
        for (dim, keep, pairs) in
            (0..3).flat_map(|d| (0..8).flat_map(move |k| [false, true].map(move |p| (d, k, p))))
        {
            let doubled = |mut shape: Vec<usize>| {
                shape[dim] *= 2;
                shape
            };
            let mut tensor =
                |shape: &[usize]| Tensor::new(shape, DType::F32, || random.normal(1.0));
            let bias = doubled(smaller(&full, keep, 0));
            let inputs = [&full[..], &doubled(full.to_vec()), &bias].map(&mut tensor);
            let attrs = [Value::Int(dim as i64), Value::Bool(pairs)];
            if keep >> dim & 1 == 1 || full[dim] == 1 {
                check(operator("BiasedGrad"), &attrs, &inputs, |kind| match kind {
                    Kind::Gated => doubled(full.to_vec()),
                    _ => full.to_vec(),
                });
            } else {
                // Two elements along the split dimension stand for all gates and all values.
                let got = run(operator("BiasedGrad"), &attrs, &inputs, &Options::default());
                let sums =
                    |t: &Tensor| -> f64 { (0..t.shape.iter().product()).map(|i| t.at(i)).sum() };
                assert!((sums(&got[0]) - sums(&got[1])).abs() < 1e-4, "{full:?} {dim} {keep}");
            }
        }
    }
}

/// Shapes of several chunks and groups: long rows, many rows, sums of one, of a few and of all elements.
#[test]
fn long_sums_are_as_exact_as_short_ones() {
    let mut random = Random(3);
    for (full, gamma, beta) in [
        (vec![300, 1031], vec![1031], vec![300, 1]),
        (vec![70_001], vec![1], vec![]),
        (vec![3, 40_000], vec![40_000], vec![3, 1]),
        (vec![4, 8, 33, 65], vec![8, 1, 1], vec![33, 1]),
        (vec![20_000, 3], vec![3], vec![1]),
        (vec![2, 50_000], vec![2, 50_000], vec![1, 1]),
    ] {
        for dtype in DType::ALL {
            let mut tensor = |shape: &Vec<usize>| Tensor::new(shape, dtype, || random.normal(1.0));
            let inputs = [&full, &full, &gamma, &beta].map(&mut tensor);
            check(operator("AffineGrad"), &[], &inputs, |_| full.clone());
        }
    }
}

#[test]
fn threads_and_layout_change_no_bit() {
    let (rows, columns) = (700, 900);
    let mut random = Random(4);
    let mut numbers =
        |n: usize| -> Vec<f32> { (0..n).map(|_| random.normal(1.0) as f32).collect() };
    let (dy, x) = (numbers(rows * columns), numbers(rows * columns));
    let (gamma, beta) = (numbers(columns), numbers(1));
    let transposed = |v: &[f32]| -> Vec<f32> {
        (0..rows * columns).map(|i| v[i % rows * columns + i / rows]).collect()
    };
    let (dy_t, x_t) = (transposed(&dy), transposed(&x));
    let run = |dy: View<'_>, x: View<'_>, threads: usize| -> [Vec<f32>; 3] {
        let [mut dx, mut dgamma, mut dbeta] =
            [rows * columns, columns, 1].map(|n| vec![f32::NAN; n]);
        let inputs = [
            dy,
            x,
            View::new(&gamma, &[columns]).expect("gamma"),
            View::new(&beta, &[1]).expect("beta"),
        ];
        let mut outputs = [
            ViewMut::new(&mut dx, &[rows, columns]).expect("dx"),
            ViewMut::new(&mut dgamma, &[columns]).expect("dgamma"),
            ViewMut::new(&mut dbeta, &[1]).expect("dbeta"),
        ];
        let options = Options { threads, ..Options::default() };
        operator("AffineGrad").run(&[], &inputs, &mut outputs, &options).expect("a call");
        [dx, dgamma, dbeta]
    };
    let dense = |v| View::new(v, &[rows, columns]).expect("a view");
    let turned = |v| View::strided(v, &[rows, columns], &[1, rows as isize], 0).expect("a view");
    let want = run(dense(&dy), dense(&x), 1);
    assert!(want.iter().flatten().all(|v| v.is_finite()));
    for threads in [0, 2, 3, 8] {
        assert_eq!(run(dense(&dy), dense(&x), threads), want, "{threads}");
    }
    assert_eq!(run(turned(&dy_t), dense(&x), 2), want);
    assert_eq!(run(dense(&dy), turned(&x_t), 1), want);
}

#[test]
fn a_sum_over_no_elements_is_zero() {
    for shape in [[0usize, 3], [0, 1]] {
        let full = [0, 3];
        let tensor = |shape: &[usize]| Tensor::new(shape, DType::F32, || 1.0);
        let inputs = [tensor(&full), tensor(&full), tensor(&[3]), tensor(&[1, shape[1]])];
        let got = run(operator("AffineGrad"), &[], &inputs, &Options::default());
        for (output, n) in [(1, 3), (2, shape[1])] {
            assert!((0..n).all(|i| got[output].at(i) == 0.0), "{got:?}");
        }
    }
}

#[test]
fn nan_and_infinities_reach_the_sums_that_they_belong_to() {
    let tensor = |v: &[f32], shape: &[usize]| {
        let mut all = v.iter();
        Tensor::new(shape, DType::F32, || f64::from(*all.next().expect("a number")))
    };
    let inf = f32::INFINITY;
    let dy = tensor(&[f32::NAN, 1.0, inf, inf, 2.0, -inf, inf, 3.0], &[2, 4]);
    let (x, gamma, beta) =
        (tensor(&[0.0; 8], &[2, 4]), tensor(&[1.0; 4], &[4]), tensor(&[0.0; 4], &[4]));
    let got = run(operator("AffineGrad"), &[], &[dy, x, gamma, beta], &Options::default());
    let sums: Vec<f64> = (0..4).map(|i| got[2].at(i)).collect();
    assert!(sums[0].is_nan() && sums[1] == f64::NEG_INFINITY, "{sums:?}");
    assert!(sums[2] == f64::INFINITY && sums[3] == f64::INFINITY, "{sums:?}");
}

#[test]
fn a_sum_may_replace_the_input_that_it_belongs_to() {
    let (rows, columns) = (40, 50);
    let mut random = Random(5);
    let mut numbers =
        |n: usize| -> Vec<f32> { (0..n).map(|_| random.normal(1.0) as f32).collect() };
    let (dy, x) = (numbers(rows * columns), numbers(rows * columns));
    let (mut gamma, beta) = (numbers(columns), numbers(columns));
    fn view<'a>(v: &'a [f32], shape: &[usize]) -> View<'a> {
        View::new(v, shape).expect("a view")
    }
    let (mut dx, mut dgamma, mut dbeta) =
        (vec![0.0f32; rows * columns], vec![0.0f32; columns], vec![0.0f32; columns]);
    let full = [rows, columns];
    let op = operator("AffineGrad");
    op.run(
        &[],
        &[view(&dy, &full), view(&x, &full), view(&gamma, &[columns]), view(&beta, &[columns])],
        &mut [
            ViewMut::new(&mut dx, &full).expect("dx"),
            ViewMut::new(&mut dgamma, &[columns]).expect("dgamma"),
            ViewMut::new(&mut dbeta, &[columns]).expect("dbeta"),
        ],
        &Options::default(),
    )
    .expect("a call");
    let mut again = (vec![0.0f32; rows * columns], vec![0.0f32; columns]);
    let cells = Cell::from_mut(&mut gamma[..]).as_slice_of_cells();
    op.run(
        &[],
        &[
            view(&dy, &full),
            view(&x, &full),
            View::from_cells(cells, &[columns], &[1], 0).expect("gamma"),
            view(&beta, &[columns]),
        ],
        &mut [
            ViewMut::new(&mut again.0, &full).expect("dx"),
            ViewMut::from_cells(cells, &[columns], &[1], 0).expect("dgamma"),
            ViewMut::new(&mut again.1, &[columns]).expect("dbeta"),
        ],
        &Options::default(),
    )
    .expect("a call in place");
    assert_eq!((&gamma, &again.0, &again.1), (&dgamma, &dx, &dbeta));
}

#[test]
fn an_output_of_another_shape_is_refused_by_name() {
    let numbers = [1.0f32; 12];
    let view =
        |shape: &[usize]| View::new(&numbers[..shape.iter().product()], shape).expect("a view");
    let (mut dx, mut dgamma, mut dbeta) = ([0.0f32; 12], [0.0f32; 12], [0.0f32; 4]);
    let message = operator("AffineGrad")
        .run(
            &[],
            &[view(&[3, 4]), view(&[3, 4]), view(&[4]), view(&[4])],
            &mut [
                ViewMut::new(&mut dx, &[3, 4]).expect("dx"),
                ViewMut::new(&mut dgamma, &[3, 4]).expect("dgamma"),
                ViewMut::new(&mut dbeta, &[4]).expect("dbeta"),
            ],
            &Options::default(),
        )
        .expect_err("a shape that no sum has")
        .to_string();
    assert_eq!(
        message,
        "AffineGrad: tensor `dgamma` has shape [3, 4]; must be [4], which follows from `gamma`"
    );
}
