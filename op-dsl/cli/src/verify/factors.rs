//! Factors of every size: no NaN, no infinity that the true result is not, and nothing lost where
//! only one factor is a denormal number.

use super::bench::Bench;
use super::formula::{Formula, Setting};
use super::points::sparse;
use super::sweep::Tally;
use crate::error::Error;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::DType;
use op_dsl_ir::format::Format;

/// What factors are in turn, all of them alike.
const FACTORS: [f64; 4] = [0.0, 1e-30, 1.0, 1e30];
/// Of a type that has no such numbers.
const HALF_FACTORS: [f64; 4] = [0.0, 1e-6, 1.0, 6e4];
/// Further roundings where factors are not 1, in units in the last place.
const PRODUCTS: f64 = 2.0;

/// Every activation of a sparse sweep under factors of every size.
pub fn factors(formula: &Formula, dtype: DType, level: Level) -> Result<Tally, Error> {
    let points = sparse(dtype);
    let format = Format::of(dtype);
    let mut bench = Bench::new(formula, dtype, points.len())?;
    let sizes = if dtype == DType::F16 { HALF_FACTORS } else { FACTORS };
    let mut tally = Tally::default();
    for setting in &formula.settings {
        for size in sizes {
            let all = with(formula, setting, |_| format.round(size));
            run(formula, &mut bench, &all, &points, dtype, level, |_, got, want| {
                tally.add(got.is_finite() || !is_in(format, want));
            })?;
        }
        // A few steps above the least number of the type, each factor alone.
        let denormal = 12.0 * format.ulp(0.0);
        for factor in (0..setting.streams.len()).filter(|k| formula.is_factor(*k)) {
            let alone = with(formula, setting, |k| if k == factor { denormal } else { 1.0 });
            run(formula, &mut bench, &alone, &[0.5], dtype, level, |k, got, want| {
                let budget =
                    if format.is_half() { 1.0 } else { formula.budget(k, level) + PRODUCTS };
                tally.add(format.error(got, want, 0.0) <= budget);
            })?;
        }
    }
    Ok(tally)
}

/// Whether a true result is a number of the type, by a margin of a few roundings.
fn is_in(format: Format, want: f64) -> bool {
    want.abs() < format.max() * (1.0 - 8.0 / (1u64 << 8) as f64)
}

fn with(formula: &Formula, setting: &Setting, factor: impl Fn(usize) -> f64) -> Setting {
    let mut setting = setting.clone();
    for k in (0..setting.streams.len()).filter(|k| formula.is_factor(*k)) {
        setting.streams[k] = factor(k);
    }
    setting
}

/// Hands output, result and truth of every point to `judge`.
fn run(
    formula: &Formula,
    bench: &mut Bench<'_>,
    setting: &Setting,
    points: &[f32],
    dtype: DType,
    level: Level,
    mut judge: impl FnMut(usize, f64, f64),
) -> Result<(), Error> {
    let format = Format::of(dtype);
    (0..setting.streams.len()).for_each(|k| bench.fill(k, setting.streams[k]));
    points.iter().enumerate().for_each(|(i, x)| bench.set(setting.swept, i, *x));
    bench.run(setting, level)?;
    for (i, x) in points.iter().enumerate() {
        let truth = formula.truth(setting, &setting.at(f64::from(*x)), format);
        for (k, (stream, want)) in
            formula.op.def().output_streams().into_iter().zip(truth).enumerate()
        {
            judge(k, bench.get(stream, i), want);
        }
    }
    Ok(())
}
