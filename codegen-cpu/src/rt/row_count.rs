//! Row counts: an input that limits how many rows a call computes; the rows beyond become zeros.
//!
//! Rows are counted through all dimensions before the split dimension, outermost first. The computed rows are therefore not one box but
//! several slabs: whole indices of the outermost dimension, then of the next one within the following index, and so on. Each slab is
//! one run of the driver. For example, 7 of `3 x 4` rows are the slabs `0..1` of the first dimension and, within its index 1, `0..3` of
//! the second.

use super::abi::BlockFn;
use super::block::{Body, Input, Kernels};
use super::driver;
use super::elem::El;
use super::error::Error;
use super::interpreter::doubles;
use super::job::Job;
use super::options::Options;
use super::simd::{Isa, Level};
use super::step::Floats;
use super::streams::{Call, over_domain};
use super::view::View;
use core::ops::Range;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::{Bound, MAX_RANK};
use op_dsl_ir::op::{OpDef, Part};

/// Number of rows that a call computes, where it computes only some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    /// Number of outermost dimensions whose indices number the rows. Without any there is one row.
    outer: usize,
    /// Number of rows that are computed, fewer than all.
    computed: usize,
}

impl Rows {
    /// Sums the entries of the row-count input, an operator's input of integers that limits its rows.
    ///
    /// Returns `None` if there is no such input, or if the sum covers all rows.
    ///
    /// # Errors
    /// An entry is negative.
    pub fn of(def: &OpDef, bound: &Bound, inputs: &[View<'_>]) -> Result<Option<Rows>, Error> {
        let (Some(input), Some(split)) = (def.rows(), bound.split) else { return Ok(None) };
        if inputs[input].dtype() != Stored::Int64 {
            return Ok(None); // it was left out
        }
        let mut computed = 0usize;
        for (at, count) in integers(&inputs[input]).enumerate() {
            if count < 0 {
                let (op, tensor) = (def.name.to_string(), def.inputs[input].name.to_string());
                return Err(Error::RowCount { op, tensor, at, got: count });
            }
            computed = computed.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
        }
        let rows: usize = bound.domain[..split.dim].iter().product();
        Ok((computed < rows).then_some(Rows { outer: split.dim, computed }))
    }

    /// Runs the job over the rows that are computed.
    ///
    /// The job's streams must have the dimensions of the domain (index space), which must have elements.
    pub fn compute(self, job: &Job, call: &Call<'_>, options: &Options) {
        for slab in self.slabs(job.sizes()).map(|(first, _)| first) {
            slab.run(job, options, |part| part.take_turns(call.kernels));
        }
    }

    /// Writes zeros to the rows that are not computed, with the kernel that [`zeros`] returns.
    ///
    /// # Errors
    /// A stream leaves the view of an output; [`Error::OutOfView`].
    pub fn clear(
        self,
        job: &Job,
        zeros: BlockFn,
        call: &Call<'_>,
        options: &Options,
    ) -> Result<(), Error> {
        for output in call.outputs {
            let domain = output.raw().shape;
            let whole = Bound { domain, ..Bound::default() };
            let mut all = Job::new(&whole, job.dtype, zeros, job.converters, job.level);
            (all.alone, all.step) = (job.alone, job.step);
            all.program = Some(&doubles::ZEROS);
            all.end_inputs();
            let stream = over_domain(output.raw(), &domain, &whole, Part::Whole);
            all.add(output.raw(), stream).map_err(|e| call.left(e))?;
            for slab in self.slabs(all.sizes()).map(|(_, rest)| rest) {
                slab.run(&all, options, |_| {});
            }
        }
        Ok(())
    }

    /// Returns, per dimension, the slab of rows to compute and the slab of rows to fill with zeros.
    ///
    /// `sizes` are the dimensions of the domain or of an output. The two differ only from the split dimension (the one along which a
    /// gated tensor is cut into gate and value) on.
    fn slabs(self, sizes: &[usize]) -> impl Iterator<Item = (Slab, Slab)> {
        // Index of the first row that is not computed.
        let mut at = [0; MAX_RANK];
        let mut rest = self.computed;
        for d in (0..self.outer).rev() {
            (at[d], rest) = (rest % sizes[d], rest / sizes[d]);
        }
        let last = self.outer.saturating_sub(1);
        let slab = move |dim, range| Slab { at, dim, range };
        let ends: [usize; MAX_RANK] = core::array::from_fn(|d| sizes.get(d).copied().unwrap_or(1));
        (0..=last).map(move |d| {
            // The next dimension cuts the rows within this index.
            let next = at[d] + usize::from(d < last);
            (slab(d, 0..at[d]), slab(d, next..ends[d]))
        })
    }
}

/// A part of the domain: index `at[d]` of each dimension `d` before `dim`, and a range of `dim`.
///
/// Dimensions after `dim` are whole.
struct Slab {
    at: [usize; MAX_RANK],
    dim: usize,
    range: Range<usize>,
}

impl Slab {
    /// Runs a copy of the job that is restricted to this slab.
    ///
    /// `build_streams` may change the copy after its dimensions are joined, before it runs.
    fn run(&self, job: &Job, options: &Options, build_streams: impl FnOnce(&mut Job)) {
        if self.range.is_empty() {
            return;
        }
        let mut part = job.clone();
        for (d, &index) in self.at[..self.dim].iter().enumerate() {
            part.narrow(d, index..index + 1);
        }
        part.narrow(self.dim, self.range.clone());
        part.collapse();
        build_streams(&mut part);
        driver::run(&mut part, options);
    }
}

/// Iterates over the elements of a one-dimensional view of integers.
fn integers<'v>(view: &'v View<'_>) -> impl Iterator<Item = i64> + 'v {
    let (first, stride) = (view.as_ptr().cast::<i64>(), view.strides()[0]);
    let place = move |i: usize| first.wrapping_offset(stride * i as isize);
    // SAFETY: the view vouches for its elements, which need no alignment, and nobody writes them during the call.
    (0..view.shape()[0]).map(move |i| unsafe { place(i).read_unaligned() })
}

/// A body that reads nothing and writes zeros.
struct Zeros;

impl Body<0, 0, 1> for Zeros {
    #[inline(always)]
    fn eval<S: Isa, E: El, const W: usize>(
        s: S,
        _: [Input<'_, S, E, W>; 0],
        _: [Floats<S, W>; 0],
    ) -> [Floats<S, W>; 1] {
        [Floats::splat(s, 0.0)]
    }
}

/// Returns the kernel that writes zeros, or `None` if this build lacks the SIMD level.
pub(super) fn zeros(element: Stored, level: Level) -> Option<BlockFn> {
    const ZEROS: &Kernels = &Kernels::of::<Zeros, 0, 0, 1>();
    match element.number() {
        Some(dtype) => ZEROS.get(dtype, level),
        None => doubles::kernel(level),
    }
}
