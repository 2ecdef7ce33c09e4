//! Tensors with one number per row: results such as a scale or a loss, and inputs such as a scale or an upstream gradient.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/verify.rs"]
mod verify;

use common::{Random, Tensor};
use op_dsl::ir::DType;
use op_dsl::{Operator, Options, View, ViewMut};
use op_dsl_ir::Stored;
use op_dsl_ir::bind::TensorMeta;
use op_dsl_ir::format::Format;
use op_dsl_ir::op::{Rule, Value};

#[op_dsl::operators]
pub mod rows {
    use op_dsl::prelude::*;

    /// Kullback-Leibler divergence of a row.
    #[op(name = "KlDiv", grad(name = "KlDivGrad", wrt(p, q)))]
    pub fn kl_div(p: Elem, q: Elem) -> PerRow {
        row_sum(p * ln(p / q))
    }

    /// Dice loss of a row. The terms of its first sum contain those of its second.
    #[op(name = "Dice", grad(name = "DiceGrad", wrt(x)))]
    pub fn dice(x: Elem, t: Elem) -> PerRow {
        let p = sigmoid(x);
        1.0 - (2.0 * row_sum(p * t) + 1.0) / (row_sum(p) + row_sum(t) + 1.0)
    }

    #[op(name = "LogSumExp", grad(name = "LogSumExpGrad", wrt(x)))]
    pub fn log_sum_exp(x: Elem) -> PerRow {
        let largest = row_max(x);
        largest + ln(row_sum(exp(x - largest)))
    }

    /// A norm that saves the divisor of each row for its gradient.
    #[op(name = "RmsNorm", outputs(y, rms), grad(name = "RmsNormGrad", wrt(x)))]
    pub fn rms_norm(x: Elem, #[broadcast] gamma: Elem, #[attr(default = 1e-6)] eps: f32) -> Elem {
        #[saved]
        let rms: PerRow<f32> = sqrt(row_mean(x * x) + eps);
        x / rms * gamma
    }

    /// The same without saved divisors, which are computed again.
    #[op(name = "PlainNorm", grad(name = "PlainNormGrad", wrt(x)))]
    pub fn plain_norm(x: Elem, #[broadcast] gamma: Elem, #[attr(default = 1e-6)] eps: f32) -> Elem {
        x / sqrt(row_mean(x * x) + eps) * gamma
    }

    /// SwiGLU with results of eight bits and a scale for each token.
    #[op(name = "SwiGluQuant", outputs(y, scale))]
    pub fn swi_glu_quant(
        #[split(along = dim, gate_left = true)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> (Elem<i8>, PerRow<f32>) {
        let y = silu(x.gate) * x.value;
        let scale = row_max(abs(y)) / 127.0;
        (y / scale, scale)
    }

    #[op(name = "Dequant", grad(name = "DequantGrad", wrt(scale)))]
    pub fn dequant(q: Elem<i8>, scale: PerRow) -> Elem {
        q * scale
    }

    /// Both kinds at once, without a row function.
    #[op(name = "Shifted", outputs(y, twice), grad(name = "ShiftedGrad", wrt(x, shift)))]
    pub fn shifted(x: Elem, shift: PerRow) -> (Elem, PerRow) {
        (x * shift, 2.0 * shift)
    }
}

fn operator(name: &str) -> &'static Operator {
    rows::OPERATORS.iter().find(|op| op.name() == name).expect("an operator")
}

/// Calls an operator on tensors of f32, and returns its first output.
fn first(
    name: &str,
    inputs: &[(&[f32], &[usize])],
    shape: &[usize],
    options: &Options,
) -> Vec<f32> {
    let op = operator(name);
    let views: Vec<View<'_>> =
        inputs.iter().map(|(x, n)| View::new(x, n).expect("a view")).collect();
    let mut out = vec![f32::NAN; shape.iter().product()];
    let y = ViewMut::new(&mut out, shape).expect("a view");
    op.run(&op.default_attrs(), &views, &mut [y], options).expect("a call");
    out
}

