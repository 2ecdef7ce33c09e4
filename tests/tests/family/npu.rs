//! The results of NPU kernels, interpreted call by call in `float`.
//!
//! Covers every operator over all 16-bit numbers and some thousand 32-bit ones, with the other inputs 1 and with
//! factors of 1e30.

use super::common::*;
use codegen_ascendc::arch::Soc;
use codegen_ascendc::plan::{Noise, Plan, interpret_all, plan};
use op_dsl::Operator;
use op_dsl::ir::format::Format;
use op_dsl::ir::op::Value;
use op_dsl::ir::{DType, Graph, Id, Node, Prim, roles};
use ops_glu_grad::OPERATORS;
use std::sync::OnceLock;

/// A function of the activation.
type Function = fn(f64) -> f64;

/// The values of optional inputs, as functions of the activation.
const OWN: [(&str, &str, Function); 1] = [("MishGrad", "tanhx", |x| {
    let softplus = x.max(0.0) + (-x.abs()).exp().ln_1p();
    softplus.tanh()
})];

/// Replaces infinity where graphs are evaluated in f64, because the formula's value there is its limit.
const FAR: f64 = 1e30;

/// A variant of an operator on a target.
#[derive(Clone)]
struct Case {
    op: &'static Operator,
    attrs: Vec<Value>,
    plan: Plan,
    /// The stream that varies.
    by: usize,
}

/// Returns every variant of every operator that has a kernel, planned once for all tests.
fn cases(dtype: DType) -> &'static [Case] {
    static CASES: [OnceLock<Vec<Case>>; DType::COUNT] = [const { OnceLock::new() }; DType::COUNT];
    CASES[dtype as usize].get_or_init(|| planned(dtype))
}

fn planned(dtype: DType) -> Vec<Case> {
    let soc = Soc::named("ascend910b").expect("a target");
    let mut all = Vec::new();
    for op in OPERATORS {
        let def = op.def();
        for attrs in attribute_values(op) {
            let of = graph(op, &attrs);
            let spec = def.specs.iter().position(|s| std::ptr::eq(&s.graph, of));
            let spec = spec.or_else(|| def.specs.iter().position(|s| s.graph == *of));
            if !def.dtypes.contains(&dtype) || !def.sums.is_empty() {
                continue;
            }
            let plan = plan(def, spec.expect("a form"), dtype, soc).expect("a plan");
            let by = roles::activation(op.def());
            all.push(Case { op, attrs, plan, by });
        }
    }
    all
}

impl Case {
    fn scalars(&self) -> Vec<f64> {
        let float =
            |v: &Value| if let Value::Float(v) = v { Some(f64::from(*v as f32)) } else { None };
        self.attrs.iter().filter_map(float).collect()
    }

    /// Returns the function that an optional input holds, if it has one.
    fn own(&self, stream: usize) -> Option<Function> {
        let def = self.op.def();
        let tensor = def.input_streams()[stream].tensor;
        def.presence(tensor)?;
        let row =
            OWN.iter().find(|row| row.0 == self.op.name() && def.inputs[tensor].name == row.1);
        Some(row.expect("what it is").2)
    }

    /// Runs the plan on each number and returns the results by output; other streams have the value `rest`.
    fn run(&self, xs: &[f32], rest: f32, noise: Noise) -> Vec<Vec<f32>> {
        let column = |k: usize| match self.own(k) {
            Some(own) => xs.iter().map(|x| own(f64::from(*x)) as f32).collect(),
            None => vec![rest; xs.len()],
        };
        let rest: Vec<Vec<f32>> = (0..self.plan.inputs.len()).map(column).collect();
        let stream = |k: usize| if k == self.by { xs } else { &rest[k][..] };
        let streams: Vec<&[f32]> = (0..self.plan.inputs.len()).map(stream).collect();
        let scalars = self.scalars();
        let values = self.plan.graph.eval_all(&vec![f64::NAN; streams.len() + 16], &scalars);
        interpret_all(&self.plan, &streams, |id: Id| values[id.index()] as f32, noise)
    }

    /// Returns the expected results by output.
    fn want(&self, xs: &[f32], rest: f64) -> Vec<Vec<f64>> {
        let near = |x: &f32| if x.is_infinite() { FAR.copysign((*x).into()) } else { (*x).into() };
        let column = |k: usize| -> Vec<f64> {
            match self.own(k) {
                _ if k == self.by => xs.iter().map(near).collect(),
                Some(own) => xs.iter().map(|x| f64::from(own(near(x)) as f32)).collect(),
                None => vec![rest; xs.len()],
            }
        };
        let streams: Vec<Vec<f64>> = (0..self.plan.inputs.len()).map(column).collect();
        graph(self.op, &self.attrs).eval_columns(&streams, &self.scalars(), xs.len())
    }
}

fn numbers(dtype: DType) -> Vec<f32> {
    let all = |i: u16| match dtype {
        DType::F16 => half::f16::from_bits(i).to_f32(),
        DType::BF16 => half::bf16::from_bits(i).to_f32(),
        DType::F32 => f32::from_bits(u32::from(i) << 16 | 0x5a5a),
    };
    let grid = (0..65_536).filter(|_| dtype == DType::F32).map(|i| i as f32 / 1638.4 - 20.0);
    let ends = [f32::INFINITY, f32::NEG_INFINITY];
    (0..=u16::MAX).map(all).filter(|x| !x.is_nan()).chain(grid).chain(ends).collect()
}

