//! The checks of phase 1 (`aclnn<..>GetWorkspaceSize`), in the order that every document of CANN lists them.
//!
//! That is: missing pointers (161001), then element types and formats, shapes, attribute values (161002).

use super::along::{self, deciding, fits};
use super::argument::{declared, has_counts, in_order, is_mask, kind, names, number, promoted};
use super::cpp::{list, literal};
use crate::arch::Arch;
use crate::emit::branch::by_platform;
use crate::emit::host::mask_types;
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::text::Text;
use crate::plan::Plan;
use op_dsl_ir::interface::{Interface, Param};
use op_dsl_ir::op::{AttrKind, Kind};
use op_dsl_ir::published::{DTypes, Inputs, Negative, SignaturePart, Type};

/// One check of the arguments of an aclnn call, for example of all shapes.
///
/// It is emitted as a C++ function that returns false on failure.
struct Check {
    name: &'static str,
    why: String,
    code: &'static str,
    params: Vec<Param>,
    body: String,
}

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

const NULLPTR: &str = "ACLNN_ERR_PARAM_NULLPTR";
const INVALID: &str = "ACLNN_ERR_PARAM_INVALID";

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

/// Writes a statement that reads an argument, inside `if (.. != nullptr)` if the argument is optional.
fn if_given(t: &mut Text, p: &Param, statement: &str) {
    if !p.optional {
        t.line(statement);
        return;
    }
    t.when(&format!("{} != nullptr", p.name), statement);
}

