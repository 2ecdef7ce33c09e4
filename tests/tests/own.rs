//! Tensors with a type of their own, beside the element type of a call.
#![allow(missing_docs)]

mod common;
#[path = "../../codegen-cpu/tests/levels/mod.rs"]
mod levels;
#[path = "common/tools.rs"]
mod tools;

use common::Random;
use half::{bf16, f16};
use levels::levels;
use op_dsl::ir::format::Format;
use op_dsl::ir::op::{Kind, Value};
use op_dsl::ir::{DType, Stored};
use op_dsl::{Operator, Options, View, ViewMut};

#[op_dsl::operators]
pub mod own {
    use op_dsl::prelude::*;

    #[op(name = "Quantise")]
    pub fn quantise(x: Elem, #[broadcast] scale: Elem<f32>) -> Elem<i8> {
        x / scale
    }

    #[op(name = "Dequantise", grad(name = "DequantiseGrad", wrt(scale), broadcast = false))]
    pub fn dequantise(q: Elem<u8>, #[broadcast] scale: Elem<f32>) -> Elem {
        (q - 128.0) * scale
    }

    #[op(name = "ReluV2", outputs(y, mask), grad(name = "ReluV2Grad", wrt(x)))]
    pub fn relu_v2(x: Elem) -> (Elem, Mask) {
        (max(x, 0.0), x > 0.0)
    }

    #[op(name = "ReluByMask", grad_of = relu_v2)]
    pub fn relu_by_mask(dy: Elem, #[mask] mask: Mask) -> Elem {
        if mask { dy } else { 0.0 }
    }

    #[op(name = "SiluTo8", outputs(signed, e4, e5))]
    pub fn silu_to_8(x: Elem) -> (Elem<i8>, Elem<e4m3fn>, Elem<e5m2>) {
        let y = 16.0 * silu(x);
        (y, y, y)
    }

    #[op(name = "Turned", outputs(r, whole))]
    pub fn turned(
        #[split(along = dim, interleaved = pairs)] x: Gated<i8>,
        y: Elem,
        small: Elem<e5m2>,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = false)] pairs: bool,
    ) -> (Gated<i16>, Elem<i32>) {
        (Gated { gate: x.value * y, value: y - x.gate }, 1024.0 * x.gate * x.value + small)
    }

    #[op(name = "Parts", outputs(r))]
    pub fn parts(
        #[split(along = dim, interleaved = pairs)] x: Gated,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = false)] pairs: bool,
    ) -> Gated {
        Gated { gate: x.value - x.gate, value: 0.5 * x.gate * x.value }
    }

    #[op(name = "Truths", outputs(m, b))]
    pub fn truths(x: Elem, y: Elem<bool>, only: Elem<i16>) -> (Mask, Elem<bool>) {
        (x > only || y > 0.5, x * y)
    }
}

/// The number of an element of this type, by rules of this test.
fn decoded(stored: Stored, b: &[u8]) -> f64 {
    match stored {
        Stored::Byte => f64::from(u8::from(b[0] != 0)),
        Stored::Int8 => f64::from(b[0] as i8),
        Stored::Uint8 => f64::from(b[0]),
        Stored::Int16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
        Stored::Int32 => f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        Stored::Number(DType::F16) => f16::from_le_bytes([b[0], b[1]]).to_f64(),
        Stored::Number(DType::BF16) => bf16::from_le_bytes([b[0], b[1]]).to_f64(),
        Stored::Number(DType::F32) => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        Stored::Float64 => f64::from_le_bytes(b[..8].try_into().expect("eight bytes")),
        _ => Format::of_stored(stored).expect("a float").decode(u32::from(b[0])),
    }
}

