//! What every section is written from.

use super::words::{Language, Words};
use crate::arch::{Arch, Refusal, SOCS, Soc, Why};
use crate::plan::accuracy::inaccurate;
use crate::plan::{Plan, Storage, plan_in};
use op_dsl_ir::DType;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::registered::Definition;
use rayon::prelude::*;
use std::borrow::Cow;

/// What the author of a package may choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Lines above every file, without comment signs: a licence.
    pub license: Option<String>,
    /// Only these element types; by default all that operator and target share.
    pub dtypes: Option<Vec<DType>>,
    /// Major version of the toolkit that the package is for.
    pub cann: Cann,
    /// Where kernels keep what they compute.
    pub storage: Storage,
    /// What pages are written in.
    pub language: Language,
    /// Whether results may be further off than their budget.
    pub accept_error: bool,
}

impl Options {
    /// Whether a reason is one that nobody knew of who asked for a package: types that a product has not are expected, if
    /// they were not asked for, and so are forms that a document leaves out.
    fn is_grave(&self, why: &Why) -> bool {
        match why {
            Why::LeftOut(..) => false,
            Why::NoDType(..) => self.dtypes.is_some(),
            _ => true,
        }
    }
}

/// What has the compiler keep in registers what calls on tensors hand to each other.
pub const FUSION: &str = "--cce-simd-vf-fusion=true";

/// Generations of the toolkit, which differ in the build files of the custom layout and in names of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cann {
    /// 8.0 to 8.5: presets, `BEGIN_TILING..`-free but without `npu_op_*` functions.
    V8,
    /// 9 and later: `find_package(ASC)`.
    #[default]
    V9,
}

/// An operator on some architectures, planned.
#[derive(Clone, Debug)]
pub struct Package<'a> {
    /// The operator.
    pub def: Cow<'a, OpDef>,
    /// The same with the names that its author wrote.
    pub written: &'a OpDef,
    /// Products, those of an architecture next to each other.
    pub socs: Vec<&'static Soc>,
    /// One plan for each architecture, specialisation and element type that there is, in this order:
    /// that of [`Package::archs`], of specialisations, of [`DType::ALL`].
    pub plans: Vec<Plan>,
    /// What is left out: a form that the operator's document leaves out, an element type that an
    /// architecture has not, a product that cannot do the operator.
    pub left_out: Vec<Refusal>,
    /// What the author chose.
    pub options: Options,
}

impl<'a> Package<'a> {
    /// Plans every specialisation in every element type for the architectures of some products.
    ///
    /// # Errors
    /// A product cannot do the operator at all, or not in an element type that was asked for.
    pub fn new(
        def: &'a OpDef,
        socs: &[&'static Soc],
        options: Options,
    ) -> Result<Package<'a>, Refusal> {
        let grave = |mut left: Vec<Refusal>| {
            let at = left.iter().position(|left| options.is_grave(&left.why));
            left.swap_remove(at.unwrap_or(0))
        };
        let (package, refusal) = Package::able(def, socs, options.clone()).map_err(grave)?;
        refusal.map_or(Ok(package), Err)
    }

    /// As [`Package::new`], but products and element types that cannot do the operator are left out; with the first
    /// reason for one of them that an author could do something about.
    ///
    /// # Errors
    /// No product can do the operator: all reasons.
    pub fn able(
        def: &'a OpDef,
        socs: &[&'static Soc],
        options: Options,
    ) -> Result<(Package<'a>, Option<Refusal>), Vec<Refusal>> {
        let definition = def.published.and_then(|p| p.definition).unwrap_or(Definition::PLAIN);
        let mut package = Package {
            def: definition.rename(Cow::Borrowed(def)),
            written: def,
            socs: Vec::new(),
            plans: Vec::new(),
            left_out: Vec::new(),
            options,
        };
        let socs = one_of_each(socs);
        let plan = |soc: &&'static Soc| planned(&package.def, soc, &package.options);
        let found: Vec<_> = socs.par_iter().map(plan).collect();
        for (soc, (plans, left_out)) in socs.into_iter().zip(found) {
            if !plans.is_empty() {
                let others = SOCS.iter().filter(|s| s.arch == soc.arch && s.name != soc.name);
                package.socs.extend(std::iter::once(soc).chain(others));
            }
            package.plans.extend(plans);
            package.left_out.extend(left_out);
        }
        if package.plans.is_empty() {
            return Err(package.left_out);
        }
        let refusal = package.left_out.iter().find(|left| package.options.is_grave(&left.why));
        let refusal = refusal.cloned();
        Ok((package, refusal))
    }

    /// Its architectures.
    pub fn archs(&self) -> Vec<&'static Arch> {
        let mut archs: Vec<&Arch> = self.socs.iter().map(|s| s.arch).collect();
        archs.dedup();
        archs
    }

    /// The plans for an architecture.
    pub fn plans_of(&self, arch: &Arch) -> impl Iterator<Item = &Plan> {
        self.plans.iter().filter(move |p| p.soc.arch == arch)
    }

