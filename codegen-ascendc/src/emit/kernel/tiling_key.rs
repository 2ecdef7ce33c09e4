//! The tiling key: element type, specialisation of the formula, and whether rows are small.

use super::super::branch::in_both;
use super::super::package::{Cann, Package};
use super::super::scheme::Scheme;
use super::super::text::Text;
use super::super::tree::File;
use super::super::type_names::type_names;
use super::names::{self, header_file};
use crate::arch::Arch;
use crate::plan::Plan;
use op_dsl_ir::DType;
use std::collections::BTreeSet;

/// Returns whether an architecture has separate vector cores, which a kernel must request.
pub fn vector_cores_apart(arch: &Arch) -> bool {
    matches!(arch.number, 2201 | 3510)
}

/// Returns the name of the macro for an element type, for example `GE_GLU_GRAD_V2_FLOAT`.
pub fn dtype(package: &Package<'_>, dtype: DType) -> String {
    format!("{}_{}", package.snake().to_ascii_uppercase(), type_names(dtype).key)
}

/// Returns the name of the macro for a specialisation, for example `GE_GLU_GRAD_V2_FORM_TANH`.
///
/// Its value is the index of the specialisation.
pub fn form(package: &Package<'_>, spec: usize) -> String {
    let name = package.spec_name(spec);
    let head = format!("{}_FORM", package.snake().to_ascii_uppercase());
    if name == "FORMULA" { head } else { format!("{head}_{name}") }
}

/// Returns whether the kernel has a variant for small rows, which only gated tensors need.
///
/// A kernel of sums has none: its tiles follow from the inputs that are broadcast.
pub fn has_small(package: &Package<'_>) -> bool {
    package.def.split.is_some() && Scheme::of(&package.def).small
}

/// Groups the specialisations that have plans for the same element types, together with these types.
fn groups(plans: &[&Plan]) -> Vec<(Vec<usize>, Vec<DType>)> {
    let mut groups: Vec<(Vec<usize>, Vec<DType>)> = Vec::new();
    let specs: BTreeSet<usize> = plans.iter().map(|p| p.spec).collect();
    for spec in specs {
        let has = |d: &DType| plans.iter().any(|p| p.spec == spec && p.dtype == *d);
        let dtypes: Vec<DType> = DType::ALL.into_iter().filter(has).collect();
        match groups.iter_mut().find(|g| g.1 == dtypes) {
            Some(group) => group.0.push(spec),
            None => groups.push((vec![spec], dtypes)),
        }
    }
    groups
}

/// Returns the file `<op>_tiling_key.h`, which lists the kernel's instances.
pub fn file(package: &Package<'_>) -> File {
    header_file(package, "_tiling_key", "which kernels there are", |text| body(package, text))
}

fn body(package: &Package<'_>, text: &mut Text) {
    text.line("#include \"ascendc/host_api/tiling/template_argument.h\"\n");
    text.line("// Element type of all tensors.");
    for d in package.dtypes() {
        text.line(format!("#define {} {}", dtype(package, d), d as u8));
    }
    text.line("");
    text.line("// The formula, by the attributes that it branches on.");
    for spec in package.specs() {
        text.line(format!("#define {} {spec}", form(package, spec)));
    }
    text.line("");
    let list = |head: String, values: Vec<String>| {
        let all: Vec<String> =
            std::iter::once("ASCENDC_TPL_UI_LIST".into()).chain(values).collect();
        names::wrapped(&head, &all, ")")
    };
    let dtypes =
        |head: &str, d: &[DType]| list(head.into(), d.iter().map(|d| dtype(package, *d)).collect());
    let forms =
        |head: &str, s: &[usize]| list(head.into(), s.iter().map(|s| form(package, *s)).collect());
    let small = if has_small(package) { "0, 1" } else { "0" };
    let decl = [
        dtypes("    ASCENDC_TPL_UINT_DECL(dtype, ASCENDC_TPL_2_BW, ", &package.dtypes()),
        forms("    ASCENDC_TPL_UINT_DECL(form, ASCENDC_TPL_8_BW, ", &package.specs()),
        format!("    ASCENDC_TPL_BOOL_DECL(small, {small})"),
    ];
    text.line(format!("ASCENDC_TPL_ARGS_DECL({},", package.def.name));
    text.line(format!("{});\n", decl.join(",\n")));
    let select = |(specs, types): &(Vec<usize>, Vec<DType>), apart: bool| {
        let mut lines = vec![
            dtypes("        ASCENDC_TPL_UINT_SEL(dtype, ", types),
            forms("        ASCENDC_TPL_UINT_SEL(form, ", specs),
            format!("        ASCENDC_TPL_BOOL_SEL(small, {small})"),
        ];
        if apart && package.options.cann == Cann::V9 {
            let kind = Scheme::of(&package.def).kernel_type;
            lines.push(format!("        ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_{kind})"));
        }
        format!("    ASCENDC_TPL_ARGS_SEL(\n{})", lines.join(",\n"))
    };
    let selects = |plans: &[&Plan], apart: bool| {
        let all: Vec<String> = groups(plans).iter().map(|g| select(g, apart)).collect();
        format!("ASCENDC_TPL_SEL(\n{});", all.join(",\n"))
    };
    let of = |arch: &'static Arch| {
        selects(&package.plans_of(arch).collect::<Vec<_>>(), vector_cores_apart(arch))
    };
    let all: Vec<&Plan> = package.plans.iter().collect();
    let apart = package.archs().into_iter().any(vector_cores_apart);
    text.lines(in_both(package, of, selects(&all, apart)));
}
