//! Inputs that lie along another dimension than the last: weights `[c]` of channels, beside `[n, c, h, w]`.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

#[path = "../../tests/common/mod.rs"]
mod common;

use common::{Random, Tensor, run};
use op_dsl::ir::DType;
use op_dsl::{Operator, Options, View, ViewMut};

#[op_dsl::operators]
pub mod layers {
    use op_dsl::prelude::*;

    /// One slope for each channel.
    #[op(name = "Slope", grad(name = "SlopeGrad", wrt(x, w)))]
    pub fn slope(x: Elem, #[broadcast(along = 1)] w: Elem) -> Elem {
        if x > 0.0 { x } else { w * x }
    }

    /// A scale for each of the outermost dimension and a shift for each of the third, unless a channel is dropped.
    #[op(name = "Shift", grad(name = "ShiftGrad", wrt(scale, shift, x)))]
    pub fn shift(
        #[broadcast(along = 0)] scale: Elem,
        x: Elem,
        #[broadcast(along = 2)] shift: Elem,
        #[broadcast(along = 1)]
        #[mask]
        keep: Mask,
    ) -> Elem {
        if keep { scale * tanh(x) + shift } else { shift }
    }

    /// A layer norm whose weights lie along the rows.
    #[op(name = "Norm", grad(name = "NormGrad", wrt(x, w)))]
    pub fn norm(x: Elem, #[broadcast(along = 0)] w: Elem) -> Elem {
        let centred = x - row_mean(x);
        centred * rsqrt(row_mean(centred * centred) + 1e-5) * w
    }
}

fn operator(name: &str) -> &'static Operator {
    layers::OPERATORS.iter().find(|op| op.name() == name).expect("an operator")
}

/// Compares a call with the same one whose inputs along a dimension have all dimensions, as NumPy would align them.
fn check(op: &Operator, inputs: &[Tensor], rank: usize) {
    let aligned = |(k, tensor): (usize, &Tensor)| {
        let mut tensor = tensor.clone();
        if let (Some(dim), 1) = (op.def().along(k), tensor.shape.len()) {
            let mut shape = vec![1; rank];
            shape[dim] = tensor.shape[0];
            tensor.shape = shape;
        }
        tensor
    };
    let aligned: Vec<Tensor> = inputs.iter().enumerate().map(aligned).collect();
    let got = run(op, &[], inputs, &Options::default());
    let want = run(op, &[], &aligned, &Options::default());
    for (k, (got, want)) in got.iter().zip(&want).enumerate() {
        let shapes: Vec<_> = inputs.iter().map(|t| &t.shape).collect();
        assert_eq!(got.data, want.data, "{} {k} {shapes:?}", op.name());
        let shape = op.def().sum(k).map_or(&want.shape, |input| &inputs[input].shape);
        assert_eq!(got.shape, *shape);
    }
}

#[test]
fn results_are_those_of_the_same_tensors_with_all_dimensions() {
    let mut random = Random(1);
    let shapes: [&[usize]; 6] =
        [&[3, 4, 5], &[2, 3, 4, 5], &[2, 1, 3], &[1, 7, 1, 1], &[2, 3, 1, 2, 2], &[9, 70, 130]];
    for shape in shapes {
        for dtype in DType::ALL {
            let mut tensor = |shape: &[usize]| Tensor::new(shape, dtype, || random.normal(1.0));
            let [x, dy] = [shape, shape].map(&mut tensor);
            for few in [false, true] {
                let mut along = |d: usize| tensor(&[if few { 1 } else { shape[d] }]);
                let [scale, w, shift] = [0, 1, 2].map(&mut along);
                let mut at = 0.0;
                let keep = Tensor::mask(&[shape[1]], || {
                    at = 1.0 - at;
                    at
                });
                let rank = shape.len();
                check(operator("Slope"), &[x.clone(), w.clone()], rank);
                check(operator("SlopeGrad"), &[dy.clone(), x.clone(), w.clone()], rank);
                let [shifted, scaled] = [x.clone(), scale.clone()];
                let inputs = [scaled, shifted, shift, keep];
                check(operator("Shift"), &inputs, rank);
                let [scaled, shifted, shift, keep] = inputs;
                check(operator("ShiftGrad"), &[dy.clone(), scaled, shifted, shift, keep], rank);
                check(operator("Norm"), &[x.clone(), scale.clone()], rank);
                check(operator("NormGrad"), &[dy.clone(), x.clone(), scale], rank);
            }
        }
    }
}

