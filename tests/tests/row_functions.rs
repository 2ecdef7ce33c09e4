//! Formulas with sums, means and maxima along rows, and their gradients, against formulas in f64 written by hand.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

mod common;
#[path = "row_functions/npu.rs"]
mod npu;
#[path = "row_functions/reference.rs"]
mod reference;
#[path = "common/verify.rs"]
mod verify;

use common::{Random, Tensor, all_defaults, run};
use op_dsl::ir::DType;
use op_dsl::{El, Operator, Options, View, ViewMut};
use op_dsl_ir::format::Format;
use reference::{Sized, budget, mean, reference};

/// Operators, of which some have kernels in f32 alone: kernels take most of the time to compile these tests, and what the others have in
/// every type are all rules, an exponential, a root, a table and a result with a type of its own.
#[op_dsl::operators]
pub mod layers {
    use op_dsl::prelude::*;

    #[op(name = "Softmax", grad(name = "SoftmaxGrad", wrt(x)))]
    pub fn softmax(x: Elem) -> Elem {
        let e = exp(x - row_max(x));
        e / row_sum(e)
    }

    #[op(name = "LogSoftmax", dtypes(f32), grad(name = "LogSoftmaxGrad", wrt(x)))]
    pub fn log_softmax(x: Elem) -> Elem {
        let shifted = x - row_max(x);
        shifted - ln(row_sum(exp(shifted)))
    }

    #[op(name = "RmsNorm", grad(name = "RmsNormGrad", wrt(x, gamma)))]
    pub fn rms_norm(x: Elem, #[broadcast] gamma: Elem, #[attr(default = 1e-6)] eps: f32) -> Elem {
        x * rsqrt(row_mean(x * x) + eps) * gamma
    }

    /// A norm of a gated unit, whose function comes from a table.
    #[op(name = "GatedNorm", grad(name = "GatedNormGrad", wrt(a)))]
    pub fn gated_norm(a: Elem, gate: Elem) -> Elem {
        let y = a * silu(gate);
        y * rsqrt(row_mean(y * y) + 1e-6)
    }

    #[op(name = "LayerNorm", dtypes(f32), grad(name = "LayerNormGrad", wrt(x, gamma, beta)))]
    pub fn layer_norm(
        x: Elem,
        #[broadcast] gamma: Elem,
        #[broadcast] beta: Elem,
        #[attr(default = 1e-5)] eps: f32,
    ) -> Elem {
        let centred = x - x.row_mean();
        centred * rsqrt(row_mean(centred * centred) + eps) * gamma + beta
    }

    /// The value of every element is that of its row.
    #[op(name = "Divergence", dtypes(f32))]
    pub fn divergence(p: Elem, q: Elem) -> Elem {
        row_sum(p * ln(p / q))
    }

    /// A maximum of terms that are computed, some of which are equal.
    #[op(name = "Scaled", dtypes(f32), grad(name = "ScaledGrad", wrt(x)))]
    pub fn scaled(x: Elem) -> Elem {
        x / row_max(abs(x) * 0.25)
    }

    #[op(name = "Masked", dtypes(f32))]
    pub fn masked(x: Elem, #[mask] keep: Mask) -> Elem {
        let e = if keep { exp(x) } else { 0.0 };
        e / row_sum(e)
    }

    /// Quantisation with a scale for each row; the gradient passes through the rounding.
    #[op(name = "FakeQuant", dtypes(f32), grad(name = "FakeQuantGrad", wrt(x)))]
    pub fn fake_quant(x: Elem) -> Elem {
        let scale = row_max(abs(x)) / 7.0;
        #[grad(identity)]
        let q = round(x / scale);
        q * scale
    }

    /// The same to integers, with a type of their own, and with the scale of each row.
    #[op(name = "Quant", outputs(y, scale))]
    pub fn quant(x: Elem) -> (Elem<i8>, PerRow<f32>) {
        let largest = row_max(abs(x));
        (127.0 * x / largest, largest / 127.0)
    }

    #[op(name = "Halves", dtypes(f32))]
    pub fn halves(
        #[split(along = dim, gate_left = true)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> Gated {
        Gated { gate: x.gate - row_mean(x.value), value: x.value * row_sum(x.gate) }
    }
}

fn operator(name: &str) -> &'static Operator {
    layers::OPERATORS.iter().find(|op| op.name() == name).expect("an operator")
}

/// Counts how many results are correctly rounded.
#[derive(Default)]
struct Rounded {
    right: usize,
    all: usize,
}

