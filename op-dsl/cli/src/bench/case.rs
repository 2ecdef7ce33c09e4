//! Benchmark case: one operator on one set of tensors, and the floor, which has the same memory traffic.

use super::data::Pool;
use crate::args::DataKind;
use crate::array::{Array, views, views_mut};
use crate::error::Error;
use crate::roles;
use codegen_cpu::rt::call::{Operator, Options};
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::DType;
use op_dsl_ir::bind::{Bound, Shape, bind, laid, laid_output};
use op_dsl_ir::format::Format;
use op_dsl_ir::op::{Kind, OpDef, Part, Stream, Value};
use std::time::{Duration, Instant};

/// Minimum duration of a timed run: short calls are repeated until they take this long, because reading the clock takes time too.
const SAMPLE: Duration = Duration::from_micros(400);
/// Total duration of the timed runs, which decides their number unless `--runs` gives it.
const PATIENCE: Duration = Duration::from_millis(500);
/// Minimum and maximum number of timed runs, unless `--runs` gives it.
const RUNS: (usize, usize) = (9, 201);
/// Number of elements whose results are compared with the graph in f64 before timing.
const SAMPLES: usize = 4096;
/// Relative error allowed in the comparison with the graph in f64, one for each [`DType`] in its order.
///
/// The comparison only catches wrong results: `verify` measures accuracy.
const TOLERANCE: [f64; DType::COUNT] = [1e-3, 8e-3, 1e-5];

/// Duration of a call, in nanoseconds per element of the formula's iteration domain.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Timing {
    /// Median of all timed runs, in nanoseconds per element.
    pub median: f64,
    /// The shortest run, in nanoseconds per element; other load on the machine disturbs it least.
    pub least: f64,
}

/// Tensors, and the two operators that are timed on them: the real one and its floor.
///
/// The floor is an operator with the same memory traffic and next to no arithmetic.
pub struct Case<'o> {
    op: &'o Operator,
    floor: Operator,
    attrs: Vec<Value>,
    inputs: Vec<Array>,
    outputs: Vec<Array>,
    bound: Bound,
    written: usize,
    data: DataKind,
}