/// Positive numbers that add up to 1 in each row.
fn distributions(seed: u64, rows: usize, columns: usize) -> Vec<f32> {
    let mut random = Random(seed);
    let all = (0..rows).flat_map(|_| {
        let row: Vec<f64> = (0..columns).map(|_| random.unit() + 1e-3).collect();
        let sum: f64 = row.iter().sum();
        row.into_iter().map(move |x| (x / sum) as f32).collect::<Vec<_>>()
    });
    all.collect()
}

const ROWS: usize = 6;
const SHAPES: [[usize; 3]; 4] = [[2, 3, 1], [2, 3, 16], [2, 3, 37], [2, 3, 20_001]];

/// `D = sum(p ln(p / q))` with its gradients `dy (ln(p / q) + 1)` and `-dy p / q`.
#[test]
fn a_loss_per_row_and_its_gradients_are_those_by_hand() {
    let options = Options::default();
    for shape in SHAPES {
        let n = shape[2];
        let (p, q) = (distributions(1, ROWS, n), distributions(2, ROWS, n));
        let got = first("KlDiv", &[(&p, &shape), (&q, &shape)], &[2, 3, 1], &options);
        for (row, got) in got.iter().enumerate() {
            let terms = (row * n..(row + 1) * n).map(|i| {
                let (p, q) = (f64::from(p[i]), f64::from(q[i]));
                p * (p / q).ln()
            });
            let terms: Vec<f64> = terms.collect();
            let (sum, size) =
                (terms.iter().sum::<f64>(), terms.iter().map(|t| t.abs()).sum::<f64>());
            assert!((f64::from(*got) - sum).abs() <= 2.0 * f64::from(f32::EPSILON) * size, "{row}");
        }
        let dy: Vec<f32> = (0..ROWS).map(|row| row as f32 - 2.5).collect();
        let op = operator("KlDivGrad");
        let metas = op.def().inputs.iter().map(|t| &*t.name).collect::<Vec<_>>();
        assert_eq!(metas, ["dy", "p", "q"]);
        let inputs = [(&dy, [2, 3, 1]), (&p, shape), (&q, shape)];
        let inputs = inputs.each_ref().map(|(x, n)| View::new(&x[..], n).expect("a view"));
        let (mut dp, mut dq) = (vec![0.0f32; ROWS * n], vec![0.0f32; ROWS * n]);
        let mut outputs = [&mut dp, &mut dq].map(|y| ViewMut::new(y, &shape).expect("a view"));
        op.run(&[], &inputs, &mut outputs, &options).expect("a call");
        let format = Format::of(DType::F32);
        for i in 0..ROWS * n {
            let (dy, p, q) = (f64::from(dy[i / n]), f64::from(p[i]), f64::from(q[i]));
            let (want, size) = (dy * ((p / q).ln() + 1.0), dy.abs() * ((p / q).ln().abs() + 1.0));
            assert!((f64::from(dp[i]) - want).abs() <= 2.0 * format.ulp(size), "{n}, dp, {i}");
            assert!(
                (f64::from(dq[i]) + dy * p / q).abs() <= 2.0 * format.ulp(dy * p / q),
                "{n}, dq, {i}"
            );
        }
    }
}

