//! Calls whose elements repeat: one call of each kernel is judged, and every other must give the same bits.
//!
//! A result depends on the element alone, not on its place, the shape or the number of cores. Comparing bits shows that as well, and
//! takes a hundredth of what the reference takes.

use super::common::*;
use super::judge::judge;
use super::program::{Program, Ran};
use op_dsl::ir::DType;
use op_dsl::ir::op::{Stream, Value};

/// Number of different elements.
///
/// It is prime, so that rows, blocks and tiles, whose sizes have other factors, begin at different elements.
const PERIOD: usize = 4099;

/// Results of the judged calls of a kernel: for each attribute values and element type, the bits of every output stream.
pub type Known = Vec<(Vec<Value>, DType, Vec<Vec<u64>>)>;

/// Returns input tensors whose element `i` has the values of element `i % PERIOD`, whatever the domain.
pub fn inputs(p: &Program, attrs: &[Value], domain: &[usize], dtype: DType) -> Vec<Tensor> {
    let mut ins = super::common::inputs(p.op, attrs, domain, dtype, |_| 1.0);
    let count: usize = domain.iter().product();
    for (k, stream) in p.op.def().input_streams().into_iter().enumerate() {
        let mut random = Random(k as u64 + 1);
        let values: Vec<f64> = (0..count.min(PERIOD)).map(|_| random.normal(2.0)).collect();
        let places = Places::new(p.op, attrs, stream, domain);
        let all = (0..count).map(|i| (places.of(i), values[i % PERIOD]));
        match &mut ins[stream.tensor].data {
            // True is any byte but 0.
            Data::Mask(v) => {
                all.for_each(|(at, x)| v[at] = if x > 0.0 { [1, 255, 128, 2][at % 4] } else { 0 });
            }
            _ => all.for_each(|(at, x)| ins[stream.tensor].set(at, x)),
        }
    }
    ins
}

/// Checks that a call with these inputs has the results of the judged call, element by element.
pub fn check(p: &Program, attrs: &[Value], domain: &[usize], dtype: DType, ran: &Ran) {
    let known = |of: &Known| of.iter().position(|(a, d, _)| (&a[..], *d) == (attrs, dtype));
    let mut all = p.known.borrow_mut();
    let at = known(&all).unwrap_or_else(|| {
        all.push((attrs.to_vec(), dtype, judged(p, attrs, dtype)));
        all.len() - 1
    });
    for (k, (stream, want)) in p.op.def().output_streams().into_iter().zip(&all[at].2).enumerate() {
        let got = bits(p, attrs, domain, stream, &ran.outputs);
        let wrong = got.iter().enumerate().find(|(i, got)| **got != want[i % PERIOD]);
        if let Some((i, got)) = wrong {
            let [got, want] = [*got, want[i % PERIOD]].map(f64::from_bits);
            panic!(
                "{} {attrs:?} {domain:?} {dtype}: output {k} of element {i} is {got}, elsewhere {want}\n{:?}",
                p.op.name(),
                ran.tiling
            );
        }
    }
}

/// Runs every element once and judges the results.
fn judged(p: &Program, attrs: &[Value], dtype: DType) -> Vec<Vec<u64>> {
    let mut attrs = attrs.to_vec();
    if let Some(dim) = dim_attr(p.op) {
        attrs[dim] = Value::Int(-1);
    }
    let domain = [PERIOD];
    let ins = inputs(p, &attrs, &domain, dtype);
    let ran = p.run(&attrs, &ins, 40);
    judge(p, &attrs, &ins, &domain, &ran);
    let of = |stream| bits(p, &attrs, &domain, stream, &ran.outputs);
    p.op.def().output_streams().into_iter().map(of).collect()
}

/// Returns the bits of an output stream, as f64, in the order of the domain.
fn bits(
    p: &Program,
    attrs: &[Value],
    domain: &[usize],
    stream: Stream,
    outputs: &[Tensor],
) -> Vec<u64> {
    let places = Places::new(p.op, attrs, stream, domain);
    let count: usize = domain.iter().product();
    (0..count).map(|i| outputs[stream.tensor].at(places.of(i)).to_bits()).collect()
}
