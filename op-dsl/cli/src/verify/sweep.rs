//! Running a formula over many elements and measuring each result.

use super::bench::Bench;
use super::converted;
use super::formula::Formula;
use super::pass::{Pass, Role};
use crate::error::Error;
use crate::progress::Progress;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::DType;
use op_dsl_ir::format::Format;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of elements that the kernels compute at a time.
///
/// There are few, because they are compared while they are in cache.
const CHUNK: u64 = 1 << 12;

/// An element that was tested: the value of every input stream, its indices, and one of its results.
#[derive(Clone, Debug, Default)]
pub struct Place {
    pub streams: Vec<f64>,
    /// Index of the pass, which determines the attributes, and index of the element in the pass.
    ///
    /// The report shows the lowest index of equal errors, so that it does not depend on the threads.
    pub index: (usize, u64),
    pub result: Outcome,
}

/// Result of an element: index of the output, value from the kernel (`got`), and exact value (`want`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    pub output: usize,
    pub got: f64,
    pub want: f64,
}

/// The largest error of an output, and the element where it occurs.
#[derive(Clone, Debug, Default)]
pub struct Worst {
    /// Error in units in the last place.
    pub ulp: f64,
    pub at: Place,
}

/// Number of right results and of all results, and the first wrong one.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub right: u64,
    pub all: u64,
    pub wrong: Option<Place>,
}

impl Tally {
    pub fn add(&mut self, is_right: bool, at: impl FnOnce() -> Place) {
        self.right += u64::from(is_right);
        self.all += 1;
        if !is_right {
            self.show(at());
        }
    }

    fn show(&mut self, at: Place) {
        if self.wrong.as_ref().is_none_or(|wrong| at.index < wrong.index) {
            self.wrong = Some(at);
        }
    }

    pub fn merge(&mut self, other: &Tally) {
        self.right += other.right;
        self.all += other.all;
        other.wrong.iter().for_each(|at| self.show(at.clone()));
    }

    pub fn holds(&self) -> bool {
        self.right == self.all
    }

    /// Returns the share of right results; 1 if there are none at all.
    pub fn share(&self) -> f64 {
        if self.all == 0 { 1.0 } else { self.right as f64 / self.all as f64 }
    }
}

/// Measurements of a formula in one element type at one SIMD level, over all elements.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Counts results of sweeps, with factors 1; correctly rounded ones are right.
    pub rounded: Tally,
    /// Counts results for infinite inputs; those that equal the formula's limit are right.
    pub limits: Tally,
    /// Counts results for NaN inputs; those that equal the formula's value are right.
    pub nan: Tally,
    /// Counts results for factors of every size. A result is right if it is finite, or if the exact value overflows.
    pub factors: Tally,
    /// Counts all results; those whose exact value could be decided are right.
    pub decided: Tally,
    /// The largest error of each output.
    pub worst: Vec<Worst>,
}

impl Measure {
    pub fn new(outputs: usize) -> Measure {
        let none = Tally::default;
        Measure {
            rounded: none(),
            limits: none(),
            nan: none(),
            factors: none(),
            decided: none(),
            worst: vec![Worst::default(); outputs],
        }
    }

    /// Records an error of an output if it is the largest so far, or equal to it at a lower index.
    pub fn raise(&mut self, output: usize, ulp: f64, at: impl FnOnce() -> Place) {
        // `ulp` is never NaN: it is infinite where only one side is NaN.
        let worst = &mut self.worst[output];
        if ulp >= worst.ulp && ulp > 0.0 {
            let at = at();
            if ulp > worst.ulp || at.index < worst.at.index {
                *worst = Worst { ulp, at };
            }
        }
    }

    fn merge(&mut self, other: &Measure) {
        for (k, worst) in other.worst.iter().enumerate() {
            self.raise(k, worst.ulp, || worst.at.clone());
        }
        self.rounded.merge(&other.rounded);
        self.limits.merge(&other.limits);
        self.nan.merge(&other.nan);
        self.factors.merge(&other.factors);
        self.decided.merge(&other.decided);
    }
}

