//! Elements that a formula is tried at.
//!
//! ```text
//! sweep       each stream in turn through its values, factors being 1 and others at a few
//! joint       all streams at random, over all exponents
//! infinite    infinities and NaN, alone and combined
//! ```
//!
//! The value at each index is fixed: the same on every machine, and in every run.

use super::formula::Formula;
use super::points::Points;
use super::{infinite, joint};
use crate::args::Sweep;
use op_dsl_ir::DType;
use op_dsl_ir::op::Value;

/// Values of a float attribute while the others have their defaults.
///
/// They are ordinary, large, small, and negative.
const VARIED: [f64; 5] = [0.5, 3.0, 40.0, 1e-3, -1.3];
/// Additional value of float attributes that are exponents in the formula.
///
/// Other attributes are not tried at 0, because division by 0 has no useful value.
const EXPONENT: f64 = 0.0;

/// Multiple of the usual work that the exact value of an element with infinities may take.
const LIMITS: u64 = 200;

/// Category under which the results of a pass are counted in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// One stream is swept and factors are 1: in 16-bit types most results must be correctly rounded.
    Sweep,
    /// All streams vary, and factors are of every size: finite results must not become infinite or NaN.
    Joint,
}

/// A series of elements with the same values of attributes.
pub struct Pass<'f> {
    pub role: Role,
    pub attrs: Vec<Value>,
    pub elements: u64,
    /// Average work allowed for the exact value of an element, in units of [`op_dsl_truth::work`].
    pub work: u64,
    pub element: Box<dyn Fn(u64) -> Vec<f64> + Sync + 'f>,
}

impl Pass<'_> {
    /// Returns the value of every input stream for element `i` of the pass.
    pub fn element(&self, i: u64) -> Vec<f64> {
        (self.element)(i)
    }
}

/// Number of elements to test, and work allowed for their exact values.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Number of swept elements, in total over all specialisations and settings of an operator.
    ///
    /// `None` means every value of the element type.
    pub swept: Option<u64>,
    /// Number of elements with all streams at random, in total over all specialisations of an operator.
    pub joint: u64,
    /// Average work allowed for the exact value of an element, in units of [`op_dsl_truth::work`].
    pub work: u64,
}

impl Effort {
    /// Default effort: at most five CPU seconds per operator, and mostly one or two.
    pub const USUAL: Effort = Effort { swept: Some(1 << 17), joint: 1 << 14, work: 6000 };
    /// Effort of `--thorough`: minutes per operator.
    pub const THOROUGH: Effort = Effort { swept: Some(1 << 21), joint: 1 << 19, work: u64::MAX };
    /// Effort of `--exhaustive`: hours, for all 2^32 values of f32.
    pub const EXHAUSTIVE: Effort = Effort { swept: None, ..Effort::THOROUGH };
    /// Minimum numbers of swept and random elements per setting, however many settings an operator has.
    const LEAST: [u64; 2] = [1 << 11, 1 << 9];

    /// Returns the effort that the command line asks for.
    pub fn of(args: &Sweep) -> Effort {
        match (args.exhaustive, args.thorough) {
            (true, _) => Effort::EXHAUSTIVE,
            (_, true) => Effort::THOROUGH,
            _ => Effort::USUAL,
        }
    }

    /// Returns `all` divided among `parts`, but at least `least`.
    fn share(all: u64, parts: usize, least: u64) -> u64 {
        (all / parts as u64).max(least)
    }
}

/// Returns all passes that test a formula in one element type.
pub fn passes<'f>(formula: &'f Formula, dtype: DType, effort: Effort) -> Vec<Pass<'f>> {
    let specs = formula.op.def().specs.len();
    let mut all: Vec<Pass<'f>> = Vec::new();
    for setting in &formula.settings {
        let parts = specs * formula.settings.len();
        let limit = effort.swept.map(|all| Effort::share(all, parts, Effort::LEAST[0]));
        let points = Points::new(formula, setting.swept, dtype, limit);
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
            // A limit takes four evaluations in many bits; that is affordable because these elements are few.
            work: effort.work.saturating_mul(LIMITS),
            element: Box::new(move |i| infinite::element(formula, i)),
        });
    }
    all
}

/// Returns the default attributes, then copies in which one float attribute has another value.
pub fn attributes(formula: &Formula) -> Vec<Vec<Value>> {
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
