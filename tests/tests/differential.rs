//! Every operator against its graph in f64: every element type, attribute value, level of this
//! machine, boundary size, rank and split dimension.
#![allow(missing_docs)]

mod common;

use common::*;
use op_dsl::ir::DType;
use op_dsl::ir::op::{Part, Value};
use op_dsl::{Level, Operator, Options};
use ops_glu_grad::OPERATORS;

const SIZES: [usize; 18] =
    [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 1000];

fn data(random: &mut Random) -> impl FnMut(&str) -> f64 {
    |_| random.normal(2.0)
}

/// Errors of results are counted in ulps of the result, or of 2^-7 times what multiplies the
/// derivative, near whose zero crossing the result is small by cancellation.
fn check(op: &Operator, attrs: &[Value], domain: &[usize], dtype: DType, level: Level, seed: u64) {
    let mut random = Random(seed);
    let ins = inputs(op, attrs, domain, dtype, data(&mut random));
    let options = Options { level: Some(level), threads: 1, ..Options::default() };
    let outs = run(op, attrs, &ins, &options);
    let graph = graph(op, attrs);
    // The budget of one primitive, and a rounding for each product and for the store.
    let budget = match (dtype, level.has_fma()) {
        (DType::F32, true) => 5.0,
        (DType::F32, false) => 12.0,
        _ => 1.01,
    };
    let streams = op.def.input_streams();
    for i in 0..domain.iter().product() {
        let x = element(op, attrs, &ins, domain, i);
        let want = graph.eval(&x, &[]);
        let factors = streams.iter().zip(&x).filter(|(s, _)| {
            let name = &op.def.inputs[s.tensor].name;
            s.part != Part::Gate && !["x", "input"].contains(&&**name) || s.part == Part::Value
        });
        let least = factors.map(|(_, v)| v.abs()).product::<f64>().min(1e3) / 128.0;
        for (k, stream) in op.def.output_streams().into_iter().enumerate() {
            let got = outs[stream.tensor].at(place(op, attrs, stream, domain, i));
            let error = (got - want[k]).abs() / ulp(dtype, want[k], least);
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
    for op in OPERATORS {
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
        for dtype in DType::ALL {
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
                assert!(op.def.empty, "{} takes empty tensors", op.name());
                assert!(outs.iter().all(|o| o.shape.contains(&0)));
                assert!(run(op, &attrs, &ins, &Options::default())[0].shape.contains(&0));
            }
            Err(e) => {
                assert!(!op.def.empty, "{}: {e}", op.name());
                let text = e.to_string();
                assert!(text.contains(op.name()) && text.contains("empty"), "{text}");
            }
        }
    }
}

/// The largest finite factors around a gate that has underflowed give zero, not NaN; and the
/// largest `dy` times a derivative above one comes back down with a small `a`.
#[test]
fn no_nan_and_no_false_infinity() {
    let op = OPERATORS.iter().find(|o| o.name() == "GeGluGradV2").expect("an operator");
    for level in levels() {
        for attrs in attribute_values(op) {
            // Wherever in a step it is, with ordinary neighbours.
            const N: usize = 64;
            let at_place = |dy: f64, gate: f64, value: f64, k: usize| {
                let mut ins = inputs(op, &attrs, &[N], DType::F32, |_| 0.5);
                for s in op.def.input_streams() {
                    let at = place(op, &attrs, s, &[N], k);
                    let v = match (s.part, &*op.def.inputs[s.tensor].name) {
                        (Part::Gate, _) => gate,
                        (Part::Value, _) => value,
                        (Part::Whole, "dy") => dy,
                        (Part::Whole, _) => 0.0,
                    };
                    if let Data::F32(data) = &mut ins[s.tensor].data {
                        data[at] = v as f32;
                    }
                }
                let options = Options { level: Some(level), ..Options::default() };
                let outs = run(op, &attrs, &ins, &options);
                let gate_out = op.def.output_streams()[0];
                outs[0].at(place(op, &attrs, gate_out, &[N], k))
            };
            let case = |dy: f64, gate: f64, value: f64| {
                let first = at_place(dy, gate, value, 0);
                for k in 1..N {
                    let other = at_place(dy, gate, value, k);
                    assert!(other.to_bits() == first.to_bits(), "{k}: {other}, not {first}");
                }
                first
            };
            assert_eq!(case(1e30, -50.0, 1e30), 0.0);
            let top = f32::MAX as f64;
            let back = case(top, 1.4, 0.1);
            assert!(back.is_finite() && back > 0.1 * top, "{back}");
            assert_eq!(case(1e-45f32 as f64, 20.0, 1.0), 1e-45f32 as f64);
            assert_eq!(case(1.0, f64::INFINITY, 1.0), 1.0);
            assert_eq!(case(1.0, f64::NEG_INFINITY, 1.0), 0.0);
            assert!(case(1.0, f64::NAN, 1.0).is_nan());
        }
    }
}