/// `1 - n / d` with `n = 2 sum(p t) + 1`, `d = sum(p) + sum(t) + 1`, and its gradient `dy p (1 - p) (n / d^2 - 2 t / d)`.
#[test]
fn sums_may_share_terms_in_any_order() {
    let options = Options::default();
    for shape in SHAPES {
        let n = shape[2];
        let mut random = Random(3);
        let x: Vec<f32> = (0..ROWS * n).map(|_| random.normal(2.0) as f32).collect();
        let t: Vec<f32> = (0..ROWS * n).map(|_| random.unit() as f32).collect();
        let dy: Vec<f32> = (0..ROWS).map(|row| row as f32 - 2.5).collect();
        let y = first("Dice", &[(&x, &shape), (&t, &shape)], &[2, 3, 1], &options);
        let per_row = [2, 3, 1];
        let inputs = [(&dy[..], &per_row[..]), (&x, &shape), (&t, &shape)];
        let dx = first("DiceGrad", &inputs, &shape, &options);
        for (row, y) in y.into_iter().enumerate() {
            let row_of = |all: &[f32]| all[row * n..(row + 1) * n].to_vec();
            let (x, t, dx) = (row_of(&x), row_of(&t), row_of(&dx));
            let p = |i: usize| 1.0 / (1.0 + (-f64::from(x[i])).exp());
            let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(f).sum::<f64>();
            let of_t = |i: usize| f64::from(t[i]);
            let upper = 2.0 * sum(&|i| p(i) * of_t(i)) + 1.0;
            let lower = sum(&p) + sum(&of_t) + 1.0;
            let want = 1.0 - upper / lower;
            assert!(
                (f64::from(y) - want).abs() <= 4.0 * f64::from(f32::EPSILON),
                "{n}: {y}, {want}"
            );
            for i in 0..n {
                let slope = upper / (lower * lower) - 2.0 * of_t(i) / lower;
                let want = f64::from(dy[row]) * p(i) * (1.0 - p(i)) * slope;
                let terms = upper / (lower * lower) + 2.0 * of_t(i) / lower;
                let size = f64::from(dy[row]).abs() * p(i) * (1.0 - p(i)) * terms;
                let off = (f64::from(dx[i]) - want).abs();
                assert!(off <= 2.0 * f64::from(f32::EPSILON) * size, "{n}, {i}: {}, {want}", dx[i]);
            }
        }
    }
}

/// A stage runs before the values and terms of later ones are known.
#[test]
fn stages_read_only_earlier_stages() {
    for spec in rows::OPERATORS.iter().flat_map(|op| op.def().specs.iter()) {
        let mut unknown: Vec<usize> =
            spec.stages.iter().flat_map(|s| [Some(s.value), s.rest, s.terms]).flatten().collect();
        for stage in spec.stages.iter() {
            let read: Vec<&usize> =
                unknown.iter().filter(|s| stage.spec.traced.reads(**s)).collect();
            assert!(read.is_empty(), "{stage:?}");
            unknown.retain(|s| ![Some(stage.value), stage.rest, stage.terms].contains(&Some(*s)));
        }
    }
}

/// The scale's gradient is a sum over its row: `sum(dy q)`.
#[test]
fn the_gradient_by_an_input_per_row_is_a_sum_over_the_row() {
    for n in [1, 5, 64, 1001] {
        let mut random = Random(7);
        let dy: Vec<f32> = (0..3 * n).map(|_| random.normal(1.0) as f32).collect();
        let q: Vec<i8> = (0..3 * n).map(|_| random.below(256) as u8 as i8).collect();
        let op = operator("DequantGrad");
        let inputs =
            [View::new(&dy, &[3, n]).expect("a view"), View::new(&q, &[3, n]).expect("a view")];
        let mut dscale = [f32::NAN; 3];
        let out = ViewMut::new(&mut dscale, &[3, 1]).expect("a view");
        op.run(&[], &inputs, &mut [out], &Options::default()).expect("a call");
        for (row, got) in dscale.iter().enumerate() {
            let terms = (row * n..(row + 1) * n).map(|i| f64::from(dy[i]) * f64::from(q[i]));
            let (sum, size) = terms.fold((0.0, 0.0), |(s, a), t| (s + t, a + t.abs()));
            let allowed = 2.0 * f64::from(f32::EPSILON) * size;
            assert!((f64::from(*got) - sum).abs() <= allowed, "{n}, {row}: {got} and {sum}");
        }
    }
}

