//! The checks of phase 1 (`aclnn<..>GetWorkspaceSize`), in the order that every document of CANN lists them.
//!
//! That is: missing pointers (161001), then element types and formats, shapes, attribute values (161002).

use super::argument::{declared, has_counts, is_mask, names, number, own, promoted};
use super::check::{Check, INVALID, NULLPTR, if_given, refuse, unless_null};
use super::cpp::{list, literal};
use super::shapes::shapes;
use crate::arch::Arch;
use crate::emit::branch::by_platform;
use crate::emit::host::mask_types;
use crate::emit::package::Package;
use crate::emit::text::Text;
use crate::emit::type_names::ge_name;
use crate::plan::Plan;
use op_dsl_ir::interface::{Interface, Param};
use op_dsl_ir::op::AttrKind;
use op_dsl_ir::published::{DTypes, Inputs, Negative, SignaturePart, Type};

/// Returns all checks of phase 1, in the order in which the documents list them.
fn checks(package: &Package<'_>, interface: &Interface) -> Vec<Check> {
    let mut checks = vec![
        not_null(interface),
        dtypes(package, interface),
        formats(interface),
        shapes(package, interface),
    ];
    checks.extend(attributes(package, interface));
    checks.extend(negative(interface));
    checks
}

/// Returns the arguments that at least one check reads, which are the parameters of `CheckParams`.
pub fn checked(package: &Package<'_>, interface: &Interface) -> Vec<Param> {
    let checks = checks(package, interface);
    let read = |p: &&Param| checks.iter().any(|c| c.params.contains(p));
    interface.main().params.iter().filter(read).cloned().collect()
}

/// Writes the C++ functions of all checks, and last `CheckParams`, which calls them.
pub fn section(package: &Package<'_>, interface: &Interface) -> String {
    let checks = checks(package, interface);
    let mut t = Text::new();
    for check in &checks {
        t.line(&check.why);
        let head = list(&format!("bool {}", check.name), &declared(&check.params), "");
        t.function(head, |t| {
            t.lines(&check.body).line("return true;");
        });
        t.line("");
    }
    let head = list("aclnnStatus CheckParams", &declared(&checked(package, interface)), "");
    t.function(head, |t| {
        for check in &checks {
            let call = list(check.name, &names(&check.params), "");
            t.line(format!("CHECK_RET({call}, {});", check.code));
        }
        t.line("return ACLNN_SUCCESS;");
    });
    t.finish()
}

fn not_null(interface: &Interface) -> Check {
    let params: Vec<Param> =
        interface.main().params.iter().filter(|p| p.is_needed()).cloned().collect();
    let mut t = Text::new();
    for p in &params {
        match p.ty {
            Type::Chars => t.line(format!(
                "OP_CHECK({0} != nullptr, OP_LOGE({NULLPTR}, \"{0} is a null pointer.\"), return false);",
                p.name
            )),
            _ => t.line(format!("OP_CHECK_NULL({}, return false);", p.name)),
        };
    }
    let why = "// No argument may be missing.".into();
    Check { name: "CheckNotNull", why, code: NULLPTR, params, body: t.finish() }
}

