//! Derivatives alone, all factors being one: every number of the 16-bit types, and of `float` a grid,
//! the tails, and all signs and exponents with seven digits.

use super::common::*;
use super::program::Program;
use op_dsl::ir::graph::Node;
use op_dsl::ir::op::{Part, Stream, Value};
use op_dsl::ir::{DType, Prim};

/// Numbers of a sweep.
const N: usize = 1 << 16;

/// Relative errors of `float` derivatives from -8 to -4, and what of a graph has them.
const TAILS: &[(Prim, f64)] =
    &[(Prim::GeluGrad, 2e-6), (Prim::GeluTanhGrad, 1.5e-5), (Prim::SiluGrad, 2e-6)];

/// The numbers of a sweep, and how far a derivative may be off: its value, what it should be.
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

/// Of 16-bit results, one step from the rounded value is as good as one from the true; below the
/// normal range of `float` there is less.
fn one_ulp(dtype: DType, got: f64, want: f64) -> bool {
    let nearest = Tensor::new(&[], dtype, || want).at(0);
    let error = (got - want).abs().min((got - nearest).abs());
    error <= ulp(dtype, want, 0.0).max(7.6e-39)
}

/// Every form and element type of an operator that is a derivative.
pub fn check(p: &Program) {
    let mut forms = 0;
    for attrs in attribute_values(p.op) {
        let graph = graph(p.op, &attrs);
        let has =
            |prim: Prim| graph.nodes.iter().any(|n| matches!(n, Node::Call(q, _) if *q == prim));
        let Some((_, tail)) = TAILS.iter().find(|(prim, _)| has(*prim)) else { continue };
        forms += 1;
        for dtype in p.dtypes().into_iter().filter(|d| p.has(&attrs, *d)) {
            let sweeps: &[Sweep] = match dtype {
                DType::F16 => &[F16],
                DType::BF16 => &[BF16],
                DType::F32 => &[GRID, TAIL, EXPONENTS],
            };
            for sweep in sweeps {
                check_sweep(p, &attrs, dtype, sweep, *tail);
            }
        }
    }
    let ours = ops_glu_grad::OPERATORS.iter().any(|op| op.name() == p.op.name());
    let derivative = ours && p.op.def().grad_of.is_some();
    assert!(forms > 0 || !derivative, "{} was not swept", p.op.name());
}

fn check_sweep(p: &Program, attrs: &[Value], dtype: DType, (number, fits): &Sweep, tail: f64) {
    // What the derivative is taken by, and the output that it is a factor of.
    let streams = p.op.def().input_streams();
    let by = |s: &&Stream| match s.part {
        Part::Gate => true,
        Part::Value => false,
        Part::Whole => ["x", "input"].contains(&&*p.op.def().inputs[s.tensor].name),
    };
    let gate = *streams.iter().find(by).expect("an argument");
    let outputs = p.op.def().output_streams();
    let k = outputs.iter().position(|s| s.part != Part::Value).expect("a derivative");

    let numbers = Places::new(p.op, attrs, gate, &[N]).of(0)..;
    let mut at = 0;
    let name = &p.op.def().inputs[gate.tensor].name;
    let ins = inputs(p.op, attrs, &[N], dtype, |tensor| {
        if tensor != name {
            return 1.0;
        }
        at += 1;
        let i = (at - 1_usize).checked_sub(numbers.start).filter(|i| *i < N);
        i.map_or(1.0, number)
    });
    let out = &p.run(attrs, &ins, 40).outputs[outputs[k].tensor];
    let places = Places::new(p.op, attrs, outputs[k], &[N]);
    let graph = graph(p.op, attrs);
    for i in 0..N {
        // As `float` has it.
        let (x, got) = (ins[gate.tensor].at(numbers.start + i), out.at(places.of(i)));
        let all: Vec<f64> = streams.iter().map(|s| if *s == gate { x } else { 1.0 }).collect();
        let want = graph.eval(&all, &[])[k];
        let right = match () {
            _ if want.is_nan() => got.is_nan(),
            _ if x.is_infinite() => got == want,
            _ => fits(got, want, tail),
        };
        let name = p.op.name();
        assert!(right, "{name} {attrs:?} {dtype}: {x} gives {got}, not {want}");
    }
}