/// Every element is the nearest integer to the unit's value by the scale of its row, which is stored in f32.
#[test]
fn a_quantised_unit_returns_the_scale_of_each_token() {
    let (rows, n) = (5, 100);
    for dtype in DType::ALL {
        let op = operator("SwiGluQuant");
        let mut random = Random(3);
        let x = Tensor::new(&[rows, 2 * n], dtype, || random.normal(2.0));
        let (mut y, mut scale) = (vec![0i8; rows * n], vec![0.0f32; rows]);
        let outputs = &mut [
            ViewMut::new(&mut y, &[rows, n]).expect("a view"),
            ViewMut::new(&mut scale, &[rows, 1]).expect("a view"),
        ];
        op.run(&op.default_attrs(), &[x.view()], outputs, &Options::default()).expect("a call");
        for row in 0..rows {
            let at = |i: usize| x.at(row * 2 * n + i);
            let unit = |i: usize| at(i) / (1.0 + (-at(i)).exp()) * at(n + i);
            let largest = (0..n).map(|i| unit(i).abs()).fold(0.0, f64::max);
            let of_f32 = f64::from(f32::EPSILON) * largest / 127.0;
            assert!(
                (f64::from(scale[row]) - largest / 127.0).abs() <= 2.0 * of_f32,
                "{dtype}, {row}"
            );
            for i in 0..n {
                let want = unit(i) / (largest / 127.0);
                let got = f64::from(y[row * n + i]);
                assert!((got - want).abs() <= 0.5 + 1e-4, "{dtype}, {row}, {i}: {got} and {want}");
            }
        }
    }
}

/// A gradient that reads the saved divisor of each row has no function of rows for it, and is that without saved divisors.
#[test]
fn a_saved_number_per_row_is_read_by_the_gradient() {
    let (saved, plain) = (operator("RmsNormGrad"), operator("PlainNormGrad"));
    let names =
        |op: &Operator| op.def().inputs.iter().map(|t| t.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(saved), ["dy", "x", "gamma", "rms"]);
    let functions = |op: &Operator| {
        let stages = op.def().specs[0].stages.iter();
        stages.filter(|stage| matches!(stage.rule, Rule::Reduce(_))).count()
    };
    assert_eq!([saved, plain].map(functions), [1, 2]);

    let (rows, n) = (4, 100);
    let mut random = Random(5);
    let mut normal = |count| (0..count).map(|_| random.normal(1.0) as f32).collect::<Vec<f32>>();
    let (dy, x, gamma) = (normal(rows * n), normal(rows * n), normal(n));
    let (mut y, mut rms) = (vec![0.0f32; rows * n], vec![0.0f32; rows]);
    let (wide, narrow) = ([rows, n], [rows, 1]);
    fn view<'a>(data: &'a [f32], shape: &[usize]) -> View<'a> {
        View::new(data, shape).expect("a view")
    }
    let eps = [Value::Float(1e-6)];
    let outputs = &mut [
        ViewMut::new(&mut y, &wide).expect("a view"),
        ViewMut::new(&mut rms, &narrow).expect("a view"),
    ];
    let inputs = [view(&x, &wide), view(&gamma, &[n])];
    operator("RmsNorm").run(&eps, &inputs, outputs, &Options::default()).expect("a call");
    let mut dx = [vec![0.0f32; rows * n], vec![0.0f32; rows * n]];
    let inputs = [view(&dy, &wide), view(&x, &wide), view(&gamma, &[n]), view(&rms, &narrow)];
    for (op, dx) in [saved, plain].into_iter().zip(&mut dx) {
        let inputs = &inputs[..op.def().inputs.len()];
        let out = ViewMut::new(dx, &wide).expect("a view");
        op.run(&eps, inputs, &mut [out], &Options::default()).expect("a call");
    }
    for (i, (a, b)) in dx[0].iter().zip(&dx[1]).enumerate() {
        assert!((a - b).abs() <= 4.0 * f32::EPSILON * (1.0 + b.abs()), "{i}: {a} and {b}");
    }
}