/// Returns a C++ condition on an argument, which is also true if the argument is optional and null.
fn unless_null(p: &Param, condition: &str) -> String {
    if p.optional { format!("{} == nullptr || {condition}", p.name) } else { condition.into() }
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
        for p in interface.main().params.iter().filter(|p| matches!(p.of, SignaturePart::Output(_)))
        {
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

/// Writes an `OP_CHECK` that logs `message` and returns false if `condition` does not hold.
///
/// `shown` holds the C++ expressions of the values for the placeholders in the message.
fn refuse(t: &mut Text, condition: &str, message: &str, shown: &[&str]) {
    let mut log = vec![INVALID.to_string(), literal(message)];
    log.extend(shown.iter().map(|s| s.to_string()));
    t.line(list(
        "OP_CHECK",
        &[condition.into(), list("OP_LOGE", &log, ""), "return false".into()],
        ";",
    ));
}

fn shapes(package: &Package<'_>, interface: &Interface) -> Check {
    let def = &package.def;
    let main = interface.main();
    let (counts, mut params): (Vec<Param>, Vec<Param>) =
        main.tensors().cloned().partition(|p| has_counts(package, p));
    let mut t = Text::new();
    let why = if sums::has(def) {
        params.extend(
            def.split.iter().filter_map(|s| main.param(SignaturePart::Attr(s.dim)).cloned()),
        );
        sum_shapes(&mut t, package, &params);
        "// Inputs that are broadcast fit the others; sums have the shapes of the inputs that they belong to."
    } else if interface.broadcast {
        broadcast_shapes(&mut t, package, &params);
        "// Inputs are broadcast against each other; outputs have the broadcast shape."
    } else if let Some(split) = &def.split {
        params.extend(main.param(SignaturePart::Attr(split.dim)).cloned());
        split_shapes(&mut t, package, &params);
        "// Along the split dimension, a tensor with two parts is twice as long as one with one."
    } else {
        let at = params.iter().position(|p| !p.optional).unwrap_or(0);
        let first = &params[at].name;
        t.line(format!("OP_CHECK_MAX_DIM({first}, MAX_RANK, return false);"));
        for (_, p) in params.iter().enumerate().filter(|(i, _)| *i != at) {
            let equal = format!("OP_CHECK_SHAPE_NOT_EQUAL({}, {first}, return false);", p.name);
            if_given(&mut t, p, &equal);
        }
        "// One shape for all tensors."
    };
    if !interface.empty {
        for p in params.iter().filter(|p| matches!(p.of, SignaturePart::Input(_))) {
            let message = format!("{} has no elements.", p.name);
            let some = unless_null(p, &format!("!{}->IsEmpty()", p.name));
            refuse(&mut t, &some, &message, &[]);
        }
    }
    for p in counts {
        let shape = format!("({0}->GetViewShape().GetDimNum() == 1 && !{0}->IsEmpty())", p.name);
        let message = format!("{} must have one dimension of 1 or more.", p.name);
        refuse(&mut t, &unless_null(&p, &shape), &message, &[]);
        params.push(p);
    }
    Check { name: "CheckShape", why: why.into(), code: INVALID, params, body: t.finish() }
}

fn broadcast_shapes(t: &mut Text, package: &Package<'_>, params: &[Param]) {
    let wide = &package.def.wide;
    let (inputs, outputs): (Vec<&Param>, Vec<&Param>) =
        params.iter().partition(|p| matches!(p.of, SignaturePart::Input(_)));
    for p in &inputs {
        if_given(t, p, &format!("OP_CHECK_MAX_DIM({}, MAX_RANK, return false);", p.name));
    }
    t.line("Shape domain;");
    let laid: Vec<&Param> =
        inputs.iter().copied().filter(|p| along::dimension(package, p).is_some()).collect();
    let inputs = in_order(&deciding(package, inputs));
    let message = format!("the shapes of {} cannot be broadcast.", inputs.join(" and "));
    refuse(t, &format!("InferDomain({{{}}}, domain)", inputs.join(", ")), &message, &[]);
    for p in laid {
        let message = format!("the shape of {} does not broadcast to that of the others.", p.name);
        refuse(t, &unless_null(p, &fits(package, p, "MAX_RANK")), &message, &[]);
    }
    let is_wide = |p: &&Param| matches!(p.of, SignaturePart::Input(i) if wide.contains(&i));
    for p in outputs.into_iter().chain(params.iter().filter(is_wide)) {
        t.line(format!(
            "OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE({}, domain, return false);",
            p.name
        ));
    }
}

/// Writes the checks of shapes for an operator with sums over broadcast inputs.
///
/// The first input that is never broadcast decides the shape of the computation. Others broadcast to it, and nothing broadcasts
/// the other way.
fn sum_shapes(t: &mut Text, package: &Package<'_>, params: &[Param]) {
    let def = &package.def;
    let tensors = || params.iter().filter(|p| p.is_tensor());
    let is_wide = |p: &&Param| matches!(p.of, SignaturePart::Input(i) if def.wide.contains(&i));
    let is_gated = |p: &Param| kind(package, p) == Some(Kind::Gated);
    // One that is not gated, if there is one: its shape is that of the computation.
    let Some(lead) = tensors().filter(is_wide).min_by_key(|p| is_gated(p)) else { return };
    let shape = format!("{}->GetViewShape()", lead.name);
    t.line(format!("OP_CHECK_MAX_DIM({}, MAX_RANK, return false);", lead.name));
    let dim = params.iter().find(|p| !p.is_tensor()).map(|p| &*p.name);
    if let Some(dim) = dim {
        t.line(format!("OP_CHECK_MIN_DIM({}, 1, return false);", lead.name));
        axis(t, &lead.name, dim);
    }
    match is_gated(lead) {
        true => {
            odd(t, &lead.name);
            t.line(format!("const Shape both = {shape};\nShape domain = both;"));
            t.line("domain.SetDim(axis, both.GetDim(axis) / 2);");
        }
        false => {
            t.line(format!("const Shape domain = {shape};"));
            let result =
                |p: &Param| matches!(p.of, SignaturePart::Output(k) if def.sum(k).is_none());
            if tensors().any(|p| is_gated(p) && (is_wide(&p) || result(p))) {
                t.line("Shape both = domain;\nboth.SetDim(axis, 2 * domain.GetDim(axis));");
            }
        }
    }
    for p in tensors() {
        let want = if is_gated(p) { "both" } else { "domain" };
        let sum = match p.of {
            SignaturePart::Output(k) => def.sum(k),
            _ => None,
        };
        let input = sum.and_then(|input| tensors().find(|p| p.of == SignaturePart::Input(input)));
        if let Some(input) = input {
            t.line(format!("OP_CHECK_SHAPE_NOT_EQUAL({}, {}, return false);", p.name, input.name));
        } else if p.of == lead.of {
            continue;
        } else if is_wide(&p) || matches!(p.of, SignaturePart::Output(_)) {
            t.line(format!(
                "OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE({}, {want}, return false);",
                p.name
            ));
        } else {
            let cut = if is_gated(p) { "axis" } else { "MAX_RANK" };
            let message =
                format!("the shape of {} does not broadcast to that of {}.", p.name, lead.name);
            refuse(t, &fits(package, p, cut), &message, &[]);
        }
    }
}

/// Writes the check of the split dimension, and the constant `axis`, which counts it from the outermost.
///
/// `tensor` is the name of a tensor that has all dimensions, `dim` that of the argument.
fn axis(t: &mut Text, tensor: &str, dim: &str) {
    t.line(format!(
        "const int64_t rank = static_cast<int64_t>({tensor}->GetViewShape().GetDimNum());"
    ));
    let message = format!("{dim} must be in [%ld, %ld], but is %ld.");
    refuse(t, &format!("{dim} >= -rank && {dim} < rank"), &message, &["-rank", "rank - 1", dim]);
    t.line("");
    t.line(format!("const size_t axis = static_cast<size_t>({dim} < 0 ? {dim} + rank : {dim});"));
}

/// Writes the check that the split dimension of a gated tensor is even.
fn odd(t: &mut Text, cut: &str) {
    t.line(format!("const int64_t length = {cut}->GetViewShape().GetDim(axis);"));
    let message = format!("{cut} is cut in two along dimension %zu, which is odd: %ld.");
    refuse(t, "length % 2 == 0", &message, &["axis", "length"]);
}

/// Writes the checks of shapes for an operator with gated tensors, which are split in two.
///
/// The checks compare the shapes of all whole tensors with each other, and those of all gated tensors. They then check the
/// split dimension, and compare a gated tensor with a whole one.
fn split_shapes(t: &mut Text, package: &Package<'_>, params: &[Param]) {
    let gated_or = |gated: bool| -> Vec<&Param> {
        let has = |p: &&Param| kind(package, p).is_some_and(|k| (k == Kind::Gated) == gated);
        let mut of = params.iter().filter(has).collect::<Vec<_>>();
        of.sort_by_key(|p| p.optional); // Tensors that every call gives come first.
        of
    };
    let (whole, gated) = (gated_or(false), gated_or(true));
    let dim = params.iter().find(|p| !p.is_tensor()).map_or("dim", |p| &*p.name);
    for same in [&whole, &gated] {
        for p in same.iter().skip(1) {
            let (name, first) = (&p.name, &same[0].name);
            let equal = format!("OP_CHECK_SHAPE_NOT_EQUAL({name}, {first}, return false);");
            if_given(t, p, &equal);
        }
    }
    let Some(cut) = gated.first().map(|p| &*p.name) else { return };
    t.line(format!("OP_CHECK_MIN_DIM({cut}, 1, return false);"));
    t.line(format!("OP_CHECK_MAX_DIM({cut}, MAX_RANK, return false);"));
    axis(t, cut, dim);
    odd(t, cut);
    if let Some(first) = whole.first() {
        t.line(format!("Shape part = {cut}->GetViewShape();"));
        t.line("part.SetDim(axis, length / 2);");
        let half = format!(
            "OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE({}, part, return false);",
            first.name
        );
        if_given(t, first, &half);
    }
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
