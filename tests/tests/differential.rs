//! Operators compared with the reference evaluator.
//!
//! Covers every element type, attribute value, SIMD level of this machine, boundary size, rank and split dimension.
#![allow(missing_docs)]

mod common;
#[path = "../../codegen-cpu/tests/levels/mod.rs"]
mod levels;

use common::*;
use half::{bf16, f16};
use levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::graph::{Graph, Id};
use op_dsl::ir::op::{Origin, Part, Value};
use op_dsl::ir::roles::{Dependence, activation, dependence};
use op_dsl::{Level, Operator, Options};
use op_dsl_ir::format::Format;
use op_dsl_truth::crossing;
use ops_glu_grad::OPERATORS;

const SIZES: [usize; 18] =
    [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 1000];

fn data(random: &mut Random) -> impl FnMut(&str) -> f64 {
    |_| random.normal(2.0)
}

/// Runs an operator and compares every element.
///
/// Errors are counted in ulps of the result; near a zero crossing, where it is small by cancellation, in the larger
/// unit of `op_dsl_truth::crossing`.
fn check(op: &Operator, attrs: &[Value], domain: &[usize], dtype: DType, level: Level, seed: u64) {
    let mut random = Random(seed);
    let ins = inputs(op, attrs, domain, dtype, data(&mut random));
    let options = Options { level: Some(level), threads: 1, ..Options::default() };
    let outs = run(op, attrs, &ins, &options);
    let spec = spec(op, attrs);
    let format = Format::of(dtype);
    let truth = |x: &[f64]| op_dsl_truth::outputs(spec, x, &[], format);
    let activation = activation(op.def());
    // The error budget of one primitive, plus one rounding for each product and for the store.
    let budget = if dtype == DType::F32 { 5.0 } else { 1.01 };
    // For each output, the streams that multiply it.
    let factors_of = |output: &Id| -> Vec<usize> {
        let graph = Graph { outputs: vec![*output].into(), ..spec.graph.clone() };
        let is_factor = |k: &usize| dependence(&graph, *k) == Dependence::Affine;
        (0..op.def().input_streams().len()).filter(is_factor).collect()
    };
    let factors: Vec<Vec<usize>> = spec.graph.outputs.iter().map(factors_of).collect();
    for i in 0..domain.iter().product() {
        let x = element(op, attrs, &ins, domain, i);
        let want = truth(&x);
        for (k, stream) in op.def().output_streams().into_iter().enumerate() {
            let got = outs[stream.tensor].at(place(op, attrs, stream, domain, i));
            let mut error = format.error(got, want[k], 0.0);
            if error > budget {
                let value = |a: f64| {
                    let mut x = x.clone();
                    x[activation] = a;
                    truth(&x)[k]
                };
                let factor = factors[k].iter().map(|s| x[*s].abs()).product();
                let scale = crossing::scale(x[activation], factor, value);
                error = format.error(got, want[k], format.ulp(scale));
            }
            assert!(
                error <= budget,
                "{} {attrs:?} {domain:?} {dtype} {}: output {k} of {x:?} is {got}, not {}: \
                 {error} ulp",
                op.name(),
                level.name(),
                want[k]
            );
        }
    }
}

fn everywhere(mut f: impl FnMut(&Operator, &[Value], DType, Level)) {
    let levels = levels();
    for op in thorough() {
        for attrs in attribute_values(op) {
            for dtype in DType::ALL {
                for level in &levels {
                    f(op, &attrs, dtype, *level);
                }
            }
        }
    }
}

#[test]
fn boundary_sizes() {
    everywhere(|op, attrs, dtype, level| {
        for n in SIZES {
            check(op, attrs, &[n], dtype, level, n as u64);
            check(op, attrs, &[3, n], dtype, level, 7 * n as u64);
        }
    });
}

#[test]
fn ranks_and_split_dimensions() {
    everywhere(|op, attrs, dtype, level| {
        for rank in 1..=8usize {
            let domain: Vec<usize> = (0..rank).map(|d| [3, 2, 5, 1, 2, 2, 1, 3][d]).collect();
            let Some(dim) = dim_attr(op) else {
                check(op, attrs, &domain, dtype, level, rank as u64);
                continue;
            };
            for d in -(rank as i64)..rank as i64 {
                let mut attrs = attrs.to_vec();
                attrs[dim] = Value::Int(d);
                check(op, &attrs, &domain, dtype, level, (d + 100) as u64);
            }
        }
    });
}

#[test]
fn threads_and_streaming_change_no_bit() {
    for op in OPERATORS {
        for dtype in op.def().dtypes.iter().copied() {
            let mut random = Random(11);
            let attrs = op.default_attrs();
            let ins = inputs(op, &attrs, &[37, 4099], dtype, data(&mut random));
            let one = run(op, &attrs, &ins, &Options { threads: 1, ..Options::default() });
            for (threads, streaming) in [(2, None), (7, None), (1, Some(true)), (2, Some(true))] {
                let other =
                    run(op, &attrs, &ins, &Options { threads, streaming, ..Options::default() });
                assert_eq!(one, other, "{} {dtype} {threads} {streaming:?}", op.name());
            }
        }
    }
}