fn dtypes(package: &Package<'_>, interface: &Interface) -> Check {
    let all: Vec<Param> = interface.main().tensors().cloned().collect();
    let (counts, others): (Vec<&Param>, Vec<&Param>) =
        all.iter().partition(|p| has_counts(package, p));
    let (owns, others): (Vec<&Param>, Vec<&Param>) =
        others.into_iter().partition(|p| own(package, p).is_some());
    let (masks, numbers): (Vec<&Param>, Vec<&Param>) =
        others.into_iter().partition(|p| is_mask(package, p));
    let DTypes { inputs, cast } = interface.dtypes;
    let first = numbers.iter().position(|p| !p.optional).unwrap_or(0);
    let name = &*numbers[first].name;
    let output = |p: &&Param| matches!(p.of, SignaturePart::Output(_));
    let mut t = Text::new();
    let supported = |t: &mut Text, p: &Param| {
        if_given(t, p, &format!("OP_CHECK_DTYPE_NOT_SUPPORT({}, Dtypes(), return false);", p.name));
    };
    match inputs {
        Inputs::Same => {
            supported(&mut t, numbers[first]);
            let others = numbers.iter().enumerate().filter(|(i, _)| *i != first).map(|(_, p)| p);
            for p in others.filter(|p| !(cast && output(p))) {
                let same = format!("OP_CHECK_DTYPE_NOT_SAME({name}, {}, return false);", p.name);
                if_given(&mut t, p, &same);
            }
        }
        Inputs::Floats => {
            numbers.iter().filter(|p| !output(p)).for_each(|p| supported(&mut t, p));
        }
        // Only the type to which the inputs promote matters: integers together with floats are allowed.
        Inputs::Numbers => {}
    }
    if interface.dtypes.promotes() {
        promoted_check(&mut t, package, interface, cast);
    }
    numbers.iter().filter(|p| cast && output(p)).for_each(|p| supported(&mut t, p));
    for p in masks {
        let types = mask_types(&package.def).iter().map(|ty| format!("DataType::{ty}"));
        let types: Vec<String> = types.collect();
        let known = format!("CheckType({}->GetDataType(), {{{}}})", p.name, types.join(", "));
        let shown = format!("op::ToString({}->GetDataType()).GetString()", p.name);
        let message = format!("{} is a mask, which %s is not.", p.name);
        refuse(&mut t, &unless_null(p, &known), &message, &[&shown]);
    }
    for p in counts {
        let known = format!("{}->GetDataType() == DataType::DT_INT64", p.name);
        let shown = format!("op::ToString({}->GetDataType()).GetString()", p.name);
        let message = format!("{} must be DT_INT64, but is %s.", p.name);
        refuse(&mut t, &unless_null(p, &known), &message, &[&shown]);
    }
    for (p, own) in owns.into_iter().filter_map(|p| Some((p, own(package, p)?))) {
        let ty = format!("DataType::DT_{}", ge_name(own));
        if_given(&mut t, p, &format!("OP_CHECK_DTYPE_NOT_MATCH({}, {ty}, return false);", p.name));
    }
    let mut params = all.clone();
    let why = match (interface.dtypes.promotes(), cast) {
        (false, false) => "// One element type for all tensors, of those that the kernel has.",
        (false, true) => "// One element type for all inputs; the result is cast to the output's.",
        (true, false) => "// Inputs are promoted; outputs have the promoted element type.",
        (true, true) => "// Inputs are promoted; the result is cast to the output's element type.",
    };
    for p in interface.main().params.iter().filter(|p| p.ty == Type::Scalar) {
        let real = format!("CanCast({}->GetDataType(), DataType::DT_FLOAT)", p.name);
        let message = format!("{} is %s, which converts to no float.", p.name);
        let shown = format!("op::ToString({}->GetDataType()).GetString()", p.name);
        refuse(&mut t, &unless_null(p, &real), &message, &[&shown]);
        params.push(p.clone());
    }
    Check { name: "CheckDtype", why: why.into(), code: INVALID, params, body: t.finish() }
}

/// Writes the check of the element type to which the inputs are promoted.
///
/// There must be a kernel for this type. Unless outputs are cast to their own types (`cast`), the outputs must have it too.
fn promoted_check(t: &mut Text, package: &Package<'_>, interface: &Interface, cast: bool) {
    let inputs = promoted(package, interface);
    t.line(list("const DataType promoted = Promoted", &names(&inputs), ";"));
    let message =
        format!("{} has no kernel for %s, to which the inputs promote.", package.def.name);
    refuse(t, "CheckType(promoted, Dtypes())", &message, &["op::ToString(promoted).GetString()"]);
    if !cast {
        let is_output = |p: &&Param| matches!(p.of, SignaturePart::Output(_));
        let is_promoted = |p: &&Param| is_output(p) && own(package, p).is_none();
        for p in interface.main().params.iter().filter(is_promoted) {
            t.line(format!("OP_CHECK_DTYPE_NOT_MATCH({}, promoted, return false);", p.name));
        }
    }
}

fn formats(interface: &Interface) -> Check {
    let params: Vec<Param> = interface.main().tensors().cloned().collect();
    let mut t = Text::new();
    let all = names(&params).join(", ");
    t.block(&format!("for (const aclTensor* tensor : {{{all}}})"), "}", |t| {
        refuse(
            t,
            match params.iter().any(|p| p.optional) {
                true => "tensor == nullptr || !IsPrivateFormat(tensor->GetStorageFormat())",
                false => "!IsPrivateFormat(tensor->GetStorageFormat())",
            },
            "the kernel reads ND, not a private format.",
            &[],
        );
    });
    let why = "// Elements lie as the shape says.".into();
    Check { name: "CheckFormat", why, code: INVALID, params, body: t.finish() }
}