/// Runs every pass (a series of elements) at each SIMD level, and returns the measurements per level.
///
/// Exact values are computed only once for all levels. A chunk (a part of a pass) ends early if their computation has used
/// up the work allowed for it.
pub fn sweep(
    formula: &Formula,
    dtype: DType,
    passes: &[Pass<'_>],
    levels: &[Level],
    threads: usize,
    progress: &Progress,
) -> Result<Vec<Measure>, Error> {
    let outputs = formula.op.def().output_streams().len();
    let fresh = || vec![Measure::new(outputs); levels.len()];
    let total = Mutex::new(Ok(fresh()));
    let next = AtomicU64::new(0);
    // Cumulative number of chunks at the end of each pass.
    let ends: Vec<u64> = passes
        .iter()
        .scan(0, |sum, pass| {
            *sum += chunks(pass);
            Some(*sum)
        })
        .collect();
    let work = || {
        let mut own = fresh();
        let done = (|| {
            let mut sweeper = Sweeper::new(formula, dtype, levels)?;
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let pass = ends.partition_point(|end| *end <= at);
                let Some(of) = passes.get(pass) else { return Ok(()) };
                let first = at + chunks(of) - ends[pass];
                let chunk = Chunk {
                    pass,
                    first,
                    step: chunks(of),
                    len: (of.elements - first).div_ceil(chunks(of)),
                };
                sweeper.chunk(of, &chunk, &mut own)?;
                progress.inc(chunk.len);
            }
        })();
        // A poisoned lock means that another worker panicked; its panic is passed on anyway.
        let mut total = total.lock().unwrap_or_else(|e| e.into_inner());
        match (done, &mut *total) {
            (Ok(()), Ok(all)) => all.iter_mut().zip(&own).for_each(|(a, o)| a.merge(o)),
            (Err(e), _) => *total = Err(e),
            (Ok(()), Err(_)) => {}
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    total.into_inner().unwrap_or_else(|e| e.into_inner())
}

fn chunks(pass: &Pass<'_>) -> u64 {
    pass.elements.div_ceil(CHUNK)
}

/// Part of a pass that one thread runs at a time: `len` elements `first`, `first + step`, ..
///
/// Chunks are strided, so that each contains some of the pass's first elements.
struct Chunk {
    pass: usize,
    first: u64,
    step: u64,
    len: u64,
}

/// Returns whether the result `got` is the exact value `want`, correctly rounded.
///
/// If the exact value is within one f32 unit of the middle between two neighbours, either neighbour counts, because kernels
/// compute in f32, where the value is in the middle. Examples are `x - tanh x = x - 1 + 2 e^(-2x)` for large `x`, and
/// `x / s^2` for `s = 0.8`, which is no f32.
pub fn is_rounded(format: Format, got: f64, want: f64) -> bool {
    let error = format.error(got, want, 0.0);
    let unit_of_f32 = Format::of(DType::F32).ulp(want) / format.ulp(want);
    let is_tie = format.is_narrow() && error <= 0.5 + unit_of_f32;
    error == 0.0 || is_tie || got == format.round(want)
}

/// Returns whether a result is infinite where the formula has no limit at infinity (`want` is NaN).
///
/// A formula has no limit because several infinities meet or because it oscillates with growing amplitude. An infinite
/// result is accepted there, because a caller notices an infinity as well as NaN.
fn is_noticed(streams: &[f64], got: f64, want: f64) -> bool {
    streams.iter().any(|x| x.is_infinite()) && want.is_nan() && got.is_infinite()
}

/// Returns whether an exact result is in the range of the format, with a margin of a few roundings.
pub fn is_in(format: Format, want: f64) -> bool {
    want.abs() < format.max() * (1.0 - 8.0 / (1u64 << 8) as f64)
}

/// State of one thread that takes part in a sweep.
struct Sweeper<'f> {
    formula: &'f Formula,
    dtype: DType,
    levels: &'f [Level],
    bench: Bench<'f>,
    /// Values of the input streams, by element of the chunk and then by stream.
    streams: Vec<Vec<f64>>,
    /// Exact values, by element of the chunk and then by output; `None` if the highest precision does not decide one.
    want: Vec<Vec<Option<f64>>>,
}

impl<'f> Sweeper<'f> {
    fn new(formula: &'f Formula, dtype: DType, levels: &'f [Level]) -> Result<Sweeper<'f>, Error> {
        let bench = Bench::new(formula, dtype, CHUNK as usize)?;
        Ok(Sweeper { formula, dtype, levels, bench, streams: Vec::new(), want: Vec::new() })
    }

    fn chunk(
        &mut self,
        pass: &Pass<'_>,
        chunk: &Chunk,
        measures: &mut [Measure],
    ) -> Result<(), Error> {
        let most_exact = self.formula.most_exact(self.dtype);
        let end = op_dsl_truth::work().saturating_add(pass.work.saturating_mul(chunk.len));
        self.streams.clear();
        self.want.clear();
        for i in (0..chunk.len).map(|i| chunk.first + i * chunk.step) {
            if op_dsl_truth::work() >= end {
                break;
            }
            let mut streams = pass.element(i);
            self.formula.keep_in_range(self.dtype, &mut streams);
            self.want.push(self.formula.truth(&pass.attrs, &streams, most_exact));
            self.streams.push(streams);
        }
        for (i, streams) in self.streams.iter().enumerate() {
            streams.iter().enumerate().for_each(|(k, v)| self.bench.set(k, i, *v as f32));
        }
        let outputs = self.formula.op.def().output_streams();
        for (&level, measure) in self.levels.iter().zip(measures) {
            self.bench.run(&pass.attrs, level)?;
            for (i, (streams, want)) in self.streams.iter().zip(&self.want).enumerate() {
                let index = (chunk.pass, chunk.first + i as u64 * chunk.step);
                for (k, want) in want.iter().enumerate() {
                    let got = self.bench.get(outputs[k], i);
                    let result = Outcome { output: k, got, want: want.unwrap_or(f64::NAN) };
                    let at = || Place { streams: streams.clone(), index, result };
                    measure.decided.add(want.is_some(), at);
                    let Some(want) = *want else { continue };
                    let (format, at_level) =
                        (self.formula.format(k, self.dtype), (self.dtype, level));
                    let error = || match self.formula.converted(k) {
                        Some(_) => {
                            self.formula.error(at_level, &pass.attrs, streams, k, [got, want])
                        }
                        None => format.error(got, want, 0.0),
                    };
                    let is_right = || {
                        error() <= self.formula.budget(k, self.dtype, level)
                            || is_noticed(streams, got, want)
                            || self.formula.is_as_written(&pass.attrs, streams, k, [got, want])
                            || want.is_nan()
                                && self.formula.is_joint_limit(&pass.attrs, streams, k, got, format)
                    };
                    if streams.iter().any(|x| x.is_nan()) {
                        measure.nan.add(is_right(), at);
                    } else if streams.iter().any(|x| x.is_infinite()) {
                        measure.limits.add(is_right(), at);
                    } else {
                        let both = [got, want];
                        let ulp = self.formula.error(at_level, &pass.attrs, streams, k, both);
                        if pass.role == Role::Sweep {
                            // The error is below half a unit of the term that cancels.
                            let is_nearest = || ulp <= 0.5 * format.error(got, want, 0.0).min(1.0);
                            let is_rounded = match self.formula.converted(k) {
                                Some(_) => ulp <= converted::BUDGET,
                                None => is_rounded(format, got, want) || is_nearest(),
                            };
                            measure.rounded.add(is_rounded, at);
                        } else {
                            let format = self.formula.converted(k).and_then(Format::of_stored);
                            let format = format.unwrap_or(self.formula.format(k, self.dtype));
                            let is_right = got.is_finite()
                                || !is_in(format, want)
                                || self.formula.leaves_f32(&pass.attrs, streams, k);
                            measure.factors.add(is_right, at);
                        }
                        measure.raise(k, ulp, at);
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_neighbour_of_what_f32_calls_halfway_is_right() {
        let f16 = Format::of(DType::F16);
        let (below, halfway, above) = (1.0, 1.0 + 1.0 / 2048.0, 1.0 + 1.0 / 1024.0);
        for (want, low, high) in [
            (halfway, true, true),
            (halfway + 1e-9, true, true),
            (halfway + 1.1e-7, true, true),
            (halfway + 1.3e-7, false, true),
            (halfway - 1.3e-7, true, false),
        ] {
            assert_eq!([below, above].map(|got| is_rounded(f16, got, want)), [low, high], "{want}");
        }
        // 1.5 times the least bfloat16, up to a difference below the least f32: either neighbour is right.
        let (bf16, least) = (Format::of(DType::BF16), f64::from(-133).exp2());
        assert!([least, 2.0 * least].iter().all(|got| is_rounded(bf16, *got, 1.5 * least + 1e-80)));
        assert!(!is_rounded(Format::of(DType::F32), 1.0, 1.0f32.next_up().into()));
    }
}
