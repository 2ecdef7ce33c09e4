//! `verify`: how far results are from the truth.
//!
//! ```text
//! formula   one specialisation as a function of its activation, in f64
//! sweep     all (or very many) activations through the kernels of each level
//! special   infinities, NaN, huge and denormal factors
//! author    the author's own code against the graph
//! ```
//!
//! Every stream but the activation is 1. Errors are in units in the last place of the true value;
//! in f32, nearer a zero crossing than |g| < 2^-7, in those of 2^-7.

mod author;
pub mod formula;
mod special;
mod sweep;

use super::args::Verify;
use super::error::Error;
use super::lookup;
use super::table::Table;
use super::{Operators, Verdict, print};
use codegen_cpu::rt::simd::Level;
use formula::Formula;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use op_dsl_ir::DType;
use special::special;
use std::io::Write;
use sweep::{Measure, Sweep, sweep};

/// Largest error in a 16-bit type, in its units.
const HALF_BUDGET: f64 = 1.0;
/// Share of results that must be correctly rounded, in the order of [`DType`].
const ROUNDED: [f64; DType::COUNT] = [0.999, 0.9998, 0.0];

/// Measures and prints; [`Verdict::Missed`] if anything is beyond its budget.
pub fn verify(operators: Operators, args: &Verify, out: &mut dyn Write) -> Result<Verdict, Error> {
    let chosen = match &args.op {
        Some(name) => vec![lookup::operator(operators, name)?],
        None => operators.to_vec(),
    };
    let (levels, skipped) = levels(args.level)?;
    let formulas: Vec<Formula> = chosen
        .iter()
        .flat_map(|op| op.def().specs.iter().map(|spec| Formula::new(op, spec)))
        .collect();
    let sweeps = |f: &Formula| -> Vec<Sweep> {
        let of = |&dtype: &DType| Sweep { dtype, exhaustive: args.exhaustive };
        f.op.def().dtypes.iter().map(of).collect()
    };
    let work: u64 = formulas.iter().flat_map(sweeps).map(Sweep::len).sum();
    let progress = progress_bar(work);
    let mut table = Table::new(&[
        "operator",
        "mode",
        "dtype",
        "level",
        "inputs",
        "max ulp",
        "budget",
        "output",
        "at",
        "rounded right",
        "author",
        "special values",
        "",
    ]);
    let mut verdict = Verdict::Good;
    for formula in &formulas {
        let author = author::difference(formula);
        for of in sweeps(formula) {
            progress.set_message(format!("{} {} {}", formula.op.name(), formula.mode, of.dtype));
            let measures = sweep(formula, of, &levels, &progress)?;
            for (&level, measure) in levels.iter().zip(&measures) {
                let row = Row::new(formula, of, level, measure, author)?;
                if !row.good {
                    verdict = Verdict::Missed;
                }
                table.row(row.cells);
            }
        }
    }
    progress.finish_and_clear();
    print(out, &(table.to_text() + &legend(&skipped)))?;
    Ok(verdict)
}

/// The levels to run, and those that this CPU lacks.
fn levels(asked: Option<Level>) -> Result<(Vec<Level>, Vec<Level>), Error> {
    let (has, lacks): (Vec<_>, Vec<_>) = Level::ALL.into_iter().partition(|l| l.is_available());
    match asked {
        None => Ok((has, lacks)),
        Some(level) if has.contains(&level) => Ok((vec![level], Vec::new())),
        Some(level) => {
            let names: Vec<&str> = has.iter().map(|l| l.name()).collect();
            let (level, names) = (level.name(), names.join(", "));
            Err(Error::Usage(format!("--level {level}: this CPU does not have it; it has {names}")))
        }
    }
}

fn progress_bar(work: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(work), ProgressDrawTarget::stderr_with_hz(4));
    let style = "{msg:40} {wide_bar} {percent:>3} % {eta} left";
    bar.with_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()))
}

fn legend(skipped: &[Level]) -> String {
    let mut text = format!(
        "\nAll inputs but the activation are 1. max ulp: units in the last place of the true value \
         (f32, nearer a zero crossing than 2^-7: of 2^-7).\n\
         author: largest relative difference between the author's code and the graph in f64, \
         activations within -4..4; budget {:e}.\n",
        author::TOLERANCE
    );
    for level in skipped {
        text += &format!("skipped: {} (this CPU does not have it)\n", level.name());
    }
    text
}

/// One line of the table.
struct Row {
    cells: Vec<String>,
    good: bool,
}

impl Row {
    fn new(
        formula: &Formula,
        of: Sweep,
        level: Level,
        measure: &Measure,
        author: f64,
    ) -> Result<Row, Error> {
        let budget = |k: usize| match of.dtype {
            DType::F32 => formula.budget(k, level),
            DType::F16 | DType::BF16 => HALF_BUDGET,
        };
        // The output nearest to (or furthest beyond) its budget.
        let load = |k: usize| measure.worst[k].0 / budget(k);
        let k = (0..measure.worst.len()).max_by(|a, b| load(*a).total_cmp(&load(*b))).unwrap_or(0);
        let (error, at) = measure.worst[k];
        let special = special(formula, of.dtype, level)?;
        let missed: Vec<&str> = [
            (error <= budget(k), "ulp"),
            (measure.share() >= ROUNDED[of.dtype as usize], "rounding"),
            (author <= author::TOLERANCE, "author"),
            (special.broken.is_empty(), "special"),
        ]
        .into_iter()
        .filter_map(|(good, name)| (!good).then_some(name))
        .collect();
        let good = missed.is_empty();
        let verdict = if good { "ok".into() } else { format!("MISSED: {}", missed.join(", ")) };
        let cells = vec![
            formula.op.name().into(),
            formula.mode.clone(),
            of.dtype.name().into(),
            level.name().into(),
            of.len().to_string(),
            format!("{error:.3}"),
            format!("{}", budget(k)),
            formula.op.def().output_names().swap_remove(k),
            if error > 0.0 { format!("{at:.7e}") } else { String::new() },
            format!("{:.3}%", 100.0 * measure.share()),
            format!("{author:.0e}"),
            special.show(),
            verdict,
        ];
        Ok(Row { cells, good })
    }
}