/// Numbers of rows in a column of a matrix, and on several threads, have the same bits.
#[test]
fn no_bit_depends_on_layout_or_threads() {
    let (rows, n) = (300, 1027);
    let mut random = Random(11);
    let x: Vec<f32> = (0..rows * n).map(|_| random.normal(3.0) as f32).collect();
    let run = |threads| {
        let options = Options { threads, ..Options::default() };
        first("LogSumExp", &[(&x, &[rows, n])], &[rows, 1], &options)
    };
    let want = run(1);
    assert!(want.iter().all(|y| (5.0..30.0).contains(y)));
    assert_eq!(run(3), want);
    let mut table = vec![0.0f32; rows * 4];
    let column = ViewMut::strided(&mut table, &[rows, 1], &[4, 1], 2).expect("a view");
    let view = View::new(&x, &[rows, n]).expect("a view");
    operator("LogSumExp").run(&[], &[view], &mut [column], &Options::default()).expect("a call");
    assert!(table.chunks(4).zip(&want).all(|(row, y)| row[2] == *y && row[1] == 0.0));
    // Rows that lie apart: every second one of a larger tensor.
    let apart: Vec<f32> =
        x.chunks(n).flat_map(|row| [row, &[f32::NAN; 1027][..]].concat()).collect();
    let view = View::strided(&apart, &[rows, n], &[2 * n as isize, 1], 0).expect("a view");
    let mut y = vec![0.0f32; rows];
    let out = ViewMut::new(&mut y, &[rows, 1]).expect("a view");
    operator("LogSumExp").run(&[], &[view], &mut [out], &Options::default()).expect("a call");
    assert_eq!(y, want);
}

#[test]
fn shapes_have_one_number_per_row() {
    let inferred = |name: &str, shapes: &[&[usize]]| {
        let op = operator(name);
        let metas: Vec<_> = shapes
            .iter()
            .map(|shape| TensorMeta { shape, dtype: Stored::Number(DType::F16) })
            .collect();
        let all = op.infer(&op.default_attrs(), &metas);
        all.map(|all| all.iter().map(|o| (o.shape.to_vec(), o.dtype)).collect::<Vec<_>>())
            .map_err(|e| e.to_string())
    };
    let [f16, f32] = [DType::F16, DType::F32].map(Stored::Number);
    assert_eq!(inferred("KlDiv", &[&[4, 5, 6], &[4, 5, 6]]), Ok(vec![(vec![4, 5, 1], f16)]));
    assert_eq!(
        inferred("RmsNorm", &[&[4, 6], &[6]]),
        Ok(vec![(vec![4, 6], f16), (vec![4, 1], f32)])
    );
    assert_eq!(inferred("LogSumExp", &[&[]]), Ok(vec![(vec![], f16)]));
    assert_eq!(inferred("LogSumExp", &[&[0, 6]]), Ok(vec![(vec![0, 1], f16)]));
    let refused = |name, shapes: &[&[usize]]| inferred(name, shapes).expect_err("a refusal");
    assert_eq!(
        refused("LogSumExp", &[&[4, 0]]),
        "LogSumExp: tensor `y` has one number per row, and rows of shape [4, 0] have no elements"
    );
    for wrong in [&[4, 6][..], &[4], &[6], &[1, 1], &[4, 1, 1]] {
        let said = refused("Shifted", &[&[4, 6], wrong]);
        assert!(said.contains("`shift`") && said.contains("[4, 1]"), "{said}");
    }
}

#[test]
fn verify_finds_nothing() {
    for op in rows::OPERATORS {
        verify::finds_no_miss(rows::OPERATORS, &[op.name()]);
    }
}
