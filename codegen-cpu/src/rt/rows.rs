//! Row functions: stages that run on a chunk of whole rows before the kernel of the results.
//!
//! ```text
//! kernel   rows of the streams           -> terms in scratch memory, in f32
//! reduce   terms of a row                -> its value, in f64
//! uniform  values of earlier stages      -> a value, in f64
//! ```
//!
//! A later kernel reads a value as one number per row. Values and terms are f32 whatever the element type of the tensors, because
//! terms of 16 bits would lose digits before they are added.

use super::block::Kernels;
use super::chunks::CHUNK;
use super::driver;
use super::elem::El;
use super::job::Job;
use super::options::Options;
use super::reduce::{self, Reduce};
use super::stream::Stream;
use super::view::contiguous_strides;
use crate::with_element;
use op_dsl_ir::DType;
use op_dsl_ir::graph::{Graph, Node};
use op_dsl_ir::op::{RowFunction, Rule, Spec};
use std::borrow::Cow;

/// The stages of an operator with row functions.
pub(super) struct Rows<'a> {
    pub spec: &'a Spec,
    /// Kernels of the stages with terms, in order.
    pub stages: &'a [Kernels],
    /// Kernels of the results.
    pub results: &'a Kernels,
    /// Number of input streams of the operator, before those of stages.
    pub inputs: usize,
    /// Values of the attributes, as formulas read them.
    pub scalars: Vec<f64>,
}

/// Values of stages for the rows of a chunk, in f64; [`Rows::floats`] says what is in scratch memory.
#[derive(Default)]
pub(super) struct Values(Vec<Vec<f64>>);

impl Rows<'_> {
    /// Returns the streams of stages that kernels read.
    fn further(&self) -> core::ops::Range<usize> {
        self.inputs..self.results.inputs()
    }

    /// Returns how many numbers scratch memory holds for chunks of at most `longest` elements, with rows of `columns`.
    pub fn floats(&self, longest: usize, columns: usize) -> usize {
        let stages = || self.spec.stages.iter();
        let kept = stages().filter(|stage| stage.terms.is_some()).count();
        let values = stages().count() + stages().filter(|stage| stage.rest.is_some()).count();
        longest.min(CHUNK) + kept * longest + values * longest.div_ceil(columns)
    }

    /// Runs the stages on a chunk of whole rows and lets the job read their values.
    ///
    /// The job has the dimensions of the domain, the last of which is a row. `scratch` must have room for as many numbers as
    /// [`Rows::floats`] says, and stay in place while the job runs.
    pub fn run(&self, job: &mut Job, scratch: *mut f32, values: &mut Values) {
        let last = job.rank - 1;
        let (elements, columns) = (job.elements(), job.size[last]);
        let is_large = job.next_chunk.iter().any(|bytes| *bytes != 0);
        let rows = elements / columns;
        let mut free = scratch.wrapping_add(elements.min(CHUNK));
        let mut take = |n: usize| {
            let taken = free;
            free = free.wrapping_add(n);
            taken
        };
        let mut kernels = self.stages.iter();
        values.0.clear();
        for stage in self.spec.stages.iter() {
            let value = match stage.rule {
                Rule::Reduce(function) => {
                    let Some(stage_kernels) = kernels.next() else { continue };
                    job.prefetches_next =
                        is_large && self.is_last_to_read(stage_kernels, kernels.as_slice());
                    let kept = stage.terms.filter(|terms| self.further().contains(terms));
                    let kept = kept.map(|terms| (terms, take(elements)));
                    let terms = kept.map_or(scratch, |(_, place)| place);
                    let value = match element(&stage.spec.graph).filter(|_| kept.is_none()) {
                        Some(k) => match job.contiguous(k) {
                            Some(dtype) => {
                                with_element!(dtype, E => of_elements::<E>(job, k, function))
                            }
                            None => reduce(job, stage_kernels, function, terms, false),
                        },
                        None => reduce(job, stage_kernels, function, terms, kept.is_some()),
                    };
                    if let Some((stream, place)) = kept {
                        job.set_contiguous(stream, place.cast(), DType::F32.into());
                    }
                    value
                }
                Rule::Uniform => self.uniform(&stage.spec.graph, rows, values),
            };
            if self.further().contains(&stage.value) {
                let place = take(rows);
                // SAFETY: scratch memory has room for a number per row and stream.
                let to = unsafe { core::slice::from_raw_parts_mut(place, rows) };
                to.iter_mut().zip(&value).for_each(|(to, value)| *to = *value as f32);
                job.set_input(stage.value, per_row(job, place));
            }
            if let Some(stream) = stage.rest.filter(|rest| self.further().contains(rest)) {
                let place = take(rows);
                // SAFETY: as above.
                let to = unsafe { core::slice::from_raw_parts_mut(place, rows) };
                to.iter_mut().zip(&value).for_each(|(to, value)| *to = rest(*value));
                job.set_input(stream, per_row(job, place));
            }
            values.0.push(value);
        }
        job.prefetches_next = is_large;
        job.read_as(self.results);
    }

    /// Returns whether the kernels of a stage read an input that those of `later` stages and of the results do not.
    ///
    /// These kernels prefetch the next chunk: all that comes after them depends on arithmetic and caches alone, so that memory would
    /// have nothing to do. Prefetching in every run was slower, since a line is then asked for several times.
    fn is_last_to_read(&self, kernels: &Kernels, later: &[Kernels]) -> bool {
        let later = later.iter().chain([self.results]);
        (0..self.inputs).any(|k| kernels.reads()[k] && !later.clone().any(|other| other.reads()[k]))
    }

    /// Computes a value from those of earlier stages, for each row.
    fn uniform(&self, graph: &Graph, rows: usize, values: &Values) -> Vec<f64> {
        let of_stream = |stream: usize| {
            let mut stages = self.spec.stages.iter().zip(&values.0);
            // In f64 a value has no rest.
            let is_rest = self.spec.stages.iter().any(|stage| stage.rest == Some(stream));
            let value = stages.find(|(stage, _)| stage.value == stream);
            value
                .map(|(_, value)| Cow::Borrowed(&value[..]))
                .or(is_rest.then(|| vec![0.0; rows].into()))
        };
        let columns = graph.columns(rows, |_, node| match *node {
            Node::Stream(s) => of_stream(s.into()),
            Node::Scalar(s) => {
                let scalar = self.scalars.get(usize::from(s)).copied();
                Some(vec![scalar.unwrap_or(f64::NAN); rows].into())
            }
            _ => None,
        });
        let output = graph.outputs.first().and_then(|output| columns.get(output.index()));
        output.map_or_else(|| vec![f64::NAN; rows], |value| value.to_vec())
    }
}

