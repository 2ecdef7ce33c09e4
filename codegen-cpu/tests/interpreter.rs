//! The interpreter must give the same bits as compiled bodies of the same graphs.
//!
//! Every level and element type is compared.
#![allow(missing_docs)]

mod levels;

use codegen_cpu::rt::abi::{Interleave, Streams};
use codegen_cpu::rt::block::{Body, Input, Kernels};
use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::load::Load;
use codegen_cpu::rt::simd::{Isa, Level};
use codegen_cpu::rt::step::Floats;
use codegen_cpu::rt::{math, wide, wide::Wide};
use half::{bf16, f16};
use levels::levels;
use op_dsl_ir::graph::{Builder, Graph};
use op_dsl_ir::prim::TABLE;
use op_dsl_ir::program::{Op, Program};
use op_dsl_ir::rounding::Arithmetic;
use op_dsl_ir::{DType, Prim};

/// Elements per stream: whole steps at every level, more than one column, and no multiple of a column.
const COUNT: usize = 64 * if cfg!(miri) { 9 } else { 37 };

/// Leaks a program, so that it lives as long as kernels.
fn program(graph: &Graph, masks: &[bool], on: Arithmetic) -> &'static Program {
    Box::leak(Box::new(Program::of(graph, masks, on).expect("a small graph")))
}

/// Numbers of all magnitudes and signs, with infinities and NaN; each stream has different ones.
fn values<E: El>(stream: usize) -> Vec<E> {
    let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, -3e38];
    let mut state = stream as u64 + 1;
    let mut bits = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 32) as u32
    };
    let value = |k: usize| match k % 3 {
        0 => special[bits() as usize % special.len()],
        1 => f32::from_bits(bits()),
        _ => bits() as f32 / (1u64 << 30) as f32 - 2.0,
    };
    (0..COUNT).map(value).map(E::from_f32).collect()
}

/// Parts of a call other than its streams.
#[derive(Clone, Copy, Default)]
struct Call<'a> {
    scalars: &'a [f32],
    masks: &'a [bool],
    /// First stream of each interleaved pair, and its layout.
    interleaved: &'a [(usize, Interleave)],
    /// Element type of the outputs, if it differs from the kernel's.
    stored: Option<DType>,
}

/// Runs the kernel, and returns the bytes of all outputs.
fn run<E: El>(kernels: &Kernels, level: Level, call: Call<'_>) -> Vec<u32> {
    let (inputs, outputs) = (kernels.inputs(), kernels.outputs());
    let mut io = Streams::of(E::DTYPE);
    io.program = kernels.program(E::DTYPE);
    io.scalar[..call.scalars.len()].copy_from_slice(call.scalars);
    let stored = call.stored.unwrap_or(E::DTYPE);
    io.stored[inputs..].fill(stored.into());
    // Twice the elements, for streams that are interleaved with the next.
    let x: Vec<Vec<E>> = (0..inputs).map(|k| [values(2 * k), values(2 * k + 1)].concat()).collect();
    let masks: Vec<u8> = (0..COUNT).map(|k| (k % 7 % 2) as u8 * 3).collect();
    let mut y = vec![vec![0u32; 2 * COUNT]; outputs];
    for (k, x) in x.iter().enumerate() {
        io.start[k] = match call.masks.get(k) {
            Some(true) => masks.as_ptr().cast_mut(),
            _ => x.as_ptr().cast_mut().cast(), // never written, because it is an input
        };
    }
    for (k, y) in y.iter_mut().enumerate() {
        io.start[inputs + k] = y.as_mut_ptr().cast();
    }
    for (k, turn) in call.interleaved.iter().copied() {
        let size = if k < inputs { E::DTYPE.size() } else { stored.size() };
        let (first, other) = if turn == Interleave::First { (k, k + 1) } else { (k + 1, k) };
        let opposite =
            if turn == Interleave::First { Interleave::Second } else { Interleave::First };
        io.start[other] = io.start[first].wrapping_add(size);
        (io.turns[k], io.turns[k + 1]) = (turn, opposite);
    }
    let kernel = kernels.get(E::DTYPE, level).expect("asked before");
    // SAFETY: every stream has that many whole steps; the CPU supports the SIMD level.
    unsafe { kernel(&io, COUNT / Kernels::step(E::DTYPE, level), false) };
    y.concat()
}

