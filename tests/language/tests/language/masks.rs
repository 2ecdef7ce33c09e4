//! Masks as bytes and as bits, at any alignment and in any layout.

use super::common::{Random, judged};
use super::levels::levels;
use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::view::contiguous_strides;
use half::{bf16, f16};
use op_dsl::ir::op::{Kind, Value};
use op_dsl::{Options, View, ViewMut};

#[op_dsl::operators]
pub mod masked {
    use op_dsl::prelude::*;

    /// Zero where an element is dropped.
    #[op(name = "Dropout", grad(name = "DropoutGrad", wrt(x)))]
    pub fn dropout(x: Elem, #[mask] keep: Mask, #[attr(default = 2.0)] scale: f32) -> Elem {
        if keep { scale * tanh(x) } else { 0.0 }
    }

    /// Broadcast like any other input.
    #[op(name = "Chosen", broadcast)]
    pub fn chosen(#[mask] keep: Mask, x: Elem, #[mask] other: Mask) -> Elem {
        let both: bool = keep && !other;
        if both && x > -1.0 { x } else { below(x, keep || other) }
    }

    #[formula]
    fn below(x: Elem, any: Mask) -> Elem {
        if any { -x } else { 4.0 }
    }

    #[op(name = "MaskedGlu", grad(name = "MaskedGluGrad", wrt(x)))]
    pub fn glu(
        #[split(along = dim)] x: Gated,
        #[mask] keep: Mask,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        if keep { x.value * sigmoid(x.gate) } else { x.value }
    }
}

/// Computes an element of `Chosen`.
fn chosen(keep: bool, x: f32, other: bool) -> f32 {
    match (keep, other) {
        (true, false) if x > -1.0 => x,
        (false, false) => 4.0,
        _ => -x,
    }
}

/// A mask tensor inside a buffer, in every storage format.
struct Mask {
    truths: Vec<bool>,
    bytes: Vec<u8>,
    bits: Vec<u8>,
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
}

impl Mask {
    fn new(random: &mut Random, shape: &[usize], strides: &[isize], offset: usize) -> Mask {
        let reach: usize =
            shape.iter().zip(strides).map(|(n, s)| n.saturating_sub(1) * s.unsigned_abs()).sum();
        let truths: Vec<bool> = (0..2 * reach + offset + 1).map(|_| random.below(2) == 1).collect();
        let byte = |(i, t): (usize, &bool)| if *t { [1, 2, 128, 255][i % 4] } else { 0 };
        let bytes = truths.iter().enumerate().map(byte).collect();
        let bit = |eight: &[bool]| eight.iter().rev().fold(0, |all, t| all << 1 | u8::from(*t));
        let bits = truths.chunks(8).map(bit).collect();
        // With negative strides, the first element is not at the lowest address.
        let back: usize = (shape.iter().zip(strides))
            .map(|(n, s)| if *s < 0 { n.saturating_sub(1) * s.unsigned_abs() } else { 0 })
            .sum();
        let (shape, strides) = (shape.to_vec(), strides.to_vec());
        Mask { truths, bytes, bits, shape, strides, offset: offset + back }
    }

    fn dense(random: &mut Random, shape: &[usize]) -> Mask {
        Mask::new(random, shape, &contiguous_strides(shape)[..shape.len()], 0)
    }

    fn views(&self) -> [View<'_>; 3] {
        let (shape, strides, offset) = (&self.shape, &self.strides, self.offset);
        [
            View::strided(&self.truths, shape, strides, offset),
            View::strided(&self.bytes, shape, strides, offset),
            View::strided_bits(&self.bits, shape, strides, offset),
        ]
        .map(|view| view.expect("a view"))
    }

    /// Returns the element at an index of a shape that the mask is broadcast to.
    fn at(&self, index: &[usize]) -> bool {
        let own = &index[index.len() - self.shape.len()..];
        let at = own.iter().zip(&self.strides).zip(&self.shape);
        let at: isize = at.map(|((i, s), n)| if *n == 1 { 0 } else { *i as isize * s }).sum();
        self.truths[self.offset.wrapping_add_signed(at)]
    }
}

fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..shape.iter().product()).map(|mut i| {
        let mut index = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            (index[d], i) = (i % shape[d], i / shape[d]);
        }
        index
    })
}

fn all_options() -> Vec<Options> {
    let of = |level| {
        [(1, None), (3, None), (1, Some(true))].map(|(threads, streaming)| Options {
            threads,
            streaming,
            level: Some(level),
            ..Options::default()
        })
    };
    levels().into_iter().flat_map(of).collect()
}

