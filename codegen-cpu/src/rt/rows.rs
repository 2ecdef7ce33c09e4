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
use super::elem::El;
use super::job::Job;
use super::passes::{Pass, Place};
use super::reduce::{self, Reduce};
use super::stream::Stream;
use super::view::contiguous_strides;
use crate::with_element;
use core::ops::Range;
use op_dsl_ir::DType;
use op_dsl_ir::graph::{Graph, Id, Node};
use op_dsl_ir::op::{RowFunction, Rule, Spec};

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

/// The stages of an operator, prepared for chunks of one shape.
pub(super) struct Stages<'a> {
    spec: &'a Spec,
    stages: Vec<Prepared<'a>>,
}

/// A stage, prepared for chunks of one shape.
struct Prepared<'a> {
    work: Work<'a>,
    /// The value of each row.
    value: Vec<f64>,
    /// Places in scratch memory for the nearest f32 and for the remainder of each value, where kernels read them.
    nearest: Option<*mut f32>,
    rest: Option<*mut f32>,
}

/// The computation of a stage.
enum Work<'a> {
    /// A row function of elements that input `stream` has contiguous in each row.
    Elements { function: RowFunction, stream: usize, dtype: DType, pass: Box<Pass> },
    /// A row function of terms that kernels compute.
    Terms { function: RowFunction, columns: usize, parts: Vec<Part> },
    /// A function of values of earlier stages.
    Uniform(Uniform<'a>),
}

/// Parts of rows, of equal length: whole rows, all parts of a long row but the last, or the last.
struct Part {
    pass: Pass,
    /// Column of the first part, the parts' number of columns, and their number.
    first: usize,
    columns: usize,
    count: usize,
    /// Place of the terms in scratch memory.
    terms: *mut f32,
    /// Whether the terms of each part have a place of their own.
    is_kept: bool,
}

/// A function of values of earlier stages, which is computed in f64 for each row.
struct Uniform<'a> {
    graph: &'a Graph,
    /// For each node, its values.
    columns: Vec<Vec<f64>>,
}

impl<'a> Rows<'a> {
    /// Returns the streams of stages that kernels read.
    fn further(&self) -> Range<usize> {
        self.inputs..self.results.inputs()
    }

    /// Returns how many numbers scratch memory holds for chunks of at most `longest` elements, with rows of `columns`.
    pub fn floats(&self, longest: usize, columns: usize) -> usize {
        let stages = || self.spec.stages.iter();
        let kept = stages().filter(|stage| stage.terms.is_some()).count();
        let values = stages().count() + stages().filter(|stage| stage.rest.is_some()).count();
        longest.min(CHUNK) + kept * longest + values * longest.div_ceil(columns)
    }

    /// Prepares the stages for chunks of whole rows with the sizes of the job, and lets the job read their values.
    ///
    /// The job has the dimensions of the domain, the last of which is a row. It is on the chunk at index 0. `scratch` must have room
    /// for as many numbers as [`Rows::floats`] says, in the range of addresses `memory`, and stay in place while the passes run.
    pub fn prepare(&self, job: &mut Job, scratch: *mut f32, memory: &Range<usize>) -> Stages<'a> {
        let last = job.rank - 1;
        let (elements, columns) = (job.elements(), job.size[last]);
        let rows = elements / columns;
        let mut free = scratch.wrapping_add(elements.min(CHUNK));
        let mut take = |n: usize| {
            let taken = free;
            free = free.wrapping_add(n);
            taken
        };
        let mut kernels = self.stages.iter();
        let mut stages = Vec::new();
        for stage in self.spec.stages.iter() {
            let work = match stage.rule {
                Rule::Reduce(function) => {
                    let Some(stage_kernels) = kernels.next() else { continue };
                    job.prefetches_next = self.is_last_to_read(stage_kernels, kernels.as_slice());
                    let kept = stage.terms.filter(|terms| self.further().contains(terms));
                    let kept = kept.map(|terms| (terms, take(elements)));
                    let element = element(&stage.spec.graph).filter(|_| kept.is_none());
                    match element.and_then(|k| Some((k, job.contiguous(k)?))) {
                        Some((stream, dtype)) => {
                            let pass = Box::new(Pass::new(job.clone(), memory, false, |_| ()));
                            Work::Elements { function, stream, dtype, pass }
                        }
                        None => {
                            let place = kept.map_or(scratch, |(_, place)| place);
                            let parts =
                                parts(job, stage_kernels, function, place, kept.is_some(), memory);
                            if let Some((stream, place)) = kept {
                                job.set_contiguous(stream, place.cast(), DType::F32.into());
                            }
                            Work::Terms { function, columns, parts }
                        }
                    }
                }
                Rule::Uniform => {
                    Work::Uniform(Uniform::new(&stage.spec.graph, &self.scalars, rows))
                }
            };
            let streams = [Some(stage.value), stage.rest].map(|stream| {
                let stream = stream.filter(|stream| self.further().contains(stream))?;
                Some((stream, take(rows)))
            });
            for (stream, place) in streams.into_iter().flatten() {
                job.set_input(stream, per_row(job, place));
            }
            let [nearest, rest] = streams.map(|stream| stream.map(|(_, place)| place));
            stages.push(Prepared { work, value: vec![0.0; rows], nearest, rest });
        }
        job.prefetches_next = true;
        job.read_as(self.results);
        Stages { spec: self.spec, stages }
    }

    /// Returns whether the kernels of a stage read an input that those of `later` stages and of the results do not.
    ///
    /// These kernels prefetch the next chunk: all that comes after them depends on arithmetic and caches alone, so that memory would
    /// have nothing to do. Prefetching in every run was slower, since a line is then asked for several times.
    fn is_last_to_read(&self, kernels: &Kernels, later: &[Kernels]) -> bool {
        let later = later.iter().chain([self.results]);
        (0..self.inputs).any(|k| kernels.reads()[k] && !later.clone().any(|other| other.reads()[k]))
    }
}

