//! The package that every part of the emitter reads: definition, plans, names and options.

use super::words::{Language, Words};
use crate::arch::{Arch, Refusal, SOCS, Soc, Why};
use crate::plan::{Plan, Storage, plan_in};
use op_dsl_ir::DType;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::registered::Definition;
use rayon::prelude::*;
use std::borrow::Cow;

/// Options that the author of a package chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Licence text, without comment signs, that every emitted file has at its head.
    pub license: Option<String>,
    /// Element types to emit; by default all that both the operator and the target support.
    pub dtypes: Option<Vec<DType>>,
    /// Generation of the toolkit that the package is for.
    pub cann: Cann,
    /// Where kernels keep intermediate values: in memory (UB) or in registers.
    pub storage: Storage,
    /// Language of the documents.
    pub language: Language,
    /// Whether an element type is emitted even if its results exceed their error budget.
    pub accept_error: bool,
}

impl Options {
    /// Returns whether a kernel refused for this reason is an error even if other kernels can be emitted.
    ///
    /// An element type that a product lacks is an error only if it was requested. A specialisation that the operator's document
    /// leaves out never is.
    fn is_grave(&self, why: &Why) -> bool {
        match why {
            Why::LeftOut(..) => false,
            Why::NoDType(..) => self.dtypes.is_some(),
            _ => true,
        }
    }
}

/// Compiler option that keeps values in registers between consecutive vector calls on tensors.
pub const FUSION: &str = "--cce-simd-vf-fusion=true";

/// Generation of the toolkit, which decides about build files and about the names of some vector calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cann {
    /// Toolkits 8.0 to 8.5, whose projects have CMake presets and no `npu_op_*` functions.
    ///
    /// Tiling data needs no `BEGIN_TILING..` macros.
    V8,
    /// Toolkits 9 and later, whose projects use `find_package(ASC)`.
    #[default]
    V9,
}

/// Operator planned for some architectures.
#[derive(Clone, Debug)]
pub struct Package<'a> {
    /// Operator with the names that its published definition has, if there is one.
    pub def: Cow<'a, OpDef>,
    /// Operator with the names that the author of its formula wrote.
    pub written: &'a OpDef,
    /// Products that the package supports, those with the same architecture next to each other.
    pub socs: Vec<&'static Soc>,
    /// One plan for each supported combination of architecture, specialisation and element type.
    ///
    /// The plans are sorted by architecture (in the order of [`Package::archs`]), then by specialisation, then by element type
    /// (in the order of [`DType::ALL`]).
    pub plans: Vec<Plan>,
    /// Everything left out, with the reason.
    ///
    /// For example, a specialisation that the operator's document leaves out, an element type that an architecture lacks, or a
    /// product that does not support the operator.
    pub left_out: Vec<Refusal>,
    /// Options that the package was planned with.
    pub options: Options,
}

impl<'a> Package<'a> {
    /// Plans an operator in every specialisation and element type, for the architectures of some products.
    ///
    /// # Errors
    /// A product does not support the operator at all, or not in an element type that was requested.
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

