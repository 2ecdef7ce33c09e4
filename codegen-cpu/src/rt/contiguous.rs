//! Fast path for contiguous tensors, which most calls have.
//!
//! It creates the two dimensions directly, instead of laying every stream over the domain and collapsing it again. Small calls
//! are twice as fast.

use super::job::{Job, Rows};
use super::stream::OutOfView;
use super::streams::Call;
use super::view::Raw;
use op_dsl_ir::Stored;
use op_dsl_ir::op::Kind;

/// Sets the job's domain and streams by the fast path, and returns whether the fast path applies.
///
/// Every tensor must be contiguous and not broadcast, inputs must have the kernel's type, and each output must either be an input
/// or share no memory with any other tensor.
pub(super) fn build_streams(job: &mut Job, call: &Call<'_>) -> Result<bool, OutOfView> {
    let Call { def, bound, kernels, outputs, .. } = *call;
    if kernels.reads().contains(&false) {
        return Ok(false);
    }
    // Elements of a part are contiguous from the split dimension on, or from the one after it.
    let (dim, gate_first) = bound.split.map_or((0, true), |s| (s.outer(), s.gate_first));
    let (outer, inner) = bound.domain.split_at(dim);
    let (rows, run): (usize, usize) = (outer.iter().product(), inner.iter().product());
    let total = rows * run;
    let fits = |raw: &Raw, kind: Kind| raw.dense && raw.count == total * kind.parts().len();
    for (t, input) in call.read() {
        let is_read_in_place =
            t.takes(input.dtype(), bound.element) && input.dtype() != Stored::Bit;
        if !fits(input.raw(), t.kind) || !is_read_in_place {
            return Ok(false);
        }
    }
    for (k, (t, out)) in def.outputs.iter().zip(outputs).enumerate() {
        if !fits(out.raw(), t.kind) {
            return Ok(false);
        }
        for (source, input) in call.read() {
            let same = source.kind == t.kind && out.dtype() == input.dtype();
            if same && input.raw().ptr == out.raw().ptr {
                job.in_place = true; // they have the same shape, so all else is equal too
            } else if !apart(input.raw(), out.raw()) {
                return Ok(false);
            }
        }
        if !outputs[..k].iter().all(|other| apart(other.raw(), out.raw())) {
            return Ok(false);
        }
    }

    // Rows of one element become one row, whose elements are two apart in a gated tensor.
    let one_row = run == 1;
    job.set_sizes(if one_row { 1 } else { rows }, if one_row { rows } else { run });
    let of = |start: usize, apart: usize| match one_row {
        true => Rows { start, pitch: 0, step: apart },
        false => Rows { start, pitch: apart, step: 1 },
    };
    let whole = [of(0, run)];
    let gate_and_value = if gate_first { [0, run] } else { [run, 0] }.map(|at| of(at, 2 * run));
    let parts = |kind: Kind| match kind {
        // With as many numbers as elements, rows have one element.
        Kind::Whole | Kind::Mask | Kind::PerRow => &whole[..],
        Kind::Gated => &gate_and_value,
        Kind::Rows => &[],
    };
    for (t, input) in call.read() {
        for &rows in parts(t.kind) {
            job.add_rows(input.raw(), t.seen(input.dtype()), rows)?;
        }
    }
    job.end_inputs();
    for (t, out) in def.outputs.iter().zip(outputs) {
        for &rows in parts(t.kind) {
            job.add_rows(out.raw(), t.seen(out.dtype()), rows)?;
        }
    }
    job.take_turns(kernels);
    job.dense = !one_row || job.is_dense();
    Ok(true)
}

/// Returns whether two contiguous tensors share no byte.
fn apart(a: &Raw, b: &Raw) -> bool {
    let end = |raw: &Raw| raw.ptr.addr() + raw.count * raw.dtype.size();
    end(a) <= b.ptr.addr() || end(b) <= a.ptr.addr()
}