/// Prepares the kernels of a stage on whole rows, or on the parts of a long row.
///
/// `terms` has room for all terms if they are kept, else for a part of them.
fn parts(
    job: &Job,
    kernels: &Kernels,
    function: RowFunction,
    terms: *mut f32,
    is_kept: bool,
    memory: &Range<usize>,
) -> Vec<Part> {
    let last = job.rank - 1;
    let (columns, rows) = (job.size[last], job.elements() / job.size[last]);
    let longest = part(columns, rows);
    let (count, rest) = (columns / longest, columns % longest);
    let parts = [(0, longest, count), (count * longest, rest, 1)];
    let part = |(first, columns, count)| {
        let prepare = |sums: Option<bool>| {
            let mut job = job.clone();
            job.narrow(last, 0..columns);
            job.set_sole_output(terms.cast(), DType::F32.into());
            job.sums = sums;
            job.set_kernel(kernels).then(|| {
                let mut pass = Pass::new(job, memory, false, |job| job.finish(kernels));
                if !is_kept {
                    pass.fix_output();
                }
                pass
            })
        };
        let adds = function != RowFunction::Max && kernels.adds(job.dtype, job.level);
        let adding = if adds && columns >= job.step { prepare(Some(!is_kept)) } else { None };
        let pass = adding.filter(Pass::is_plain).or_else(|| prepare(None))?;
        Some(Part { pass, first, columns, count, terms, is_kept })
    };
    parts.into_iter().filter(|(_, columns, _)| *columns > 0).filter_map(part).collect()
}

impl Part {
    /// Takes the terms of the chunk at `place` into the values of its rows.
    fn run(
        &mut self,
        function: RowFunction,
        place: &Place,
        next: Option<&Place>,
        values: &mut [f64],
    ) {
        for k in 0..self.count {
            let first = self.first + k * self.columns;
            self.pass.move_to(place, first, next);
            let terms = if self.is_kept { self.terms.wrapping_add(first) } else { self.terms };
            self.pass.run(values);
            if self.pass.job.sums.is_some() {
                continue;
            }
            let columns = self.columns;
            // SAFETY: the terms' place has room for the elements of the part, and scratch memory is initialised.
            let terms = unsafe { core::slice::from_raw_parts(terms, values.len() * columns) };
            let row = |row: usize| &terms[row * columns..][..columns];
            // The kernel has run at this level, so that the processor has it.
            self.pass.job.level.run(Reduce { function, row, values });
        }
    }
}

