//! The short way for dense tensors, which most calls have: two dimensions at once, instead of
//! laying every stream over the domain and collapsing it again. Small calls are twice as fast.

use super::plan::Job;
use super::view::{Raw, View, ViewMut};
use op_dsl_ir::bind::Bound;
use op_dsl_ir::op::{Kind, OpDef, Part, Pattern};

/// Sets the job's domain and streams if every tensor is dense, of the kernel's type and not
/// broadcast, and outputs are inputs or nowhere near them; tells whether it did.
pub(super) fn lay(
    job: &mut Job,
    def: &OpDef,
    bound: &Bound,
    inputs: &[View<'_>],
    outputs: &[ViewMut<'_>],
) -> bool {
    let total: usize = bound.domain.iter().product();
    // Elements of a part that lie side by side, and how many such runs there are.
    let (run, second_is_gate) = match bound.split {
        None => (total, false),
        Some(s) if s.pattern == Pattern::Halves => {
            (bound.domain[s.dim..].iter().product(), !s.gate_first)
        }
        Some(_) => return false,
    };
    let fits = |raw: &Raw, kind: Kind| {
        let parts = if kind == Kind::Gated { 2 } else { 1 };
        raw.dense && raw.dtype == bound.dtype && raw.count == total * parts
    };
    let ins = || def.inputs.iter().zip(inputs.iter().map(|v| v.raw()));
    let outs = || def.outputs.iter().zip(outputs.iter().map(|v| v.raw()));
    if !ins().all(|(t, raw)| t.used && fits(raw, t.kind)) || !outs().all(|(t, r)| fits(r, t.kind)) {
        return false;
    }
    let range = |raw: &Raw| (raw.ptr.addr(), raw.ptr.addr() + raw.count * raw.dtype.size());
    let apart = |a: &Raw, b: &Raw| {
        let (a, b) = (range(a), range(b));
        a.1 <= b.0 || b.1 <= a.0
    };
    for (k, (t, out)) in outs().enumerate() {
        for (source, input) in ins() {
            if source.kind == t.kind && input.ptr == out.ptr {
                job.in_place = true; // they have the same shape, so all else is the same too
            } else if !apart(input, out) {
                return false;
            }
        }
        if !outs().take(k).all(|(_, other)| apart(other, out)) {
            return false;
        }
    }

    // Without gated tensors all runs are one.
    let gated = ins().chain(outs()).any(|(t, _)| t.kind == Kind::Gated);
    let run = if gated { run } else { total };
    job.set_sizes(total / run, run);
    let size = bound.dtype.size();
    let streams = |kind: Kind| match kind {
        Kind::Whole => &[Part::Whole][..],
        Kind::Gated => &[Part::Gate, Part::Value],
    };
    let place = |part: Part| match part {
        Part::Whole => (0, run * size),
        Part::Gate => (if second_is_gate { run * size } else { 0 }, 2 * run * size),
        Part::Value => (if second_is_gate { 0 } else { run * size }, 2 * run * size),
    };
    for (t, raw) in ins() {
        for &part in streams(t.kind) {
            let (offset, row) = place(part);
            job.add_input().set(raw.ptr.wrapping_add(offset), raw.dtype, row, size);
        }
    }
    for (t, raw) in outs() {
        for &part in streams(t.kind) {
            let (offset, row) = place(part);
            job.add_output().set(raw.ptr.wrapping_add(offset), raw.dtype, row, size);
        }
    }
    true
}
