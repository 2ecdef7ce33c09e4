//! `op_host/<op>_def.cpp`: the signature, as the build reads it.

use super::checks::has_masks;
use super::tiling::{ge_type, ge_types, mask_types};
use crate::arch::Soc;
use crate::emit::kernel;
use crate::emit::package::Package;
use crate::emit::text::Text;
use crate::emit::type_names::ge_name;
use op_dsl_ir::DType;
use op_dsl_ir::op::{Attr, AttrKind, Kind, Value};
use op_dsl_ir::registered::{Attribute, Definition};

/// Element type, by CANN's name, of an input with row counts.
const COUNTS: &str = "DT_INT64";

/// Writes the C++ code of `<op>_def.cpp`, without the comment at its head.
pub fn definition(package: &Package<'_>) -> String {
    let (def, name) = (&package.def, &package.def.name);
    let mut text = Text::new();
    text.line("#include \"register/op_def_registry.h\"\n\nnamespace ops {\n");
    text.line(format!("class {name} : public OpDef {{\npublic:"));
    text.line(format!("    explicit {name}(const char* name) : OpDef(name)\n    {{"));
    text.lines(tensors(package, "this->", &package.dtypes()));
    let published = def.published.and_then(|p| p.definition).unwrap_or(Definition::PLAIN);
    let needed = if published.required { "REQUIRED" } else { "OPTIONAL" };
    for attr in def.passed() {
        let (ty, default) = attr_default(attr);
        text.line(format!(
            "        this->Attr(\"{}\").AttrType({needed}).{ty}({default});",
            attr.name
        ));
    }
    for attr in published.more_attrs {
        text.line(format!("        this->Attr(\"{}\"){};", attr.name, more(attr)));
    }
    // A product whose entry differs from that of the others names it.
    let snake = package.snake();
    let apt = format!("{snake}_apt.cpp");
    let entry = if kernel::files(package).iter().any(|f| f.path == apt) {
        format!("{snake}_apt")
    } else {
        snake
    };
    text.line(format!(
        "
        OpAICoreConfig config;
        config.DynamicCompileStaticFlag(true)
            .DynamicFormatFlag(false)
            .DynamicRankSupportFlag(true)
            .DynamicShapeSupportFlag(true)
            .NeedCheckSupportFlag(false)
            .PrecisionReduceFlag(true)
            .ExtendCfgInfo(\"opFile.value\", \"{entry}\");"
    ));
    for soc in package.socs.iter().filter(|s| dtypes_of(package, s) == package.dtypes()) {
        text.line(format!("        this->AICore().AddConfig(\"{}\", config);", soc.name));
    }
    for (dtypes, socs) in fewer(package) {
        let name = format!("configOf{}", socs[0].arch.number);
        text.line(format!("\n        // Without kernels in {}.", missing(package, &dtypes)));
        text.line(format!("        OpAICoreConfig {name}(config);"));
        text.lines(tensors(package, &format!("{name}."), &dtypes));
        for soc in socs {
            text.line(format!("        this->AICore().AddConfig(\"{}\", {name});", soc.name));
        }
    }
    text.line(format!("    }}\n}};\n\nOP_ADD({name});\n\n}}  // namespace ops"));
    text.finish()
}

/// Returns the C++ calls that define an attribute's type, version and default.
///
/// This is for attributes that kernels support at their default only.
fn more(attr: &Attribute) -> String {
    let since = match attr.version {
        0 => String::new(),
        version => format!(".Version({version})"),
    };
    match attr.default.value() {
        Some(value) => format!(".AttrType(OPTIONAL){since}.{}({value})", attr.default.ty()),
        None => format!(".AttrType(REQUIRED){since}.{}()", attr.default.ty()),
    }
}

/// Returns the element types for which the package has kernels on a product.
fn dtypes_of(package: &Package<'_>, soc: &Soc) -> Vec<DType> {
    let has = |d: &DType| package.plans_of(soc.arch).any(|p| p.dtype == *d);
    package.dtypes().into_iter().filter(has).collect()
}

/// Returns the products that have kernels in only some of the package's element types.
///
/// Products with the same element types form one entry, together with these types.
pub fn fewer(package: &Package<'_>) -> Vec<(Vec<DType>, Vec<&'static Soc>)> {
    let mut groups: Vec<(Vec<DType>, Vec<&'static Soc>)> = Vec::new();
    for soc in &package.socs {
        let dtypes = dtypes_of(package, soc);
        match groups.iter_mut().find(|g| g.0 == dtypes) {
            _ if dtypes == package.dtypes() => {}
            Some(group) => group.1.push(soc),
            None => groups.push((dtypes, vec![soc])),
        }
    }
    groups
}

/// Returns CANN's names of the package's element types that `dtypes` lacks, separated by commas.
pub fn missing(package: &Package<'_>, dtypes: &[DType]) -> String {
    let missing = package.dtypes().into_iter().filter(|d| !dtypes.contains(d));
    ge_types(&missing.collect::<Vec<_>>())
}

/// Writes the C++ code that declares all inputs and outputs with the element types `dtypes`.
///
/// `of` is `this->` for the definition itself, or the name of a product's configuration with a dot.
fn tensors(package: &Package<'_>, of: &str, dtypes: &[DType]) -> String {
    let def = &package.def;
    let inputs = def.inputs.iter().enumerate();
    let inputs = inputs.map(|(i, t)| {
        let param = if def.presence(i).is_some() { "OPTIONAL" } else { "REQUIRED" };
        ("Input", t, param, "\n            .AutoContiguous()")
    });
    let all = inputs.chain(def.outputs.iter().map(|t| ("Output", t, "REQUIRED", "")));
    // Each element type is combined with each type of a mask.
    let masks = if has_masks(def) { mask_types(def) } else { &[""] };
    let pairs = || masks.iter().flat_map(|m| dtypes.iter().map(|d| (ge_type(*d), m.to_string())));
    let list = |names: Vec<String>| {
        let names: Vec<String> = names.iter().map(|name| format!("ge::{name}")).collect();
        names.join(", ")
    };
    let types = list(pairs().map(|p| p.0).collect());
    let masks = list(pairs().map(|p| p.1).collect());
    let counts = list(vec![COUNTS.into(); pairs().count()]);
    let formats = vec!["ge::FORMAT_ND"; pairs().count()].join(", ");
    all.map(|(role, tensor, param, more)| {
        let own = tensor.own.map(|own| list(vec![format!("DT_{}", ge_name(own)); pairs().count()]));
        let types = match (&own, tensor.kind) {
            (Some(own), _) => own,
            (_, Kind::Mask) => &masks,
            (_, Kind::Rows) => &counts,
            (_, Kind::Whole | Kind::Gated | Kind::PerRow) => &types,
        };
        format!(
            "        {of}{role}(\"{}\")
            .ParamType({param})
            .DataType({{{types}}})
            .Format({{{formats}}}){more};\n",
            tensor.name
        )
    })
    .collect()
}

/// Returns the C++ type name and the default value of an attribute.
///
/// Definition and prototype write both in this way, for example `Bool` and `true`.
pub fn attr_default(attr: &Attr) -> (&'static str, String) {
    match (&attr.kind, attr.default) {
        (kind @ AttrKind::Enum { wire_str: true, .. }, Value::Int(value)) => {
            ("String", format!("\"{}\"", kind.variant_name(value)))
        }
        (AttrKind::Float, Value::Float(value)) => ("Float", format!("{value:?}")),
        (AttrKind::Bool, Value::Bool(value)) => ("Bool", value.to_string()),
        (_, value) => ("Int", value.as_int().unwrap_or_default().to_string()),
    }
}
