//! Counts of rows: the first rows are computed as usual, the others are zeros, in any layout.

use super::levels::levels;
use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::view::contiguous_strides;
use half::f16;
use op_dsl::ir::bind::TensorMeta;
use op_dsl::ir::op::{Origin, Value};
use op_dsl::ir::{DType, Stored};
use op_dsl::{Operator, Options, View, ViewMut};
use std::cell::Cell;

#[op_dsl::operators]
pub mod experts {
    use op_dsl::prelude::*;

    /// One row per token, the tokens of an expert after each other.
    #[op(name = "Expert", grad(name = "ExpertGrad", wrt(x)))]
    pub fn expert(
        #[split(along = dim, interleaved = turns)] x: Gated,
        #[rows] group_index: Option<Rows>,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = false)] turns: bool,
    ) -> Elem {
        x.value * sigmoid(x.gate) + 1.0
    }

    /// A saved value, and a gradient of the gradient.
    #[op(
        name = "Twice",
        dtypes(f32),
        grad(name = "TwiceGrad", wrt(x), grad(name = "TwiceGradGrad", wrt(dy)))
    )]
    pub fn twice(
        #[split(along = dim)] x: Gated,
        #[rows] tokens: Option<Rows>,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        #[saved]
        let s = x.gate * x.gate;
        x.value * s
    }

    /// Every call counts. A bias is broadcast, and may be left out.
    #[op(name = "Counted", dtypes(f32), broadcast)]
    pub fn counted(
        #[split(along = dim)] x: Gated,
        bias: Option<Elem>,
        #[rows] tokens: Rows,
        #[attr(default = -1)] dim: Dim,
    ) -> (Elem, Gated) {
        let b = bias.unwrap_or(2.0);
        (x.gate + b, Gated { gate: x.value + b, value: x.gate })
    }
}

/// A value that is no result of the operators here.
const UNTOUCHED: f32 = -77.0;

/// Returns the elements of a dense tensor of this shape, all different.
fn values<E: El>(shape: &[usize]) -> Vec<E> {
    (0..shape.iter().product()).map(|i: usize| E::from_f32((i % 97) as f32 / 16.0 - 3.0)).collect()
}

/// Returns the row of element `i` in a tensor of this shape, where rows end at `dim`.
fn row(shape: &[usize], dim: usize, i: usize) -> usize {
    i / shape[dim..].iter().product::<usize>()
}

/// Positions of a tensor's elements in a buffer, in index order.
struct Layout {
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
    len: usize,
}

impl Layout {
    fn dense(shape: &[usize]) -> Layout {
        let strides = contiguous_strides(shape)[..shape.len()].to_vec();
        let len = shape.iter().product();
        Layout { shape: shape.to_vec(), strides, offset: 0, len }
    }

    /// Returns a layout in reverse order of dimensions.
    ///
    /// The outermost dimension is innermost and padded, and the first dimension is reversed.
    fn turned(shape: &[usize]) -> Layout {
        let mut strides = vec![0; shape.len()];
        let mut next = 1;
        for (stride, &n) in strides.iter_mut().zip(shape) {
            *stride = next;
            next *= n as isize + 1;
        }
        let offset = (shape[0] - 1) * strides[0] as usize;
        strides[0] = -strides[0];
        Layout { shape: shape.to_vec(), strides, offset, len: next as usize }
    }

    fn at(&self, mut i: usize) -> usize {
        let mut at = self.offset as isize;
        for (n, stride) in self.shape.iter().zip(&self.strides).rev() {
            at += (i % n) as isize * stride;
            i /= n;
        }
        at as usize
    }
}

fn options() -> Vec<Options> {
    let of = |level| {
        [(1, None), (3, Some(true))].map(|(threads, streaming)| Options {
            threads,
            streaming,
            level: Some(level),
            cast: true,
        })
    };
    levels().into_iter().flat_map(of).collect()
}

