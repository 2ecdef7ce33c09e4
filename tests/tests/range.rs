//! Products of a function and factors of every size.
//!
//! All digits are right wherever the result is a normal number, even if intermediate products overflow or are
//! denormal.
#![allow(missing_docs)]

mod common;
#[path = "../../codegen-cpu/tests/levels/mod.rs"]
mod levels;

use common::{Random, Tensor, all_defaults, run, scalars};
use levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::format::Format;
use op_dsl::{Level, Operator, Options};

#[op_dsl::operators]
pub mod products {
    use op_dsl::prelude::*;

    /// Three spellings of one gated unit.
    #[op(name = "SwiGlu", grad(name = "SwiGluGrad", wrt(gate, up)))]
    pub fn swiglu(gate: Elem, up: Elem) -> Elem {
        gate * sigmoid(gate) * up
    }

    #[op(name = "SwiGluB", grad(name = "SwiGluBGrad", wrt(gate, up)))]
    pub fn swiglu_b(gate: Elem, up: Elem) -> Elem {
        up * (gate / (1.0 + exp(-gate)))
    }

    #[op(name = "SwiGluC", grad(name = "SwiGluCGrad", wrt(gate, up)))]
    pub fn swiglu_c(gate: Elem, up: Elem) -> Elem {
        up * gate * 0.5 * (1.0 + tanh(0.5 * gate))
    }

    /// The gate's function is a result as well.
    #[op(name = "GeGlu", outputs(y, gelu), grad(name = "GeGluGrad", wrt(gate, up)))]
    pub fn geglu(gate: Elem, up: Elem) -> Elem {
        #[saved]
        let gelu = 0.5 * gate * (1.0 + erf(gate * FRAC_1_SQRT_2));
        up * gelu
    }

    #[op(name = "GeGluTanh", outputs(y, gelu), grad(name = "GeGluTanhGrad", wrt(gate, up)))]
    pub fn geglu_tanh(gate: Elem, up: Elem) -> Elem {
        #[saved]
        let gelu =
            0.5 * gate * (1.0 + tanh(0.7978845608028654 * (gate + 0.044715 * gate * gate * gate)));
        up * gelu
    }

    /// A Gaussian bump: it vanishes on both sides, and is 1 at zero.
    #[op(name = "Bump", grad(name = "BumpGrad", wrt(x)))]
    pub fn bump(x: Elem, a: Elem, b: Elem) -> Elem {
        a * exp(-x * x) * b
    }

    /// Four factors, and an attribute.
    #[op(name = "Gates", grad(name = "GatesGrad", wrt(x, a)))]
    pub fn gates(x: Elem, a: Elem, b: Elem, #[attr(default = 0.0078125)] scale: f32) -> Elem {
        scale * tanh(x) * a * b
    }

    /// No function at all: the first product overflows, or is a denormal number, and the last brings it back.
    #[op(name = "Slope", grad(name = "SlopeGrad", wrt(x)))]
    pub fn slope(x: Elem, a: Elem, b: Elem) -> Elem {
        a * (1.0 - x * x) * b
    }

    #[op(name = "Cut", grad(name = "CutGrad", wrt(x)))]
    pub fn cut(x: Elem, a: Elem, b: Elem, #[attr(default = 40.0)] scale: f32) -> Elem {
        a * (scale * (if x > 0.0 { x } else { -x } * b))
    }
}

/// The elements of a sweep, one column per stream.
type Columns = Vec<Vec<f64>>;

/// Returns a random number of a type, with all exponents equally likely, including denormals and zero.
///
/// If `ordinary`, every other number has an exponent from -7 to 6.
fn number(r: &mut Random, dtype: DType, ordinary: bool) -> f64 {
    let (format, row) = (Format::of(dtype), dtype.row());
    let (least, most) = (row.exponents.0 - row.precision + 1, row.exponents.1);
    let exponent = match ordinary && r.below(2) == 0 {
        true => r.below(14) as i32 - 7,
        false => least + r.below((most + 1 - least) as usize) as i32,
    };
    let size = format.round((1.0 + r.unit()) * f64::from(exponent).exp2()).min(format.max());
    if r.below(2) == 0 { size } else { -size }
}

/// Returns random streams of an operator, such that some output is a normal number for most elements.
///
/// The stream that the function is applied to has ordinary numbers more often.
fn columns(op: &Operator, dtype: DType, many: usize) -> Columns {
    let mut r = Random(0x5eed);
    let applied = op_dsl::ir::roles::activation(op.def());
    let streams = op.def().input_streams().len();
    (0..streams).map(|k| (0..many).map(|_| number(&mut r, dtype, k == applied)).collect()).collect()
}

