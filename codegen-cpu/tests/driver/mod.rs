//! Small operators, tensors of any layout, and the scalar loop that the driver is compared with.

#![allow(dead_code)] // each test binary uses its part

#[path = "../levels/mod.rs"]
mod levels;

use codegen_cpu::rt::block::{Body, Input, Kernels};
use codegen_cpu::rt::call::{Operator, Options};
use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::error::ViewError;
use codegen_cpu::rt::load::Load;
use codegen_cpu::rt::simd::Isa;
use codegen_cpu::rt::step::Floats;
use codegen_cpu::rt::view::{View, ViewMut};
use half::{bf16, f16};
use levels::levels;
use op_dsl_ir::op::{
    Attr, AttrKind, Gate, Kind, OpDef, Pattern, Spec, Split, Tensor as Arg, Value,
};
use op_dsl_ir::{DType, Graph};
use std::cell::Cell;

/// `(dy, gate, value, gelu) -> (dy * gate - value, gelu * value - dy)`.
///
/// Exchanging any two arguments changes the result, and every SIMD level rounds alike.
struct Gated;

impl Body<4, 0, 2> for Gated {
    const INPUT_TURNS: [bool; 4] = [false, true, false, false];
    const OUTPUT_TURNS: [bool; 2] = [true, false];

    #[inline(always)]
    fn eval<S: Isa, E: El, const W: usize>(
        _: S,
        x: [Input<'_, S, E, W>; 4],
        _: [Floats<S, W>; 0],
    ) -> [Floats<S, W>; 2] {
        let [d, g, v, s] = x.map(Load::load);
        [d * g - v, s * v - d]
    }
}

/// `(a, b; c) -> a * b - c`.
pub struct Binary;

impl Body<2, 1, 1> for Binary {
    #[inline(always)]
    fn eval<S: Isa, E: El, const W: usize>(
        _: S,
        [a, b]: [Input<'_, S, E, W>; 2],
        [c]: [Floats<S, W>; 1],
    ) -> [Floats<S, W>; 1] {
        [a.load() * b.load() - c]
    }
}

/// `(a, b; c) -> a * b - c`, but declares that it reads only some of its inputs.
///
/// The driver therefore substitutes others for the rest.
struct Claims<const A: bool, const B: bool>;

impl<const A: bool, const B: bool> Body<2, 1, 1> for Claims<A, B> {
    const READS: [bool; 2] = [A, B];