impl<'o> Case<'o> {
    /// Allocates the tensors of an operator whose activation input has the shape `shape`.
    ///
    /// # Errors
    /// The shape does not suit the operator, or its tensors do not fit into memory.
    pub fn new(
        op: &'o Operator,
        attrs: &[Value],
        shape: &[usize],
        dtype: DType,
        data: DataKind,
    ) -> Result<Case<'o>, Error> {
        let shapes = roles::input_shapes(op, attrs, shape)?;
        let lead = roles::lead(op.def());
        let longest = shapes.iter().map(|s| s.iter().product()).max().unwrap_or(0);
        let mut normal = Pool::normal(longest);
        let mut inputs = Vec::new();
        for (i, (tensor, shape)) in op.def().inputs.iter().zip(&shapes).enumerate() {
            inputs.push(match tensor.kind {
                _ if op.def().presence(i).is_some() => Array::absent(),
                Kind::Rows => Array::all_rows(),
                _ if i == lead && data != DataKind::Normal => {
                    Pool::of(data, longest).array(tensor, dtype, shape)?
                }
                _ => normal.array(tensor, dtype, shape)?,
            });
        }
        let metas: Vec<_> = inputs.iter().map(Array::meta).collect();
        let bound = bind(op.def(), attrs, &metas).map_err(codegen_cpu::rt::error::Error::from)?;
        let mut outputs = Vec::new();
        for meta in op.infer(attrs, &metas)? {
            outputs.push(Array::zeros(meta.dtype, &meta.shape)?);
        }
        let bytes = |o: &Array| o.shape.iter().product::<usize>() * o.stored().size();
        let written: usize = outputs.iter().map(bytes).sum();
        let (reads, writes) = (op.def().input_streams().len(), op.def().output_streams().len());
        let floor = op.floor().ok_or_else(|| {
            let op = op.name();
            Error::WrongResult(format!("{op}: no floor for {reads} streams in and {writes} out"))
        })?;
        Ok(Case { op, floor, attrs: attrs.to_vec(), inputs, outputs, bound, written, data })
    }

    /// Returns the call as bound to the tensors: iteration domain, specialisation and element type.
    pub fn bound(&self) -> &Bound {
        &self.bound
    }

    /// Returns whether the operator and its floor use non-temporal stores with these options.
    ///
    /// The floor is an operator with the same memory traffic and next to no arithmetic.
    pub fn is_streaming(&self, options: &Options) -> bool {
        let level = options.level.unwrap_or_else(Level::best);
        options.streaming.unwrap_or(level.streams(self.written))
    }

    /// Returns the number of elements of the formula's domain.
    pub fn elements(&self) -> usize {
        self.bound.domain.elements().unwrap_or(0)
    }

    /// Returns the bytes that a call must move per element of the formula's domain.
    ///
    /// They are those of the input streams that the formula reads and of all outputs.
    pub fn bytes(&self) -> usize {
        let spec = &self.op.def().specs[self.bound.spec];
        let streams = self.op.def().input_streams();
        let read = streams.iter().enumerate().filter(|(k, _)| spec.reads(*k));
        let read: usize = read.map(|(_, s)| self.inputs[s.tensor].stored().size()).sum();
        let written = self.op.def().output_streams();
        read + written.iter().map(|s| self.outputs[s.tensor].stored().size()).sum::<usize>()
    }

    /// Runs the operator once.
    ///
    /// # Errors
    /// The options ask for a SIMD level that this CPU does not have.
    pub fn run(&mut self, options: &Options) -> Result<(), Error> {
        let (inputs, mut outputs) = (views(&self.inputs)?, views_mut(&mut self.outputs)?);
        Ok(self.op.run(&self.attrs, &inputs, &mut outputs, options)?)
    }

    /// Runs the operator and compares a sample of the results with the graph evaluated in f64.
    ///
    /// # Errors
    /// A result is wrong.
    pub fn check(&mut self, options: &Options) -> Result<(), Error> {
        self.run(options)?;
        let def = self.op.def();
        let scalars = def.scalars(&self.attrs);
        let (reads, writes) = (def.input_streams(), def.output_streams());
        // Near a zero crossing the tolerance is absolute, because relative errors grow without bound there. Values of
        // the tail are small throughout without a crossing.
        let small = if self.data == DataKind::Tail { 1e-40 } else { 0.1 };
        let tolerance = TOLERANCE[self.bound.dtype as usize];
        let least = if self.bound.dtype.has_f32_range() { 1e-40 } else { 1.2e-7 };
        let count = self.elements();
        let spec = &def.specs[self.bound.spec];
        // With functions of rows, samples are whole rows.
        let (has_rows, last) = (!spec.stages.is_empty(), self.bound.domain.last());
        let columns = last.copied().filter(|_| has_rows).unwrap_or(1);
        let rank = self.bound.domain.len();
        let (of_inputs, of_outputs) = laid_shapes(def, rank, &self.inputs, &self.outputs);
        let samples = SAMPLES.div_ceil(columns).min(count / columns.max(1));
        for sample in 0..samples {
            let row = (sample as u128 * (count / columns) as u128 / samples as u128) as usize;
            let get = |s: &Stream, a: &[Array], shapes: &[Shape], i: usize| {
                a[s.tensor].get(position(&self.bound, s, &shapes[s.tensor], i))
            };
            let column = |s: &Stream| {
                let of = |i| get(s, &self.inputs, &of_inputs, row * columns + i);
                (0..columns).map(of).collect()
            };
            let values: Vec<Vec<f64>> = reads.iter().map(column).collect();
            let want = match has_rows {
                true => spec.eval_row(&values, &scalars, columns),
                false => spec.graph.eval_columns(&values, &scalars, columns),
            };
            // The sum over rows is no result of one row.
            let is_own = |s: &Stream| !has_rows || def.sum(s.tensor).is_none();
            let all = writes.iter().zip(&want).enumerate().filter(|(_, (s, _))| is_own(s));
            let all =
                all.flat_map(|(k, (s, want))| want.iter().enumerate().map(move |w| (k, s, w)));
            for (k, s, (i, want)) in all {
                let i = row * columns + i;
                let got = get(s, &self.outputs, &of_outputs, i);
                let converted = def.result_type(s.tensor).filter(|own| own.is_converted());
                let want = converted.map_or(*want, |stored| stored.nearest(*want));
                // A number near a tie may become either neighbour.
                let (tolerance, least) = match converted.map(Format::of_stored) {
                    None => (tolerance, least),
                    Some(Some(format)) => (format.ulp(1.0), format.ulp(0.0)),
                    Some(None) => (0.0, 1.0),
                };
                let allowed = tolerance * want.abs().max(small) + least;
                if (got - want).abs() > allowed || got.is_nan() != want.is_nan() {
                    let (op, output) = (self.op.name(), def.output_names().swap_remove(k));
                    return Err(Error::WrongResult(format!(
                        "{op}: {output} is {got:e} where {want:e} is right, element {i}; not timed"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Returns how long `times` calls of the operator take.
    ///
    /// # Errors
    /// As [`Case::run`].
    pub fn time_calls(&mut self, options: &Options, times: usize) -> Result<Duration, Error> {
        let (inputs, mut outputs) = (views(&self.inputs)?, views_mut(&mut self.outputs)?);
        let start = Instant::now();
        for _ in 0..times {
            self.op.run(&self.attrs, &inputs, &mut outputs, options)?;
        }
        Ok(start.elapsed())
    }

    /// Returns how long `times` runs of the floor (the same memory traffic, no arithmetic) take.
    ///
    /// The floor's arguments are checked only once because the overhead of a call is no memory traffic and would
    /// flatter small operators.
    ///
    /// # Errors
    /// As [`Case::run`].
    pub fn time_floor(&mut self, options: &Options, times: usize) -> Result<Duration, Error> {
        let (inputs, mut outputs) = (views(&self.inputs)?, views_mut(&mut self.outputs)?);
        let start = Instant::now();
        self.floor.run_repeatedly(times, &self.attrs, &inputs, &mut outputs, options)?;
        Ok(start.elapsed())
    }

    /// Times the operator and its floor in `runs` interleaved runs; returns the operator's timing first.
    ///
    /// The floor has the same memory traffic and next to no arithmetic. By default there are as many runs as fit into
    /// half a second.
    ///
    /// # Errors
    /// As [`Case::run`].
    pub fn time(&mut self, options: &Options, runs: Option<u16>) -> Result<[Timing; 2], Error> {
        // Warms up both; the second time measures how long a call takes.
        let mut once = [Duration::ZERO; 2];
        for _ in 0..2 {
            once = [self.time_calls(options, 1)?, self.time_floor(options, 1)?];
        }
        let times = once.map(|t| SAMPLE.as_nanos().div_ceil(t.as_nanos().max(1)).max(1) as usize);
        let both: Duration = once.iter().zip(times).map(|(t, n)| *t * n as u32).sum();
        let fit = (PATIENCE.as_nanos() / both.as_nanos().max(1)) as usize;
        let runs = runs.map_or(fit.clamp(RUNS.0, RUNS.1), usize::from);
        let mut samples = [Vec::new(), Vec::new()];
        for _ in 0..runs {
            samples[0].push(self.time_calls(options, times[0])?);
            samples[1].push(self.time_floor(options, times[1])?);
        }
        let count = self.elements().max(1) as f64;
        let mut timings = [Timing { median: 0.0, least: 0.0 }; 2];
        for ((timing, samples), times) in timings.iter_mut().zip(&mut samples).zip(times) {
            samples.sort_unstable();
            let per_element = |k: usize| 1e9 * samples[k].as_secs_f64() / times as f64 / count;
            *timing = Timing { median: per_element(samples.len() / 2), least: per_element(0) };
        }
        Ok(timings)
    }
}

/// Returns the shapes that the tensors of a call are broadcast by, for inputs and for outputs.
pub fn laid_shapes(
    def: &OpDef,
    rank: usize,
    inputs: &[Array],
    outputs: &[Array],
) -> (Vec<Shape>, Vec<Shape>) {
    let inputs = inputs.iter().enumerate().map(|(k, a)| laid(def, k, rank, &a.shape));
    let outputs = outputs.iter().enumerate().map(|(k, a)| laid_output(def, k, rank, &a.shape));
    (inputs.collect(), outputs.collect())
}

/// Returns the index, in a contiguous tensor that is broadcast by this shape, of the stream's value for element `i` of the domain.
///
/// The tensor may be broadcast.
pub fn position(bound: &Bound, stream: &Stream, shape: &[usize], i: usize) -> usize {
    let rank = bound.domain.len();
    let split = bound.split.filter(|_| stream.part != Part::Whole);
    let (mut rest, mut at, mut stride) = (i, 0, 1);
    for d in (rank.saturating_sub(shape.len())..rank).rev() {
        let (n, own) = (bound.domain[d], shape[d + shape.len() - rank]);
        let mut index = rest % n;
        rest /= n;
        match split.filter(|s| s.dim == d) {
            None if own == 1 => index = 0,
            None => {}
            Some(split) => {
                let half = own / 2;
                let place = split.place(stream.part, half);
                index = place.offset + if half == 1 { 0 } else { index * place.step };
            }
        }
        at += index * stride;
        stride *= own;
    }
    at
}
