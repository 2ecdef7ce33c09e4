//! What documents have published of an operator comes with its definition, and is whole.

use op_dsl::Operator;
use op_dsl_ir::op::AttrKind;
use op_dsl_ir::published::{Negative, Of, Param, Published, Type};
use ops_glu_grad::OPERATORS;
use std::mem::discriminant;

fn rows() -> impl Iterator<Item = (&'static Operator, &'static Published)> {
    OPERATORS.iter().filter_map(|op| Some((*op, op.def().published?)))
}

/// Each aclnn function covers every tensor and attribute, by an argument or a stated substitute.
#[test]
fn functions_cover_their_operator() {
    assert!(rows().count() > 0);
    for (op, row) in rows() {
        assert_eq!(row.operator, op.name());
        let Some(aclnn) = row.aclnn else { continue };
        assert!(!aclnn.names.is_empty(), "{}", op.name());
        let parts = (0..op.def().inputs.len()).map(Of::Input);
        let parts = parts.chain((0..op.def().attrs.len()).map(Of::Attr));
        for of in parts.chain((0..op.def().outputs.len()).map(Of::Output)) {
            for name in aclnn.names {
                let given = name.args.iter().any(|arg| arg.of == of);
                let attrs = &op.def().attrs;
                let is_optional = |input| attrs.iter().any(|a| a.kind == AttrKind::Given(input));
                let stands_in = match of {
                    // A function may leave out what an operator can do without.
                    Of::Input(i) => is_optional(i) || aclnn.stand_ins.iter().any(|s| s.0 == i),
                    Of::Attr(i) => {
                        let is_given = matches!(attrs[i].kind, AttrKind::Given(_));
                        is_given || name.fixed.iter().any(|f| f.0 == i)
                    }
                    _ => false,
                };
                assert!(given || stands_in, "{}: {of:?}", name.name);
            }
        }
    }
}

/// Values without an argument are values of their attributes, and rules name what there is.
#[test]
fn rules_are_about_attributes() {
    for (op, row) in rows() {
        let (Some(aclnn), def) = (row.aclnn, op.def()) else { continue };
        for name in aclnn.names {
            for (attr, value) in name.fixed {
                let default = &def.attrs[*attr].default;
                assert_eq!(discriminant(value), discriminant(default), "{}: {attr}", name.name);
            }
        }
        for &(attr, rule) in aclnn.negative {
            assert_eq!(def.attrs[attr].kind, AttrKind::Float, "{}", op.name());
            if let Negative::RefusedIf(flag) = rule {
                let is_flag = |p: &Param| p.name == flag && p.ty == Type::Bool;
                for name in aclnn.names {
                    assert!(name.args.iter().any(is_flag), "{}: {flag}", name.name);
                }
            }
        }
    }
}

/// What a document leaves out is a form of the operator.
#[test]
fn forms_left_out_exist() {
    for (op, row) in rows() {
        for left in row.left_out {
            let attr =
                op.def().attrs.iter().position(|a| a.name == left.attr).expect("an attribute");
            let specs = op.def().specs.iter();
            let mut whens = specs.flat_map(|s| s.when.iter());
            assert!(whens.any(|w| *w == (attr, left.value)), "{}: {left:?}", op.name());
        }
    }
}
