//! Inputs that lie along another dimension than the last, in aclnn functions.

use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::text::Text;
use op_dsl_ir::interface::Param;
use op_dsl_ir::published::SignaturePart;

/// C++ function that returns whether a tensor lies along a dimension.
const LIES_ALONG: &str = include_str!("lies_along.h");
/// C++ function that gives a tensor dimensions of 1, before it is expanded for the kernel.
const LAID: &str = include_str!("laid.h");

/// Returns the C++ functions that calls need where inputs lie along a dimension; none elsewhere.
///
/// `expands` says whether inputs are expanded before the kernel.
pub fn functions(package: &Package<'_>, expands: bool) -> String {
    let mut t = Text::new();
    let has = !package.def.along.is_empty();
    if has && (expands || sums::has(&package.def)) {
        t.line(LIES_ALONG);
    }
    if has && expands {
        t.line(LAID);
    }
    t.finish()
}

/// Returns the C++ condition that an input broadcasts to `domain`, whose dimension `cut` holds two parts (gate and value).
pub fn fits(package: &Package<'_>, p: &Param, cut: &str) -> String {
    let (name, usual) = (&p.name, format!("Broadcasts({}, domain, {cut})", p.name));
    match dimension(package, p) {
        Some(dim) => {
            format!(
                "({name}->GetViewShape().GetDimNum() == 1 ? LiesAlong({name}, domain, {dim}) : {usual})"
            )
        }
        None => usual,
    }
}

/// Returns the dimension that an input of one dimension lies along; `None` if it is aligned at the innermost, as is usual.
pub fn dimension(package: &Package<'_>, param: &Param) -> Option<usize> {
    match param.of {
        SignaturePart::Input(i) => package.def.along(i),
        _ => None,
    }
}

/// Returns the inputs among `params` that determine the broadcast shape.
///
/// Inputs that lie along a dimension do not, because they are broadcast to the shape of the others.
pub fn deciding<'p>(package: &Package<'_>, mut params: Vec<&'p Param>) -> Vec<&'p Param> {
    params.retain(|p| dimension(package, p).is_none());
    params
}
