//! NPU kernels that read and write tensors with one number per row.

use super::super::Sized;
use super::{Calls, DOMAINS, Run, Runs, SHORT};
use crate::common::Random;
use codegen_ascendc::emit::Cann;
use op_dsl::ir::DType;

#[op_dsl::operators(kernels = false)]
pub mod ops {
    use op_dsl::prelude::*;

    /// No result has a number per element.
    #[op(name = "KlDiv", grad(name = "KlDivGrad", wrt(p, q)))]
    pub fn kl_div(p: Elem, q: Elem) -> PerRow {
        row_sum(p * ln(p / q))
    }

    #[op(name = "LogSumExp", grad(name = "LogSumExpGrad", wrt(x)))]
    pub fn log_sum_exp(x: Elem) -> PerRow {
        let largest = row_max(x);
        largest + ln(row_sum(exp(x - largest)))
    }

    /// The elements of a row are its terms, so that no stage of the formula has a plan.
    #[op(name = "RowTotal")]
    pub fn row_total(x: Elem) -> PerRow<f32> {
        row_sum(x)
    }

    #[op(name = "SavedNorm", outputs(y, rms), grad(name = "SavedNormGrad", wrt(x)))]
    pub fn saved_norm(x: Elem, #[broadcast] gamma: Elem) -> Elem {
        #[saved]
        let rms: PerRow<f32> = sqrt(row_mean(x * x) + 1e-6);
        x / rms * gamma
    }

    #[op(name = "SwiGluWithScale", outputs(y, scale))]
    pub fn swi_glu_with_scale(
        #[split(along = dim, gate_left = true)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> (Elem, PerRow<f32>) {
        let y = silu(x.gate) * x.value;
        let scale = row_max(abs(y)) / 127.0;
        (y / scale, scale)
    }

    #[op(name = "SwiGluQuant", outputs(y, scale))]
    pub fn swi_glu_quant(
        #[split(along = dim, gate_left = true)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> (Elem<i8>, PerRow<f32>) {
        let y = silu(x.gate) * x.value;
        let scale = row_max(abs(y)) / 127.0;
        (y / scale, scale)
    }

    #[op(name = "GeluQuant", outputs(y, scale))]
    pub fn gelu_quant(x: Elem) -> (Elem<i8>, PerRow<f32>) {
        let y = gelu(x);
        let scale = row_max(abs(y)) / 127.0;
        (y / scale, scale)
    }

    /// Integers of both types beside floats, of numbers beyond their ranges, infinities and NaN.
    #[op(name = "Bytes", outputs(y, z, u))]
    pub fn bytes(x: Elem, scale: PerRow) -> (Elem<i8>, Elem, Elem<u8>) {
        (x * scale, x * scale, x * scale)
    }

    #[op(name = "Dequant8")]
    pub fn dequant8(q: Elem<i8>, scale: PerRow) -> Elem {
        q * scale
    }

    #[op(name = "Dequant", grad(name = "DequantGrad", wrt(q, scale)))]
    pub fn dequant(q: Elem, scale: PerRow) -> Elem {
        q * scale
    }

    /// No function of rows, and a number of each row that is computed from another.
    #[op(name = "Shifted", outputs(y, twice))]
    pub fn shifted(x: Elem, shift: PerRow<f32>) -> (Elem, PerRow) {
        (x * shift, exp(0.25 * shift))
    }
}

const RUN: [Run; 10] = [
    ("KlDiv", "KlDiv"),
    ("KlDivGrad", "KlDivGrad"),
    ("LogSumExp", "LogSumExp"),
    ("LogSumExpGrad", "LogSumExpGrad"),
    ("RowTotal", "RowTotal"),
    ("SavedNorm", "SavedNorm"),
    ("SavedNormGrad", "SavedNormGrad"),
    ("SwiGluWithScale", "SwiGluWithScale"),
    ("DequantGrad", "DequantGrad"),
    ("Shifted", "Shifted"),
];

/// Operators with results of 8 bits.
pub const INTEGERS: [Run; 3] =
    [("SwiGluQuant", "SwiGluWithScale"), ("GeluQuant", "GeluQuant"), ("Bytes", "Bytes")];

/// All of them.
fn all() -> Vec<Run> {
    [&RUN[..], &INTEGERS].concat()
}

