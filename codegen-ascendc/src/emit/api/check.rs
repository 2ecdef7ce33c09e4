//! One check of phase 1, and the statements that checks are made of.

use super::cpp::{list, literal};
use crate::emit::text::Text;
use op_dsl_ir::interface::Param;

/// One check of the arguments of an aclnn call, for example of all shapes.
///
/// It is emitted as a C++ function that returns false on failure.
pub struct Check {
    pub name: &'static str,
    pub why: String,
    pub code: &'static str,
    pub params: Vec<Param>,
    pub body: String,
}

/// Status of a call that lacks an argument.
pub const NULLPTR: &str = "ACLNN_ERR_PARAM_NULLPTR";
/// Status of a call with an argument that is not allowed.
pub const INVALID: &str = "ACLNN_ERR_PARAM_INVALID";

/// Writes a statement that reads an argument, inside `if (.. != nullptr)` if the argument is optional.
pub fn if_given(t: &mut Text, p: &Param, statement: &str) {
    if !p.optional {
        t.line(statement);
        return;
    }
    t.when(&format!("{} != nullptr", p.name), statement);
}

/// Returns a C++ condition on an argument, which is also true if the argument is optional and null.
pub fn unless_null(p: &Param, condition: &str) -> String {
    if p.optional { format!("{} == nullptr || {condition}", p.name) } else { condition.into() }
}

/// Writes an `OP_CHECK` that logs `message` and returns false if `condition` does not hold.
///
/// `shown` holds the C++ expressions of the values for the placeholders in the message.
pub fn refuse(t: &mut Text, condition: &str, message: &str, shown: &[&str]) {
    let mut log = vec![INVALID.to_string(), literal(message)];
    log.extend(shown.iter().map(|s| s.to_string()));
    t.line(list(
        "OP_CHECK",
        &[condition.into(), list("OP_LOGE", &log, ""), "return false".into()],
        ";",
    ));
}
