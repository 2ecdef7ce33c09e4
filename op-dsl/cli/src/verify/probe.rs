//! Errors at a few activations, for a plot.

use super::bench::Bench;
use super::formula::Formula;
use crate::error::Error;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::DType;
use op_dsl_ir::format::Format;

/// Returns the largest error in ULP over all outputs at each activation, which is rounded to `dtype`.
///
/// Errors are measured in the formula's first setting at the best SIMD level of this CPU.
pub fn errors(formula: &Formula, dtype: DType, xs: &[f64]) -> Result<Vec<f64>, Error> {
    let (format, setting) = (Format::of(dtype), &formula.settings[0]);
    let level = Level::best();
    let xs: Vec<f64> = xs.iter().map(|x| format.round(*x)).collect();
    let mut bench = Bench::new(formula, dtype, xs.len())?;
    (0..setting.streams.len()).for_each(|k| bench.fill(k, setting.streams[k]));
    xs.iter().enumerate().for_each(|(i, x)| bench.set(setting.swept, i, *x as f32));
    bench.run(&setting.attrs, level)?;
    let outputs = formula.op.def().output_streams();
    let error = |(i, x): (usize, &f64)| {
        let mut streams = setting.at(*x);
        formula.keep_in_range(dtype, &mut streams);
        let wanted = formula.truth(&setting.attrs, &streams, formula.most_exact(dtype));
        let each = outputs.iter().zip(wanted).enumerate();
        let errors = each.map(|(k, (stream, want))| {
            let both = [bench.get(*stream, i), want.unwrap_or(f64::NAN)];
            formula.error((dtype, level), &setting.attrs, &streams, k, both)
        });
        errors.fold(0.0, f64::max)
    };
    Ok(xs.iter().enumerate().map(error).collect())
}