/// Draws an input: positive for divergences and divisors.
pub fn drawn(reference: &str, random: &mut Random) -> f64 {
    let x = random.normal(2.0);
    if reference == "Bytes" {
        // Half of the numbers lie between two integers.
        let few = [f64::NAN, f64::INFINITY, -f64::INFINITY, 0.0];
        let x = (64.0 * x).round() / 2.0;
        return few.get(random.below(40) as usize).copied().unwrap_or(x);
    }
    if reference == "GeluQuant" {
        // Further out, rounding of the argument is many units of the Gaussian tail.
        return x.clamp(-4.0, 4.0);
    }
    let is_positive = reference.starts_with("KlDiv") || reference == "SavedNormGrad";
    if is_positive { x.abs() + 0.5 } else { x }
}

/// Returns the results of a row, those with one number per row as one element; `None` for other operators.
pub fn expected(name: &str, row: &[Vec<f64>]) -> Option<Vec<Vec<Sized>>> {
    let n = row[0].len().max(1);
    let each = |f: &dyn Fn(usize) -> Sized| (0..row[0].len()).map(f).collect::<Vec<Sized>>();
    let exact = |f: &dyn Fn(usize) -> f64| each(&|i| (f(i), f(i).abs()));
    let total = |f: &dyn Fn(usize) -> f64| {
        let terms = (0..row[0].len()).map(f);
        vec![terms.fold((0.0, 0.0), |(sum, size), term: f64| (sum + term, size + term.abs()))]
    };
    let one = |x: f64, size: f64| vec![(x, size)];
    let largest = |x: &[f64]| x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ln = libm::log;
    Some(match name {
        "KlDiv" => {
            let (p, q) = (&row[0], &row[1]);
            vec![total(&|i| p[i] * ln(p[i] / q[i]))]
        }
        "KlDivGrad" => {
            let (dy, p, q) = (&row[0], &row[1], &row[2]);
            let of_p = |i: usize| {
                let log = ln(p[i] / q[i]);
                (dy[i] * (log + 1.0), dy[i] * (log.abs() + 1.0))
            };
            vec![each(&of_p), exact(&|i| -dy[i] * p[i] / q[i])]
        }
        "LogSumExp" => {
            let m = largest(&row[0]);
            let sum: f64 = row[0].iter().map(|x| libm::exp(x - m)).sum();
            vec![one(m + ln(sum), m.abs() + ln(sum) + 1.0)]
        }
        "LogSumExpGrad" => {
            let (dy, x) = (&row[0], &row[1]);
            let m = largest(x);
            let sum: f64 = x.iter().map(|x| libm::exp(x - m)).sum();
            vec![exact(&|i| dy[i] * libm::exp(x[i] - m) / sum)]
        }
        "RowTotal" => vec![total(&|i| row[0][i])],
        "SavedNorm" => {
            let (x, gamma) = (&row[0], &row[1]);
            let rms = (x.iter().map(|x| x * x).sum::<f64>() / n as f64 + f64::from(1e-6f32)).sqrt();
            vec![exact(&|i| x[i] / rms * gamma[i]), one(rms, rms)]
        }
        "SavedNormGrad" => {
            // dx = (dy gamma - x mean(dy gamma x) / rms^2) / rms, with the divisor as it was saved.
            let (dy, x, gamma, rms) = (&row[0], &row[1], &row[2], row[3].first()?);
            let terms = || (0..n).map(|i| dy[i] * gamma[i] * x[i] / n as f64);
            let (mean, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
            let of = |i: usize| {
                let (a, b) = (dy[i] * gamma[i] / rms, x[i] / rms.powi(3));
                (a - b * mean, a.abs() + (b * size).abs())
            };
            vec![each(&of)]
        }
        "SwiGluWithScale" => {
            let y = |i: usize| row[1][i] * row[0][i] / (1.0 + libm::exp(-row[0][i]));
            let scale = (0..row[0].len()).map(|i| y(i).abs()).fold(0.0, f64::max) / 127.0;
            // The unit and the scale may be as many units off each.
            let quotient = |i: usize| (y(i) / scale, 2.0 * (y(i) / scale).abs());
            vec![each(&quotient), one(scale, scale)]
        }
        "GeluQuant" => {
            let y = |i: usize| {
                let x = row[0][i];
                0.5 * x * libm::erfc(-x / std::f64::consts::SQRT_2)
            };
            let scale = (0..row[0].len()).map(|i| y(i).abs()).fold(0.0, f64::max) / 127.0;
            let quotient = |i: usize| (y(i) / scale, 2.0 * (y(i) / scale).abs());
            vec![each(&quotient), one(scale, 2.0 * scale)]
        }
        "Bytes" => {
            let y = exact(&|i| row[0][i] * row[1][i]);
            vec![y.clone(), y.clone(), y]
        }
        "DequantGrad" => {
            let (dy, q, scale) = (&row[0], &row[1], &row[2]);
            vec![exact(&|i| dy[i] * scale[i]), total(&|i| dy[i] * q[i])]
        }
        "Shifted" => {
            let (x, shift) = (&row[0], &row[1]);
            let of_row = libm::exp(0.25 * shift.first()?);
            vec![exact(&|i| x[i] * shift[i]), one(of_row, of_row)]
        }
        _ => return None,
    })
}

/// Rows that fill UB, no rows, and rows in chunks, whose numbers are copied one by one.
const LONG: [&[usize]; 5] = [&[3, 4096], &[0, 5], &[7, 6145], &[3, 8192], &[1, 50_257]];

/// Adds calls of them. Short rows are turned: the last tile of a core has fewer rows than a line, and cores share blocks of numbers.
pub fn on_ascend910b(calls: Calls) -> Calls {
    let runs: [Runs<'_>; 4] = [
        (&DType::ALL, &DOMAINS[..6], 8),
        (&DType::ALL, &SHORT, 3),
        (&[DType::F32, DType::BF16], &LONG, 1),
        (&[DType::F32, DType::BF16], &LONG, 5),
    ];
    calls.of(&all(), &runs)
}

pub fn on_ascend950(calls: Calls) -> Calls {
    let dtypes = [DType::F32, DType::F16];
    let domains: [&[usize]; 4] = [&[3003, 7], &[5, 63], &[700, 64], &[3, 20_001]];
    calls.of(&all(), &[(&dtypes, &domains, 5)])
}

/// Copies move whole blocks there, so that rows end on blocks, and scalar code writes less than a block of numbers.
#[test]
#[ignore = "a compiler's run: .ci/deep everything"]
fn on_ascend310p() {
    let dtypes = [DType::F32, DType::F16];
    let domains: [&[usize]; 6] =
        [&[16, 16], &[304, 16], &[2, 8, 64], &[37, 1008], &[9, 2000], &[35, 20_016]];
    let runs: [Runs<'_>; 2] = [(&dtypes, &domains, 8), (&dtypes, &domains, 1)];
    Calls::new("ascend310p", Cann::V8).of(&RUN, &runs).check(&[], &[&[]]);
}

/// Exponentials, quotients and roots may be a unit off, and small numbers may be flushed to 0.
#[test]
#[ignore = "a compiler's run: .ci/deep everything"]
fn where_functions_are_inexact() {
    let domains: [&[usize]; 3] = [&[5, 63], &[70, 64], &[3, 6145]];
    let calls = Calls::new("ascend910b", Cann::V8).of(&all(), &[(&[DType::F32], &domains, 3)]);
    calls.check(&[], &[&["--noise", "5"], &["--flush"]]);
}

#[test]
fn commands_show_and_run_them() {
    let said = |line: &str| {
        let words = ["rows"].into_iter().chain(line.split(' ')).map(std::ffi::OsString::from);
        let mut out = Vec::new();
        let code = op_dsl_cli::run(ops::OPERATORS, "", words, &mut out);
        let text = String::from_utf8_lossy(&out).into_owned();
        assert_eq!(format!("{code:?}"), format!("{:?}", std::process::ExitCode::SUCCESS), "{text}");
        text
    };
    let plan = said("explain LogSumExp --soc ascend910b --dtype f32");
    assert!(plan.contains("Stage row2, once per row") && !plan.contains("Results"), "{plan}");
    let plan = said("explain SwiGluQuant --soc ascend910b --dtype f32");
    assert!(plan.contains("Integers of y"), "{plan}");
    let figures = said("simulate SwiGluQuant --shape 9x40 --soc ascend910b --dtype bf16");
    assert!(figures.contains("gm moved over least"), "{figures}");
}