/// The bytes of a small integer, which every type has.
fn encoded(stored: Stored, v: i8) -> Vec<u8> {
    match stored {
        Stored::Byte => vec![u8::from(v & 1 == 1)],
        Stored::Int8 | Stored::Uint8 => vec![v as u8],
        Stored::Int16 => i16::from(v).to_le_bytes().to_vec(),
        Stored::Int32 => i32::from(v).to_le_bytes().to_vec(),
        Stored::Number(DType::F16) => f16::from_f32(v.into()).to_le_bytes().to_vec(),
        Stored::Number(DType::BF16) => bf16::from_f32(v.into()).to_le_bytes().to_vec(),
        Stored::Number(DType::F32) => f32::from(v).to_le_bytes().to_vec(),
        Stored::Float64 => f64::from(v).to_le_bytes().to_vec(),
        _ => vec![Format::of_stored(stored).expect("a float").encode(v.into()) as u8],
    }
}

/// A tensor of two dimensions in a buffer of bytes.
#[derive(Clone)]
struct Laid {
    stored: Stored,
    bytes: Vec<u8>,
    shape: [usize; 2],
    strides: [isize; 2],
    offset: usize,
}

impl Laid {
    /// A tensor in one of five layouts: contiguous, with gaps, transposed, backwards, every other element.
    fn new(random: &mut Random, stored: Stored, shape: [usize; 2], layout: usize) -> Laid {
        let [m, n] = shape.map(|n| n as isize);
        let (strides, offset) = match layout {
            0 => ([n, 1], 0),
            1 => ([n + 3, 1], 5),
            2 => ([1, m], 1),
            3 => ([-n, -1], (m * n) as usize + 1),
            _ => ([2 * n + 1, 2], 0),
        };
        let len = (2 * n as usize + 1) * m as usize + 8;
        let bytes = (0..len).flat_map(|_| encoded(stored, random.below(25) as i8 - 12)).collect();
        Laid { stored, bytes, shape, strides, offset }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        let at = i as isize * self.strides[0] + j as isize * self.strides[1];
        let at = self.offset.wrapping_add_signed(at) * self.stored.size();
        decoded(self.stored, &self.bytes[at..])
    }

    fn view(&self) -> View<'_> {
        let Laid { stored, bytes, shape, strides, offset } = self;
        View::in_bytes(bytes, *stored, shape, strides, *offset).expect("a view")
    }

    fn view_mut(&mut self) -> ViewMut<'_> {
        let Laid { stored, bytes, shape, strides, offset } = self;
        ViewMut::in_bytes(bytes, *stored, shape, strides, *offset).expect("a view")
    }
}

/// Tensors of a call of an operator, whose parts have this shape; the last dimension is split.
fn tensors(
    op: &Operator,
    random: &mut Random,
    element: Stored,
    [m, n]: [usize; 2],
    layout: usize,
) -> (Vec<Laid>, Vec<Laid>) {
    let mut laid = |t: &op_dsl::ir::op::Tensor| {
        let shape = if t.kind == Kind::Gated { [m, 2 * n] } else { [m, n] };
        let layout = (layout + random.below(2) * 3) % 5;
        Laid::new(random, t.stored(element), shape, layout)
    };
    let inputs = op.def().inputs.iter().map(&mut laid).collect();
    (inputs, op.def().outputs.iter().map(&mut laid).collect())
}

fn run(op: &Operator, attrs: &[Value], inputs: &[Laid], outputs: &mut [Laid], options: &Options) {
    let inputs: Vec<View> = inputs.iter().map(Laid::view).collect();
    let mut outputs: Vec<ViewMut> = outputs.iter_mut().map(Laid::view_mut).collect();
    op.run(attrs, &inputs, &mut outputs, options).expect("a call");
}

/// Every level, with and without non-temporal stores, and with two threads.
fn options() -> impl Iterator<Item = Options> {
    let streaming = [Some(false), Some(true)].into_iter();
    let all = levels()
        .into_iter()
        .flat_map(move |level| streaming.clone().map(move |streaming| (Some(level), streaming)));
    let at_level =
        |(level, streaming)| Options { threads: 1, level, streaming, ..Options::default() };
    all.map(at_level).chain([Options { threads: 2, ..Options::default() }])
}

/// Every element type that a call may have.
fn elements() -> impl Iterator<Item = Stored> {
    DType::ALL.into_iter().map(Stored::from).chain([Stored::Float64])
}

#[test]
fn values_in_every_layout() {
    op_dsl_cpp::in_parallel(elements(), values_of_a_type);
}