#[test]
fn empty_tensors_are_empty_results_or_a_named_error() {
    for op in OPERATORS {
        let attrs = op.default_attrs();
        let ins = inputs(op, &attrs, &[0, 4], DType::F32, |_| 1.0);
        let metas: Vec<_> = ins.iter().map(Tensor::meta).collect();
        match op.infer(&attrs, &metas) {
            Ok(outs) => {
                assert!(op.def().empty, "{} takes empty tensors", op.name());
                assert!(outs.iter().all(|o| o.shape.contains(&0)));
                assert!(run(op, &attrs, &ins, &Options::default())[0].shape.contains(&0));
            }
            Err(e) => {
                assert!(!op.def().empty, "{}: {e}", op.name());
                let text = e.to_string();
                assert!(text.contains(op.name()) && text.contains("empty"), "{text}");
            }
        }
    }
}

/// A result depends only on its own element.
///
/// It does not depend on whether a neighbour is in a tail, is NaN or overflows, which makes the step take a slow
/// path. There are many elements, because a difference in the last place of f32 shows in one of some thousand 16-bit
/// results.
#[test]
fn neighbours_change_no_bit() {
    const N: usize = 1 << 17;
    const EVERY: usize = 64; // the longest step
    let odd = [-30.0, 30.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 3.3e38, -3.3e38];
    everywhere(|op, attrs, dtype, level| {
        let mut random = Random(23);
        let ins = inputs(op, attrs, &[N], dtype, |_| random.normal(1.0));
        let mut changed = ins.clone();
        let which: Vec<usize> =
            (0..N / EVERY).map(|block| block * EVERY + random.below(EVERY)).collect();
        for stream in op.def().input_streams() {
            let places = Places::new(op, attrs, stream, &[N]);
            for &i in &which {
                changed[stream.tensor].set(places.of(i), odd[random.below(odd.len())]);
            }
        }
        let options = Options { level: Some(level), ..Options::default() };
        let (before, after) = (run(op, attrs, &ins, &options), run(op, attrs, &changed, &options));
        for stream in op.def().output_streams() {
            let places = Places::new(op, attrs, stream, &[N]);
            let at = |outs: &[Tensor], i: usize| outs[stream.tensor].at(places.of(i));
            for i in (0..N).filter(|i| which[i / EVERY] != *i) {
                let (before, after) = (at(&before, i), at(&after, i));
                assert!(
                    before.to_bits() == after.to_bits(),
                    "{} {attrs:?} {dtype} {}: {i} was {before}, is {after}",
                    op.name(),
                    level.name()
                );
            }
        }
    });
}

/// The largest finite factors times a derivative that underflowed give zero, not NaN.
///
/// The largest `dy` times a derivative above one is finite again after a product with a small `a`.
#[test]
fn no_nan_and_no_false_infinity() {
    // Arguments where the derivative underflows, even after products with the largest factors.
    for (name, far) in [("GeGluGradV2", -50.0), ("SwiGluGrad", -400.0)] {
        let op = OPERATORS.iter().find(|o| o.name() == name).expect("an operator");
        for (dtype, top, least) in [
            (DType::F32, f32::MAX, f32::from_bits(1)),
            (DType::BF16, bf16::MAX.to_f32(), bf16::from_bits(1).to_f32()),
            (DType::F16, f16::MAX.to_f32(), f16::from_bits(1).to_f32()),
        ] {
            for level in levels() {
                for attrs in attribute_values(op) {
                    limits(op, &attrs, dtype, level, far, f64::from(top), f64::from(least));
                }
            }
        }
    }
}

fn limits(
    op: &Operator,
    attrs: &[Value],
    dtype: DType,
    level: Level,
    far: f64,
    top: f64,
    least: f64,
) {
    // At every position in a step, with ordinary neighbours.
    const N: usize = 64;
    let origins = origins(op);
    let at_place = |dy: f64, gate: f64, value: f64, k: usize| {
        let mut ins = inputs(op, attrs, &[N], dtype, |_| 0.5);
        for s in op.def().input_streams() {
            let v = match (s.part, origins[s.tensor]) {
                (Part::Gate, _) => gate,
                (Part::Value, _) => value,
                (Part::Whole, Origin::Upstream(_)) => dy,
                (Part::Whole, _) => 0.0,
            };
            ins[s.tensor].set(place(op, attrs, s, &[N], k), v);
        }
        let options = Options { level: Some(level), ..Options::default() };
        let outs = run(op, attrs, &ins, &options);
        outs[0].at(place(op, attrs, op.def().output_streams()[0], &[N], k))
    };
    let case = |dy: f64, gate: f64, value: f64| {
        let first = at_place(dy, gate, value, 0);
        for k in 1..N {
            let other = at_place(dy, gate, value, k);
            assert!(other.to_bits() == first.to_bits(), "{k}: {other}, not {first}");
        }
        first
    };
    assert_eq!(case(top, far, top), 0.0);
    let back = case(top, 2.0, 0.1);
    assert!(back.is_finite() && back > 0.1 * top, "{} {dtype}: {back}", op.name());
    assert_eq!(case(least, 20.0, 1.0), least);
    assert_eq!(case(1.0, f64::INFINITY, 1.0), 1.0);
    assert_eq!(case(1.0, f64::NEG_INFINITY, 1.0), 0.0);
    assert!(case(1.0, f64::NAN, 1.0).is_nan());
    // The result for an infinite `dy` has the derivative's sign, on both sides of its root.
    assert_eq!(case(f64::INFINITY, -0.5, 1.0), f64::INFINITY);
    assert_eq!(case(f64::INFINITY, -2.0, 1.0), f64::NEG_INFINITY);
    assert_eq!(case(f64::NEG_INFINITY, 0.5, 1.0), f64::NEG_INFINITY);
}