/// Computes the terms of a stage and returns the function's value for each row.
///
/// `terms` has room for all terms if they are kept, else for a part of them.
fn reduce(
    job: &Job,
    kernels: &Kernels,
    function: RowFunction,
    terms: *mut f32,
    is_kept: bool,
) -> Vec<f64> {
    let last = job.rank - 1;
    let (columns, rows) = (job.size[last], job.elements() / job.size[last]);
    let mut values = vec![reduce::start(function); rows];
    // Several rows fit a part; a longer row is cut.
    let part = if rows > 1 { columns } else { CHUNK };
    let options = Options { threads: 1, streaming: Some(false), ..Options::default() };
    for first in (0..columns).step_by(part) {
        let columns = part.min(columns - first);
        let mut job = job.clone();
        job.narrow(last, first..first + columns);
        let place = if is_kept { terms.wrapping_add(first) } else { terms };
        job.set_sole_output(place.cast(), DType::F32.into());
        if !job.compute(kernels) {
            continue;
        }
        let elements = job.elements();
        job.dense = job.rank == 2 && job.is_dense();
        driver::run(&mut job, &options);
        // SAFETY: the terms' place has room for the elements of the part, and scratch memory is initialised.
        let terms = unsafe { core::slice::from_raw_parts(place, elements) };
        let row = |row: usize| &terms[row * columns..][..columns];
        // The kernel has run at this level, so that the processor has it.
        job.level.run(Reduce { function, row, values: &mut values });
    }
    reduce::finish(function, columns, &mut values);
    values
}

/// Returns the input stream whose elements are the terms themselves, as in `row_sum(x)`; `None` if terms are computed.
fn element(graph: &Graph) -> Option<usize> {
    let output = graph.outputs.first()?;
    match graph.nodes.get(output.index())? {
        Node::Stream(stream) => Some((*stream).into()),
        _ => None,
    }
}

/// Returns the value of a function of the elements of input `k`, which are contiguous in each row, for each row.
fn of_elements<E: El + Into<f64>>(job: &Job, k: usize, function: RowFunction) -> Vec<f64> {
    let columns = job.size[job.rank - 1];
    let mut values = vec![reduce::start(function); job.elements() / columns];
    let row = |row: usize| {
        let place = job.row(k, row).cast::<E>().cast_const();
        // SAFETY: a row of the domain, whose elements the view vouches for. No kernel writes them before this chunk is done.
        unsafe { core::slice::from_raw_parts(place, columns) }
    };
    // The kernel of the job is one of this level, so that the processor has it.
    job.level.run(Reduce { function, row, values: &mut values });
    reduce::finish(function, columns, &mut values);
    values
}

/// Returns the remainder of a value, which is what it loses when it is rounded to f32; 0 if the value is not finite in f32.
fn rest(value: f64) -> f32 {
    let rest = (value - f64::from(value as f32)) as f32;
    if rest.is_finite() { rest } else { 0.0 }
}

/// Returns the stream of one number per row at `place`, which is repeated along the row.
fn per_row(job: &Job, place: *mut f32) -> Stream {
    let last = job.rank - 1;
    let mut strides =
        contiguous_strides(&job.sizes()[..last]).map(|s| s * size_of::<f32>() as isize);
    strides[last..].fill(0);
    let place = place.cast();
    Stream { ptr: place, origin: place, dtype: DType::F32.into(), strides }
}