/// Compares `Chosen` of two masks, at any level and in any storage, with a loop.
fn check(random: &mut Random, keep: &Mask, other: &Mask, shape: &[usize]) {
    let n: usize = shape.iter().product();
    let x: Vec<f32> = (0..n).map(|_| random.normal(1.0) as f32).collect();
    let want: Vec<f32> =
        indices(shape).zip(&x).map(|(i, x)| chosen(keep.at(&i), *x, other.at(&i))).collect();
    for options in all_options() {
        for (k, o) in keep.views().into_iter().flat_map(|k| other.views().map(|o| (k, o))) {
            let (x, mut y) = (View::new(&x, shape).expect("a view"), vec![f32::NAN; n]);
            let out = ViewMut::new(&mut y, shape).expect("a view");
            masked::CHOSEN.run(&[], &[k, x, o], &mut [out], &options).expect("a call");
            assert_eq!(y, want, "{options:?} {} {} {shape:?}", k.dtype(), o.dtype());
        }
    }
}

#[test]
fn masks_of_every_length() {
    let mut random = Random(1);
    for n in [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 127, 200, 513, 20_000] {
        let [keep, other] = [(); 2].map(|()| Mask::dense(&mut random, &[n]));
        check(&mut random, &keep, &other, &[n]);
    }
}

#[test]
fn masks_of_every_rank() {
    let mut random = Random(2);
    for rank in 1..=8 {
        let shape = &[3, 2, 1, 2, 3, 1, 2, 21][8 - rank..];
        let [keep, other] = [(); 2].map(|()| Mask::dense(&mut random, shape));
        check(&mut random, &keep, &other, shape);
    }
}

#[test]
fn masks_with_strides_and_broadcast() {
    let mut random = Random(3);
    let shape = [6, 90];
    // Padded rows, columns, reversed, every third, one row, one column, one element; starting at any bit of a byte.
    let layouts: [(&[usize], &[isize]); 8] = [
        (&[6, 90], &[97, 1]),
        (&[6, 90], &[1, 6]),
        (&[6, 90], &[-90, -1]),
        (&[6, 90], &[271, 3]),
        (&[90], &[1]),
        (&[6, 1], &[1, 1]),
        (&[1, 1], &[7, 7]),
        (&[6, 90], &[0, 1]),
    ];
    for (k, (keep, strides)) in layouts.into_iter().enumerate() {
        let keep = Mask::new(&mut random, keep, strides, k);
        let (other, strides) = layouts[(k + 3) % layouts.len()];
        let other = Mask::new(&mut random, other, strides, 11 * k);
        check(&mut random, &keep, &other, &shape);
    }
}

/// The untaken branch never reaches a result, and neither does its derivative.
#[test]
fn what_a_mask_drops_is_gone() {
    dropped::<f16>();
    dropped::<bf16>();
    dropped::<f32>();
}

fn dropped<E: El>() {
    const N: usize = 37;
    let keep: Vec<bool> = (0..N).map(|i| i % 3 == 0).collect();
    let lost = |i: usize| [f32::NAN, f32::INFINITY][i % 2];
    let x: Vec<E> = (0..N).map(|i| E::from_f32(if keep[i] { 0.5 } else { lost(i) })).collect();
    let dy = vec![E::from_f32(3.0); N];
    let (mut y, mut dx) = (vec![E::from_f32(f32::NAN); N], vec![E::from_f32(f32::NAN); N]);
    let view = |v| View::new(v, &[N]).expect("a view");
    let mask = View::new(&keep, &[N]).expect("a view");
    let out = ViewMut::new(&mut y, &[N]).expect("a view");
    masked::Dropout::default().run(view(&x), mask, out).expect("a call");
    let out = ViewMut::new(&mut dx, &[N]).expect("a view");
    masked::DropoutGrad::default().run(view(&dy), view(&x), mask, out).expect("a call");
    let tanh = 0.5f32.tanh();
    for i in 0..N {
        let want = if keep[i] { [2.0 * tanh, 6.0 * (1.0 - tanh * tanh)] } else { [0.0; 2] };
        let got = [y[i].to_f32(), dx[i].to_f32()];
        let close = |k: usize| (got[k] - want[k]).abs() <= 0.004 * want[k];
        assert!(close(0) && close(1), "{} {i}: {got:?}, not {want:?}", E::DTYPE);
    }
}