fn values_of_a_type(dtype: Stored) {
    let mut random = Random(1);
    for shape in [[1, 1], [3, 5], [7, 64], [2, 1000], [300, 4], [1, 20_000]] {
        for (layout, options) in (0..5).flat_map(|layout| options().map(move |o| (layout, o))) {
            for pairs in [false, true] {
                let op = &own::TURNED;
                let (inputs, mut outputs) = tensors(op, &mut random, dtype, shape, layout);
                let attrs = [Value::Int(-1), Value::Bool(pairs)];
                run(op, &attrs, &inputs, &mut outputs, &options);
                for (i, j) in (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| (i, j))) {
                    // The gate is the first part.
                    let [first, second] =
                        if pairs { [2 * j, 2 * j + 1] } else { [j, j + shape[1]] };
                    let [gate, value] = [first, second].map(|j| inputs[0].at(i, j));
                    let (y, small) = (inputs[1].at(i, j), inputs[2].at(i, j));
                    let got =
                        [outputs[0].at(i, first), outputs[0].at(i, second), outputs[1].at(i, j)];
                    let want = [value * y, y - gate, 1024.0 * gate * value + small];
                    assert_eq!(
                        got, want,
                        "{dtype} {shape:?} {layout} {options:?} {pairs}: {i}, {j}"
                    );
                }
            }
            for pairs in [false, true] {
                let op = &own::PARTS;
                let (inputs, mut outputs) = tensors(op, &mut random, dtype, shape, layout);
                let attrs = [Value::Int(-1), Value::Bool(pairs)];
                run(op, &attrs, &inputs, &mut outputs, &options);
                for (i, j) in (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| (i, j))) {
                    let [first, second] =
                        if pairs { [2 * j, 2 * j + 1] } else { [j, j + shape[1]] };
                    let got = [first, second].map(|j| outputs[0].at(i, j));
                    let [gate, value] = [first, second].map(|j| inputs[0].at(i, j));
                    let want = [value - gate, 0.5 * gate * value];
                    assert_eq!(got, want, "{dtype} {shape:?} {layout} {options:?} {pairs}");
                }
            }
            let op = &own::TRUTHS;
            let (inputs, mut outputs) = tensors(op, &mut random, dtype, shape, layout);
            run(op, &[], &inputs, &mut outputs, &options);
            for (i, j) in (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| (i, j))) {
                let [x, y, only] = [0, 1, 2].map(|k| inputs[k].at(i, j));
                let want = [x > only || y > 0.5, x * y != 0.0].map(|v| f64::from(u8::from(v)));
                assert_eq!([0, 1].map(|k| outputs[k].at(i, j)), want, "{dtype} {shape:?} {layout}");
            }
        }
    }
}

#[test]
fn quantisers_round_and_saturate() {
    let x = [2.5, 3.5, -2.5, 126.6, 127.6, 1e9, -1e30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let want = [2, 4, -2, 127, 127, 127, -128, 127, -128, 0];
    for options in options() {
        let mut y = [1i8; 10];
        let views = [View::new(&x, &[10]), View::new(&[1.0f32], &[1])].map(|v| v.expect("a view"));
        let mut out = [ViewMut::new(&mut y, &[10]).expect("a view")];
        own::QUANTISE.run(&[], &views, &mut out, &options).expect("a call");
        assert_eq!(y, want, "{options:?}");
    }
}

#[test]
fn the_interpreter_gives_the_same_bits() {
    let mut random = Random(2);
    for op in own::OPERATORS {
        let interpreted = op.interpreted().expect("programs");
        for dtype in DType::ALL {
            let (inputs, mut outputs) = tensors(op, &mut random, dtype.into(), [3, 100], 0);
            let mut others = outputs.clone();
            let attrs = op.default_attrs();
            run(op, &attrs, &inputs, &mut outputs, &Options::default());
            run(&interpreted, &attrs, &inputs, &mut others, &Options::default());
            for (ours, theirs) in outputs.iter().zip(&others) {
                assert!(ours.bytes == theirs.bytes, "{} {dtype}", op.name());
            }
        }
    }
}

#[test]
fn outputs_decide_where_no_input_does() {
    let q = [0u8, 128, 255];
    let mut y = [bf16::ZERO; 3];
    let (q, scale) =
        (View::new(&q, &[3]).expect("a view"), View::new(&[0.5f32], &[1]).expect("a view"));
    own::Dequantise {}.run(q, scale, ViewMut::new(&mut y, &[3]).expect("a view")).expect("a call");
    assert_eq!(y.map(f32::from), [-64.0, 0.0, 63.5]);
}

#[test]
fn masks_and_integers_have_no_upstream_gradient() {
    let names =
        |op: &Operator| op.def().inputs.iter().map(|t| t.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&own::RELU_V2_GRAD), ["dy", "x"]);
    assert_eq!(names(&own::RELU_BY_MASK), ["dy", "mask"]);
    assert_eq!(names(&own::DEQUANTISE_GRAD), ["dy", "q"]);
    let [dscale] = &own::DEQUANTISE_GRAD.def().outputs[..] else { panic!("one gradient") };
    assert_eq!(dscale.own, Some(DType::F32.into()));
}