/// Compares an output with and without counts.
///
/// Computed rows have the same bits, the others are zero, and memory between the elements is untouched.
fn check<E: El, T: El>(op: &Operator, attrs: &[Value], shapes: [&[usize]; 3], dim: usize) {
    let [first, second, out] = shapes;
    let (first_data, second_data) = (values::<E>(first), values::<E>(second));
    let given = [(&first_data, first), (&second_data, second)];
    let given = &given[given.len() + 1 - op.def().inputs.len()..];
    let read: Vec<View<'_>> =
        given.iter().map(|(data, shape)| View::new(data, shape).expect("a view")).collect();
    let run = |counts: View<'_>, layout: &Layout, options: &Options| -> Vec<T> {
        let mut written = vec![T::from_f32(UNTOUCHED); layout.len];
        let view = ViewMut::strided(&mut written, out, &layout.strides, layout.offset);
        let mut inputs = read.clone();
        inputs.push(counts);
        op.run(attrs, &inputs, &mut [view.expect("a view")], options).expect("a call");
        written
    };
    let rows: usize = out[..dim].iter().product();
    for options in options() {
        for layout in [Layout::dense(out), Layout::turned(out)] {
            let all = run(View::ABSENT, &layout, &options);
            for n in (0..=rows + 1).chain([usize::MAX >> 2]) {
                // Three counts with a negative stride: the last has the lowest address.
                let counts = [0, (n / 2) as i64, (n - n / 2) as i64];
                let counts = View::strided(&counts, &[3], &[-1], 2).expect("a view");
                let some = run(counts, &layout, &options);
                let mut want = all.clone();
                for i in (0..out.iter().product()).filter(|i| row(out, dim, *i) >= n) {
                    want[layout.at(i)] = T::from_f32(0.0);
                }
                let bits = |all: &[T]| all.iter().map(|v| v.to_f32().to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&some), bits(&want), "{} of {rows} rows, {out:?}, {dim}", n);
            }
        }
    }
}

#[test]
fn the_first_rows_are_computed_and_the_others_are_zero() {
    for (part, dim) in [
        (vec![2, 3, 4, 5], 0),
        (vec![2, 3, 4, 5], 2),
        (vec![2, 3, 4, 5], 3),
        (vec![3, 67], 1),
        (vec![7], 0),
        (vec![2, 1, 3, 200], 3),
    ] {
        let mut both = part.clone();
        both[dim] *= 2;
        for turns in [false, true] {
            let attrs = [Value::Int(dim as i64), Value::Bool(turns)];
            check::<f32, f32>(&experts::EXPERT, &attrs, [&part, &both, &part], dim);
            check::<f32, f32>(&experts::EXPERT_GRAD, &attrs, [&part, &both, &both], dim);
            check::<f16, f16>(&experts::EXPERT_GRAD, &attrs, [&part, &both, &both], dim);
            check::<f32, f16>(&experts::EXPERT, &attrs, [&part, &both, &part], dim);
        }
    }
}

#[test]
fn in_place_and_beside_itself() {
    let x: Vec<f32> = values(&[3, 8]);
    let (dy, counts) = (values::<f32>(&[3, 4]), [1i64, 1]);
    let counts = View::new(&counts, &[2]).expect("a view");
    let dy = View::new(&dy, &[3, 4]).expect("a view");
    let mut apart = [UNTOUCHED; 24];
    let (whole, out) = (View::new(&x, &[3, 8]), ViewMut::new(&mut apart, &[3, 8]));
    let (whole, out) = (whole.expect("a view"), out.expect("a view"));
    experts::ExpertGrad::default().run(dy, whole, Some(counts), out).expect("a call");
    assert!(apart[..16].iter().all(|v| *v != UNTOUCHED) && apart[16..] == [0.0; 8]);

    let cells: Vec<Cell<f32>> = x.iter().copied().map(Cell::new).collect();
    let view = View::from_cells(&cells, &[3, 8], &[8, 1], 0).expect("a view");
    let out = ViewMut::from_cells(&cells, &[3, 8], &[8, 1], 0).expect("a view");
    experts::ExpertGrad::default().run(dy, view, Some(counts), out).expect("a call");
    assert_eq!(cells.iter().map(Cell::get).collect::<Vec<_>>(), apart);

    // Rows that are not computed are written too, so overlapping outputs are refused and nothing is written.
    let cells: Vec<Cell<f32>> = x.iter().copied().chain([0.0; 8]).map(Cell::new).collect();
    let view = View::from_cells(&cells, &[3, 8], &[8, 1], 0).expect("a view");
    let out = ViewMut::from_cells(&cells, &[3, 8], &[8, 1], 8).expect("a view");
    let error = experts::ExpertGrad::default().run(dy, view, Some(counts), out).unwrap_err();
    assert!(error.to_string().contains("output `dx.gate` overlaps input `x.gate`"), "{error}");
    assert_eq!(cells[..24].iter().map(Cell::get).collect::<Vec<_>>(), x);
}

#[test]
fn several_outputs_and_a_broadcast_input() {
    let (x, bias, counts) = (values::<f32>(&[2, 3, 2]), [0.5f32, 1.5, 2.5], [4i64]);
    let (mut y, mut z) = ([UNTOUCHED; 6], [UNTOUCHED; 12]);
    experts::Counted::default()
        .run(
            View::new(&x, &[2, 3, 2]).expect("a view"),
            Some(View::new(&bias, &[3, 1]).expect("a view")),
            View::new(&counts, &[1]).expect("a view"),
            ViewMut::new(&mut y, &[2, 3, 1]).expect("a view"),
            ViewMut::new(&mut z, &[2, 3, 2]).expect("a view"),
        )
        .expect("a call");
    for i in 0..6 {
        let (gate, value, b) = (x[2 * i], x[2 * i + 1], bias[i % 3]);
        let want = if i < 4 { [gate + b, value + b, gate] } else { [0.0; 3] };
        assert_eq!([y[i], z[2 * i], z[2 * i + 1]], want, "{i}");
    }
}