/// Compares a result with its exact value; `budget` is in units of f32.
fn compare(
    dtype: DType,
    got: f64,
    (want, size): Sized,
    budget: f64,
    at: &dyn Fn() -> String,
    count: &mut Rounded,
) {
    let digits = if dtype == DType::F32 {
        24
    } else if dtype == DType::F16 {
        11
    } else {
        8
    };
    let least = if dtype == DType::F16 { -24 } else { -149 };
    let unit = |x: f64| 2f64.powi((x.abs().log2().floor() as i32 + 1 - digits).max(least));
    let format = Format::of(dtype);
    if dtype == DType::F32 {
        let allowed = budget * unit(size.max(want.abs()));
        assert!((got - want).abs() <= allowed, "{}: {got:e} is not {want:e}", at());
        return;
    }
    count.all += 1;
    // Where terms cancel, any number within a few units of f32 of their magnitudes may be the one that is rounded.
    let slack = size * 2f64.powi(-22);
    let least_and_most = [want - slack, want + slack].map(|x| format.round(x));
    let is_right = got >= least_and_most[0] && got <= least_and_most[1];
    count.right += usize::from(got == format.round(want) || slack > 0.01 * unit(want) && is_right);
    let allowed = unit(want) + size * 2f64.powi(-21);
    assert!((got - want).abs() <= allowed, "{}: {got:e} is not {want:e}", at());
}

/// Runs an operator on rows of `n` elements in dimensions `outer`, and compares every result.
fn check(op: &Operator, outer: &[usize], n: usize, dtype: DType, random: &mut Random) {
    let (def, full) = (op.def(), [outer, &[n]].concat());
    let rows: usize = outer.iter().product();
    let is_vector = |name: &str| ["gamma", "beta"].contains(&name.trim_start_matches('d'));
    let shape = |name: &str| if is_vector(name) { vec![n] } else { full.clone() };
    let tensor = |name: &str, random: &mut Random| match name {
        "p" | "q" => Tensor::new(&shape(name), dtype, || random.unit() + 0.01),
        "keep" => Tensor::mask(&shape(name), || random.normal(1.0)),
        // Few different numbers, so that several are the largest.
        "x" if def.name.starts_with("Scaled") => {
            Tensor::new(&shape(name), dtype, || (random.unit() * 8.0).floor() - 3.5)
        }
        _ => Tensor::new(&shape(name), dtype, || random.normal(2.0)),
    };
    let inputs: Vec<Tensor> = def.inputs.iter().map(|t| tensor(&t.name, random)).collect();
    let got = run(op, &all_defaults(op), &inputs, &Options::default());
    let mut want: Vec<Vec<Sized>> =
        got.iter().map(|t| vec![(0.0, 0.0); t.shape.iter().product()]).collect();
    for r in 0..rows {
        let row = |(t, tensor): (&Tensor, &op_dsl::ir::op::Tensor)| {
            let first = if is_vector(&tensor.name) { 0 } else { r * n };
            (first..first + n).map(|i| t.at(i)).collect::<Vec<f64>>()
        };
        let streams: Vec<Vec<f64>> = inputs.iter().zip(def.inputs.iter()).map(row).collect();
        if op.name() == "Masked" && streams[1].iter().all(|keep| *keep == 0.0) {
            want[0][r * n..][..n].fill((f64::NAN, f64::NAN));
            continue;
        }
        for (k, values) in reference(op.name(), &streams).into_iter().enumerate() {
            let first = if is_vector(&def.outputs[k].name) { 0 } else { r * n };
            for (to, (value, size)) in want[k][first..].iter_mut().zip(values) {
                *to = (to.0 + value, to.1 + size);
            }
        }
    }
    let mut count = Rounded::default();
    for (k, (got, want)) in got.iter().zip(&want).enumerate() {
        for (i, want) in want.iter().enumerate().filter(|(_, want)| !want.0.is_nan()) {
            let at = || format!("{} {dtype} {full:?} output {k}[{i}]", op.name());
            compare(dtype, got.at(i), *want, budget(op.name()), &at, &mut count);
        }
    }
    let wrong = count.all - count.right;
    assert!(wrong * 1000 <= count.all + 2000, "{} {dtype}: {wrong} of {}", op.name(), count.all);
}

#[test]
fn results_are_those_of_whole_rows() {
    let mut random = Random(1);
    let shapes: [(&[usize], usize); 9] = [
        (&[], 5),
        (&[1], 1),
        (&[3], 2),
        (&[300], 5),
        (&[2, 3], 16),
        (&[4], 33),
        (&[3, 2, 2], 130),
        (&[40], 1000),
        (&[2], 40_000),
    ];
    for op in layers::OPERATORS.iter().filter(|op| !["Halves", "Quant"].contains(&op.name())) {
        for (outer, n) in shapes {
            for &dtype in op.def().dtypes.iter() {
                check(op, outer, n, dtype, &mut random);
            }
        }
    }
}