/// Returns the results of an operator on streams that are one tensor each.
fn results(op: &Operator, dtype: DType, columns: &Columns, level: Level) -> Columns {
    let inputs = columns.iter().map(|column| {
        let mut at = column.iter();
        Tensor::new(&[column.len()], dtype, || *at.next().expect("as many"))
    });
    let inputs: Vec<Tensor> = inputs.collect();
    let options = Options { threads: 1, level: Some(level), ..Options::default() };
    let outputs = run(op, &all_defaults(op), &inputs, &options);
    outputs.iter().map(|y| (0..columns[0].len()).map(|i| y.at(i)).collect()).collect()
}

/// Returns the results that are normal numbers of their type and exceed the error budget.
fn misses(op: &Operator, dtype: DType, level: Level, columns: &Columns) -> Vec<String> {
    let (spec, format) = (&op.def().specs[0], Format::of(dtype));
    let applied = op_dsl::ir::roles::activation(op.def());
    let got = results(op, dtype, columns, level);
    let scalars = scalars(&all_defaults(op));
    let mut misses = Vec::new();
    for i in 0..columns[0].len() {
        let streams: Vec<f64> = columns.iter().map(|column| column[i]).collect();
        let want = op_dsl_truth::outputs(spec, &streams, &scalars, format);
        for (k, want) in want.into_iter().enumerate() {
            let least = f64::from(dtype.row().exponents.0).exp2();
            if !(least..0.99 * format.max()).contains(&want.abs()) {
                continue;
            }
            // Near a zero crossing away from `x = 0`, a unit is that of 2^-7 times the factors.
            let factors: f64 =
                (0..streams.len()).filter(|s| *s != applied).map(|s| streams[s].abs()).product();
            let is_near = (0.5..8.0).contains(&streams[applied].abs());
            let unit = if is_near { format.ulp(factors / 128.0) } else { 0.0 };
            let off = format.error(got[k][i], want, unit);
            if off.is_nan() || off > budget(op, dtype) {
                let (name, got) = (op.name(), got[k][i]);
                misses.push(format!(
                    "{name} {dtype:?} {level:?} {streams:?} output {k}: {got:e}, not {want:e}: {off:.1}"
                ));
            }
        }
    }
    misses
}

/// Returns the error budget in units.
///
/// It is the function's error, up to 1.9 units of the product with AVX2, plus half a unit for rounding the factors
/// once.
fn budget(op: &Operator, dtype: DType) -> f64 {
    let factors = op.def().input_streams().len() - 1;
    if dtype == DType::F32 { (1.5 + 0.5 * factors as f64).min(2.4) } else { 1.0 }
}

/// Factors up to the largest number of the type, with every exponent of the function's argument.
#[test]
fn products_keep_their_digits_under_factors_of_every_size() {
    let mut all = Vec::new();
    for op in products::OPERATORS {
        for dtype in DType::ALL {
            let columns = columns(op, dtype, 6000);
            for level in levels() {
                let misses = misses(op, dtype, level, &columns);
                if let Some(first) = misses.first() {
                    all.push(format!("{} misses, first {first}", misses.len()));
                }
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

fn operator(name: &str) -> &'static Operator {
    products::OPERATORS.iter().copied().find(|op| op.name() == name).expect("an operator")
}

/// Regression cases: the function underflowed, or was rounded to a denormal, before a factor scaled it up.
#[test]
fn elements_that_were_wrong() {
    let cases: [(&str, DType, &[f64]); 9] = [
        ("SwiGluGrad", DType::F32, &[1e-29, -48.0, 1e37]),
        ("SwiGlu", DType::F32, &[1.4e-45, 1e38]),
        ("SwiGlu", DType::F32, &[1.3822e-39, -8.6457e28]),
        ("SwiGlu", DType::F32, &[-100.0, 1e38]),
        ("GeGluTanh", DType::F16, &[-5.516, 1000.0]),
        ("GeGluTanh", DType::F16, &[-5.55, 30000.0]),
        ("GeGlu", DType::F16, &[-5.516, 1000.0]),
        ("GeGluTanhGrad", DType::F16, &[30000.0, -5.55, 1.0, 0.0]),
        ("Bump", DType::F32, &[10.0, 1e30, 1e30]),
    ];
    for (name, dtype, streams) in cases {
        let format = Format::of(dtype);
        let columns: Columns = streams.iter().map(|x| vec![format.round(*x); 70]).collect();
        for level in levels() {
            let misses = misses(operator(name), dtype, level, &columns);
            assert!(misses.is_empty(), "{}", misses[0]);
        }
    }
}