/// Returns the error of a result in units of the limit: 2^-22 for `float`, or a unit in the last place for 16 bits.
///
/// A sum of two products has the errors of both. It has no digits where it vanishes, so units are at least those of
/// 2^-7.
fn off(dtype: DType, got: f64, want: f64, sums: bool) -> f64 {
    let is_nearest = || got == Format::of(dtype).round(want);
    if got == want || got.is_nan() && want.is_nan() || is_nearest() {
        return 0.0;
    }
    let (least, terms) = if sums { (1.0 / 128.0, 2.0) } else { (0.0, 1.0) };
    let off = match dtype {
        DType::F32 => (got - want).abs() * 4_194_304.0 / want.abs().max(1.0),
        _ => (got - want).abs() / ulp(dtype, want, least),
    };
    if off.is_nan() { f64::INFINITY } else { off / terms }
}

/// Returns whether some output is a sum of two terms, of which each has an input that the other has not.
fn adds_inputs(graph: &Graph) -> bool {
    let inputs = graph.inputs();
    let within = |x: Id, y: Id| inputs[x.index()].are_within(inputs[y.index()]);
    graph.outputs.iter().any(|output| match graph.nodes[output.index()] {
        Node::Call(Prim::Add | Prim::Sub, [x, y, _]) => !within(x, y) && !within(y, x),
        _ => false,
    })
}

#[test]
fn every_operator_over_all_numbers() {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let xs = numbers(dtype);
        op_dsl_cpp::in_parallel(cases(dtype), |case| over_numbers(&case, dtype, &xs));
    }
}

fn over_numbers(case: &Case, dtype: DType, xs: &[f32]) {
    let (name, outs) = (case.op.name(), case.run(xs, 1.0, Noise::None));
    // Attributes that are no powers of two round the argument and the result, as in `cap * tanh(x / cap)`.
    let is_scaled = case.scalars().iter().any(|s| s.abs().log2().fract() != 0.0);
    let is_sum = is_second(case.op)
        || adds_inputs(graph(case.op, &case.attrs))
        || dtype == DType::F32 && is_scaled;
    for (k, wants) in case.want(xs, 1.0).into_iter().enumerate() {
        for ((x, want), got) in xs.iter().zip(wants).zip(&outs[k]) {
            let got = f64::from(*got);
            // A linear asymptote is infinite at infinity.
            if x.is_infinite() && want.abs() > 1e15 {
                assert_eq!(got, f64::INFINITY.copysign(want), "{name} {dtype} of {x}");
                continue;
            }
            let off = off(dtype, got, want, is_sum);
            let attrs = &case.attrs;
            assert!(off <= 1.0, "{name} {attrs:?} {dtype}: {k} of {x}: {got}, not {want}");
        }
    }
}

/// The sign of an attribute may decide which end has a limit.
#[test]
fn limits_hang_on_the_sign_of_attributes() {
    let ends = [f32::INFINITY, f32::NEG_INFINITY];
    for mut case in cases(DType::F32).iter().cloned() {
        let attrs = case.attrs.clone();
        for (k, attr) in attrs.iter().enumerate() {
            let Value::Float(v) = *attr else { continue };
            case.attrs = attrs.clone();
            case.attrs[k] = Value::Float(-v);
            let outs = case.run(&ends, 1.0, Noise::None);
            for (out, wants) in outs.iter().zip(case.want(&ends, 1.0)) {
                for ((got, want), x) in out.iter().zip(wants).zip(&ends) {
                    let (got, name) = (f64::from(*got), case.op.name());
                    // The value that replaces an infinity for one result is huge in the other result.
                    let is_right = want.is_nan()
                        || (got - want).abs() <= 1e-6
                        || want.abs() > 1e15 && got * want.signum() >= f64::from(f32::MAX);
                    assert!(is_right, "{name} {:?} of {x}: {got}, not {want}", case.attrs);
                }
            }
        }
    }
}

/// Where a gradient is small, factors with a product of 1e60 give the right result, and never NaN.
///
/// They are two of 1e30, or three of 1e20. With three of 1e30 every finite result would be of a function that has no
/// digits.
#[test]
fn large_factors() {
    let xs: Vec<f32> = (0..2000).map(|i| i as f32 * 0.2 - 200.0).collect();
    let is_gradient = |c: &&Case| c.op.def().grad_of.is_some();
    for case in cases(DType::F32).iter().filter(is_gradient) {
        let reads = |k: &usize| *k != case.by && case.plan.inputs[*k].is_some();
        let factors = (0..case.plan.inputs.len()).filter(reads).count() as i32;
        let factor = if factors > 2 { 1e60f64.powf(1.0 / f64::from(factors)) } else { 1e30 };
        let factor = factor as f32;
        let outs = case.run(&xs, factor, Noise::None);
        let factor = f64::from(factor);
        // A function below the smallest normal number has no digits left for its factors to scale.
        let least = 1e-36 * factor.powi(factors);
        for (k, wants) in case.want(&xs, factor).into_iter().enumerate() {
            for ((x, want), got) in xs.iter().zip(wants).zip(&outs[k]) {
                let (got, name) = (f64::from(*got), case.op.name());
                let is_large = want.abs() > 1e35;
                let is_beyond = want.abs() > f64::from(f32::MAX);
                assert!(!got.is_nan() || is_beyond, "{name} {k} of {x} is NaN, not {want}");
                let is_right = (got - want).abs() <= 1e-2 * want.abs() + least;
                assert!(is_right || is_large, "{name}: {k} of {x} is {got}, not {want}");
            }
        }
    }
}