#[test]
fn results_may_have_a_type_of_their_own_and_be_one_per_row() {
    let (mut random, shape) = (Random(4), [40, 300]);
    for dtype in DType::ALL {
        let x = Tensor::new(&shape, dtype, || random.normal(3.0));
        let mut got = vec![0i8; 40 * 300];
        let mut scales = [f32::NAN; 40];
        let y = ViewMut::new(&mut got, &shape).expect("a view");
        let scale = ViewMut::new(&mut scales, &[40, 1]).expect("a view");
        let call = operator("Quant").run(&[], &[x.view()], &mut [y, scale], &Options::default());
        call.expect("a call");
        for (r, row) in got.chunks(300).enumerate() {
            let x: Vec<f64> = (0..300).map(|i| x.at(300 * r + i)).collect();
            let largest = x.iter().map(|x| x.abs()).fold(0.0, f64::max);
            assert_eq!(scales[r], (largest / 127.0) as f32, "{dtype} row {r}");
            for (x, got) in x.iter().zip(row) {
                let off = (f64::from(*got) - 127.0 * x / largest).abs();
                assert!(off <= 0.5 + 1e-5, "{dtype} row {r}: {got} of {x} and {largest}");
            }
        }
    }
}

#[test]
fn a_row_is_that_of_the_split_parts() {
    let mut random = Random(2);
    for (dim, shape) in [(-1, [3, 14]), (0, [6, 7])] {
        let x = Tensor::new(&shape, DType::F32, || random.normal(1.0));
        let got = &run(
            operator("Halves"),
            &[op_dsl::ir::op::Value::Int(dim)],
            std::slice::from_ref(&x),
            &Options::default(),
        )[0];
        let at = |r: usize, i: usize| {
            if dim == 0 { [r * 7 + i, (r + 3) * 7 + i] } else { [r * 14 + i, r * 14 + 7 + i] }
        };
        for r in 0..3 {
            let value = mean((0..7).map(|i| x.at(at(r, i)[1])), 7);
            let gate: f64 = (0..7).map(|i| x.at(at(r, i)[0])).sum();
            for i in 0..7 {
                let [g, v] = at(r, i);
                assert!((got.at(g) - (x.at(g) - value)).abs() <= 1e-6, "{dim} {r} {i}");
                assert!((got.at(v) - x.at(v) * gate).abs() <= 1e-5, "{dim} {r} {i}");
            }
        }
    }
}

/// Rows that lie apart, backwards or as columns have the bits of contiguous ones, on any number of threads and in place.
#[test]
fn no_bit_depends_on_layout_or_threads() {
    let mut random = Random(3);
    let (m, n) = (70, 600);
    for name in ["Softmax", "LogSoftmax"] {
        let op = operator(name);
        let x: Vec<f32> = (0..m * n).map(|_| random.normal(3.0) as f32).collect();
        let mut want = vec![0f32; m * n];
        let options = |threads| Options { threads, ..Options::default() };
        let call = |x: View<'_>, y: ViewMut<'_>, threads| {
            op.run(&[], &[x], &mut [y], &options(threads)).expect("a call");
        };
        let dense = |x| View::new(x, &[m, n]).expect("a view");
        call(dense(&x), ViewMut::new(&mut want, &[m, n]).expect("a view"), 1);
        for threads in [2, 5] {
            let mut y = vec![0f32; m * n];
            call(dense(&x), ViewMut::new(&mut y, &[m, n]).expect("a view"), threads);
            assert_eq!(y, want, "{name}, {threads} threads");
        }
        let columns: Vec<f32> = (0..m * n).map(|i| x[i % m * n + i / m]).collect();
        let mut y = vec![0f32; m * n];
        let view = View::strided(&columns, &[m, n], &[1, m as isize], 0).expect("a view");
        call(view, ViewMut::new(&mut y, &[m, n]).expect("a view"), 1);
        assert_eq!(y, want, "{name} of columns");
        let mut turned = vec![0f32; m * n];
        let strides = [-(n as isize), 1];
        let view = ViewMut::strided(&mut turned, &[m, n], &strides, (m - 1) * n).expect("a view");
        call(dense(&x), view, 1);
        assert!((0..m).all(|r| turned[(m - 1 - r) * n..][..n] == want[r * n..][..n]), "{name}");
        let mut both = x.clone();
        let cells = std::cell::Cell::from_mut(&mut both[..]).as_slice_of_cells();
        let (shape, strides) = ([m, n], [n as isize, 1]);
        let views = || {
            let input = View::from_cells(cells, &shape, &strides, 0);
            (input, ViewMut::from_cells(cells, &shape, &strides, 0))
        };
        let (input, output) = views();
        call(input.expect("a view"), output.expect("a view"), 1);
        assert_eq!(both, want, "{name} in place");
    }
}

