//! The elements that a formula is tried at.
//!
//! ```text
//! sweep       each stream in turn through its values, factors being 1 and others at a few
//! joint       all streams at random, over all exponents
//! infinite    infinities and NaN, alone and together
//! ```
//!
//! What is in which place is fixed: the same on every machine, and in every run.

use super::formula::Formula;
use super::points::Points;
use super::{infinite, joint};
use crate::args::Sweep;
use op_dsl_ir::DType;
use op_dsl_ir::op::Value;

/// What float attributes are, each while the others have their defaults: other ones, small, large, and of the other sign.
const VARIED: [f64; 5] = [0.5, 3.0, 40.0, 1e-3, -1.3];
/// And what exponents are besides. What is divided by 0 has no value worth a question.
const EXPONENT: f64 = 0.0;

/// How many times the usual work an element with infinities may take.
const LIMITS: u64 = 200;

/// What results of a pass count as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Those of one function: 16-bit results must be correctly rounded, most of them.
    Sweep,
    /// Those of factors of every size besides.
    Joint,
}

/// Elements with the same attributes.
pub struct Pass<'f> {
    pub role: Role,
    pub attrs: Vec<Value>,
    pub elements: u64,
    /// What the truth of an element may take on an average, in units of [`op_dsl_truth::work`].
    pub work: u64,
    element: Box<dyn Fn(u64) -> Vec<f64> + Sync + 'f>,
}

impl Pass<'_> {
    /// What the streams of an element hold.
    pub fn element(&self, i: u64) -> Vec<f64> {
        (self.element)(i)
    }
}

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Elements of sweeps, of all specialisations and settings of an operator together; `None` for all that there are.
    pub swept: Option<u64>,
    /// Elements with all streams at random, of all specialisations of an operator together.
    pub joint: u64,
    /// What an element's truth may take on an average, in units of [`op_dsl_truth::work`].
    pub work: u64,
}

impl Effort {
    /// Five CPU seconds at most for an operator, and mostly one or two.
    pub const USUAL: Effort = Effort { swept: Some(1 << 17), joint: 1 << 14, work: 6000 };
    /// Minutes.
    pub const THOROUGH: Effort = Effort { swept: Some(1 << 21), joint: 1 << 19, work: u64::MAX };
    /// Hours: all 2^32 values of f32.
    pub const EXHAUSTIVE: Effort = Effort { swept: None, ..Effort::THOROUGH };
    /// However many settings an operator has, each has so many elements swept, and so many at random.
    const LEAST: [u64; 2] = [1 << 11, 1 << 9];

    /// What the command line asks for.
    pub fn of(args: &Sweep) -> Effort {
        match (args.exhaustive, args.thorough) {
            (true, _) => Effort::EXHAUSTIVE,
            (_, true) => Effort::THOROUGH,
            _ => Effort::USUAL,
        }
    }

    /// The share of one part of so many.
    fn share(all: u64, parts: usize, least: u64) -> u64 {
        (all / parts as u64).max(least)
    }
}

/// All passes of a formula.
pub fn passes<'f>(formula: &'f Formula, dtype: DType, effort: Effort) -> Vec<Pass<'f>> {
    let specs = formula.op.def().specs.len();
    let mut all: Vec<Pass<'f>> = Vec::new();
    for setting in &formula.settings {
        let parts = specs * formula.settings.len();
        let limit = effort.swept.map(|all| Effort::share(all, parts, Effort::LEAST[0]));
        let points = Points::new(formula, dtype, limit);
        all.push(Pass {
            role: Role::Sweep,
            attrs: setting.attrs.clone(),
            elements: points.len(),
            work: effort.work,
            element: Box::new(move |i| setting.at(points.at(i).into())),
        });
    }
    let variants = attributes(formula);
    for attrs in &variants {
        let is_single = variants.len() == 1 && formula.multiplies.len() == formula.masks.len() + 1;
        if !is_single {
            let joint = attrs.clone();
            all.push(Pass {
                role: Role::Joint,
                attrs: attrs.clone(),
                elements: Effort::share(effort.joint, specs * variants.len(), Effort::LEAST[1]),
                work: effort.work,
                element: Box::new(move |i| joint::element(formula, dtype, &joint, i)),
            });
        }
        all.push(Pass {
            role: Role::Joint,
            attrs: attrs.clone(),
            elements: infinite::elements(formula),
            // A limit takes four evaluations in many bits, and these elements are few.
            work: effort.work.saturating_mul(LIMITS),
            element: Box::new(move |i| infinite::element(formula, i)),
        });
    }
    all
}

/// The defaults, and each float attribute alone at what it may be else.
fn attributes(formula: &Formula) -> Vec<Vec<Value>> {
    let defaults = &formula.settings[0].attrs;
    let attrs = formula.op.def().attrs.iter().enumerate();
    let scalars = attrs.filter(|(_, attr)| attr.kind.is_scalar()).map(|(k, _)| k).enumerate();
    let floats = scalars.filter(|(_, k)| matches!(defaults[*k], Value::Float(_)));
    let mut all = vec![defaults.clone()];
    for (scalar, k) in floats {
        let zero = formula.is_exponent(scalar).then_some(EXPONENT);
        for value in VARIED.into_iter().chain(zero) {
            let mut attrs = defaults.clone();
            attrs[k] = Value::Float(f64::from(value as f32));
            if !all.contains(&attrs) {
                all.push(attrs);
            }
        }
    }
    all
}