/// Gradients by weights are sums over all other dimensions, from formulas in f64.
#[test]
fn gradients_by_weights_are_sums_over_the_other_dimensions() {
    let mut random = Random(2);
    let (n, c, inner) = (5, 6, 35);
    let mut tensor = |shape: &[usize]| Tensor::new(shape, DType::F32, || random.normal(1.0));
    let [dy, x, w] = [&[n, c, 5, 7][..], &[n, c, 5, 7], &[c]].map(&mut tensor);
    let got =
        run(operator("SlopeGrad"), &[], &[dy.clone(), x.clone(), w.clone()], &Options::default());
    let mut want = vec![0.0; c];
    for i in 0..n * c * inner {
        let channel = i / inner % c;
        let (dy, x) = (dy.at(i), x.at(i));
        let dx = if x > 0.0 { dy } else { w.at(channel) * dy };
        want[channel] += if x > 0.0 { 0.0 } else { x * dy };
        assert!((got[0].at(i) - dx).abs() <= 1e-6 * dx.abs());
    }
    for (channel, want) in want.into_iter().enumerate() {
        assert!((got[1].at(channel) - want).abs() <= 1e-5, "{channel}");
    }
}

/// Channels last: strides of views, threads and SIMD levels change no bit.
#[test]
fn views_with_strides_have_the_same_results() {
    let (n, c, inner) = (40, 30, 50);
    let mut random = Random(3);
    let mut numbers =
        |n: usize| -> Vec<f32> { (0..n).map(|_| random.normal(1.0) as f32).collect() };
    let (x, dy, w) = (numbers(n * c * inner), numbers(n * c * inner), numbers(2 * c));
    let last = |v: &[f32]| -> Vec<f32> {
        let at = |i: usize| (i / (c * inner), i / c % inner, i % c);
        (0..v.len()).map(|i| v[(at(i).0 * c + at(i).2) * inner + at(i).1]).collect()
    };
    let [x_last, dy_last] = [last(&x), last(&dy)];
    let shape = [n, c, inner];
    let strides = [[c * inner, inner, 1], [c * inner, 1, c]].map(|s| s.map(|s| s as isize));
    let call = |data: [&[f32]; 2], strides: [isize; 3], threads: usize| {
        let [dy, x] = data.map(|v| View::strided(v, &shape, &strides, 0).expect("a view"));
        let w = View::strided(&w, &[c], &[2], 0).expect("a view");
        let (mut dx, mut dw) = (vec![f32::NAN; n * c * inner], vec![f32::NAN; c]);
        let mut outputs = [
            ViewMut::new(&mut dx, &shape).expect("a view"),
            ViewMut::strided(&mut dw, &[c], &[-1], c - 1).expect("a view"),
        ];
        let options = Options { threads, ..Options::default() };
        operator("SlopeGrad").run(&[], &[dy, x, w], &mut outputs, &options).expect("a call");
        (dx, dw)
    };
    let want = call([&dy, &x], strides[0], 1);
    assert!(want.0.iter().chain(&want.1).all(|v| v.is_finite()));
    for threads in [1, 2, 5] {
        assert_eq!(call([&dy_last, &x_last], strides[1], threads), want);
    }
}

#[test]
fn other_lengths_are_refused_by_name() {
    let run = |x: &[usize], w: &[usize]| {
        let tensor = |shape: &[usize]| Tensor::new(shape, DType::F32, || 1.0);
        let (x, w) = (tensor(x), tensor(w));
        operator("Slope").infer(&[], &[x.meta(), w.meta()]).map_err(|e| e.to_string())
    };
    assert_eq!(
        run(&[2, 3, 4], &[4]),
        Err("Slope: tensor `w` has shape [4], along dimension 1 of [2, 3, 4]; allowed: [1], [3]"
            .into())
    );
    assert_eq!(
        run(&[4], &[4]),
        Err("Slope: tensor `w` has shape [4], along dimension 1 of [4]; allowed: [1]".into())
    );
    for (x, w) in [(&[][..], &[1][..]), (&[], &[]), (&[4], &[1]), (&[4], &[]), (&[0, 3], &[3])] {
        assert!(run(x, w).is_ok(), "{x:?} {w:?}");
    }
    // Sums over no elements, and over all of one dimension or none.
    for (x, w) in [(&[0, 3, 2][..], &[3][..]), (&[4], &[1]), (&[], &[1])] {
        let tensor = |shape: &[usize]| Tensor::new(shape, DType::F32, || -1.0);
        let got = common::run(
            operator("SlopeGrad"),
            &[],
            &[tensor(x), tensor(x), tensor(w)],
            &Options::default(),
        );
        let count: usize = x.iter().product();
        assert_eq!(got[1].shape, w);
        let each = count / w[0];
        assert!((0..w[0]).all(|i| got[1].at(i) == each as f64), "{got:?}");
    }
}
