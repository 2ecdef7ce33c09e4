//! Derivatives on their own, and with factors whose product is infinite.
//!
//! Alone, all factors are 1. Arguments are every number of the 16-bit types; for `float` a grid, the tails, and all
//! signs and exponents with seven digits.

use super::common::*;
use super::program::Program;
use op_dsl::ir::graph::{Graph, Id, Node};
use op_dsl::ir::op::{Stream, Value};
use op_dsl::ir::{DType, Prim};

/// Number of elements of a sweep.
const N: usize = 1 << 16;

/// Relative errors of `float` derivatives from -8 to -4, for graphs with these primitives.
const TAILS: &[(Prim, f64)] =
    &[(Prim::GeluGrad, 2e-6), (Prim::GeluTanhGrad, 8e-6), (Prim::SiluGrad, 2e-6)];

/// The numbers of a sweep, and the test of a result against the expected value within a relative error.
type Sweep = (fn(usize) -> f64, fn(f64, f64, f64) -> bool);

const F16: Sweep =
    (|i| half::f16::from_bits(i as u16).to_f64(), |g, w, _| one_ulp(DType::F16, g, w));
const BF16: Sweep =
    (|i| half::bf16::from_bits(i as u16).to_f64(), |g, w, _| one_ulp(DType::BF16, g, w));
const GRID: Sweep = (|i| i as f64 / 65536.0 * 40.0 - 20.0, absolute);
const TAIL: Sweep = (|i| i as f64 / 65536.0 * 4.0 - 8.0, |g, w, most| (g / w - 1.0).abs() <= most);
const EXPONENTS: Sweep = (|i| f32::from_bits((i as u32) << 16).into(), absolute);

fn absolute(got: f64, want: f64, _: f64) -> bool {
    (got - want).abs() <= 1.0 / 4_194_304.0
}

/// Rounds a number to the element type.
fn nearest(dtype: DType, want: f64) -> f64 {
    Tensor::new(&[], dtype, || want).at(0)
}

/// Accepts 16-bit results within one unit of the true or the rounded value.
///
/// Below the normal range of `float` the unit is 7.6e-39, because there are fewer digits.
fn one_ulp(dtype: DType, got: f64, want: f64) -> bool {
    let error = (got - want).abs().min((got - nearest(dtype, want)).abs());
    error <= ulp(dtype, want, 0.0).max(7.6e-39)
}

/// Checks every variant and element type of an operator that is a derivative.
pub fn check(p: &Program) {
    let mut forms = 0;
    for attrs in attribute_values(p.op) {
        let graph = graph(p.op, &attrs);
        let has =
            |prim: Prim| graph.nodes.iter().any(|n| matches!(n, Node::Call(q, _) if *q == prim));
        let Some((prim, tail)) = TAILS.iter().find(|(prim, _)| has(*prim)) else { continue };
        forms += 1;
        let roles = Roles::of(graph, *prim);
        for dtype in p.dtypes().into_iter().filter(|d| p.has(&attrs, *d)) {
            let sweeps: &[Sweep] = match dtype {
                DType::F16 => &[F16],
                DType::BF16 => &[BF16],
                DType::F32 => &[GRID, TAIL, EXPONENTS],
            };
            for sweep in sweeps {
                check_sweep(p, &attrs, dtype, &roles, sweep, *tail);
            }
            check_large(p, &attrs, dtype, &roles);
        }
    }
    let ours = thorough().iter().any(|op| op.name() == p.op.name());
    let derivative = ours && p.op.def().grad_of.is_some();
    assert!(forms > 0 || !derivative, "{} was not swept", p.op.name());
}

/// The stream that a derivative is taken by, and the output with it as a factor, both from the graph.
struct Roles {
    /// The input stream.
    by: usize,
    /// The output stream.
    of: usize,
}

impl Roles {
    fn of(graph: &Graph, prim: Prim) -> Roles {
        let call = |n: &Node| matches!(n, Node::Call(q, _) if *q == prim);
        let node = graph.nodes.iter().position(call).expect("a derivative");
        // Skips clamps around its argument.
        let mut at = graph.nodes[node].args()[0];
        let by = loop {
            match graph.nodes[at.index()] {
                Node::Stream(k) => break k.into(),
                other => at = other.args()[0],
            }
        };
        let reads = |out: &Id| {
            let mut read = vec![false; graph.nodes.len()];
            read[out.index()] = true;
            for i in (0..graph.nodes.len()).rev().filter(|i| *i <= out.index()) {
                if read[i] {
                    graph.nodes[i].args().iter().for_each(|a| read[a.index()] = true);
                }
            }
            read[node]
        };
        Roles { by, of: graph.outputs.iter().position(reads).expect("an output") }
    }
}

