//! `op_graph/<op>_proto.h`: the signature, as graphs read it.
//!
//! Names, types and optionality come from the published prototype if there is one, otherwise from the formula.

use super::definition::{attr_default, fewer, missing};
use super::tiling::{ge_types, mask_types};
use crate::emit::package::Package;
use crate::emit::text::Text;
use crate::emit::type_names::ge_name;
use op_dsl_ir::op::{Attr, AttrKind, Kind, OpDef, Tensor};
use op_dsl_ir::registered::{Prototype, Types};

/// Input, output or attribute in the prototype, which registers the operator for graphs.
struct Item {
    name: String,
    /// Name of the macro that registers the item, for example `INPUT`, `OPTIONAL_INPUT` or `REQUIRED_ATTR`.
    macro_name: &'static str,
    /// Arguments of the macro after the item's name: its type, and for attributes the default.
    rest: String,
}

impl Item {
    fn tensor(macro_name: &'static str, name: &str, types: String) -> Item {
        Item { name: name.into(), macro_name, rest: types }
    }
}

/// All inputs, outputs and attributes that the prototype registers.
struct Signature {
    inputs: Vec<Item>,
    outputs: Vec<Item>,
    /// Element types that the type variable `"T"` may stand for; `None` if no tensor uses the variable.
    common: Option<String>,
    attrs: Vec<Item>,
}

/// Writes the C++ code of `<op>_proto.h`, without the comment at its head and its include guard.
pub fn prototype(package: &Package<'_>) -> String {
    let name = &package.def.name;
    let signature = match package.def.published.and_then(|p| p.prototype) {
        Some(prototype) => published(package.written, &prototype),
        None => suggested(package),
    };
    let mut text = Text::new();
    text.line("#include \"graph/operator_reg.h\"\n\nnamespace ge {\n");
    document(&mut text, package, &signature);
    text.line(format!("REG_OP({name})"));
    for item in signature.inputs.iter().chain(&signature.outputs) {
        text.line(format!("    .{}({}, {})", item.macro_name, item.name, item.rest));
    }
    if let Some(types) = &signature.common {
        text.line(format!("    .DATATYPE(T, {types})"));
    }
    for item in &signature.attrs {
        text.line(format!("    .{}({}, {})", item.macro_name, item.name, item.rest));
    }
    text.line(format!("    .OP_END_FACTORY_REG({name})\n\n}}  // namespace ge"));
    text.finish()
}

/// Returns the signature of the operator's published prototype.
///
/// Its inputs are those of the operator as its author wrote it, even those that no kernel reads.
fn published(def: &OpDef, prototype: &Prototype) -> Signature {
    let (types, common) = match prototype.types {
        Types::Each(types) => (types, None),
        Types::Common(types) => ("\"T\"", Some(types.into())),
    };
    let types = |name: &str| prototype.types_of(name).unwrap_or(types).to_string();
    let input = |(i, name): (usize, &&str)| {
        let optional = def.presence(i).is_some();
        Item::tensor(if optional { "OPTIONAL_INPUT" } else { "INPUT" }, name, types(name))
    };
    let output = |name: &&str| Item::tensor("OUTPUT", name, types(name));
    let attr = |attr: &op_dsl_ir::registered::Attribute| {
        let ty = attr.default.ty();
        let (macro_name, rest) = match attr.default.value() {
            Some(value) => ("ATTR", format!("{ty}, {value}")),
            None => ("REQUIRED_ATTR", ty.into()),
        };
        Item { name: attr.name.into(), macro_name, rest }
    };
    Signature {
        inputs: prototype.inputs.iter().enumerate().map(input).collect(),
        outputs: prototype.outputs.iter().map(output).collect(),
        common,
        attrs: prototype.attrs.iter().map(attr).collect(),
    }
}

/// Returns the signature that follows from the formula, for operators without a published prototype.
fn suggested(package: &Package<'_>) -> Signature {
    let def = &package.def;
    let types = format!("TensorType({{{}}})", ge_types(&package.dtypes()));
    // Inputs that may differ in element type cannot share a type variable.
    let ty = if def.promote { types.clone() } else { "\"T\"".into() };
    let type_of = |tensor: &Tensor| {
        let own = || format!("TensorType({{{}}})", kernel_types(package, tensor));
        match (tensor.own, tensor.kind) {
            (Some(_), _) | (_, Kind::Mask | Kind::Rows) => own(),
            (_, Kind::Whole | Kind::Gated | Kind::PerRow) => ty.clone(),
        }
    };
    let input = |(i, tensor): (usize, &Tensor)| {
        let macro_name = if def.presence(i).is_some() { "OPTIONAL_INPUT" } else { "INPUT" };
        Item::tensor(macro_name, &tensor.name, type_of(tensor))
    };
    let output = |tensor: &Tensor| Item::tensor("OUTPUT", &tensor.name, type_of(tensor));
    let attr = |attr: &Attr| {
        let (ty, default) = attr_default(attr);
        Item { name: attr.name.to_string(), macro_name: "ATTR", rest: format!("{ty}, {default}") }
    };
    Signature {
        inputs: def.inputs.iter().enumerate().map(input).collect(),
        outputs: def.outputs.iter().map(output).collect(),
        common: (!def.promote).then_some(types),
        attrs: def.passed().iter().map(attr).collect(),
    }
}

