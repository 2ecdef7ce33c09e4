//! Arguments of an aclnn function, as its phases and their checks write them.

use crate::emit::package::Package;
use op_dsl_ir::Stored;
use op_dsl_ir::interface::{Interface, Param};
use op_dsl_ir::op::Kind;
use op_dsl_ir::published::{SignaturePart, Type};

/// Returns the kind of tensor that an argument passes; `None` for arguments that pass no tensor of the operator.
pub fn kind(package: &Package<'_>, p: &Param) -> Option<Kind> {
    match p.of {
        SignaturePart::Input(i) => Some(package.def.inputs[i].kind),
        SignaturePart::Output(i) => Some(package.def.outputs[i].kind),
        _ => None,
    }
}

/// Returns whether an argument is a mask input, which has an element type of its own.
pub fn is_mask(package: &Package<'_>, p: &Param) -> bool {
    kind(package, p) == Some(Kind::Mask)
}

/// Returns whether an argument is the input with row counts, which are integers in one dimension.
///
/// Its type and shape do not depend on those of the other tensors.
pub fn has_counts(package: &Package<'_>, p: &Param) -> bool {
    kind(package, p) == Some(Kind::Rows)
}

/// Returns the type that an argument has in every call; `None` if it has the element type of the call.
///
/// Masks and row counts have rules of their own.
pub fn own(package: &Package<'_>, p: &Param) -> Option<Stored> {
    match p.of {
        SignaturePart::Input(i) => package.def.inputs[i].own,
        SignaturePart::Output(i) => package.def.outputs[i].own,
        _ => None,
    }
}

/// Returns whether an argument has one number per row.
pub fn is_per_row(package: &Package<'_>, p: &Param) -> bool {
    kind(package, p) == Some(Kind::PerRow)
}

/// Returns the inputs to whose common element type the operator promotes: all but those with types of their own.
pub fn promoted(package: &Package<'_>, interface: &Interface) -> Vec<Param> {
    let number = |p: &&Param| {
        matches!(p.of, SignaturePart::Input(_))
            && !is_mask(package, p)
            && !has_counts(package, p)
            && own(package, p).is_none()
    };
    interface.main().params.iter().filter(number).cloned().collect()
}

/// Returns C++ declarations of arguments for a parameter list, for example `const aclTensor* self`.
pub fn declared(params: &[Param]) -> Vec<String> {
    let constant = |p: &Param| match p.ty {
        Type::Tensor => format!("const aclTensor* {}", p.name),
        Type::Chars => format!("const char* {}", p.name),
        _ => p.declaration(),
    };
    params.iter().map(constant).collect()
}

/// Returns the names of arguments, to be passed on in a C++ call.
pub fn names(params: &[Param]) -> Vec<String> {
    params.iter().map(|p| p.name.to_string()).collect()
}

/// Returns the names of inputs: the required ones, then the optional ones.
pub fn in_order(inputs: &[&Param]) -> Vec<String> {
    let (needed, optional): (Vec<&Param>, Vec<&Param>) = inputs.iter().partition(|p| !p.optional);
    needed.into_iter().chain(optional).map(|p| p.name.to_string()).collect()
}

/// Returns the C++ expression of an argument as a `float`, for example `alpha->ToFloat()`.
pub fn number(p: &Param) -> String {
    match p.ty {
        Type::Scalar => format!("{}->ToFloat()", p.name),
        _ => format!("static_cast<float>({})", p.name),
    }
}
