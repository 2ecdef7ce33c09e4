//! Every operator by the interpreter, at each SIMD level and in each type.
//!
//! The interpreter is a second implementation, which shares only the driver and the functions in f64 with the
//! kernels.
#![allow(missing_docs)]

mod common;
#[path = "../../codegen-cpu/tests/levels/mod.rs"]
mod levels;

use common::*;
use levels::levels;
use op_dsl::ir::DType;
use op_dsl::{Level, Options};
use op_dsl_ir::format::Format;
use ops_glu_grad::OPERATORS;

/// Number of elements, which leaves a tail.
const COUNT: usize = 1003;

/// Returns the largest error against f64, in units in the last place.
///
/// It is the budget of a table, or of functions in f32, and of the products around it.
fn at_most(dtype: DType) -> f64 {
    if dtype == DType::F32 { 5.0 } else { 1.0 }
}

/// Near a zero crossing a unit is at least that of this value: 2^-7 times factors of up to 32.
const FLAT: f64 = 0.25;

#[test]
fn operators_agree_with_the_interpreter() {
    let mut differ = 0;
    for op in OPERATORS {
        let interpreted = op.interpreted().expect("the interpreter runs every operator");
        for attrs in attribute_values(op) {
            for (dtype, level) in
                DType::ALL.iter().flat_map(|d| levels().into_iter().map(|l| (*d, l)))
            {
                if !op.def().dtypes.contains(&dtype) {
                    continue;
                }
                let mut random = Random(7);
                let data = inputs(op, &attrs, &[2, COUNT], dtype, |_| random.normal(2.0));
                let options = Options { level: Some(level), threads: 1, ..Options::default() };
                let (own, other) =
                    (run(op, &attrs, &data, &options), run(&interpreted, &attrs, &data, &options));
                let format = Format::of(dtype);
                for (k, (own, other)) in own.iter().zip(&other).enumerate() {
                    for i in 0..own.shape.iter().product() {
                        let (got, want) = (own.at(i), other.at(i));
                        differ += usize::from(got != want);
                        let error = format.error(got, want, format.ulp(FLAT));
                        let most = at_most(dtype);
                        assert!(
                            error <= most,
                            "{} {attrs:?} {dtype} {}: output {k} of element {i} is {got}, by the interpreter {want}: {error} ulp",
                            op.name(),
                            level.name()
                        );
                    }
                }
            }
        }
    }
    // Where a level has tables, the f64 evaluation is right where a table is off by a unit: in at most one element of
    // a hundred. Builds with debug assertions interpret everything, so there is nothing to compare.
    let has_tables = !cfg!(debug_assertions) && levels().into_iter().any(Level::has_fma);
    assert!(differ > 0 || !has_tables);
}

/// Intermediate values outside the range of f32: bf16 kernels detect them and return the interpreter's results.
#[test]
fn factors_of_every_size_agree_in_bf16() {
    let (dtype, format) = (DType::BF16, Format::of(DType::BF16));
    let number = |r: &mut Random| {
        let (low, high) = if r.below(2) == 0 { (-7, 7) } else { (-133, 127) };
        let exponent = low + r.below((high - low + 1) as usize) as i32;
        (if r.below(2) == 0 { 1.0 } else { -1.0 }) * (1.0 + r.unit()) * f64::from(exponent).exp2()
    };
    let least = f64::from(dtype.row().exponents.0).exp2();
    for name in ["SituGlu", "SeluGrad"] {
        let op = OPERATORS.iter().find(|op| op.name() == name).expect("an operator");
        let interpreted = op.interpreted().expect("a program");
        for attrs in attribute_values(op) {
            let mut random = Random(11);
            let data = inputs(op, &attrs, &[2, 8 * COUNT], dtype, |_| number(&mut random));
            for level in levels() {
                let options = Options { level: Some(level), threads: 1, ..Options::default() };
                let [own, other] =
                    [op, &&interpreted].map(|op| run(op, &attrs, &data, &options).remove(0));
                for i in 0..own.shape.iter().product() {
                    let (got, want) = (own.at(i), other.at(i));
                    let is_normal = (least..0.99 * format.max()).contains(&want.abs());
                    let error = if is_normal { format.error(got, want, 0.0) } else { 0.0 };
                    let level = level.name();
                    assert!(error <= 1.0, "{name} {attrs:?} {level} {i}: {got:e}, not {want:e}");
                }
            }
        }
    }
}
