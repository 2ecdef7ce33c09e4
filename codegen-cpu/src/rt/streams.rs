//! Creates streams over the domain of a call from its views, and detects which of them share memory.

use super::abi::MAX_STREAMS;
use super::block::Kernels;
use super::error::Error;
use super::job::Job;
use super::overlap::{identical, may_overlap};
use super::stream::{OutOfView, Stream, extent, memory};
use super::view::{Memory, Raw, View, ViewMut};
use op_dsl_ir::bind::{Bound, MAX_RANK, Shape, laid, laid_output};
use op_dsl_ir::op::{OpDef, Part, Tensor};

/// A call whose attributes, shapes and element types are checked.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub def: &'c OpDef,
    pub bound: &'c Bound,
    pub kernels: &'c Kernels,
    pub inputs: &'c [View<'c>],
    pub outputs: &'c [ViewMut<'c>],
}

impl Call<'_> {
    /// Returns whether some tensor is a view of `Cell`s, which may be shared within the thread.
    pub fn has_cells(&self) -> bool {
        let mut inputs = self.inputs.iter().map(View::raw);
        let mut outputs = self.outputs.iter().map(ViewMut::raw);
        let of_cells = |raw: &Raw| raw.memory == Memory::Cells;
        inputs.any(of_cells) || outputs.any(of_cells)
    }

    /// Iterates over the inputs that have streams; row counts have none.
    pub fn read(&self) -> impl Iterator<Item = (&Tensor, &View<'_>)> + Clone {
        let all = self.def.inputs.iter().zip(self.inputs);
        all.filter(|(tensor, _)| !tensor.kind.parts().is_empty())
    }

    /// Returns the error for a stream that leaves the memory of its tensor.
    pub fn left(&self, _: OutOfView) -> Error {
        Error::OutOfView { op: self.def.name.to_string() }
    }
}

/// Adds a stream to the job for each part of each tensor: the whole, or gate and value separately.
pub(super) fn build_streams(job: &mut Job, call: &Call<'_>) -> Result<(), OutOfView> {
    let (def, rank) = (call.def, call.bound.domain.len());
    for (k, (tensor, view)) in def.inputs.iter().zip(call.inputs).enumerate() {
        let shape = laid(def, k, rank, &view.raw().shape);
        for &part in tensor.kind.parts() {
            let stream = over_domain(view.raw(), &shape, call.bound, part);
            job.add(view.raw(), Stream { dtype: tensor.seen(stream.dtype), ..stream })?;
        }
    }
    // Values of stages, which are not computed yet.
    (job.streams().len()..call.kernels.inputs()).for_each(|_| job.add_zeros());
    job.end_inputs();
    job.read_as(call.kernels);
    for (k, (tensor, view)) in def.outputs.iter().zip(call.outputs).enumerate() {
        let shape = laid_output(def, k, rank, &view.raw().shape);
        for &part in tensor.kind.parts() {
            let stream = over_domain(view.raw(), &shape, call.bound, part);
            job.add(view.raw(), Stream { dtype: tensor.seen(stream.dtype), ..stream })?;
        }
    }
    Ok(())
}

/// Creates the stream over a part of a tensor: the whole, its gate elements or its value elements.
///
/// `shape` is the shape that the tensor is broadcast by. The stream has the dimensions of the domain, with stride 0 along broadcast
/// dimensions.
pub(super) fn over_domain(raw: &Raw, shape: &Shape, bound: &Bound, part: Part) -> Stream {
    let size = raw.dtype.size() as isize;
    let lead = bound.domain.len() - shape.len(); // broadcast aligns innermost dimensions
    let split = bound.split.filter(|_| part != Part::Whole);
    let Raw { ptr, origin, dtype, .. } = *raw;
    let mut s = Stream { ptr, origin, dtype, strides: [0; MAX_RANK] };
    for (i, (&n, &stride)) in shape.iter().zip(&raw.strides).enumerate() {
        let (mut n, mut step) = (n, 1);
        if let Some(split) = split.filter(|split| split.dim == lead + i) {
            // Length of the part along the split dimension, which is 1 if it is broadcast.
            n /= 2;
            let place = split.place(part, n);
            step = place.step as isize;
            s.ptr = s.ptr.wrapping_offset(stride * size * place.offset as isize);
        }
        // The stride of a single element is arbitrary, and may even overflow.
        if n > 1 {
            s.strides[lead + i] = stride * size * step;
        }
    }
    s
}

/// Returns whether an output is also an input, so that the call works in place.
///
/// # Errors
/// An output shares elements with another, or with an input at different indices.
pub(super) fn check_overlap(job: &Job, call: &Call<'_>) -> Result<bool, Error> {
    let def = call.def;
    let op = || def.name.to_string();
    let mut extents = [(0, 0); MAX_STREAMS];
    for (e, s) in extents.iter_mut().zip(job.streams()) {
        *e = memory(s, extent(s, job.sizes()));
    }
    let meet = |a: usize, b: usize| {
        let stream = |k: usize| (&job.streams()[k], extents[k]);
        may_overlap(stream(a), stream(b), job.sizes())
    };
    let (first_out, reads) = (job.input_count(), call.kernels.reads());
    let (mut o, mut in_place) = (0, false);
    for (tensor, out) in def.outputs.iter().zip(call.outputs) {
        let outs = tensor.kind.parts().len();
        // Parts of one tensor never share elements, because a mutable view has each element only once.
        for (p, q) in (0..o).flat_map(|p| (o..o + outs).map(move |q| (p, q))) {
            if meet(first_out + p, first_out + q) {
                let mut names = def.output_names();
                let (second, first) = (names.swap_remove(q), names.swap_remove(p));
                return Err(Error::OutputOverlap { op: op(), first, second });
            }
        }
        let mut i = 0;
        for (source, input) in def.inputs.iter().zip(call.inputs) {
            let ins = source.kind.parts().len();
            // The tensors then agree part by part, though the gate of one overlaps the value of the other.
            let same = source.kind == tensor.kind && input.raw().is(out.raw());
            in_place |= same && reads[i..i + ins].contains(&true);
            let read = (i..i + ins).filter(|k| reads[*k] && !same);
            for (a, b) in read.flat_map(|a| (o..o + outs).map(move |b| (a, b))) {
                if identical(&job.inputs()[a], &job.outputs()[b]) {
                    in_place = true;
                } else if meet(a, first_out + b) {
                    let output = def.output_names().swap_remove(b);
                    let input = def.input_names().swap_remove(a);
                    return Err(Error::Overlap { op: op(), output, input });
                }
            }
            i += ins;
        }
        o += outs;
    }
    Ok(in_place)
}