impl<'a> Uniform<'a> {
    fn new(graph: &'a Graph, scalars: &[f64], rows: usize) -> Uniform<'a> {
        let column = |node: &Node| match *node {
            Node::Const(c) => vec![c; rows],
            Node::Scalar(s) => {
                vec![scalars.get(usize::from(s)).copied().unwrap_or(f64::NAN); rows]
            }
            _ => vec![f64::NAN; rows],
        };
        Uniform { graph, columns: graph.nodes.iter().map(column).collect() }
    }

    /// Computes the value of each row; `of_stream` returns the values of an earlier stage.
    fn run<'v>(&mut self, of_stream: impl Fn(usize) -> Option<&'v [f64]>, values: &mut [f64]) {
        for (k, node) in self.graph.nodes.iter().enumerate() {
            let (before, column) = self.columns.split_at_mut(k);
            let Some(column) = column.first_mut() else { continue };
            match *node {
                Node::Stream(s) => match of_stream(s.into()) {
                    Some(values) => column.copy_from_slice(values),
                    None => column.fill(0.0),
                },
                Node::Call(prim, args) => {
                    let oracle = prim.row().oracle;
                    for (row, to) in column.iter_mut().enumerate() {
                        let of = |id: Id| before.get(id.index()).map_or(f64::NAN, |x| x[row]);
                        *to = oracle(args.map(of));
                    }
                }
                Node::Const(_) | Node::Scalar(_) => {}
            }
        }
        let output = self.graph.outputs.first().and_then(|output| self.columns.get(output.index()));
        match output {
            Some(column) => values.copy_from_slice(column),
            None => values.fill(f64::NAN),
        }
    }
}

impl Stages<'_> {
    /// Runs the stages on the chunk at `place`, and prefetches the chunk at `next`. `last` is the dimension of a row.
    pub fn run(&mut self, place: &Place, next: Option<&Place>, last: usize) {
        for k in 0..self.stages.len() {
            let (earlier, stage) = self.stages.split_at_mut(k);
            let Some(Prepared { work, value, nearest, rest }) = stage.first_mut() else { continue };
            match work {
                Work::Elements { function, stream, dtype, pass } => {
                    pass.move_to(place, 0, None);
                    value.fill(reduce::start(*function));
                    with_element!(*dtype, E => of_elements::<E>(&pass.job, *stream, *function, value));
                    reduce::finish(*function, pass.job.size[last], value);
                }
                Work::Terms { function, columns, parts } => {
                    value.fill(reduce::start(*function));
                    for part in parts {
                        part.run(*function, place, next, value);
                    }
                    reduce::finish(*function, *columns, value);
                }
                Work::Uniform(uniform) => {
                    let stages = self.spec.stages.iter().zip(&*earlier);
                    // In f64 a value has no rest.
                    let of_stream = |stream: usize| {
                        let mut stages = stages.clone();
                        let stage = stages.find(|(stage, _)| stage.value == stream);
                        stage.map(|(_, prepared)| &prepared.value[..])
                    };
                    uniform.run(of_stream, value);
                }
            }
            let rows = value.len();
            if let Some(place) = *nearest {
                // SAFETY: scratch memory has room for a number per row and stream.
                let to = unsafe { core::slice::from_raw_parts_mut(place, rows) };
                to.iter_mut().zip(&*value).for_each(|(to, value)| *to = *value as f32);
            }
            if let Some(place) = *rest {
                // SAFETY: as above.
                let to = unsafe { core::slice::from_raw_parts_mut(place, rows) };
                to.iter_mut().zip(&*value).for_each(|(to, value)| *to = remainder(*value));
            }
        }
    }
}

/// Returns the input stream whose elements are the terms themselves, as in `row_sum(x)`; `None` if terms are computed.
fn element(graph: &Graph) -> Option<usize> {
    let output = graph.outputs.first()?;
    match graph.nodes.get(output.index())? {
        Node::Stream(stream) => Some((*stream).into()),
        _ => None,
    }
}

/// Takes the elements of input `k`, which are contiguous in each row, into the values of a row function.
fn of_elements<E: El + Into<f64>>(job: &Job, k: usize, function: RowFunction, values: &mut [f64]) {
    let columns = job.size[job.rank - 1];
    let longest = part(columns, values.len());
    for first in (0..columns).step_by(longest) {
        let row = |row: usize| {
            let place = job.row(k, row).cast::<E>().cast_const().wrapping_add(first);
            // SAFETY: a part of a row of the domain, whose elements the view vouches for. No kernel writes them before this chunk is
            // done.
            unsafe { core::slice::from_raw_parts(place, longest.min(columns - first)) }
        };
        // The kernel of the job is one of this level, so that the processor has it.
        job.level.run(Reduce { function, row, values });
    }
}

/// Returns the number of columns of the parts whose sums are added: all, because several rows fit a part, or those of a part of a
/// longer row.
fn part(columns: usize, rows: usize) -> usize {
    if rows > 1 { columns } else { CHUNK.min(columns) }
}

/// Returns the remainder of a value, which is what it loses when it is rounded to f32; 0 if the value is not finite in f32.
fn remainder(value: f64) -> f32 {
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
