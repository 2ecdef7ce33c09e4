//! How many rows a call computes, where an input says so; the others are zeros.
//!
//! Rows are counted through all dimensions before the split dimension, outermost first. So the first of them are
//! no box, but slabs: whole indices of the outermost dimension, then of the next one within the index that
//! follows, and so on. Each slab is a run of the driver.

use super::block::{BlockFn, Body, Input, Kernels};
use super::driver;
use super::elem::El;
use super::error::Error;
use super::job::Job;
use super::options::Options;
use super::simd::{Isa, Level};
use super::step::Floats;
use super::streams::{Call, over_domain};
use super::view::View;
use core::ops::Range;
use op_dsl_ir::bind::{Bound, MAX_RANK};
use op_dsl_ir::op::{OpDef, Part};
use op_dsl_ir::{DType, Stored};

/// The rows of a call that computes only some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    /// How many dimensions make them, from the outermost on. None make one row.
    outer: usize,
    /// How many are computed, of more.
    computed: usize,
}

impl Rows {
    /// What an input leaves of a call: as many rows as the sum of its entries; `None` if that is all of them.
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

    /// Computes the rows that are computed. The job's streams lie over the domain, which has elements.
    pub fn compute(self, job: &Job, call: &Call<'_>, options: &Options) {
        for slab in self.slabs(job.sizes()).map(|(first, _)| first) {
            slab.run(job, options, |part| part.take_turns(call.kernels));
        }
    }

    /// Writes the others: `zeros` is [that kernel](zeros) of the job.
    ///
    /// # Errors
    /// An output is not as its view says; [`Error::OutOfView`].
    pub fn clear(
        self,
        job: &Job,
        zeros: BlockFn,
        call: &Call<'_>,
        options: &Options,
    ) -> Result<(), Error> {
        for output in call.outputs {
            let domain = output.raw().shape;
            let whole = Bound { domain, dtype: job.dtype, ..Bound::default() };
            let mut all = Job::new(&whole, zeros, job.converters, job.level);
            all.alone = job.alone;
            all.end_inputs();
            let stream = over_domain(output.raw(), &whole, Part::Whole);
            all.add(output.raw(), stream).map_err(|e| call.left(e))?;
            for slab in self.slabs(all.sizes()).map(|(_, rest)| rest) {
                slab.run(&all, options, |_| {});
            }
        }
        Ok(())
    }

    /// Dimension by dimension, the slab of rows that are computed and that of the others. `sizes` are those of the
    /// domain or of an output, which differ from the split dimension on only.
    fn slabs(self, sizes: &[usize]) -> impl Iterator<Item = (Slab, Slab)> {
        // The index of the first row that is not computed.
        let mut at = [0; MAX_RANK];
        let mut rest = self.computed;
        for d in (0..self.outer).rev() {
            (at[d], rest) = (rest % sizes[d], rest / sizes[d]);
        }
        let last = self.outer.saturating_sub(1);
        let slab = move |dim, range| Slab { at, dim, range };
        let ends: [usize; MAX_RANK] = core::array::from_fn(|d| sizes.get(d).copied().unwrap_or(1));
        (0..=last).map(move |d| {
            // What follows within this index is for the next dimension to cut.
            let next = at[d] + usize::from(d < last);
            (slab(d, 0..at[d]), slab(d, next..ends[d]))
        })
    }
}

/// One index of each of the dimensions before `dim`, some of `dim`, and all of those behind.
struct Slab {
    at: [usize; MAX_RANK],
    dim: usize,
    range: Range<usize>,
}

impl Slab {
    /// Runs a job over nothing else.
    fn run(&self, job: &Job, options: &Options, lay: impl FnOnce(&mut Job)) {
        if self.range.is_empty() {
            return;
        }
        let mut part = job.clone();
        for (d, &index) in self.at[..self.dim].iter().enumerate() {
            part.narrow(d, index..index + 1);
        }
        part.narrow(self.dim, self.range.clone());
        part.collapse();
        lay(&mut part);
        driver::run(&mut part, options);
    }
}

/// The elements of a view of integers with one dimension.
fn integers<'v>(view: &'v View<'_>) -> impl Iterator<Item = i64> + 'v {
    let (first, stride) = (view.as_ptr().cast::<i64>(), view.strides()[0]);
    let place = move |i: usize| first.wrapping_offset(stride * i as isize);
    // SAFETY: the view vouches for its elements, which need no alignment, and nobody writes them during the call.
    (0..view.shape()[0]).map(move |i| unsafe { place(i).read_unaligned() })
}

/// Reads nothing and writes zeros.
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

/// The kernel that writes zeros; none if this build lacks the level.
pub(super) fn zeros(dtype: DType, level: Level) -> Option<BlockFn> {
    const ZEROS: &Kernels = &Kernels::of::<Zeros, 0, 0, 1>();
    ZEROS.get(dtype, level)
}
