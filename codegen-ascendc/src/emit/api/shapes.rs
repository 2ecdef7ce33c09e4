//! The check of shapes in phase 1.

use super::along::{self, deciding, fits};
use super::argument::{has_counts, in_order, is_per_row, kind};
use super::check::{Check, INVALID, if_given, refuse, unless_null};
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::text::Text;
use op_dsl_ir::interface::{Interface, Param};
use op_dsl_ir::op::Kind;
use op_dsl_ir::published::SignaturePart;

/// Returns the check of all shapes, which depends on whether inputs broadcast, are summed over, or are split.
pub fn shapes(package: &Package<'_>, interface: &Interface) -> Check {
    let def = &package.def;
    let main = interface.main();
    let (counts, mut params): (Vec<Param>, Vec<Param>) =
        main.tensors().cloned().partition(|p| has_counts(package, p));
    let (singles, mut params): (Vec<Param>, Vec<Param>) =
        params.drain(..).partition(|p| is_per_row(package, p));
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
    if !singles.is_empty() {
        numbers(&mut t, package, interface, &params, &singles);
        params.extend(singles);
    }
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

/// Writes the checks of tensors with one number per row, whose last dimension is 1; `params` are the other tensors.
fn numbers(
    t: &mut Text,
    package: &Package<'_>,
    interface: &Interface,
    params: &[Param],
    singles: &[Param],
) {
    let gated = params.iter().find(|p| kind(package, p) == Some(Kind::Gated));
    let first = params.iter().find(|p| p.is_tensor() && !p.optional);
    let domain = match (interface.broadcast, gated, first) {
        (true, ..) => "domain".to_string(),
        (_, Some(gated), _) => format!("{}->GetViewShape()", gated.name),
        (.., first) => first.map_or(String::new(), |p| format!("{}->GetViewShape()", p.name)),
    };
    t.line(format!("Shape single = {domain};"));
    if !interface.broadcast && gated.is_some() {
        t.line("single.SetDim(axis, length / 2);");
    }
    t.line("const size_t dimensions = single.GetDimNum();");
    t.line("const bool hasElements = dimensions == 0 || single.GetDim(dimensions - 1) != 0;");
    t.when("dimensions > 0", "single.SetDim(dimensions - 1, 1);");
    for p in singles {
        if matches!(p.of, SignaturePart::Output(_)) {
            let message = format!("{} has one number per row, and rows have no elements.", p.name);
            refuse(t, &format!("hasElements || {}->IsEmpty()", p.name), &message, &[]);
        }
        t.line(format!(
            "OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE({}, single, return false);",
            p.name
        ));
    }
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