    #[inline(always)]
    fn eval<S: Isa, E: El, const W: usize>(
        s: S,
        x: [Input<'_, S, E, W>; 2],
        c: [Floats<S, W>; 1],
    ) -> [Floats<S, W>; 1] {
        Binary::eval(s, x, c)
    }
}

fn arg(name: &'static str, kind: Kind) -> Arg {
    Arg { name: name.into(), kind, own: None, used: true }
}

fn graph() -> Graph {
    Graph { nodes: vec![].into(), outputs: vec![].into() }
}

fn def(name: &'static str, inputs: Vec<Arg>, outputs: Vec<Arg>, attrs: Vec<Attr>) -> OpDef {
    OpDef {
        name: name.into(),
        inputs: inputs.into(),
        outputs: outputs.into(),
        attrs: attrs.into(),
        split: None,
        dtypes: DType::ALL.to_vec().into(),
        empty: true,
        specs: vec![Spec::of(graph())].into(),
        ..OpDef::default()
    }
}

/// `dy, x (gated), gelu -> dx (gated)` with attributes `dim`, `activate_left`.
pub fn gated(pattern: Pattern) -> Operator {
    let inputs = vec![arg("dy", Kind::Whole), arg("x", Kind::Gated), arg("gelu", Kind::Whole)];
    let attrs = vec![
        Attr { name: "dim".into(), kind: AttrKind::Dim, default: Value::Int(-1), any: false },
        Attr {
            name: "activate_left".into(),
            kind: AttrKind::Bool,
            default: Value::Bool(false),
            any: false,
        },
    ];
    let mut def = def("Gated", inputs, vec![arg("dx", Kind::Gated)], attrs);
    def.split = Some(Split { dim: 0, gate: Gate::LeftIf(1), pattern });
    Operator::new(def, const { &[Kernels::of::<Gated, 4, 0, 2>()] }, None)
}

/// `dy, x -> z` with broadcast, promotion and the float attribute `alpha`.
pub fn binary() -> Operator {
    binary_with(const { &[Kernels::of::<Binary, 2, 1, 1>()] })
}

/// The definition of [`binary`] with other kernels.
pub fn binary_with(kernels: &'static [Kernels]) -> Operator {
    Operator::new(binary_def(), kernels, None)
}

/// [`binary`], but declares that it reads only `dy`, or nothing.
pub fn binary_claims(reads_dy: bool) -> Operator {
    let kernels = match reads_dy {
        true => const { &[Kernels::of::<Claims<true, false>, 2, 1, 1>()] },
        false => const { &[Kernels::of::<Claims<false, false>, 2, 1, 1>()] },
    };
    binary_with(kernels)
}

/// The kernels of [`gated`] with the definition of [`binary`].
pub fn mistaken() -> Operator {
    binary_with(const { &[Kernels::of::<Gated, 4, 0, 2>()] })
}

fn binary_def() -> OpDef {
    let inputs = vec![arg("dy", Kind::Whole), arg("x", Kind::Whole)];
    let attrs = vec![Attr {
        name: "alpha".into(),
        kind: AttrKind::Float,
        default: Value::Float(0.5),
        any: false,
    }];
    let mut def = def("Binary", inputs, vec![arg("z", Kind::Whole)], attrs);
    (def.broadcast, def.promote) = (true, true);
    def
}

/// Elements of a known type.
#[derive(Clone, Debug, PartialEq)]
pub enum Buf {
    F16(Vec<f16>),
    BF16(Vec<bf16>),
    F32(Vec<f32>),
}

impl Buf {
    pub fn new(dtype: DType, values: impl Iterator<Item = f32>) -> Buf {
        match dtype {
            DType::F16 => Buf::F16(values.map(f16::from_f32).collect()),
            DType::BF16 => Buf::BF16(values.map(bf16::from_f32).collect()),
            DType::F32 => Buf::F32(values.collect()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Buf::F16(v) => v.len(),
            Buf::BF16(v) => v.len(),
            Buf::F32(v) => v.len(),
        }
    }

    pub fn get(&self, i: usize) -> f32 {
        match self {
            Buf::F16(v) => v[i].to_f32(),
            Buf::BF16(v) => v[i].to_f32(),
            Buf::F32(v) => v[i],
        }
    }

    pub fn set(&mut self, i: usize, x: f32) {
        match self {
            Buf::F16(v) => v[i] = f16::from_f32(x),
            Buf::BF16(v) => v[i] = bf16::from_f32(x),
            Buf::F32(v) => v[i] = x,
        }
    }
}

/// A tensor with any layout in a buffer.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub buf: Buf,
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
    pub offset: usize,
}

/// Pseudo-random numbers of both signs whose products differ.
pub fn values(seed: u64) -> impl Iterator<Item = f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::from_fn(move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        Some(((state >> 40) as i32 - (1 << 23)) as f32 / (1 << 21) as f32)
    })
}

impl Tensor {
    /// Lays out a tensor in a new buffer.
    ///
    /// `order` is a permutation of the dimensions, innermost first; `gap` is the number of elements skipped after each
    /// dimension; `flip` reverses dimensions; `lead` is the number of elements before the first.
    pub fn laid_out(
        dtype: DType,
        shape: &[usize],
        order: &[usize],
        gap: &[usize],
        flip: &[bool],
        lead: usize,
        seed: u64,
    ) -> Tensor {
        let mut strides = vec![0isize; shape.len()];
        let (mut next, mut offset) = (1usize, lead);
        for &d in order {
            strides[d] = next as isize;
            if flip[d] && shape[d] > 0 {
                strides[d] = -strides[d];
                offset += next * (shape[d] - 1);
            }
            next *= shape[d].max(1) + gap[d];
        }
        let len = next + lead + 3;
        let buf = Buf::new(dtype, values(seed).take(len));
        Tensor { buf, shape: shape.to_vec(), strides, offset }
    }

