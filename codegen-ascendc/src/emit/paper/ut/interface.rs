//! Tests of phase 1 of each aclnn name: with valid arguments, and with each kind of invalid ones.

use super::super::example::attribute;
use super::case::{braced, shape_of};
use crate::emit::api::cpp::{list, literal};
use crate::emit::api::{kind, own};
use crate::emit::host::mask_types;
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::paper::example::leaves_out;
use crate::emit::text::Text;
use crate::emit::type_names::ge_name;
use crate::plan::Plan;
use op_dsl_ir::interface::{Function, Interface, Param};
use op_dsl_ir::op::{AttrKind, Kind, Value};
use op_dsl_ir::published::{SignaturePart, Type};

/// Writes C++ tests of phase 1 with valid arguments, and with one of each kind of invalid ones.
pub fn api(package: &Package<'_>, interface: &Interface) -> String {
    let mut t = Text::new();
    t.line("#include <gtest/gtest.h>\n");
    t.line("#include \"op_api_ut_common/op_api_ut.h\"");
    if interface.main().params.iter().any(|p| p.ty == Type::Scalar) {
        t.line("#include \"op_api_ut_common/scalar_desc.h\"");
    }
    t.line("#include \"op_api_ut_common/tensor_desc.h\"");
    t.line(format!("#include \"../../../op_api/{}.h\"\n", interface.header));
    for function in &interface.functions {
        let mut test = |name: &str, status: &str, wrong: &Wrong<'_>| {
            t.function(format!("TEST({}, {name})", function.name), |t| {
                t.lines(phase_1(package, function, status, wrong));
            });
            t.line("");
        };
        test("RightArguments", "ACLNN_SUCCESS", &Wrong::Nothing);
        let pointers = function.params.iter().filter(|p| p.is_needed() && p.ty != Type::Chars);
        for p in pointers {
            let name = format!("No{}{}", p.name[..1].to_uppercase(), &p.name[1..]);
            test(&name, "ACLNN_ERR_PARAM_NULLPTR", &Wrong::Missing(&p.name));
        }
        test("AnotherElementType", "ACLNN_ERR_PARAM_INVALID", &Wrong::DType);
        test("NineDimensions", "ACLNN_ERR_PARAM_INVALID", &Wrong::Rank);
        if package.def.split.is_some() {
            test("DimBeyondTheRank", "ACLNN_ERR_PARAM_INVALID", &Wrong::Dim);
        }
    }
    t.finish()
}

/// Mistake that a test makes in the arguments of an aclnn call; `Nothing` for a valid call.
#[derive(PartialEq)]
enum Wrong<'a> {
    Nothing,
    Missing(&'a str),
    DType,
    Rank,
    Dim,
}

fn phase_1(package: &Package<'_>, function: &Function, status: &str, wrong: &Wrong<'_>) -> String {
    let def = &package.def;
    let Plan { spec, dtype, .. } = *package.common();
    let dtype = match wrong {
        Wrong::DType => "ACL_INT32".to_string(),
        _ => format!("ACL_{}", dtype.row().ge),
    };
    let mut t = Text::new();
    // Sums are one row, and so are the inputs whose shapes they have.
    let narrow = |of: SignaturePart| match of {
        SignaturePart::Input(i) => Some(i).filter(|i| sums::summed(def).contains(i)),
        SignaturePart::Output(k) => def.sum(k),
        _ => None,
    };
    let shape = |of: SignaturePart, kind: Kind| {
        let mut shape = shape_of(kind, [2, 16]);
        if let Some(input) = narrow(of) {
            shape = sums::row(def, input, &shape);
        } else if *wrong == Wrong::Rank {
            shape.splice(0..0, [1; 7]);
        }
        braced(&shape)
    };
    let mut words = Vec::new();
    for p in &function.params {
        let kind = kind(package, p).unwrap_or(Kind::Whole);
        let missing = *wrong == Wrong::Missing(&p.name) || leaves_out(package, spec, p.of);
        words.push(match (p.of, p.ty) {
            (_, Type::Scalar) if missing => "static_cast<aclScalar*>(nullptr)".into(),
            _ if missing => "static_cast<aclTensor*>(nullptr)".into(),
            (SignaturePart::Attr(i), _) => {
                t.line(constant(package, p, attribute(package, spec, i), wrong));
                p.name.to_string()
            }
            (_, Type::Bool) => "false".into(),
            _ => {
                let dtype = match kind {
                    Kind::Mask if *wrong != Wrong::DType => {
                        mask_types(def)[0].replace("DT_", "ACL_")
                    }
                    Kind::Rows if *wrong != Wrong::DType => "ACL_INT64".into(),
                    _ if *wrong == Wrong::DType => dtype.clone(),
                    _ if own(package, p).is_some() => {
                        own(package, p).map_or(String::new(), |own| format!("ACL_{}", ge_name(own)))
                    }
                    _ => dtype.clone(),
                };
                let shape = if kind == Kind::Rows { braced(&[1]) } else { shape(p.of, kind) };
                t.line(format!("TensorDesc {}({shape}, {dtype}, ACL_FORMAT_ND);", p.name));
                p.name.to_string()
            }
        });
    }
    let of = |output: bool| -> Vec<String> {
        let both = function.params.iter().zip(&words);
        both.filter(|(p, _)| p.is_output() == output).map(|(_, w)| w.to_string()).collect()
    };
    let groups =
        [function.name.clone(), list("INPUT", &of(false), ""), list("OUTPUT", &of(true), "")];
    t.line(list("auto ut = OP_API_UT", &groups, ";"));
    t.line("uint64_t workspaceSize = 0;");
    t.line(format!("EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), {status});"));
    t.finish()
}

/// Returns the C++ statement that declares a variable with the value of an attribute.
fn constant(package: &Package<'_>, p: &Param, value: Value, wrong: &Wrong<'_>) -> String {
    let SignaturePart::Attr(i) = p.of else { return String::new() };
    match (&package.def.attrs[i].kind, value, p.ty) {
        (AttrKind::Dim, ..) if *wrong == Wrong::Dim => format!("int64_t {} = 2;", p.name),
        (kind, Value::Int(v), Type::Chars) => {
            let name = literal(kind.variant_name(v));
            format!("char {0}Text[] = {name};\nchar* {0} = {0}Text;", p.name)
        }
        (_, Value::Int(v), _) => format!("int64_t {} = {v};", p.name),
        (_, Value::Bool(b), _) => format!("bool {} = {b};", p.name),
        (_, Value::Float(x), Type::Scalar) => {
            format!("ScalarDesc {}(static_cast<float>({x:?}));", p.name)
        }
        (_, Value::Float(x), _) => format!("double {} = {x:?};", p.name),
    }
}