/// Runs the kernel with the argument running through numbers and every other stream constant.
///
/// Returns the elements of each stream, as rounded to the element type, and the results.
fn ran(
    p: &Program,
    attrs: &[Value],
    dtype: DType,
    roles: &Roles,
    number: impl Fn(usize) -> f64,
    others: impl Fn(usize) -> f64,
) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (streams, outputs) = (p.op.def().input_streams(), p.op.def().output_streams());
    let mut ins = inputs(p.op, attrs, &[N], dtype, |_| 1.0);
    let column = |(k, stream): (usize, &Stream)| -> Vec<f64> {
        let places = Places::new(p.op, attrs, *stream, &[N]);
        let tensor = &mut ins[stream.tensor];
        let place = |i| {
            let value = if k == roles.by { number(i) } else { others(k) };
            tensor.set(places.of(i), value);
            tensor.at(places.of(i))
        };
        (0..N).map(place).collect()
    };
    let columns = streams.iter().enumerate().map(column).collect();
    let outs = p.run(attrs, &ins, 40).outputs;
    let out = outputs[roles.of];
    let places = Places::new(p.op, attrs, out, &[N]);
    (columns, (0..N).map(|i| outs[out.tensor].at(places.of(i))).collect())
}

fn check_sweep(
    p: &Program,
    attrs: &[Value],
    dtype: DType,
    roles: &Roles,
    (number, fits): &Sweep,
    tail: f64,
) {
    let graph = graph(p.op, attrs);
    let (streams, got) = ran(p, attrs, dtype, roles, number, |_| 1.0);
    let want = graph.eval_columns(&streams, &[], N).swap_remove(roles.of);
    for ((x, want), got) in streams[roles.by].iter().copied().zip(want).zip(got) {
        let right = match () {
            _ if want.is_nan() => got.is_nan(),
            _ if x.is_infinite() => got == nearest(dtype, want),
            _ => fits(got, want, tail),
        };
        let name = p.op.name();
        assert!(right, "{name} {attrs:?} {dtype}: {x} gives {got}, not {want}");
    }
}

/// Pairs of large factors.
///
/// Their product overflows `float`, even after the derivative scales it, or one alone is large.
const LARGE: &[(f64, f64)] =
    &[(1e30, 1e30), (-1e30, 1e30), (1e38, 1e-30), (1e-30, -1e38), (1e19, 1e19), (3e4, -6e4)];

/// Checks large factors: the result is that of exact arithmetic, zero or infinity included, and never NaN.
fn check_large(p: &Program, attrs: &[Value], dtype: DType, roles: &Roles) {
    const MOST: f64 = f32::MAX as f64;
    let graph = graph(p.op, attrs);
    let largest = if dtype == DType::F16 { 65_504.0 } else { MOST };
    let pairs = LARGE.iter().filter(|(a, b)| a.abs().max(b.abs()) <= largest);
    for &(first, second) in pairs {
        let others = |k: usize| if k == 0 { first } else { second };
        let number = |i: usize| i as f64 / N as f64 * 240.0 - 120.0;
        let (streams, got) = ran(p, attrs, dtype, roles, number, others);
        let want = graph.eval_columns(&streams, &[], N).swap_remove(roles.of);
        for ((i, want), got) in want.into_iter().enumerate().zip(got) {
            let element = || streams.iter().map(|column| column[i]);
            let x = streams[roles.by][i];
            // A derivative has no relative accuracy at its zero, and in its tail only the digits that the type can
            // hold.
            let factors: f64 = element()
                .enumerate()
                .filter(|(k, _)| *k != roles.by && graph.reads(*k))
                .map(|(_, v)| v.abs().max(1.0))
                .product();
            let of_one = match dtype {
                DType::F16 => 6e-8,
                _ if x.abs() < 2.0 => 1e-6,
                _ => 7.6e-39,
            };
            let least = factors * of_one;
            let right = match want.abs() / largest {
                beyond if beyond > 1.02 => got.is_infinite() && got.signum() == want.signum(),
                within if within < 0.98 => {
                    (got - want).abs() <= 0.02 * want.abs() + least + ulp(dtype, want, 0.0)
                }
                _ => !got.is_nan(),
            };
            let name = p.op.name();
            assert!(
                right,
                "{name} {attrs:?} {dtype}: {:?} give {got}, not {want}",
                element().collect::<Vec<_>>()
            );
        }
    }
}
