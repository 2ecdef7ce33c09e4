//! Running a formula over many activations and measuring each result.

use super::formula::{Formula, OTHERS};
use crate::array::{Array, views, views_mut};
use crate::error::Error;
use codegen_cpu::rt::call::Options;
use codegen_cpu::rt::simd::Level;
use indicatif::ProgressBar;
use op_dsl_ir::DType;
use op_dsl_ir::op::{Kind, Stream};
use op_dsl_truth::format::Format;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Activations computed at a time: small enough to stay in cache.
const CHUNK: u64 = 1 << 13;
/// The default stride through all bit patterns of f32; odd, so that mantissas vary.
const STRIDE: u64 = 16_411;
/// The finer stride where the activations of networks lie.
const FINE_STRIDE: u64 = 1_021;
/// Bit patterns of 2^-4 .. 16, to be taken with either sign.
const FINE: (u64, u64) = (0x3d80_0000, 0x4180_0000);

/// What a level did to all activations of one element type.
#[derive(Clone, Debug, Default)]
pub struct Measure {
    /// How many results there were, those of NaN left out.
    pub results: u64,
    /// How many of them are the true value, correctly rounded.
    pub rounded: u64,
    /// Per output: the largest error, and the activation it is at.
    pub worst: Vec<(f64, f64)>,
}

impl Measure {
    fn new(outputs: usize) -> Measure {
        Measure { worst: vec![(0.0, 0.0); outputs], ..Measure::default() }
    }

    fn add(&mut self, output: usize, error: f64, x: f64, rounded: bool) {
        self.results += 1;
        self.rounded += rounded as u64;
        self.raise(output, error, x);
    }

    fn raise(&mut self, output: usize, error: f64, x: f64) {
        let worst = &mut self.worst[output];
        // Of equal errors the one at the smaller activation, whichever thread came first.
        if error > worst.0 || (error == worst.0 && error > 0.0 && x < worst.1) {
            *worst = (error, x);
        }
    }

    fn merge(&mut self, other: &Measure) {
        for (k, &(error, x)) in other.worst.iter().enumerate() {
            self.raise(k, error, x);
        }
        self.results += other.results;
        self.rounded += other.rounded;
    }

    /// The share of results that are correctly rounded.
    pub fn share(&self) -> f64 {
        self.rounded as f64 / self.results.max(1) as f64
    }
}

/// Bit patterns of activations.
#[derive(Clone, Copy)]
pub struct Sweep {
    pub dtype: DType,
    pub exhaustive: bool,
}

impl Sweep {
    fn all(self) -> bool {
        self.exhaustive || self.dtype != DType::F32
    }

    /// How many activations it has.
    pub fn len(self) -> u64 {
        match self.dtype {
            DType::F16 | DType::BF16 => 1 << 16,
            DType::F32 if self.exhaustive => 1 << 32,
            DType::F32 => strided() + EXPONENTS + 2 * fine(),
        }
    }

    /// The bits of activation `i`.
    fn bits(self, i: u64) -> u32 {
        if self.all() {
            return i as u32;
        }
        let Some(i) = i.checked_sub(strided()) else { return (i * STRIDE) as u32 };
        let Some(i) = i.checked_sub(EXPONENTS) else {
            // Around the ends and the middle of each exponent.
            const MANTISSAS: [u32; 8] =
                [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x7f_fffe, 0x7f_ffff];
            return ((i as u32 / 8) << 23) | MANTISSAS[i as usize % 8];
        };
        let sign = if i < fine() { 0 } else { 0x8000_0000 };
        sign | (FINE.0 + i % fine() * FINE_STRIDE) as u32
    }

    fn value(self, i: u64) -> f32 {
        let bits = self.bits(i);
        match self.dtype {
            DType::F16 => half::f16::from_bits(bits as u16).to_f32(),
            DType::BF16 => half::bf16::from_bits(bits as u16).to_f32(),
            DType::F32 => f32::from_bits(bits),
        }
    }
}

/// Both signs, every exponent, eight mantissas.
const EXPONENTS: u64 = 512 * 8;

const fn strided() -> u64 {
    (1 << 32) / STRIDE
}

const fn fine() -> u64 {
    (FINE.1 - FINE.0) / FINE_STRIDE
}