/// Writes the comment that describes the operator, its tensors and attributes above the prototype.
fn document(text: &mut Text, package: &Package<'_>, signature: &Signature) {
    let def = package.written;
    let brief = def.doc.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or(&def.name);
    text.line(format!("/**\n * @brief {}", brief.replace("*/", "* /")));
    let groups =
        [("Inputs", &signature.inputs, &def.inputs), ("Outputs", &signature.outputs, &def.outputs)];
    for (title, items, tensors) in groups {
        text.line(format!(" *\n * @par {title}:"));
        for (k, (item, tensor)) in items.iter().zip(tensors.iter()).enumerate() {
            let optional = if item.macro_name == "OPTIONAL_INPUT" { "optional, " } else { "" };
            let unused = if tensor.used || title == "Outputs" { "" } else { "; checked, not read" };
            let types = kernel_types(package, tensor);
            let sum = def.sum(k).filter(|_| title == "Outputs");
            let shape = match sum {
                Some(input) => {
                    format!("a sum in the shape of {}", signature.inputs[input].name)
                }
                None => shape(def, tensor).into(),
            };
            text.line(format!(" * @li {}: {optional}{types}, {shape}{unused}.", item.name));
        }
    }
    for (dtypes, socs) in fewer(package) {
        let socs: Vec<&str> = socs.iter().map(|s| s.name).collect();
        text.line(format!(" *\n * Not in {} on {}.", missing(package, &dtypes), socs.join(", ")));
    }
    if !signature.attrs.is_empty() {
        text.line(" *\n * @par Attributes:");
    }
    for item in &signature.attrs {
        let attr = def.passed().iter().find(|a| a.name == item.name);
        let what = attr.map_or("has no effect".into(), |attr| meaning(&attr.kind));
        match item.rest.split_once(", ") {
            Some((_, default)) => {
                text.line(format!(" * @li {}: {what}. Defaults to {default}.", item.name))
            }
            None => text.line(format!(" * @li {}: {what}. Required.", item.name)),
        };
    }
    text.line(" */");
}

/// Returns CANN's names of the element types of a tensor for which there are kernels.
fn kernel_types(package: &Package<'_>, tensor: &Tensor) -> String {
    match (tensor.own, tensor.kind) {
        (Some(own), _) => format!("DT_{}", ge_name(own)),
        (_, Kind::Mask) => mask_types(&package.def).join(", "),
        (_, Kind::Rows) => "DT_INT64".into(),
        (_, Kind::Whole | Kind::Gated | Kind::PerRow) => ge_types(&package.dtypes()),
    }
}

fn shape(def: &OpDef, tensor: &Tensor) -> &'static str {
    match tensor.kind {
        Kind::Gated => "cut in two along the split dimension, which is even",
        Kind::Whole | Kind::Mask if def.split.is_some() => "half as long along the split dimension",
        Kind::Whole | Kind::Mask => "of any shape",
        Kind::PerRow => "of size 1 along the last dimension",
        Kind::Rows => {
            "of one dimension: as many rows as its entries sum to are computed, others are zeros"
        }
    }
}

fn meaning(kind: &AttrKind) -> String {
    match kind {
        AttrKind::Dim => "the dimension that is cut in two, from -rank to rank - 1".into(),
        AttrKind::Bool | AttrKind::Given(_) => "true or false".into(),
        AttrKind::Int => "any integer".into(),
        AttrKind::Float => "a number".into(),
        AttrKind::Enum { variants, wire_str, .. } => {
            let one = |v: &op_dsl_ir::op::Variant| match wire_str {
                true => format!("\"{}\"", v.name),
                false => format!("{} ({})", v.value, v.name),
            };
            variants.iter().map(one).collect::<Vec<_>>().join(" or ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::definition::definition;
    use super::*;
    use crate::arch::Soc;
    use crate::emit::Options;
    use crate::emit::tests::gelu_grad;
    use op_dsl_ir::published::Published;
    use op_dsl_ir::registered::{AttrDefault, Attribute, Definition, attribute};

    const MORE: Attribute = Attribute { version: 2, ..attribute("mode", AttrDefault::Int(3)) };

    static PUBLISHED: Published = Published {
        prototype: Some(Prototype {
            inputs: &["gradients", "features"],
            outputs: &["backprops"],
            types: Types::Each("TensorType({DT_INT32})"),
            types_of: &[("features", "TensorType::RealNumberType()")],
            attrs: &[
                attribute("dim", AttrDefault::Required("Int")),
                attribute("conj", AttrDefault::Bool(false)),
            ],
        }),
        definition: Some(Definition {
            inputs: &["grad", "self"],
            required: true,
            more_attrs: &[MORE],
            ..Definition::PLAIN
        }),
        ..Published::NOTHING
    };

    /// Checks that emitted prototypes and definitions have the published names.
    ///
    /// The names of the two are independent of each other and of the names in the formula.
    #[test]
    fn prototype_and_definition_are_as_published() {
        let mut def = gelu_grad();
        def.published = Some(&PUBLISHED);
        let package =
            Package::new(&def, &[Soc::named("ascend950").expect("a target")], Options::default())
                .expect("plans");
        let text = prototype(&package);
        let want = "\
REG_OP(GeluGradV2)
    .INPUT(gradients, TensorType({DT_INT32}))
    .INPUT(features, TensorType::RealNumberType())
    .OUTPUT(backprops, TensorType({DT_INT32}))
    .REQUIRED_ATTR(dim, Int)
    .ATTR(conj, Bool, false)
    .OP_END_FACTORY_REG(GeluGradV2)
";
        assert!(text.contains(want), "{text}");
        assert!(text.contains(" * @li dim: ") && text.contains("Required.\n"), "{text}");
        let text = definition(&package);
        for part in [
            "Input(\"grad\")",
            "Input(\"self\")",
            "Output(\"z\")",
            "Attr(\"dim\").AttrType(REQUIRED).Int(-1);",
            "Attr(\"mode\").AttrType(OPTIONAL).Version(2).Int(3);",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
