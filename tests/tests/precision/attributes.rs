//! Functions with attributes, which use the tables of the function without: every attribute value must work.

use super::common::{Data, Tensor, run};
use super::error;
use super::levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;
use op_dsl::{Level, Operator, Options};

#[op_dsl::operators]
pub mod scaled {
    use op_dsl::prelude::*;

    #[op(name = "Celu")]
    pub fn celu(x: Elem, #[attr(default = 1.0)] alpha: f32) -> Elem {
        if x > 0.0 { x } else { alpha * expm1(x / alpha) }
    }

    #[op(name = "BentSilu")]
    pub fn bent_silu(
        x: Elem,
        #[attr(default = 1.0)] k: f32,
        #[attr(default = 1.0)] limit: f32,
    ) -> Elem {
        let a = if x > limit { limit } else { x };
        a * sigmoid(k * a)
    }

    #[op(name = "SoftCap")]
    pub fn soft_cap(x: Elem, #[attr(default = 1.0)] cap: f32) -> Elem {
        cap * tanh(x / cap)
    }

    /// A gate with a bias beside it, and a second product.
    #[op(name = "BiasedGate")]
    pub fn biased_gate(
        dy: Elem,
        x: Elem,
        value: Elem,
        #[attr(default = 1.0)] k: f32,
        #[attr(default = 1.0)] bias: f32,
    ) -> Elem {
        dy * (value + bias) * x * sigmoid(k * x)
    }
}

fn logistic(x: f64) -> f64 {
    if x < 0.0 { libm::exp(x) / (1.0 + libm::exp(x)) } else { 1.0 / (1.0 + libm::exp(-x)) }
}

/// Computes `x sigmoid(k x)`, with its limit.
fn silu(x: f64, k: f64) -> f64 {
    let gate = logistic(k * x);
    if gate == 0.0 { 0.0 } else { x * gate }
}

/// An operator, the input that varies, the values of the other inputs, and the expected value at `x`.
struct Case {
    op: &'static Operator,
    varied: usize,
    others: [f32; 3],
    truth: fn(f64, [f64; 3], [f64; 2]) -> f64,
    ulps: f64,
}

const CASES: [Case; 4] = [
    Case {
        op: &scaled::CELU,
        varied: 0,
        others: [0.0; 3],
        truth: |x, _, [alpha, _]| if x > 0.0 { x } else { alpha * libm::expm1(x / alpha) },
        ulps: 1.8,
    },
    Case {
        op: &scaled::BENT_SILU,
        varied: 0,
        others: [0.0; 3],
        truth: |x, _, [k, limit]| silu(if x > limit { limit } else { x }, k),
        ulps: 1.2,
    },
    Case {
        op: &scaled::SOFT_CAP,
        varied: 0,
        others: [0.0; 3],
        truth: |x, _, [cap, _]| cap * libm::tanh(x / cap),
        ulps: 1.8,
    },
    Case {
        op: &scaled::BIASED_GATE,
        varied: 1,
        others: [0.7, 0.0, -1.1],
        truth: |x, [dy, _, y], [k, bias]| dy * (y + bias) * silu(x, k),
        // The sum and three products are rounded in sequence: half a unit for each factor beyond the first.
        ulps: 2.5,
    },
];

/// Ordinary attributes, one without spare digits, negative ones, and ones that leave the range of f32.
const ATTRIBUTES: [[f32; 2]; 8] = [
    [1.0, 1.0],
    [0.7, 1.9],
    [1.702, 0.25],
    [-0.9, -1.5],
    [1e4, 3.0],
    [3e-5, 0.5],
    [1e-30, 2.0],
    [1e33, 1e-12],
];

impl Case {
    /// Returns the results where one input is `x` and the others are constant.
    fn values(&self, x: &[f32], attributes: [f32; 2], level: Level) -> Vec<f64> {
        let def = self.op.def();
        let column = |k: usize| match k == self.varied {
            true => x.to_vec(),
            false => vec![self.others[k]; x.len()],
        };
        let inputs: Vec<Tensor> = (0..def.inputs.len())
            .map(|k| Tensor { shape: vec![x.len()], data: Data::F32(column(k)) })
            .collect();
        let attributes = &attributes[..def.attrs.len()];
        let values: Vec<Value> = attributes.iter().map(|a| Value::Float((*a).into())).collect();
        let options = Options { level: Some(level), ..Options::default() };
        let out = run(self.op, &values, &inputs, &options);
        (0..x.len()).map(|i| out[0].at(i)).collect()
    }
}

#[test]
fn tables_serve_any_attribute() {
    let all = (0..=u32::MAX).step_by(1_000_003).map(f32::from_bits);
    let near = (0..20_000).map(|i| (i as f32 - 9_999.5) / 999.7);
    let ends = [0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN, 1e-44];
    let x: Vec<f32> = all.chain(near).chain(ends).collect();
    for case in &CASES {
        let def = case.op.def();
        assert!(def.specs[0].split(def.inputs.len()).is_some(), "{}", def.name);
        for attributes in ATTRIBUTES {
            for level in levels() {
                let errors = x.iter().zip(case.values(&x, attributes, level)).map(|(x, got)| {
                    let (others, attributes) =
                        (case.others.map(f64::from), attributes.map(f64::from));
                    let want = (case.truth)((*x).into(), others, attributes);
                    (error(DType::F32, got, want, 0.0), *x, got, want)
                });
                let worst = errors.max_by(|a, b| a.0.total_cmp(&b.0)).expect("numbers");
                let at = format!("{} at {}, {attributes:?}: {worst:?}", def.name, level.name());
                println!("{at}");
                assert!(worst.0 <= case.ulps, "{at}");
            }
        }
    }
}

/// Numbers inside the table range, in its tail and beyond f32, mixed in a step: each has the value it has among its
/// like.
#[test]
fn what_is_beside_an_element_changes_no_bit() {
    let inside = [0.0, -0.0, 0.3, -1.1, 2.7, 1e-42];
    let beyond = [9.1, -9.9, 17.0, -60.0, 88.5, -95.0, 150.0, -230.0, 1e6, -1e20];
    let ends = [f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let x: Vec<f32> = [&inside[..], &beyond, &ends].concat();
    for case in &CASES {
        for attributes in ATTRIBUTES {
            for level in levels() {
                let beside = case.values(&x, attributes, level);
                for (x, got) in x.iter().zip(beside) {
                    let alone = case.values(&[*x; 64], attributes, level)[0];
                    let same = got.to_bits() == alone.to_bits() || got.is_nan() && alone.is_nan();
                    let at = format!("{} at {}, {attributes:?}", case.op.name(), level.name());
                    assert!(same, "{at}: f({x:e}) = {got:e}, alone {alone:e}");
                }
            }
        }
    }
}