/// Compares the gradient of RMSNorm on contiguous rows, whose kernels add their terms, with that on rows whose elements are apart.
///
/// The upstream gradient has all magnitudes and cancels, so that sums in another order would have other digits.
fn compare_sums<E: El>(m: usize, n: usize, spread: f64) {
    let of = |x: f64| E::from_f32(x as f32);
    let mut random = Random(11);
    let op = operator("RmsNormGrad");
    let half: Vec<f64> = (0..m * n)
        .map(|_| random.normal(1.0) * 2f64.powf(((random.unit() * 2.0 - 1.0) * spread).round()))
        .collect();
    let dy: Vec<E> = (0..m * n)
        .map(|i| match i % n < n / 2 {
            true => of(half[i]),
            false => of(-half[i / n * n + n - 1 - i % n]),
        })
        .collect();
    let (x, gamma) = (vec![of(1.0); m * n], vec![of(1.0); n]);
    let call = |dy: View<'_>, x: View<'_>| {
        let (mut dx, mut dgamma) = (vec![of(0.0); m * n], vec![of(0.0); n]);
        let gamma = View::new(&gamma, &[n]).expect("a view");
        let mut outputs = [
            ViewMut::new(&mut dx, &[m, n]).expect("a view"),
            ViewMut::new(&mut dgamma, &[n]).expect("a view"),
        ];
        let options = Options::default();
        op.run(&all_defaults(op), &[dy, x, gamma], &mut outputs, &options).expect("a call");
        [dx, dgamma]
    };
    let dense = |data| View::new(data, &[m, n]).expect("a view");
    let want = call(dense(&dy), dense(&x));
    let apart = |data: &[E]| -> Vec<E> { data.iter().flat_map(|x| [*x, of(9.0)]).collect() };
    let (dy, x) = (apart(&dy), apart(&x));
    let every_second =
        |data| View::strided(data, &[m, n], &[2 * n as isize, 2], 0).expect("a view");
    let numbers =
        |all: [Vec<E>; 2]| all.map(|all| all.iter().map(|x| x.to_f32()).collect::<Vec<_>>());
    let got = call(every_second(&dy), every_second(&x));
    assert!(numbers(got) == numbers(want), "{} {m} rows of {n}", E::DTYPE);
}

#[test]
fn kernels_add_terms_in_the_order_of_sums_apart() {
    for (m, n) in [(5, 64), (3, 96), (4, 200), (3, 1031), (1, 40_001)] {
        compare_sums::<f32>(m, n, 30.0);
        compare_sums::<half::bf16>(m, n, 30.0);
        compare_sums::<half::f16>(m, n, 12.0);
    }
}

#[test]
fn infinities_and_empty_rows() {
    let softmax = |x: &[f32]| {
        let mut y = vec![7f32; x.len()];
        let shape = [1, x.len()];
        let views = [View::new(x, &shape).expect("a view")];
        let mut outputs = [ViewMut::new(&mut y, &shape).expect("a view")];
        operator("Softmax").run(&[], &views, &mut outputs, &Options::default()).expect("a call");
        y
    };
    let low = f32::NEG_INFINITY;
    assert_eq!(softmax(&[low, 1.0, low, 1.0]), [0.0, 0.5, 0.0, 0.5]);
    assert!(softmax(&[1.0, f32::NAN, 2.0]).iter().all(|y| y.is_nan()));
    assert!(softmax(&[low, low]).iter().all(|y| y.is_nan()));
    assert_eq!(softmax(&[-100.0, 100.0, 200.0])[0], 0.0);
    assert!(softmax(&[]).is_empty());
    let (op, none) = (operator("RmsNormGrad"), Tensor::new(&[0, 3], DType::F32, || 1.0));
    let gamma = Tensor::new(&[3], DType::F32, || 1.0);
    let got = run(op, &all_defaults(op), &[none.clone(), none, gamma], &Options::default());
    assert_eq!([0, 1, 2].map(|i| got[1].at(i)), [0.0; 3]);
}

/// A maximum that formulas only subtract for the range of numbers has no part in the gradient.
#[test]
fn a_shift_has_no_gradient() {
    for (name, functions) in [("SoftmaxGrad", 3), ("LogSoftmaxGrad", 3)] {
        let stages = &operator(name).def().specs[0].stages;
        let reduced = stages.iter().filter(|s| s.rule != op_dsl::ir::op::Rule::Uniform).count();
        assert_eq!(reduced, functions, "{name}: maximum, sum of exponentials, sum of products");
    }
}

#[test]
fn verify_finds_no_miss() {
    verify::finds_no_miss(layers::OPERATORS, &["--dtype", "f32,bf16"]);
}
