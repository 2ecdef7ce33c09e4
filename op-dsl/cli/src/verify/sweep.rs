//! Running a formula over many activations and measuring each result.

use super::bench::Bench;
use super::formula::{Formula, PLAIN};
use super::points::Points;
use crate::error::Error;
use codegen_cpu::rt::simd::Level;
use indicatif::ProgressBar;
use op_dsl_ir::DType;
use op_dsl_ir::format::Format;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Activations computed at a time: small enough to stay in cache.
const CHUNK: u64 = 1 << 13;

/// The largest error of an output, and where it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worst {
    /// In units in the last place.
    pub ulp: f64,
    /// The activation.
    pub at: f64,
    /// Index of the setting.
    pub setting: usize,
}

/// How many of some results are right.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub right: u64,
    pub all: u64,
}

impl Tally {
    pub fn add(&mut self, right: bool) {
        self.right += u64::from(right);
        self.all += 1;
    }

    pub fn merge(&mut self, other: Tally) {
        self.right += other.right;
        self.all += other.all;
    }

    pub fn holds(self) -> bool {
        self.right == self.all
    }

    /// The share that is right; all of nothing.
    pub fn share(self) -> f64 {
        if self.all == 0 { 1.0 } else { self.right as f64 / self.all as f64 }
    }
}

/// What a level did to all activations of one element type.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Results of finite activations that are the true value, correctly rounded.
    pub rounded: Tally,
    /// Results of infinite activations that are the limit.
    pub limits: Tally,
    /// Results of NaN that are what the formula makes of it.
    pub nan: Tally,
    /// Per output.
    pub worst: Vec<Worst>,
}

impl Measure {
    fn new(outputs: usize) -> Measure {
        let none = Tally::default();
        Measure { rounded: none, limits: none, nan: none, worst: vec![Worst::default(); outputs] }
    }

    fn raise(&mut self, output: usize, new: Worst) {
        let worst = &mut self.worst[output];
        // Of equal errors the one at the smaller activation, whichever thread came first.
        let earlier = (new.setting, new.at) < (worst.setting, worst.at);
        if new.ulp > worst.ulp || (new.ulp == worst.ulp && new.ulp > 0.0 && earlier) {
            *worst = new;
        }
    }

    fn merge(&mut self, other: &Measure) {
        other.worst.iter().enumerate().for_each(|(k, worst)| self.raise(k, *worst));
        self.rounded.merge(other.rounded);
        self.limits.merge(other.limits);
        self.nan.merge(other.nan);
    }
}

/// Runs every activation in every setting at each level; the truth is computed once.
pub fn sweep(
    formula: &Formula,
    dtype: DType,
    points: &Points,
    levels: &[Level],
    threads: usize,
    progress: &ProgressBar,
) -> Result<Vec<Measure>, Error> {
    let outputs = formula.op.def().output_streams().len();
    let fresh = || vec![Measure::new(outputs); levels.len()];
    let total = Mutex::new(Ok(fresh()));
    let next = AtomicU64::new(0);
    let chunks = points.len().div_ceil(CHUNK);
    let work = || {
        let mut own = fresh();
        let done = (|| {
            let bench = Bench::new(formula, dtype, CHUNK as usize)?;
            let mut sweeper = Sweeper { formula, dtype, points, levels, bench, want: Vec::new() };
            loop {
                let task = next.fetch_add(1, Ordering::Relaxed);
                let (setting, chunk) = ((task / chunks) as usize, task % chunks);
                if setting >= formula.settings.len() {
                    return Ok(());
                }
                let start = chunk * CHUNK;
                let count = CHUNK.min(points.len() - start);
                sweeper.chunk(setting, start, count as usize, &mut own)?;
                progress.inc(count);
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

/// Whether a result is the true value, correctly rounded. Of a value that is halfway between two
/// neighbours but for less than half a unit of f32, as `x - tanh x = x - 1 + 2 e^(-2x)` is for large
/// `x`, either neighbour is: kernels compute in f32, where it is halfway.
fn is_rounded(format: Format, got: f64, want: f64) -> bool {
    let error = format.error(got, want, 0.0);
    let half_unit_of_f32 = 0.5 * Format::of(DType::F32).ulp(want) / format.ulp(want);
    let is_tie = format.is_half() && error <= 0.5 + half_unit_of_f32;
    error == 0.0 || is_tie || got == format.round(want)
}

/// One thread's part of a sweep.
struct Sweeper<'f> {
    formula: &'f Formula,
    dtype: DType,
    points: &'f Points,
    levels: &'f [Level],
    bench: Bench<'f>,
    /// The truth of each element of a chunk, output by output.
    want: Vec<f64>,
}

impl Sweeper<'_> {
    fn chunk(
        &mut self,
        index: usize,
        start: u64,
        count: usize,
        measures: &mut [Measure],
    ) -> Result<(), Error> {
        let setting = &self.formula.settings[index];
        let format = Format::of(self.dtype);
        (0..setting.streams.len()).for_each(|k| self.bench.fill(k, setting.streams[k]));
        let at = |i: usize| self.points.at(start + i as u64);
        self.want.clear();
        for i in 0..count {
            self.bench.set(setting.swept, i, at(i));
            let truth = self.formula.truth(setting, &setting.at(at(i).into()), format);
            self.want.extend(truth);
        }
        let outputs = self.formula.op.def().output_streams();
        for (&level, measure) in self.levels.iter().zip(measures) {
            self.bench.run(setting, level)?;
            for (j, &want) in self.want.iter().enumerate() {
                let (i, k) = (j / outputs.len(), j % outputs.len());
                let (x, got) = (f64::from(at(i)), self.bench.get(outputs[k], i));
                let error = format.error(got, want, 0.0);
                if x.is_nan() {
                    measure.nan.add(error <= PLAIN);
                } else if x.is_infinite() {
                    measure.limits.add(error <= PLAIN);
                } else {
                    measure.rounded.add(is_rounded(format, got, want));
                    let ulp = self.formula.error(self.dtype, setting, k, x, [got, want]);
                    measure.raise(k, Worst { ulp, at: x, setting: index });
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
            (halfway + 1e-7, false, true),
            (halfway - 1e-7, true, false),
        ] {
            assert_eq!([below, above].map(|got| is_rounded(f16, got, want)), [low, high], "{want}");
        }
        // The least bfloat16 and a half of it, but for less than the least f32.
        let (bf16, least) = (Format::of(DType::BF16), f64::from(-133).exp2());
        assert!([least, 2.0 * least].iter().all(|got| is_rounded(bf16, *got, 1.5 * least + 1e-80)));
        assert!(!is_rounded(Format::of(DType::F32), 1.0, 1.0f32.next_up().into()));
    }
}