    /// Products that have registers, of which some kernel makes no use: the compiler may join its calls.
    pub fn fused(&self) -> Vec<&'static Soc> {
        let in_memory = |s: &&Soc| self.plans_of(s.arch).any(|p| p.registers.is_none());
        self.socs.iter().copied().filter(|s| s.arch.registers).filter(in_memory).collect()
    }

    /// What its pages say.
    pub(crate) fn words(&self) -> &'static Words {
        self.options.language.words()
    }

    /// The first product.
    pub fn soc(&self) -> &'static Soc {
        self.socs[0]
    }

    /// A plan whose specialisation and element type all architectures have; the first if there is none.
    pub fn common(&self) -> &Plan {
        let archs = self.archs();
        let same = |p: &Plan, q: &Plan| p.spec == q.spec && p.dtype == q.dtype;
        let common = |p: &&Plan| archs.iter().all(|a| self.plans_of(a).any(|q| same(p, q)));
        self.plans.iter().find(common).unwrap_or(&self.plans[0])
    }

    /// `ge_glu_grad_v2`: directories, files, the kernel's entry. Published, or the operator's name.
    pub fn snake(&self) -> String {
        let definition = self.def.published.and_then(|p| p.definition);
        let published = definition.map(|d| d.directory).filter(|name| !name.is_empty());
        published.map_or_else(|| self.def.snake(), str::to_string)
    }

    /// `GeGluGradV2TilingData`: the struct that the host hands to the kernel.
    pub fn tiling_data(&self) -> String {
        format!("{}TilingData", self.def.name)
    }

    /// Element types that some plan has, in the order of [`DType::ALL`].
    pub fn dtypes(&self) -> Vec<DType> {
        DType::ALL.into_iter().filter(|d| self.plans.iter().any(|p| p.dtype == *d)).collect()
    }

    /// Specialisations that some plan has.
    pub fn specs(&self) -> Vec<usize> {
        (0..self.def.specs.len()).filter(|s| self.plans.iter().any(|p| p.spec == *s)).collect()
    }

    /// `NONE`, `TANH`; `NONE_TRUE` with two attributes; `FORMULA` without any.
    pub fn spec_name(&self, spec: usize) -> String {
        use op_dsl_ir::op::AttrKind;
        let word = |&(attr, value): &(usize, i64)| match &self.def.attrs[attr].kind {
            AttrKind::Given(_) => {
                let with = if value != 0 { "with" } else { "without" };
                format!("{with}_{}", self.def.attrs[attr].name)
            }
            AttrKind::Enum { variants, .. } => variants
                .iter()
                .find(|v| v.value == value)
                .map_or_else(|| value.to_string(), |v| v.name.to_string()),
            AttrKind::Bool => if value != 0 { "true" } else { "false" }.to_string(),
            _ => value.to_string(),
        };
        let words: Vec<String> = self.def.specs[spec].when.iter().map(word).collect();
        let name = if words.is_empty() { "formula".into() } else { words.join("_") };
        let legal = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        name.chars().map(legal).collect()
    }
}

/// One product of each architecture, in the order of the table of products; of two, the first.
fn one_of_each(socs: &[&'static Soc]) -> Vec<&'static Soc> {
    let asked = |s: &&Soc| socs.iter().find(|a| a.arch == s.arch).copied();
    let mut socs: Vec<&'static Soc> = SOCS.iter().filter_map(|s| asked(&s)).collect();
    socs.dedup();
    socs
}

/// The plans for a product's architecture, and what is left out of them: forms that the operator's document leaves out, and
/// element types that the product cannot do. A type has all other forms or none.
fn planned(def: &OpDef, soc: &'static Soc, options: &Options) -> (Vec<Plan>, Vec<Refusal>) {
    let is_asked = |dtype: &DType| match &options.dtypes {
        Some(dtypes) => dtypes.contains(dtype),
        None => def.dtypes.contains(dtype),
    };
    let dtypes: Vec<DType> = DType::ALL.into_iter().filter(is_asked).collect();
    let specs = || (0..def.specs.len()).into_par_iter();
    let of_type =
        |dtype| specs().map(move |spec| accurate(def, spec, dtype, soc, options)).collect();
    let found: Vec<Vec<_>> = dtypes.par_iter().map(|dtype| of_type(*dtype)).collect();
    let (mut plans, mut left_out) = (Vec::new(), Vec::<Refusal>::new());
    for (dtype, plans_of_type) in dtypes.into_iter().zip(found) {
        let mut of_type = Vec::new();
        let mut can = true;
        for plan in plans_of_type {
            match plan {
                Ok(plan) => of_type.push(plan),
                Err(refusal) => {
                    can &= matches!(refusal.why, Why::LeftOut(..));
                    match left_out.iter_mut().find(|left| left.why == refusal.why) {
                        Some(left) if left.dtypes.contains(&dtype) => {}
                        Some(left) => left.dtypes.push(dtype),
                        None => left_out.push(refusal),
                    }
                }
            }
        }
        plans.extend(of_type.into_iter().filter(|_| can));
    }
    plans.sort_by_key(|plan| plan.spec);
    (plans, left_out)
}

/// A plan within its budget, or one whose error is accepted.
fn accurate(
    def: &OpDef,
    spec: usize,
    dtype: DType,
    soc: &'static Soc,
    options: &Options,
) -> Result<Plan, Refusal> {
    let plan = plan_in(def, spec, dtype, soc, options.storage)?;
    match inaccurate(&plan).filter(|_| !options.accept_error) {
        Some(found) => {
            let (op, why) = (def.name.to_string(), Why::Inaccurate(Box::new(found)));
            Err(Refusal { op, soc: soc.name, dtypes: vec![dtype], why })
        }
        None => Ok(plan),
    }
}
