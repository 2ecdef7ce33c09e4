//! Values that sweeps do not reach: infinities, NaN, huge and denormal factors.

use super::formula::{Formula, OTHERS};
use crate::array::{Array, views, views_mut};
use crate::error::Error;
use codegen_cpu::rt::call::Options;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::DType;
use op_dsl_ir::op::Stream;
use op_dsl_truth::format::Format;

/// Further roundings allowed where factors are not 1, in units in the last place.
const PRODUCTS: f64 = 2.0;

/// One element: the activation, and what every other stream is (or one of them alone).
struct Case {
    name: &'static str,
    activation: fn(DType) -> f64,
    others: fn(DType) -> f64,
    /// Whether the streams besides the activation take the value in turn, the rest staying 1.
    in_turn: bool,
}

fn huge(dtype: DType) -> f64 {
    if dtype == DType::F16 { 6e4 } else { 1e30 }
}

fn greatest(dtype: DType) -> f64 {
    Format::of(dtype).max()
}

/// A few steps above the least number of the type.
fn denormal(dtype: DType) -> f64 {
    12.0 * Format::of(dtype).ulp(0.0)
}

const fn one(_: DType) -> f64 {
    OTHERS
}

const CASES: &[Case] = &[
    Case { name: "+inf", activation: |_| f64::INFINITY, others: one, in_turn: false },
    Case { name: "-inf", activation: |_| f64::NEG_INFINITY, others: one, in_turn: false },
    Case { name: "NaN", activation: |_| f64::NAN, others: one, in_turn: false },
    Case { name: "greatest", activation: greatest, others: one, in_turn: false },
    Case { name: "least", activation: |d| -greatest(d), others: one, in_turn: false },
    Case { name: "-50 with huge factors", activation: |_| -50.0, others: huge, in_turn: false },
    Case { name: "denormal factor", activation: |_| 0.5, others: denormal, in_turn: true },
];

/// How many cases hold, and the names of those that do not.
#[derive(Debug, Default)]
pub struct Special {
    pub held: usize,
    pub broken: Vec<String>,
}

impl Special {
    pub fn show(&self) -> String {
        let all = self.held + self.broken.len();
        match self.broken.is_empty() {
            true => format!("{all}/{all}"),
            false => format!("{}/{all}: {}", self.held, self.broken.join(", ")),
        }
    }
}

/// Runs every case.
pub fn special(formula: &Formula, dtype: DType, level: Level) -> Result<Special, Error> {
    let format = Format::of(dtype);
    let mut found = Special::default();
    for case in CASES {
        for values in elements(formula, case, dtype) {
            let want = formula.spec.graph.eval(&values, &formula.scalars);
            let got = one_element(formula, dtype, level, &values)?;
            let holds = want.iter().zip(&got).enumerate().all(|(k, (want, got))| {
                let budget = match dtype {
                    DType::F32 => formula.budget(k, level) + PRODUCTS,
                    DType::F16 | DType::BF16 => 1.0,
                };
                format.error(*got, *want, 0.0) <= budget
            });
            match holds {
                true => found.held += 1,
                false => found.broken.push(case.name.into()),
            }
        }
    }
    found.broken.dedup();
    Ok(found)
}

/// The values of all streams, once or once per stream.
fn elements(formula: &Formula, case: &Case, dtype: DType) -> Vec<Vec<f64>> {
    let format = Format::of(dtype);
    let def = formula.op.def();
    let streams = def.input_streams();
    let (x, other) = (format.round((case.activation)(dtype)), format.round((case.others)(dtype)));
    let at_rest = |k: usize| if k == formula.activation { x } else { OTHERS };
    let alone = |k: usize| -> Vec<f64> {
        (0..streams.len()).map(|j| if j == k { other } else { at_rest(j) }).collect()
    };
    let used = |k: &usize| *k != formula.activation && def.inputs[streams[*k].tensor].used;
    match case.in_turn {
        true => (0..streams.len()).filter(used).map(alone).collect(),
        false => {
            let all = |j: usize| if j == formula.activation { x } else { other };
            vec![(0..streams.len()).map(all).collect()]
        }
    }
}

/// The operator on tensors of one element per stream.
fn one_element(
    formula: &Formula,
    dtype: DType,
    level: Level,
    values: &[f64],
) -> Result<Vec<f64>, Error> {
    let def = formula.op.def();
    let make = |t: &op_dsl_ir::op::Tensor| Array::zeros(dtype, &formula.shape(t.kind, 1));
    let mut inputs = def.inputs.iter().map(make).collect::<Result<Vec<_>, _>>()?;
    let mut outputs = def.outputs.iter().map(make).collect::<Result<Vec<_>, _>>()?;
    for (s, v) in def.input_streams().iter().zip(values) {
        inputs[s.tensor].set(formula.row(s.part), *v as f32);
    }
    let options =
        Options { threads: 1, level: Some(level), streaming: Some(false), ..Options::default() };
    formula.op.run(&formula.attrs, &views(&inputs)?, &mut views_mut(&mut outputs)?, &options)?;
    let get = |s: &Stream| f64::from(outputs[s.tensor].get(formula.row(s.part)));
    Ok(def.output_streams().iter().map(get).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_numbers_of_their_type() {
        for dtype in DType::ALL {
            let format = Format::of(dtype);
            assert_eq!(format.round(denormal(dtype)), denormal(dtype));
            assert_eq!(format.round(greatest(dtype)), greatest(dtype));
            assert!(format.round(huge(dtype)).is_finite());
            assert!(denormal(dtype) < if dtype == DType::F16 { 6.1e-5 } else { 1.17e-38 });
        }
    }
}
