//! What every section is written from.

use crate::arch::{Refusal, SOCS, Soc, Why};
use crate::plan::{Plan, plan};
use op_dsl_ir::DType;
use op_dsl_ir::op::OpDef;

/// What the author of a package may choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Lines above every file, without comment signs: a licence.
    pub license: Option<String>,
    /// Only these element types; by default all that operator and target share.
    pub dtypes: Option<Vec<DType>>,
    /// Major version of the toolkit that the package is for.
    pub cann: Cann,
}

/// Generations of the toolkit, which differ in the build files of the custom layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cann {
    /// 8.0 to 8.5: presets, `BEGIN_TILING..`-free but without `npu_op_*` functions.
    V8,
    /// 9 and later: `find_package(ASC)`.
    #[default]
    V9,
}

/// An operator on an architecture, planned.
#[derive(Clone, Debug)]
pub struct Package<'a> {
    /// The operator.
    pub def: &'a OpDef,
    /// Products of the architecture; the first is the one that was asked for.
    pub socs: Vec<&'static Soc>,
    /// One plan for each specialisation and element type that the target can do, in the order of
    /// specialisations, then of [`DType::ALL`].
    pub plans: Vec<Plan>,
    /// What the operator's document leaves out on the architecture.
    pub left_out: Vec<Refusal>,
    /// What the author chose.
    pub options: Options,
}

impl<'a> Package<'a> {
    /// Plans every specialisation in every element type.
    ///
    /// # Errors
    /// The target cannot do the operator at all, or not in an element type that was asked for.
    pub fn new(
        def: &'a OpDef,
        soc: &'static Soc,
        options: Options,
    ) -> Result<Package<'a>, Refusal> {
        let of_arch = |s: &&'static Soc| s.arch.number == soc.arch.number && s.name != soc.name;
        let socs = std::iter::once(soc).chain(SOCS.iter().filter(of_arch)).collect();
        let (mut plans, mut left_out) = (Vec::new(), Vec::new());
        for spec in 0..def.specs.len() {
            for dtype in DType::ALL {
                let asked = options.dtypes.as_ref().map(|d| d.contains(&dtype));
                if asked == Some(false) || (asked.is_none() && !def.dtypes.contains(&dtype)) {
                    continue;
                }
                match plan(def, spec, dtype, soc) {
                    Ok(plan) => plans.push(plan),
                    Err(e) => match e.why {
                        Why::LeftOut(..) => left_out.push(e),
                        Why::NoDType(..) if asked.is_none() => left_out.push(e),
                        _ => return Err(e),
                    },
                }
            }
        }
        match (plans.is_empty(), left_out.pop()) {
            (true, Some(refusal)) => Err(refusal),
            (_, last) => {
                left_out.extend(last);
                Ok(Package { def, socs, plans, left_out, options })
            }
        }
    }

    /// The product that was asked for.
    pub fn soc(&self) -> &'static Soc {
        self.socs[0]
    }

    /// Number of the architecture, as `__NPU_ARCH__` has it.
    pub fn arch(&self) -> u16 {
        self.soc().arch.number
    }

    /// `ge_glu_grad_v2`: directories, files, the kernel's entry.
    pub fn snake(&self) -> String {
        self.def.snake()
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