    pub fn dense(dtype: DType, shape: &[usize], seed: u64) -> Tensor {
        let n = shape.len();
        let order: Vec<usize> = (0..n).rev().collect();
        Tensor::laid_out(dtype, shape, &order, &vec![0; n], &vec![false; n], 0, seed)
    }

    /// Repeats the same elements along some dimensions.
    pub fn repeated(mut self, dims: &[bool]) -> Tensor {
        for (s, repeat) in self.strides.iter_mut().zip(dims) {
            if *repeat {
                *s = 0;
            }
        }
        // The start may be any element of the buffer where flipped dimensions were folded.
        self
    }

    pub fn dtype(&self) -> DType {
        match self.buf {
            Buf::F16(_) => DType::F16,
            Buf::BF16(_) => DType::BF16,
            Buf::F32(_) => DType::F32,
        }
    }

    /// Returns the position of an element in the buffer.
    pub fn at(&self, index: &[usize]) -> usize {
        let terms = index.iter().zip(&self.strides).map(|(&i, &s)| i as isize * s);
        (self.offset as isize + terms.sum::<isize>()) as usize
    }

    pub fn view(&self) -> Result<View<'_>, ViewError> {
        let (shape, strides, offset) = (&self.shape, &self.strides, self.offset);
        match &self.buf {
            Buf::F16(v) => View::strided(v, shape, strides, offset),
            Buf::BF16(v) => View::strided(v, shape, strides, offset),
            Buf::F32(v) => View::strided(v, shape, strides, offset),
        }
    }

    pub fn view_mut(&mut self) -> Result<ViewMut<'_>, ViewError> {
        let (shape, strides, offset) = (&self.shape, &self.strides, self.offset);
        match &mut self.buf {
            Buf::F16(v) => ViewMut::strided(v, shape, strides, offset),
            Buf::BF16(v) => ViewMut::strided(v, shape, strides, offset),
            Buf::F32(v) => ViewMut::strided(v, shape, strides, offset),
        }
    }

    /// Returns whether some element has several indices.
    pub fn repeats(&self) -> bool {
        let empty = self.shape.contains(&0);
        !empty && self.shape.iter().zip(&self.strides).any(|(&n, &s)| n > 1 && s == 0)
    }

    /// Returns two views of the same elements: one to read and one to write.
    ///
    /// Views of cells stay on one thread, those of raw parts may go to several.
    pub fn both(&mut self, cells: bool) -> Result<(View<'_>, ViewMut<'_>), ViewError> {
        let (shape, strides, offset) = (&self.shape, &self.strides, self.offset);
        let dtype = self.dtype();
        macro_rules! both {
            ($v:expr) => {{
                if cells {
                    let cells = Cell::from_mut(&mut $v[..]).as_slice_of_cells();
                    let read = View::from_cells(cells, shape, strides, offset)?;
                    (read, ViewMut::from_cells(cells, shape, strides, offset)?)
                } else {
                    let first = $v.as_mut_ptr().wrapping_add(offset).cast();
                    // SAFETY: the buffer has the elements, and is borrowed for the lifetime of the views.
                    unsafe {
                        let read = View::from_raw_parts(first, dtype, shape, strides)?;
                        (read, ViewMut::from_raw_parts(first, dtype, shape, strides)?)
                    }
                }
            }};
        }
        Ok(match &mut self.buf {
            Buf::F16(v) => both!(v),
            Buf::BF16(v) => both!(v),
            Buf::F32(v) => both!(v),
        })
    }
}

/// Every index of a shape.
pub fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..shape.iter().product()).map(|mut i| {
        let mut index = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            (index[d], i) = (i % shape[d], i / shape[d]);
        }
        index
    })
}

/// [`gated`] with broadcast.
pub fn gated_broadcast(pattern: Pattern) -> Operator {
    gated(pattern).redefined(|def| def.broadcast = true)
}