fn attributes(package: &Package<'_>, interface: &Interface) -> Option<Check> {
    let mut params = Vec::new();
    for p in &interface.main().params {
        let SignaturePart::Attr(i) = p.of else { continue };
        let any = |arch| is_any(p, &allowed(package, Some(arch), i));
        if !package.archs().into_iter().all(any) {
            params.push(p.clone());
        }
    }
    let on = |arch| {
        let mut t = Text::new();
        for p in &params {
            if let SignaturePart::Attr(i) = p.of {
                attribute(&mut t, p, &allowed(package, Some(arch), i));
            }
        }
        t.finish()
    };
    let body = by_platform(package, on);
    let why = "// Values that the kernel has a form for.".into();
    let name = "CheckAttributes";
    (!params.is_empty()).then_some(Check { name, why, code: INVALID, params, body })
}

/// Writes the check of numbers that must not be negative according to the document.
///
/// `None` if there are no such arguments.
fn negative(interface: &Interface) -> Option<Check> {
    let main = interface.main();
    let (mut params, mut t) = (Vec::new(), Text::new());
    for &(attr, what) in &interface.negative {
        let Some(p) = main.param(SignaturePart::Attr(attr)) else { continue };
        let flag = match what {
            Negative::Zero => continue,
            Negative::Refused => None,
            Negative::RefusedIf(flag) => main.params.iter().find(|p| p.name == flag),
        };
        let negative = format!("{} < 0.0f", number(p));
        let (bad, when) = match flag {
            None => (negative, String::new()),
            Some(flag) => {
                (format!("{} && {negative}", flag.name), format!(" where {} is true", flag.name))
            }
        };
        let message = format!("{} must not be negative{when}, but is %f.", p.name);
        refuse(&mut t, &unless_null(p, &format!("!({bad})")), &message, &[&number(p)]);
        params.extend([Some(p), flag].into_iter().flatten().cloned());
    }
    let (name, why) = ("CheckNotNegative", "// Numbers that the function takes.".into());
    (!params.is_empty()).then_some(Check { name, why, code: INVALID, params, body: t.finish() })
}

/// Returns whether every value of an argument's type is allowed, so that it needs no check.
fn is_any(p: &Param, allowed: &[(i64, String)]) -> bool {
    allowed.is_empty() || (p.ty == Type::Bool && allowed.len() == 2)
}

/// Writes the check that an attribute has one of the allowed values.
fn attribute(t: &mut Text, p: &Param, allowed: &[(i64, String)]) {
    if is_any(p, allowed) {
        return;
    }
    let equal = |(value, name): &(i64, String)| match p.ty {
        Type::Chars => format!("std::string_view({}) == {}", p.name, literal(name)),
        _ => format!("{} == {value}", p.name),
    };
    let word = |(value, name): &(i64, String)| match p.ty {
        Type::Chars => name.clone(),
        _ => format!("{value} ({name})"),
    };
    let shown = match p.ty {
        Type::Chars => "%s",
        Type::Bool => "%d",
        _ => "%ld",
    };
    let tests: Vec<String> = allowed.iter().map(equal).collect();
    let words: Vec<String> = allowed.iter().map(word).collect();
    let message = format!("{} must be {}, but is {shown}.", p.name, words.join(" or "));
    refuse(t, &tests.join(" || "), &message, &[&p.name]);
}

/// Returns the allowed values of an enum or boolean attribute, each as a number and its name.
///
/// A value is allowed if the package has a kernel for its specialisation, on the architecture `arch`, or on any architecture if
/// `arch` is `None`. The list is empty for attributes of other kinds, which may have every value.
pub fn allowed(package: &Package<'_>, arch: Option<&Arch>, attr: usize) -> Vec<(i64, String)> {
    let def = &package.def;
    let here = |p: &&Plan| arch.is_none_or(|a| p.soc.arch == a);
    let specs: Vec<usize> = package.plans.iter().filter(here).map(|p| p.spec).collect();
    let branched = |s: &usize| def.specs[*s].when.iter().any(|w| w.0 == attr);
    let planned = |value: i64| {
        !specs.iter().any(branched)
            || specs.iter().any(|s| def.specs[*s].when.contains(&(attr, value)))
    };
    let values: Vec<(i64, String)> = match &def.attrs[attr].kind {
        AttrKind::Enum { variants, .. } => {
            variants.iter().map(|v| (v.value, v.name.to_string())).collect()
        }
        AttrKind::Bool => vec![(0, "false".into()), (1, "true".into())],
        _ => Vec::new(),
    };
    values.into_iter().filter(|v| planned(v.0)).collect()
}