    /// Does what [`Package::new`] does, but leaves out unsupported products and element types.
    ///
    /// Also returns the first refusal that [`Package::new`] would fail with; `None` if it would succeed.
    ///
    /// # Errors
    /// No product supports the operator; returns all refusals.
    pub fn able(
        def: &'a OpDef,
        socs: &[&'static Soc],
        options: Options,
    ) -> Result<(Package<'a>, Option<Refusal>), Vec<Refusal>> {
        let definition = def.published.and_then(|p| p.definition).unwrap_or(Definition::PLAIN);
        let mut package = Package {
            def: def.renamed(&definition),
            written: def,
            socs: Vec::new(),
            plans: Vec::new(),
            left_out: Vec::new(),
            options,
        };
        if !def.sums.is_empty() {
            // A sum over no elements is 0, which no kernel that is not launched writes.
            package.def.to_mut().empty = false;
        }
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

    /// Returns the architectures of the package's products, in the order of the products.
    pub fn archs(&self) -> Vec<&'static Arch> {
        let mut archs: Vec<&Arch> = self.socs.iter().map(|s| s.arch).collect();
        archs.dedup();
        archs
    }

    /// Returns the plans for an architecture.
    pub fn plans_of(&self, arch: &Arch) -> impl Iterator<Item = &Plan> {
        self.plans.iter().filter(move |p| p.soc.arch == arch)
    }

    /// Returns the products that have vector registers, but for which some kernel keeps values in memory.
    ///
    /// The compiler may join the vector calls of such a kernel, by the option [`FUSION`].
    pub fn fused(&self) -> Vec<&'static Soc> {
        let in_memory = |s: &&Soc| self.plans_of(s.arch).any(|p| p.registers.is_none());
        self.socs.iter().copied().filter(|s| s.arch.registers).filter(in_memory).collect()
    }

    /// Returns the table of texts in the language of the package's documents.
    pub(crate) fn words(&self) -> &'static Words {
        self.options.language.words()
    }

    /// Returns the first product of the package.
    pub fn soc(&self) -> &'static Soc {
        self.socs[0]
    }

    /// Returns a plan whose specialisation and element type all architectures have, else the first plan.
    pub fn common(&self) -> &Plan {
        let archs = self.archs();
        let same = |p: &Plan, q: &Plan| p.spec == q.spec && p.dtype == q.dtype;
        let common = |p: &&Plan| archs.iter().all(|a| self.plans_of(a).any(|q| same(p, q)));
        self.plans.iter().find(common).unwrap_or(&self.plans[0])
    }

    /// Returns the name of directories, files and the kernel's entry, for example `ge_glu_grad_v2`.
    ///
    /// It is the name of the published directory if there is one, otherwise it is made from the operator's name.
    pub fn snake(&self) -> String {
        let definition = self.def.published.and_then(|p| p.definition);
        let published = definition.map(|d| d.directory).filter(|name| !name.is_empty());
        published.map_or_else(|| self.def.snake(), str::to_string)
    }

    /// Returns the name of the struct that the host passes to the kernel.
    ///
    /// For example, `GeGluGradV2TilingData`.
    pub fn tiling_data(&self) -> String {
        format!("{}TilingData", self.def.name)
    }

    /// Returns the element types for which the package has a plan, in the order of [`DType::ALL`].
    pub fn dtypes(&self) -> Vec<DType> {
        DType::ALL.into_iter().filter(|d| self.plans.iter().any(|p| p.dtype == *d)).collect()
    }

    /// Returns the indices of the specialisations for which the package has a plan.
    pub fn specs(&self) -> Vec<usize> {
        (0..self.def.specs.len()).filter(|s| self.plans.iter().any(|p| p.spec == *s)).collect()
    }

    /// Returns a specialisation's name in capitals, made from the attribute values that select it.
    ///
    /// For example, `NONE` or `TANH`; `NONE_TRUE` if two attributes select it; `FORMULA` if no attribute does.
    pub fn spec_name(&self, spec: usize) -> String {
        use op_dsl_ir::op::AttrKind;
        let word = |&(attr, value): &(usize, i64)| match &self.def.attrs[attr].kind {
            AttrKind::Given(_) => {
                let with = if value != 0 { "with" } else { "without" };
                format!("{with}_{}", self.def.attrs[attr].name)
            }
            kind => kind.text(kind.value(value)),
        };
        let words: Vec<String> = self.def.specs[spec].when.iter().map(word).collect();
        let name = if words.is_empty() { "formula".into() } else { words.join("_") };
        let legal = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        name.chars().map(legal).collect()
    }
}

