//! The published interfaces of an operator are part of its definition, and complete.

use codegen_ascendc::emit::{Layout, Options, emit_all};
use op_dsl::Operator;
use op_dsl_ir::op::AttrKind;
use op_dsl_ir::published::{Negative, Param, Published, SignaturePart, Type};
use op_dsl_ir::registered::{Attribute, Types};
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
        let parts = (0..op.def().inputs.len()).map(SignaturePart::Input);
        let parts = parts.chain((0..op.def().attrs.len()).map(SignaturePart::Attr));
        for of in parts.chain((0..op.def().outputs.len()).map(SignaturePart::Output)) {
            for name in aclnn.names {
                let given = name.args.iter().any(|arg| arg.of == of);
                let attrs = &op.def().attrs;
                let is_optional = |input| attrs.iter().any(|a| a.kind == AttrKind::Given(input));
                let stands_in = match of {
                    // A function may omit an optional tensor, or one with a substitute.
                    SignaturePart::Input(i) => {
                        is_optional(i) || aclnn.stand_ins.iter().any(|s| s.0 == i)
                    }
                    SignaturePart::Attr(i) => {
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

/// Fixed values have the type of their attribute, and rules name existing tensors and attributes.
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

/// Every variant that a document omits is a specialisation of the operator.
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

/// Returns the text of every `.NAME(..)` call in a prototype, in order.
fn registered<'t>(prototype: &'t str, kind: &str) -> Vec<&'t str> {
    let calls = prototype.lines().filter_map(|line| line.trim().strip_prefix(kind));
    calls.map(|call| call.strip_suffix(')').expect("the end of a call")).collect()
}

/// A prototype has the names, types, attributes and optionality of its row.
///
/// That holds even where the operator's definition and formula differ from the row.
#[test]
fn prototypes_are_those_of_their_rows() {
    let (mut compared, mut required, mut optional) = (0, 0, 0);
    for (op, row) in rows() {
        let Some(want) = row.prototype else { continue };
        let socs = Layout::OpsNn.socs();
        let (tree, _) = emit_all([op.def()].into_iter(), Layout::OpsNn, &socs, &Options::default())
            .unwrap_or_else(|e| panic!("{}: {e}", op.name()));
        let file = tree.files.iter().find(|f| f.path.ends_with("_proto.h")).expect("a prototype");
        let (path, text) = (&file.path, &file.text);
        let of = |kind| registered(text, kind);
        let (common, each) = match want.types {
            Types::Each(types) => (vec![], types),
            Types::Common(types) => (vec![format!("T, {types}")], "\"T\""),
        };
        assert_eq!(of(".DATATYPE("), common, "{path}");
        let with_types = |name: &&str| format!("{name}, {}", want.types_of(name).unwrap_or(each));
        let of_all = |names: &[&str]| names.iter().map(with_types).collect::<Vec<_>>();
        assert_eq!(of(".OUTPUT("), of_all(want.outputs), "{path}");
        let tensors = [of(".INPUT("), of(".OPTIONAL_INPUT(")];
        optional += tensors[1].len();
        let is_optional = |i: &usize| op.def().presence(*i).is_some();
        let (left_out, given): (Vec<usize>, Vec<usize>) =
            (0..want.inputs.len()).partition(is_optional);
        for (got, of) in tensors.iter().zip([given, left_out]) {
            let names: Vec<&str> = of.iter().map(|i| want.inputs[*i]).collect();
            assert_eq!(*got, of_all(&names), "{path}");
        }
        let attr = |a: &Attribute| match a.default.value() {
            Some(value) => Ok(format!("{}, {}, {value}", a.name, a.default.ty())),
            None => Err(format!("{}, {}", a.name, a.default.ty())),
        };
        let attrs: Vec<Result<String, String>> = want.attrs.iter().map(attr).collect();
        let has = |what: Vec<&String>, kind| assert_eq!(of(kind), what, "{path}");
        has(attrs.iter().filter_map(|a| a.as_ref().ok()).collect(), ".ATTR(");
        has(attrs.iter().filter_map(|a| a.as_ref().err()).collect(), ".REQUIRED_ATTR(");
        required += of(".REQUIRED_ATTR(").len();
        compared += 1;
    }
    assert!(compared >= 50 && required >= 1 && optional >= 1, "{compared} {required} {optional}");
}

/// Everything that a prototype does not specify matches the formula: the number of tensors, and each attribute.
#[test]
fn prototypes_cover_their_operator() {
    for (op, row) in rows() {
        let Some(prototype) = row.prototype else { continue };
        let def = op.def();
        assert_eq!(prototype.inputs.len(), def.inputs.len(), "{}", op.name());
        assert_eq!(prototype.outputs.len(), def.outputs.len(), "{}", op.name());
        let names: Vec<&str> = prototype.attrs.iter().map(|a| a.name).collect();
        for attr in def.passed() {
            assert!(names.contains(&&*attr.name), "{}: {}", op.name(), attr.name);
        }
    }
}