/// [`gated`] by halves, with an output for each part: `dgate, dvalue`.
pub fn two_outputs() -> Operator {
    let outputs = [arg("dgate", Kind::Whole), arg("dvalue", Kind::Whole)];
    gated(Pattern::Halves).redefined(|def| def.outputs = outputs.to_vec().into())
}

/// Returns what [`gated_broadcast`] must write: the whole buffer of `dx`, including gaps.
pub fn expect_gated(
    pattern: Pattern,
    dim: usize,
    left: bool,
    [dy, x, gelu]: [&Tensor; 3],
    dx: &Tensor,
) -> Buf {
    let mut want = dx.buf.clone();
    let mut domain = dx.shape.clone();
    domain[dim] /= 2;
    for index in indices(&domain) {
        // An element of a tensor, or of one of its parts, which are doubled along `dim`.
        let at = |t: &Tensor, second: Option<bool>| {
            let lead = domain.len() - t.shape.len();
            let own = t.shape.iter().enumerate().map(|(i, &n)| match second {
                Some(second) if lead + i == dim => {
                    let (half, i) = (n / 2, if n == 2 { 0 } else { index[dim] });
                    match pattern {
                        Pattern::Halves => i + if second { half } else { 0 },
                        _ => 2 * i + second as usize,
                    }
                }
                _ if n == 1 => 0,
                _ => index[lead + i],
            });
            t.at(&own.collect::<Vec<_>>())
        };
        let (d, s) = (dy.buf.get(at(dy, None)), gelu.buf.get(at(gelu, None)));
        let (g, v) = (x.buf.get(at(x, Some(!left))), x.buf.get(at(x, Some(left))));
        want.set(at(dx, Some(!left)), d * g - v);
        want.set(at(dx, Some(left)), s * v - d);
    }
    want
}

/// Returns what [`binary`] must write.
pub fn expect_binary(alpha: f32, [a, b]: [&Tensor; 2], z: &Tensor) -> Buf {
    let mut want = z.buf.clone();
    for index in indices(&z.shape) {
        let value = |t: &Tensor| {
            let own: Vec<usize> = index[index.len() - t.shape.len()..]
                .iter()
                .zip(&t.shape)
                .map(|(&i, &n)| if n == 1 { 0 } else { i })
                .collect();
            t.buf.get(t.at(&own))
        };
        want.set(z.at(&index), value(a) * value(b) - alpha);
    }
    want
}

/// Every available level, thread count and kind of store.
pub fn all_options() -> Vec<Options> {
    let mut all = Vec::new();
    for level in levels() {
        for &threads in if cfg!(miri) { &[2][..] } else { &[0, 1, 2, 7] } {
            for streaming in [None, Some(false), Some(true)] {
                all.push(Options { threads, level: Some(level), streaming, cast: false });
            }
        }
    }
    all
}

/// Sizes around every vector and step.
pub const SIZES: [usize; 22] =
    [0, 1, 2, 3, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300];

/// The shape of a gated tensor whose parts have the given shape.
pub fn double(shape: &[usize], dim: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[dim] *= 2;
    shape
}

/// Checks an output of any element type, where results are rounded to the type of the call first.
pub fn check_cast(t: [&Tensor; 2], z: Tensor) {
    let mut typed = z.clone();
    let computed = t[0].dtype().promote(t[1].dtype());
    typed.buf = Buf::new(computed, (0..z.buf.len()).map(|i| z.buf.get(i)));
    let typed = Tensor { buf: expect_binary(0.75, t, &typed), ..typed };
    let mut want = z.clone();
    for index in indices(&z.shape) {
        want.buf.set(z.at(&index), typed.buf.get(z.at(&index)));
    }
    for options in all_options() {
        let (mut z, options) = (z.clone(), Options { cast: true, ..options });
        let views = t.map(|t| t.view().unwrap());
        binary()
            .run(&[Value::Float(0.75)], &views, &mut [z.view_mut().unwrap()], &options)
            .unwrap();
        assert!(z.buf == want.buf, "{options:?} {t:?}");
    }
}
