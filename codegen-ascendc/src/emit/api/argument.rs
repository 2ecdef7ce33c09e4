//! Arguments of an aclnn function, as its phases and their checks write them.

use crate::emit::package::Package;
use op_dsl_ir::interface::{Interface, Param};
use op_dsl_ir::op::Kind;
use op_dsl_ir::published::{SignaturePart, Type};

/// Returns whether an argument is a mask, which has an element type of its own.
pub fn is_mask(package: &Package<'_>, p: &Param) -> bool {
    matches!(p.of, SignaturePart::Input(i) if package.def.inputs[i].kind == Kind::Mask)
}

/// Returns whether an argument holds row counts: integers in one dimension.
///
/// Their type and shape do not depend on the other tensors.
pub fn has_counts(package: &Package<'_>, p: &Param) -> bool {
    matches!(p.of, SignaturePart::Input(i) if package.def.inputs[i].kind == Kind::Rows)
}

/// Returns the inputs that determine the element type together.
pub fn promoted(package: &Package<'_>, interface: &Interface) -> Vec<Param> {
    let number = |p: &&Param| {
        matches!(p.of, SignaturePart::Input(_)) && !is_mask(package, p) && !has_counts(package, p)
    };
    interface.main().params.iter().filter(number).cloned().collect()
}

/// Returns declarations for a parameter list: `const aclTensor* self`, ..
pub fn declared(params: &[Param]) -> Vec<String> {
    let constant = |p: &Param| match p.ty {
        Type::Tensor => format!("const aclTensor* {}", p.name),
        Type::Chars => format!("const char* {}", p.name),
        _ => p.declaration(),
    };
    params.iter().map(constant).collect()
}

/// Returns names for a call: `self`, ..
pub fn names(params: &[Param]) -> Vec<String> {
    params.iter().map(|p| p.name.to_string()).collect()
}

/// Returns names of inputs, starting with those that no call leaves out.
pub fn in_order(inputs: &[&Param]) -> Vec<String> {
    let (needed, optional): (Vec<&Param>, Vec<&Param>) = inputs.iter().partition(|p| !p.optional);
    needed.into_iter().chain(optional).map(|p| p.name.to_string()).collect()
}

/// Returns a number as the kernel receives it, for example `alpha->ToFloat()`.
pub fn number(p: &Param) -> String {
    match p.ty {
        Type::Scalar => format!("{}->ToFloat()", p.name),
        _ => format!("static_cast<float>({})", p.name),
    }
}
