//! Compares every element of a kernel's results with the graph.

use super::common::*;
use super::program::{Program, Ran};
use codegen_ascendc::plan::accuracy::{Accuracy, Reference};
use op_dsl::ir::format::Format;
use op_dsl::ir::op::{Stream, Value};

/// Replaces infinity where the formula as written gives NaN there: its limit is accepted instead.
const FAR: f64 = 1e30;

/// Largest error of a run, as a multiple of the budget.
///
/// It exceeds 1 because plans are searched for errors at some ten thousand elements (`plan::search`) and kernels run
/// through millions: a search of 24,000 other elements found 8.81 ulp of 8 at most, of gelu'' by tanh in f32 on
/// ascend950.
const BETWEEN_SAMPLES: f64 = 1.1;

/// Number of elements that are evaluated together.
const CHUNK: usize = 4096;

/// Panics on the first element whose error exceeds the budget.
pub fn judge(p: &Program, attrs: &[Value], ins: &[Tensor], domain: &[usize], ran: &Ran) {
    let op = p.op;
    let dtype = ins[0].dtype();
    let spec = op.def().specs.iter().position(|s| std::ptr::eq(&s.graph, graph(op, attrs)));
    let graph = graph(op, attrs);
    let scalars = scalars(attrs);
    let reference = Reference::new(op.def(), spec.unwrap_or(0), dtype, scalars.clone());
    let inputs = placed(p, attrs, domain, &op.def().input_streams());
    let outputs = placed(p, attrs, domain, &op.def().output_streams());
    let mut found = Accuracy::new(dtype);
    // An omitted input is NaN here, and no kernel of that call reads it.
    let is_read: Vec<bool> = (0..inputs.len()).map(|i| graph.reads(i)).collect();
    let count: usize = domain.iter().product();
    for start in (0..count).step_by(CHUNK) {
        let part = start..count.min(start + CHUNK);
        let columns = |tensors: &[Tensor], streams: &[(usize, Places)]| -> Vec<Vec<f64>> {
            let column = |(t, places): &(usize, Places)| {
                part.clone().map(|i| tensors[*t].at(places.of(i))).collect()
            };
            streams.iter().map(column).collect()
        };
        let (all_x, all_got) = (columns(ins, &inputs), columns(&ran.outputs, &outputs));
        let all_want = graph.eval_columns(&all_x, &scalars, part.len());
        let is_finite = |at: usize| {
            all_x.iter().zip(&is_read).all(|(x, is_read)| x[at].is_finite() || !is_read)
        };
        let finite: Vec<usize> = (0..part.len()).filter(|at| is_finite(*at)).collect();
        let of_finite = |columns: &[Vec<f64>]| -> Vec<Vec<f64>> {
            columns.iter().map(|c| finite.iter().map(|at| c[*at]).collect()).collect()
        };
        let elements: Vec<usize> = finite.iter().map(|at| start + at).collect();
        found.add(&reference, &elements, &of_finite(&all_x), &of_finite(&all_got));
        assert!(
            found.error <= BETWEEN_SAMPLES * found.budget,
            "{} {attrs:?} {domain:?} {dtype}: {:?} ulp, {:?}\n{:?}",
            op.name(),
            found.error,
            found.worst,
            ran.tiling
        );
        for (at, i) in part.enumerate() {
            let is_finite = is_finite(at);
            if is_finite && all_want.iter().all(|want| want[at].is_finite()) {
                continue;
            }
            let of = |columns: &[Vec<f64>]| -> Vec<f64> { columns.iter().map(|c| c[at]).collect() };
            let (x, got, want) = (of(&all_x), of(&all_got), of(&all_want));
            let far: Vec<f64> =
                x.iter().map(|x| if x.is_infinite() { FAR.copysign(*x) } else { *x }).collect();
            let limits = graph.eval(&far, &scalars);
            for (k, ((got, want), limit)) in got.iter().zip(&want).zip(limits).enumerate() {
                if is_finite && want.is_finite() {
                    continue;
                }
                // A limit beyond the type's largest number counts as reached by that number.
                let largest = Format::of(dtype).max();
                let is_large = got * limit.signum() >= limit.abs().min(largest);
                let is_limit = limit.abs() > 1e15 && is_large
                    || Format::of(dtype).error(*got, limit, 0.0) <= BETWEEN_SAMPLES * found.budget;
                let same = got == want || want.is_nan() && (got.is_nan() || is_limit);
                let near =
                    Format::of(dtype).error(*got, *want, 0.0) <= BETWEEN_SAMPLES * found.budget;
                assert!(
                    same || near,
                    "{} {attrs:?} {domain:?} {dtype}: output {k} of element {i} is {got}, not {want}\n{x:?}\n{:?}",
                    op.name(),
                    ran.tiling
                );
            }
        }
    }
}

/// Returns the values of the attributes that a formula reads.
fn scalars(attrs: &[Value]) -> Vec<f64> {
    let float = |v: &Value| if let Value::Float(v) = v { Some(f64::from(*v as f32)) } else { None };
    attrs.iter().filter_map(float).collect()
}

/// Returns the tensor of each stream, and the positions of its elements.
fn placed(
    p: &Program,
    attrs: &[Value],
    domain: &[usize],
    streams: &[Stream],
) -> Vec<(usize, Places)> {
    streams.iter().map(|s| (s.tensor, Places::new(p.op, attrs, *s, domain))).collect()
}