/// Runs every activation of a sweep at each level, on all cores; the reference is computed once.
pub fn sweep(
    formula: &Formula,
    sweep: Sweep,
    levels: &[Level],
    progress: &ProgressBar,
) -> Result<Vec<Measure>, Error> {
    let outputs = formula.spec.graph.outputs.len();
    let fresh = || vec![Measure::new(outputs); levels.len()];
    let total = Mutex::new(Ok(fresh()));
    let next = AtomicU64::new(0);
    let chunks = sweep.len().div_ceil(CHUNK);
    let work = || {
        let mut own = fresh();
        let done = (|| {
            let mut bench = Bench::new(formula, sweep.dtype)?;
            loop {
                let chunk = next.fetch_add(1, Ordering::Relaxed);
                if chunk >= chunks {
                    return Ok(());
                }
                bench.chunk(sweep, chunk * CHUNK, levels, &mut own)?;
                progress.inc(CHUNK.min(sweep.len() - chunk * CHUNK));
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
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..workers.min(chunks as usize) {
            scope.spawn(work);
        }
        work();
    });
    total.into_inner().unwrap_or_else(|e| e.into_inner())
}

/// Tensors for one chunk of activations.
struct Bench<'f> {
    formula: &'f Formula,
    dtype: DType,
    inputs: Vec<Array>,
    outputs: Vec<Array>,
    want: Vec<f64>,
}

impl<'f> Bench<'f> {
    fn new(formula: &'f Formula, dtype: DType) -> Result<Bench<'f>, Error> {
        let make = |kind: Kind| {
            Array::filled(dtype, &formula.shape(kind, CHUNK as usize), || OTHERS as f32)
        };
        let inputs: Result<_, _> = formula.op.def().inputs.iter().map(|t| make(t.kind)).collect();
        let outputs: Result<_, _> = formula.op.def().outputs.iter().map(|t| make(t.kind)).collect();
        Ok(Bench { formula, dtype, inputs: inputs?, outputs: outputs?, want: Vec::new() })
    }

    fn chunk(
        &mut self,
        sweep: Sweep,
        start: u64,
        levels: &[Level],
        measures: &mut [Measure],
    ) -> Result<(), Error> {
        let formula = self.formula;
        let count = CHUNK.min(sweep.len() - start) as usize;
        let at = |s: Stream, i: usize| formula.row(s.part) * CHUNK as usize + i;
        let activation = formula.op.def().input_streams()[formula.activation];
        let mut reference = formula.reference();
        self.want.clear();
        for i in 0..count {
            let x = sweep.value(start + i as u64);
            self.inputs[activation.tensor].set(at(activation, i), x);
            self.want.extend_from_slice(reference.at(x.into()));
        }
        let streams = formula.op.def().output_streams();
        let format = Format::of(self.dtype);
        for (&level, measure) in levels.iter().zip(measures) {
            let options = Options {
                threads: 1,
                level: Some(level),
                streaming: Some(false),
                ..Options::default()
            };
            let (inputs, mut outputs) = (views(&self.inputs)?, views_mut(&mut self.outputs)?);
            formula.op.run(&formula.attrs, &inputs, &mut outputs, &options)?;
            for (j, want) in self.want.iter().enumerate() {
                let (i, k) = (j / streams.len(), j % streams.len());
                let x = f64::from(sweep.value(start + i as u64));
                if x.is_nan() {
                    continue;
                }
                let got = f64::from(self.outputs[streams[k].tensor].get(at(streams[k], i)));
                let unit = if self.dtype == DType::F32 { formula.unit(k, x) } else { 0.0 };
                measure.add(k, format.error(got, *want, unit), x, got == format.round(*want));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_sweep_has_every_exponent_and_both_signs() {
        let sweep = Sweep { dtype: DType::F32, exhaustive: false };
        let mut seen = [false; 512];
        (0..sweep.len()).for_each(|i| seen[(sweep.bits(i) >> 23) as usize] = true);
        assert!(seen.iter().all(|s| *s));
        assert!(sweep.len() > 300_000 && sweep.len() < 600_000, "{}", sweep.len());
    }

    #[test]
    fn the_fine_part_covers_its_range() {
        let sweep = Sweep { dtype: DType::F32, exhaustive: false };
        let first = strided() + EXPONENTS;
        assert_eq!(sweep.value(first), 0.0625);
        assert!(sweep.value(first + fine() - 1) > 15.9);
        assert_eq!(sweep.value(first + fine()), -0.0625);
        assert!(sweep.value(sweep.len() - 1) < -15.9);
    }
}