#[test]
fn nothing_has_no_rows() {
    let (x, mut y, counts) = ([0f32; 0], [0f32; 0], [3i64]);
    let call = |x: View<'_>, y: ViewMut<'_>| {
        experts::Expert::default().run(x, View::new(&counts, &[1]).ok(), y)
    };
    for (both, part) in [([0, 8], [0, 4]), ([8, 0], [8, 0])] {
        let (x, y) = (View::new(&x, &both), ViewMut::new(&mut y, &part));
        assert_eq!(call(x.expect("a view"), y.expect("a view")), Ok(()));
    }
}

#[test]
fn what_is_refused() {
    let x = values::<f32>(&[2, 8]);
    let x = View::new(&x, &[2, 8]).expect("a view");
    let (counts, mut y) = ([1i64, -3, 1], [UNTOUCHED; 8]);
    let mut refused = |counts: View<'_>| {
        let out = ViewMut::new(&mut y, &[2, 4]).expect("a view");
        experts::Expert::default().run(x, Some(counts), out).expect_err("refused").to_string()
    };
    let of = |shape: &[usize]| View::new(&counts, shape).expect("a view");
    let shape = |got| {
        format!(
            "Expert: tensor `group_index` has shape {got}; allowed: one dimension of 1 or more, since its sum is a \
             number of rows; leave it out to compute all rows"
        )
    };
    let negative = "Expert: tensor `group_index`: entry 1 is -3; a number of rows is 0 or more";
    assert_eq!(refused(of(&[3])), negative);
    for (got, name) in [(&[][..], "[]"), (&[0], "[0]"), (&[1, 3], "[1, 3]")] {
        assert_eq!(refused(of(got)), shape(name));
    }
    let wrong = [1.0f32];
    assert_eq!(
        refused(View::new(&wrong, &[1]).expect("a view")),
        "Expert: tensor `group_index` has dtype f32; allowed: int64"
    );
    assert_eq!(y, [UNTOUCHED; 8]);

    let meta = |shape, dtype: Stored| TensorMeta { shape, dtype };
    let infer = |inputs: &[TensorMeta<'_>]| {
        let attrs = experts::COUNTED.default_attrs();
        experts::COUNTED.infer(&attrs, inputs).expect_err("refused").to_string()
    };
    let (x, bias) = (meta(&[2, 8], DType::F32.into()), meta(&[], Stored::Nothing));
    let missing = "Counted: tensor `tokens` is missing; it may not be left out";
    assert_eq!(infer(&[x, bias, meta(&[], Stored::Nothing)]), missing);
    assert_eq!(
        infer(&[x, bias, meta(&[], Stored::Int64)]),
        "Counted: tensor `tokens` has shape []; allowed: one dimension of 1 or more, since its sum is a number of rows"
    );
    // An integer tensor is refused for an input of numbers.
    let message = infer(&[meta(&[2, 8], Stored::Int64), bias, meta(&[1], Stored::Int64)]);
    assert_eq!(message, "Counted: tensor `x` has dtype int64; allowed: f32, f64");
}

#[test]
fn the_formula_and_its_gradient_know_nothing_of_rows() {
    let (def, gradient) = (experts::EXPERT.def(), experts::EXPERT_GRAD.def());
    assert_eq!(def.input_names(), ["x.gate", "x.value"]);
    assert_eq!((def.specs.len(), def.presence(1).is_some(), def.inputs[1].used), (1, true, true));
    let of = gradient.grad_of.as_ref().expect("a gradient");
    assert_eq!(of.inputs[..], [Origin::Upstream(0), Origin::Input(0), Origin::Input(1)]);
    assert_eq!((gradient.rows(), gradient.presence(2).is_some()), (Some(2), true));
    // The counts are the last input of gradients, after the saved values, and of second derivatives.
    let names = |op: &Operator| {
        op.def().inputs.iter().map(|t| t.name.to_string()).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(names(&experts::TWICE_GRAD), "dy, x, s, tokens");
    assert_eq!(names(&experts::TWICE_GRAD_GRAD), "ddx, x, s, tokens");
    let laid_out: Vec<&str> = gradient.laid_out().iter().map(|t| &*t.name).collect();
    assert_eq!(laid_out, ["dy", "x"], "counts do not lie over the domain");
}
