//! Refused modules.

use crate::{family, messages, only, tokens};

#[test]
fn modules_must_be_inline_without_recursion() {
    let of = |text| messages(op_dsl_syntax::module(tokens(text)).err());
    only(of("mod m;"), "write the module inline");
    only(of("fn f() {}"), "a family is a module");
    only(family("#[formula] fn f(x: Elem) -> Elem { f(x) }"), "calls itself");
}