#[test]
fn in_place() {
    use std::cell::Cell;
    #[op_dsl::op(name = "Twice", outputs(y))]
    fn twice(x: Elem<i16>) -> Elem<i16> {
        2.0 * x
    }
    use op_dsl::prelude::*;
    let mut data: Vec<i16> = (0..1003).map(|i| i * 29 - 20_000).collect();
    let want: Vec<i16> = data.iter().map(|x| x.saturating_mul(2)).collect();
    let cells = Cell::from_mut(&mut data[..]).as_slice_of_cells();
    let x = View::from_cells(cells, &[1003], &[1], 0).expect("a view");
    let y = ViewMut::from_cells(cells, &[1003], &[1], 0).expect("a view");
    Twice {}.run(x, y).expect("a call");
    assert_eq!(data, want);
}

#[test]
fn other_types_are_refused() {
    let (x, scale, mut y) = ([0.0f32; 4], [1.0f32], [0u8; 4]);
    let [x, scale] = [View::new(&x, &[4]), View::new(&scale, &[1])].map(|v| v.expect("a view"));
    let refused = |x, y| own::Quantise {}.run(x, scale, y).expect_err("another type").to_string();
    let view = ViewMut::new(&mut y, &[4]).expect("a view");
    assert_eq!(refused(x, view), "Quantise: tensor `y` has dtype uint8; allowed: int8");
    let mut y = [0.0f32; 4];
    let view = ViewMut::new(&mut y, &[4]).expect("a view");
    let why = own::Dequantise {}.run(x, scale, view).expect_err("another type").to_string();
    assert_eq!(why, "Dequantise: tensor `q` has dtype f32; allowed: uint8");
}

/// All numbers of f16, whose conversions to floats of 8 bits are compared with those of ml_dtypes.
#[test]
fn floats_of_eight_bits_are_those_of_ml_dtypes() {
    if !tools::has_python_module("ml_dtypes", "floats of 8 bits") {
        return;
    }
    for (stored, name) in [(Stored::E4m3fn, "float8_e4m3fn"), (Stored::E5m2, "float8_e5m2")] {
        let program = format!(
            "import numpy as np, ml_dtypes, sys\nnp.seterr(all='ignore')\n\
             x = np.arange(65536, dtype=np.uint16).view(np.float16)\n\
             sys.stdout.buffer.write(x.astype(ml_dtypes.{name}).tobytes())"
        );
        let out = std::process::Command::new("python3").args(["-c", &program]).output();
        let out = out.expect("python3 runs").stdout;
        assert_eq!(out.len(), 1 << 16, "{name}");
        let format = Format::of_stored(stored).expect("a float");
        for (bits, want) in (0..=u16::MAX).zip(out) {
            let x = f16::from_bits(bits).to_f64();
            let [got, want] = [stored.nearest(x), format.decode(want.into())];
            let same = got == want && got.is_sign_negative() == want.is_sign_negative();
            assert!(same || got.is_nan() && want.is_nan(), "{name}: {x} is {got}, not {want}");
        }
    }
}