/// Compares bits as numbers of a type, where any two NaNs are equal.
///
/// Which of two NaNs an operation returns is the compiler's choice.
fn alike(stored: DType, got: &[u32], want: &[u32]) -> Result<(), usize> {
    let halves = |all: &[u32]| all.iter().flat_map(|v| [*v as u16, (v >> 16) as u16]).collect();
    let numbers = |all: &[u32]| -> Vec<f32> {
        let halves: Vec<u16> = halves(all);
        match stored {
            DType::F32 => all.iter().map(|v| f32::from_bits(*v)).collect(),
            DType::F16 => halves.iter().map(|v| f16::from_bits(*v).to_f32()).collect(),
            DType::BF16 => halves.iter().map(|v| bf16::from_bits(*v).to_f32()).collect(),
        }
    };
    let (got, want) = (numbers(got), numbers(want));
    let same = |(g, w): (&f32, &f32)| g.to_bits() == w.to_bits() || g.is_nan() && w.is_nan();
    match got.iter().zip(&want).position(|pair| !same(pair)) {
        Some(k) => Err(k),
        None => Ok(()),
    }
}

/// Compares compiled kernels with their programs, in each of these types and at each level.
fn compare(
    name: &str,
    compiled: &Kernels,
    program: &'static Program,
    call: Call<'_>,
    dtypes: [bool; DType::COUNT],
) {
    let interpreted = compiled.with_programs([program; _]).interpreted().expect("has programs");
    fn of<E: El>(name: &str, kernels: [&Kernels; 2], call: Call<'_>) {
        for level in levels() {
            let [want, got] = kernels.map(|kernels| run::<E>(kernels, level, call));
            assert!(want.iter().any(|v| *v != 0), "{name} computes nothing");
            let stored = call.stored.unwrap_or(E::DTYPE);
            let dtype = E::DTYPE;
            if let Err(k) = alike(stored, &got, &want) {
                panic!("{name} in {dtype} at {}: element {k}", level.name());
            }
        }
    }
    let kernels = [compiled, &interpreted];
    let cases: [(DType, fn(&str, [&Kernels; 2], Call<'_>)); _] =
        [(DType::F32, of::<f32>), (DType::F16, of::<f16>), (DType::BF16, of::<bf16>)];
    for (_, of) in cases.into_iter().filter(|(dtype, _)| dtypes[*dtype as usize]) {
        of(name, kernels, call);
    }
}

/// Returns the types in which bodies of a primitive are compared.
///
/// Only products depend on the type. All others differ in loads and stores alone, which every body has.
const fn types_of(prim: Prim) -> [bool; DType::COUNT] {
    let mut types = [matches!(prim, Prim::Mul | Prim::Mul3); DType::COUNT];
    types[DType::F32 as usize] = true;
    types
}

/// A body of each primitive, in f32 and in f64, with its graph.
macro_rules! primitives {
    ($($prim:ident($($x:ident),*) $s:ident $single:expr, $double:expr;)*) => {
        /// Tests every primitive that targets compute, by itself.
        #[test]
        fn primitives_have_the_bits_of_compiled_bodies() {
            let mut seen: Vec<Prim> = Vec::new();
            $({
                const N: usize = [$(stringify!($x)),*].len();
                const DTYPES: [bool; DType::COUNT] = types_of(Prim::$prim);
                struct Single;
                impl Body<N, 0, 1> for Single {
                    const DTYPES: [bool; DType::COUNT] = DTYPES;
                    #[inline(always)]
                    fn eval<S: Isa, E: El, const W: usize>(
                        $s: S,
                        [$($x),*]: [Input<'_, S, E, W>; N],
                        _: [Floats<S, W>; 0],
                    ) -> [Floats<S, W>; 1] {
                        let _ = $s;
                        $(let $x = $x.load();)*
                        [$single]
                    }
                }
                struct Double;
                impl Body<N, 0, 1> for Double {
                    const DTYPES: [bool; DType::COUNT] = DTYPES;
                    #[inline(always)]
                    fn eval<S: Isa, E: El, const W: usize>(
                        $s: S,
                        [$($x),*]: [Input<'_, S, E, W>; N],
                        _: [Floats<S, W>; 0],
                    ) -> [Floats<S, W>; 1] {
                        let _ = $s;
                        $(let $x = $x.load().wide();)*
                        [$double.narrow()]
                    }
                }
                let mut b = Builder::new();
                let x: Vec<_> = (0..N).map(|k| b.stream(k)).collect();
                let y = b.call(Prim::$prim, &x);
                let graph = b.finish(&[y]);
                let name = stringify!($prim);
                for (kernels, on) in [
                    (const { Kernels::of::<Single, N, 0, 1>() }, Arithmetic::F32),
                    (const { Kernels::of::<Double, N, 0, 1>() }, Arithmetic::F64),
                ] {
                    let name = format!("{name} in {on:?}");
                    compare(&name, &kernels, program(&graph, &[false; N], on), Call::default(), DTYPES);
                }
                seen.push(Prim::$prim);
            })*
            // Comparisons are not results; the test below has them as conditions.
            let all = TABLE.iter().map(|row| row.prim);
            let left = |prim: &Prim| {
                !seen.contains(prim)
                    && !prim.is_composed()
                    && !prim.is_comparison()
                    && *prim != Prim::Select
            };
            assert_eq!(all.filter(left).collect::<Vec<_>>(), []);
        }
    };
}

macro_rules! by_name {
    ($($prim:ident $name:ident($($x:ident),*);)*) => {
        primitives! {
            Neg(x) s -x, -x;
            Add(x, y) s x + y, x + y;
            Sub(x, y) s x - y, x - y;
            Mul(x, y) s x * y, x * y;
            Div(x, y) s x / y, x / y;
            Abs(x) s x.abs(), x.abs();
            Sqrt(x) s x.sqrt(), x.sqrt();
            $($prim($($x),*) s math::$name::<S, E, W>(s, $($x),*), wide::$name::<S, W>(s, $($x),*);)*
        }
    };
}

by_name! {
    Mul3 mul3(x, y, z);
    Min min(x, y);
    Max max(x, y);
    Round round(x);
    Pow powf(x, y);
    Rem rem(x, y);
    Exp exp(x);
    Expm1 expm1(x);
    Ln ln(x);
    Log1p log1p(x);
    Tanh tanh(x);
    Sin sin(x);
    Cos cos(x);
    Atan atan(x);
    Sigmoid sigmoid(x);
    Erf erf(x);
    Erfc erfc(x);
    Erfinv erfinv(x);
    NormalCdf normal_cdf(x);
    Softplus softplus(x);
    Gelu gelu(x);
    GeluTanh gelu_tanh(x);
    Silu silu(x);
    GeluGrad gelu_grad(x);
    GeluTanhGrad gelu_tanh_grad(x);
    SiluGrad silu_grad(x);
    Lgamma lgamma(x);
    Digamma digamma(x);
    Trigamma trigamma(x);
}

/// Two nested conditionals, where `m` is a mask.
///
/// `if a > 0.5 { if b < 0 { tanh(x) * y } else { sigmoid(x) } } else { exp(a * b) * min(y, 3) }` and
/// `if x <= y { if m == 0 { powf(|x|, a) } else { y } } else { 2 }`.
struct Branches;

impl Body<3, 2, 2> for Branches {
    const MASKS: [bool; 3] = [false, false, true];
    const INPUT_TURNS: [bool; 3] = [true, false, false];
    const OUTPUT_TURNS: [bool; 2] = [true, false];

    #[inline(always)]
    fn eval<S: Isa, E: El, const W: usize>(
        s: S,
        [x, y, m]: [Input<'_, S, E, W>; 3],
        [a, b]: [Floats<S, W>; 2],
    ) -> [Floats<S, W>; 2] {
        let [x, y, m] = [x.load(), y.load(), m.truth()].map(Floats::wide);
        let [a, b] = [a, b].map(Floats::wide);
        let number = |v| Wide::splat(s, v);
        let inner = b.simd_lt(number(0.0)).select(wide::tanh(s, x) * y, wide::sigmoid(s, x));
        let other = wide::exp(s, a * b) * wide::at_most(s, y, number(3.0));
        let first = number(0.5).simd_lt(a).select(inner, other);
        let masked = m.simd_eq(number(0.0)).select(wide::powf(s, x.abs(), a), y);
        let second = x.simd_le(y).select(masked, number(2.0));
        [first.narrow(), second.narrow()]
    }
}

fn branches() -> Graph {
    let mut b = Builder::new();
    let [x, y, m] = [0, 1, 2].map(|k| b.stream(k));
    let [p, q] = [0, 1].map(|k| b.scalar(k));
    let [zero, half, two, three] = [0.0, 0.5, 2.0, 3.0].map(|v| b.num(v));
    let tanh = b.call(Prim::Tanh, &[x]);
    let product = b.call(Prim::Mul, &[tanh, y]);
    let sigmoid = b.call(Prim::Sigmoid, &[x]);
    let is_negative = b.call(Prim::Lt, &[q, zero]);
    let inner = b.call(Prim::Select, &[is_negative, product, sigmoid]);
    let scale = b.call(Prim::Mul, &[p, q]);
    let scale = b.call(Prim::Exp, &[scale]);
    let least = b.call(Prim::Min, &[three, y]);
    let other = b.call(Prim::Mul, &[scale, least]);
    let is_large = b.call(Prim::Lt, &[half, p]);
    let first = b.call(Prim::Select, &[is_large, inner, other]);
    let size = b.call(Prim::Abs, &[x]);
    let power = b.call(Prim::Pow, &[size, p]);
    let is_out = b.call(Prim::Eq, &[m, zero]);
    let masked = b.call(Prim::Select, &[is_out, power, y]);
    let is_less = b.call(Prim::Le, &[x, y]);
    let second = b.call(Prim::Select, &[is_less, masked, two]);
    b.finish(&[first, second])
}

#[test]
fn branches_masks_and_other_types_have_the_bits_of_compiled_bodies() {
    let masks = [false, false, true];
    let kernels = const { Kernels::of::<Branches, 3, 2, 2>() };
    let program = program(&branches(), &masks, Arithmetic::F64);
    let guards = program.guards.iter();
    // Both branches of both conditionals on attributes, one of which is nested in the other.
    assert_eq!(guards.map(|guard| guard.outer != 0).filter(|inner| *inner).count(), 2);
    for scalars in [[0.75f32, -1.0], [0.75, 1.0], [0.25, -1.0], [f32::NAN, f32::NAN]] {
        for stored in [None, Some(DType::F32), Some(DType::F16), Some(DType::BF16)] {
            for interleaved in [
                &[][..],
                &[(0, Interleave::First), (3, Interleave::Second)],
                &[(0, Interleave::Second)],
                &[(3, Interleave::First)],
            ] {
                let call = Call { scalars: &scalars, masks: &masks, interleaved, stored };
                compare("branches", &kernels, program, call, [true; _]);
            }
        }
    }
}

/// The untaken branch costs nothing, because its instructions, and only those, are guarded.
#[test]
fn branches_of_an_attribute_are_guarded() {
    let program = Program::of(&branches(), &[false; 3], Arithmetic::F64).expect("a small graph");
    let guarded = program.code.iter().filter(|instruction| instruction.guard != 0);
    let mut guarded: Vec<Op> = guarded.map(|instruction| instruction.op).collect();
    guarded.sort_by_key(|op| op.index());
    let call = Op::Call;
    assert_eq!(
        guarded,
        [
            call(Prim::Mul),
            call(Prim::Mul),
            call(Prim::Select),
            call(Prim::Tanh),
            call(Prim::Sigmoid),
            Op::AtMost
        ]
    );
}

/// Slots are shared: a chain needs one, whatever its length, and a sum of products two.
#[test]
fn columns_share_slots() {
    let mut b = Builder::new();
    let (x, y) = (b.stream(0), b.stream(1));
    let chain = (0..20).fold(x, |v, _| b.call(Prim::Tanh, &[v]));
    let graph = b.finish(&[chain]);
    let slots = |graph: &Graph| Program::of(graph, &[false; 2], Arithmetic::F32).map(|p| p.slots);
    assert_eq!(slots(&graph), Some(1));
    let square = b.call(Prim::Mul, &[y, y]);
    let sum = b.call(Prim::Add, &[chain, square]);
    assert_eq!(slots(&b.finish(&[sum])), Some(2));
}

/// A graph has no program if a target lacks a primitive, or if it needs too much memory.
#[test]
fn what_cannot_be_interpreted_has_no_program() {
    let mut b = Builder::new();
    let x = b.stream(0);
    let relu = b.call(Prim::Relu, &[x]);
    assert_eq!(Program::of(&b.finish(&[relu]), &[false], Arithmetic::F32), None);
    let mut b = Builder::new();
    let x = b.stream(0);
    let numbers: Vec<_> = (0..Program::MAX_SLOTS).map(|k| b.num(k as f64)).collect();
    let all: Vec<_> = numbers.iter().map(|n| b.call(Prim::Add, &[x, *n])).collect();
    let graph = b.finish(&all);
    // All are results, so all are kept; the last reuses the slot of `x`.
    assert!(Program::of(&graph, &[false], Arithmetic::F32).is_some());
    let more = b.call(Prim::Mul, &[x, x]);
    let all: Vec<_> = all.into_iter().chain([more]).collect();
    assert_eq!(Program::of(&b.finish(&all), &[false], Arithmetic::F32), None);
}