/// Returns one product of each architecture that occurs in `socs`: the first of those that share it.
///
/// The result has the order of [`SOCS`].
fn one_of_each(socs: &[&'static Soc]) -> Vec<&'static Soc> {
    let asked = |s: &&Soc| socs.iter().find(|a| a.arch == s.arch).copied();
    let mut socs: Vec<&'static Soc> = SOCS.iter().filter_map(|s| asked(&s)).collect();
    socs.dedup();
    socs
}

/// Plans an operator for a product, and also returns what had to be left out, with the reasons.
///
/// Left out are specialisations that the operator's document leaves out, and element types that the product does not support.
/// If planning any other specialisation fails in an element type, there are no plans in that type.
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

/// Plans one specialisation of an operator in one element type.
///
/// # Errors
/// The product does not support this combination, or the error of a result exceeds its budget and `options` does not accept
/// that.
fn accurate(
    def: &OpDef,
    spec: usize,
    dtype: DType,
    soc: &'static Soc,
    options: &Options,
) -> Result<Plan, Refusal> {
    let plan = plan_in(def, spec, dtype, soc, options.storage)?;
    match plan.inaccurate().filter(|_| !options.accept_error) {
        Some(found) => {
            let (op, why) = (def.name.to_string(), Why::Inaccurate(Box::new(found)));
            Err(Refusal { op, soc: soc.name, dtypes: vec![dtype], why })
        }
        None => Ok(plan),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Why;
    use crate::emit::Layout;
    use crate::emit::tests::operator;
    use op_dsl_ir::Prim;

    /// A formula that cancels is refused in the types where it does, unless its error is accepted.
    #[test]
    fn what_is_over_its_budget_is_not_emitted() {
        // All digits cancel in `((1 + v) e^-v - 1) / v^2` where `v = x w` is small.
        let def = operator("Own", &["x", "w"], &["y"], |b, s| {
            let (one, v) = (b.num(1.0), b.product(s[0], s[1]));
            let minus = b.negative(v);
            let (e, more) = (b.call(Prim::Exp, &[minus]), b.sum(one, v));
            let product = b.product(e, more);
            let (above, square) = (b.difference(product, one), b.product(v, v));
            vec![b.quotient(above, square)]
        });
        let def = OpDef { dtypes: vec![DType::BF16, DType::F32].into(), ..def };
        let socs = [Soc::named("ascend910b").expect("a target")];
        let refusal = Package::new(&def, &socs, Options::default()).expect_err("inaccurate");
        assert!(matches!(refusal.why, Why::Inaccurate(_)), "{refusal}");
        let text = refusal.to_string();
        for part in [
            "Own on ascend910b in ", "`y` by exp would be ", " ulp off, of at most ", "x = ",
            "--accept-error",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let left = Package::able(&def, &socs, Options::default()).expect_err("inaccurate");
        let of_f32 = left.iter().any(|left| left.dtypes.contains(&DType::F32));
        assert!(
            of_f32 && left.iter().all(|left| matches!(left.why, Why::Inaccurate(_))),
            "{left:?}"
        );
        let options = Options { accept_error: true, ..Options::default() };
        let package = Package::new(&def, &socs, options).expect("accepted");
        assert_eq!(package.plans.len(), 2);
        says_the_error(&package);
    }

    /// The README of a package states the error again.
    ///
    /// Users of the package did not see the message of the emitter.
    fn says_the_error(package: &Package<'_>) {
        for layout in [Layout::Custom, Layout::Direct, Layout::OpsNn] {
            let tree = layout.tree(std::slice::from_ref(package));
            let mut pages = tree.files.iter().filter(|file| file.path.ends_with("README.md"));
            let text = &pages.next().expect("a page").text;
            for plan in &package.plans {
                let found = plan.inaccurate().expect("an error");
                let error = format!("{:.1}", found.ulp[0]);
                let of = format!("{} {}", plan.soc.name, plan.dtype);
                for part in [&error, &of, &found.at] {
                    assert!(text.contains(part.as_str()), "{layout:?}: {part} is not in\n{text}");
                }
            }
        }
    }
}