#[test]
fn a_gradient_has_the_mask_among_its_inputs() {
    let def = masked::DROPOUT_GRAD.def();
    assert_eq!(def.input_names(), ["dy", "x", "keep"]);
    assert_eq!(def.inputs[2].kind, Kind::Mask);
    let gated = masked::MASKED_GLU_GRAD.def();
    assert_eq!(gated.input_names(), ["dy", "x.gate", "x.value", "keep"]);
    // Masks have no derivative: the reference evaluator and the graph agree.
    for keep in [0.0, 1.0, 255.0] {
        let streams = [0.5, 1.25, -3.0, keep];
        let attrs = [Value::Int(-1)];
        let known = judged(&masked::MASKED_GLU_GRAD, &attrs, &streams);
        let graph = gated.specs[0].graph.eval(&streams, &[]);
        for (a, b) in known.iter().zip(&graph) {
            assert!((a - b).abs() < 1e-12, "{known:?} {graph:?}");
        }
        assert_eq!(graph[0] == 0.0, keep == 0.0, "the gate counts where it is kept");
    }
}

#[test]
fn masks_of_gated_tensors_lie_as_its_parts() {
    let (rows, half) = (5, 33);
    let mut random = Random(5);
    let x: Vec<f32> = (0..rows * 2 * half).map(|_| random.normal(1.0) as f32).collect();
    let keep = Mask::dense(&mut random, &[rows, half]);
    for mask in keep.views() {
        let mut y = vec![f32::NAN; rows * half];
        let out = ViewMut::new(&mut y, &[rows, half]).expect("a view");
        let x_view = View::new(&x, &[rows, 2 * half]).expect("a view");
        masked::MaskedGlu::default().run(x_view, mask, out).expect("a call");
        for (r, c) in (0..rows).flat_map(|r| (0..half).map(move |c| (r, c))) {
            let [gate, value] = [0, half].map(|at| f64::from(x[r * 2 * half + at + c]));
            let want = if keep.at(&[r, c]) { value / (1.0 + (-gate).exp()) } else { value };
            assert!((f64::from(y[r * half + c]) - want).abs() < 1e-6, "{r} {c}");
        }
    }
}

#[test]
fn what_belongs_in_a_mask_is_said() {
    let (x, mut y) = ([1.0f32; 8], [0.0f32; 8]);
    let mut call = |x: View<'_>, mask: View<'_>| {
        let out = ViewMut::new(&mut y, &[8]).expect("a view");
        masked::Dropout::default().run(x, mask, out).expect_err("a refusal").to_string()
    };
    let numbers = View::new(&x, &[8]).expect("a view");
    let truths = View::new(&[true; 8], &[8]).expect("a view");
    let seven = View::new(&[1u8; 8], &[7]).expect("a view");
    assert_eq!(
        call(numbers, numbers),
        "Dropout: tensor `keep` has dtype f32; allowed: bool, uint8, uint1"
    );
    assert_eq!(
        call(truths, truths),
        "Dropout: tensor `x` has dtype bool; allowed: f16, bf16, f32, f64"
    );
    assert_eq!(
        call(numbers, seven),
        "Dropout: tensor `keep` has shape [7]; must be [8], which follows from `x`"
    );
    let short = View::bits(&[0xff], &[9]).expect_err("nine bits are no byte").to_string();
    assert!(short.contains("spans elements 0 to 8 of a buffer of 8"), "{short}");
}

/// Other tensors may start right after the bits, so kernels read no byte beyond them.
#[test]
fn bits_overlap_nothing_beside_them() {
    const N: usize = 256;
    let mut memory = vec![0f32; 2 * N];
    let (bits, out) = memory.split_at_mut(N / 32);
    bits[0] = f32::from_bits(0b101);
    // SAFETY: the bytes are those of the floats, and there are as many as the bits need.
    let bits = unsafe { std::slice::from_raw_parts(bits.as_ptr().cast::<u8>(), N / 8) };
    let x = vec![1f32; N];
    let op = masked::Dropout { scale: 1.0 };
    let y = ViewMut::new(&mut out[..N], &[N]).expect("a view");
    let x = View::new(&x, &[N]).expect("a view");
    op.run(x, View::bits(bits, &[N]).expect("a view"), y).expect("a call");
    let kept: Vec<usize> = (0..N).filter(|i| out[*i] != 0.0).collect();
    assert_eq!(kept, [0, 2]);
}
