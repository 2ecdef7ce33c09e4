//! Phase 1 of emitted functions, called with valid and invalid arguments.

use super::compile::{STANDARD, compiled, compiler, scratch, write};
use super::{ALL, emitted, operator, package};
use codegen_ascendc::emit::tree::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds an operator's op_api with a driver, runs it, and returns the output lines.
fn driven(name: &str, socs: &str, arch: &str, driver: &str) -> Vec<String> {
    let package = package(operator(name), socs);
    let dir = scratch(&format!("calls_{name}_{socs}_{arch}"));
    let files = emitted(&package);
    write(&dir, &files);
    let is_source = |f: &&File| f.path.starts_with("op_api/") && f.path.ends_with(".cpp");
    let mut sources: Vec<PathBuf> =
        files.iter().filter(is_source).map(|f| dir.join(&f.path)).collect();
    sources.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ascendc_api").join(driver));
    let compiler = compiler(&dir).prefix_header(STANDARD, &[]).one_unit();
    let program = compiled(compiler.program(&sources), name);
    let out = Command::new(&program).env("HOST_MODEL_ARCH", arch).output();
    let out = out.expect("the driver runs");
    assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).lines().map(String::from).collect()
}

/// Checks the lines of a driver, each of which reads `case: what happened`.
fn expect(lines: &[String], want: &[(&str, &str)]) {
    let want: Vec<String> = want.iter().map(|(case, what)| format!("{case}: {what}")).collect();
    for (got, want) in lines.iter().zip(&want) {
        assert_eq!(got, want);
    }
    assert_eq!(lines.len(), want.len(), "{lines:#?}");
}

#[test]
fn ge_glu_backward() {
    let all = "Contiguous gradOutput DT_FLOAT16[2,3]; Contiguous self DT_FLOAT16[2,6]; \
               Contiguous gelu DT_FLOAT16[2,3]; ";
    let launch = |dim: &str, left| {
        format!(
            "0 {all}Launch GeGluGradV2 gradOutput[2,3] self[2,6] gelu[2,3] [2,6] {dim} 1 {left}; \
             ViewCopy gradInput DT_FLOAT16[2,6]"
        )
    };
    let lines = driven("GeGluGradV2", ALL, "2201", "ge_glu_backward.cpp");
    expect(
        &lines,
        &[
            ("right", &launch("-1", true)),
            ("older name", &launch("1", false)),
            ("bf16", "0 5 steps"),
            ("empty", "0 no steps, workspace 0"),
            ("gradOutput missing", "161001 gradOutput is null"),
            ("gelu missing", "161001 gelu is null"),
            ("gradInput missing", "161001 gradInput is null"),
            ("no place for the workspace's size", "161001 "),
            ("missing and of a wrong dtype", "161001 self is null"),
            ("int32", "161002 dtype of gradOutput: DT_INT32 not in [DT_FLOAT16,DT_BF16,DT_FLOAT]"),
            ("mixed dtypes", "161002 dtype of gelu: not that of gradOutput"),
            ("dtype before shape", "161002 dtype of gradInput: not that of gradOutput"),
            ("private format", "161002 the kernel reads ND, not a private format."),
            ("gelu not as gradOutput", "161002 shape of gelu: not that of gradOutput"),
            ("gradInput not as self", "161002 shape of gradInput: not that of self"),
            ("no dimensions", "161002 rank of self: less than 1"),
            ("nine dimensions", "161002 rank of self: more than 8"),
            ("dim too large", "161002 dim must be in [-2, 1], but is 2."),
            ("dim too small", "161002 dim must be in [-2, 1], but is -3."),
            ("odd", "161002 self is cut in two along dimension 1, which is odd: 5."),
            ("not half", "161002 shape of gradOutput: not [2,3]"),
            ("shape before value", "161002 shape of gelu: not that of gradOutput"),
            ("approximate", "161002 approximate must be 0 (none) or 1 (tanh), but is 2."),
        ],
    );
}

#[test]
fn ge_glu_backward_where_the_document_leaves_a_form_out() {
    for socs in ["ascend310p", ALL] {
        let lines = driven("GeGluGradV2", socs, "2002", "ge_glu_backward.cpp");
        let of = |case: &str| {
            let found = lines.iter().find_map(|l| l.strip_prefix(&format!("{case}: ")));
            found.unwrap_or_else(|| panic!("no case {case}"))
        };
        assert_eq!(of("bf16"), "161002 dtype of gradOutput: DT_BF16 not in [DT_FLOAT16,DT_FLOAT]");
        assert_eq!(of("approximate"), "161002 approximate must be 1 (tanh), but is 2.");
    }
}

#[test]
fn gelu_backward_v2() {
    let lines = driven("GeluGradV2", ALL, "3510", "gelu_backward_v2.cpp");
    expect(
        &lines,
        &[
            (
                "right",
                "0 Contiguous gradOutput DT_FLOAT16[2,3]; Contiguous self DT_FLOAT16[2,3]; \
             Launch GeluGradV2 gradOutput[2,3] self[2,3] [2,3] none; ViewCopy gradInput DT_FLOAT16[2,3]",
            ),
            (
                "promoted and broadcast",
                "0 Contiguous gradOutput DT_BF16[3]; Cast gradOutput DT_FLOAT[3]; \
             BroadcastTo gradOutput DT_FLOAT[2,3]; Contiguous self DT_FLOAT16[2,3]; \
             Cast self DT_FLOAT[2,3]; Launch GeluGradV2 gradOutput[2,3] self[2,3] [2,3] tanh; \
             ViewCopy gradInput DT_FLOAT[2,3]",
            ),
            ("empty", "0 no steps, workspace 0"),
            ("approximate missing", "161001 approximate is a null pointer."),
            ("self missing", "161001 self is null"),
            (
                "int32 beside half",
                "0 Contiguous gradOutput DT_INT32[2,3]; Cast gradOutput DT_FLOAT16[2,3]; \
             Contiguous self DT_FLOAT16[2,3]; Launch GeluGradV2 gradOutput[2,3] self[2,3] [2,3] none; \
             ViewCopy gradInput DT_FLOAT16[2,3]",
            ),
            (
                "int32 alone",
                "161002 GeluGradV2 has no kernel for DT_INT32, to which the inputs promote.",
            ),
            ("not promoted", "161002 dtype of gradInput: not DT_FLOAT"),
            ("not broadcastable", "161002 the shapes of gradOutput and self cannot be broadcast."),
            ("output too small", "161002 shape of gradInput: not [4,2,3]"),
            ("nine dimensions", "161002 rank of self: more than 8"),
            ("approximate", "161002 approximate must be none or tanh, but is exact."),
        ],
    );
}

#[test]
fn swi_glu_grad() {
    let right = |dy: &str, dim: &str| {
        format!(
            "0 Contiguous yGrad DT_FLOAT{dy}; Contiguous x DT_FLOAT[2,6]; \
             Launch SwiGluGrad yGrad{dy} x[2,6] [2,6] {dim}; ViewCopy out DT_FLOAT[2,6]"
        )
    };
    let lines = driven("SwiGluGrad", "ascend910b", "2201", "swi_glu_grad.cpp");
    expect(
        &lines,
        &[
            ("right", &right("[2,3]", "-1")),
            ("outermost", &right("[1,6]", "-2")),
            ("out missing", "161001 out is null"),
            ("mixed dtypes", "161002 dtype of x: not that of yGrad"),
            ("dim", "161002 dimOptional must be in [-2, 1], but is 2."),
            ("out not as x", "161002 shape of out: not that of x"),
            ("not half", "161002 shape of yGrad: not [2,3]"),
            ("empty", "161002 yGrad has no elements."),
        ],
    );
}

/// A tensor that is broadcast is passed as it is, and its sum has its shape.
#[test]
fn bias_swi_glu_grad() {
    let right = |dy: &str, bias: &str, dim: &str| {
        format!(
            "0 Contiguous dy DT_FLOAT{dy}; Contiguous x DT_FLOAT[2,6]; Contiguous bias DT_FLOAT{bias}; \
             Launch BiasSwiGluGrad dy{dy} x[2,6] bias{bias} [2,6] {bias} {dim}; \
             ViewCopy dx DT_FLOAT[2,6]; ViewCopy dbias DT_FLOAT{bias}"
        )
    };
    let lines = driven("BiasSwiGluGrad", "ascend910b,ascend950", "2201", "bias_swi_glu_grad.cpp");
    let short = "161002 the shape of bias does not broadcast to that of x.";
    expect(
        &lines,
        &[
            ("right", &right("[2,3]", "[6]", "-1")),
            ("dim counted from the outermost", &right("[2,3]", "[6]", "1")),
            ("one for all", &right("[2,3]", "[2]", "-1")),
            ("not broadcast", &right("[2,3]", "[2,6]", "-1")),
            ("parts of rows", &right("[1,6]", "[2,1]", "0")),
            ("dbias not as bias", "161002 shape of dbias: not that of bias"),
            ("bias too long", short),
            ("bias of one part", short),
            ("bias without the dimension", short),
            ("bias of more dimensions", short),
            ("x odd", "161002 x is cut in two along dimension 1, which is odd: 3."),
            ("x broadcast", "161002 the shape of dy does not broadcast to that of x."),
            ("dx not as x", "161002 shape of dx: not [2,6]"),
            ("nine dimensions", "161002 rank of x: more than 8"),
            ("dim", "161002 dim must be in [-2, 1], but is 2."),
            ("empty", "161002 dy has no elements."),
            ("mixed dtypes", "161002 dtype of bias: not that of dy"),
        ],
    );
}

#[test]
fn elu_backward() {
    let right = |flag, cast, out| {
        format!(
            "0 Contiguous gradOutput DT_FLOAT[2,3]; Contiguous selfOrResult DT_FLOAT[2,3]; \
             Launch EluGradV2 gradOutput[2,3] selfOrResult[2,3] [2,3] {flag}; \
             {cast}ViewCopy gradInput {out}[2,3]"
        )
    };
    let lines = driven("EluGradV2", ALL, "2201", "elu_backward.cpp");
    expect(
        &lines,
        &[
            ("right", &right("0.500000 1.000000 2.000000 true", "", "DT_FLOAT")),
            (
                "cast",
                &right("0.500000 1.000000 2.000000 true", "Cast  DT_FLOAT16[2,3]; ", "DT_FLOAT16"),
            ),
            ("alpha missing", "161001 alpha is null"),
            ("inputScale missing", "161001 inputScale is null"),
            ("mixed dtypes", "161002 dtype of selfOrResult: not that of gradOutput"),
            (
                "result of whole numbers",
                "161002 dtype of gradInput: DT_INT32 not in [DT_FLOAT16,DT_BF16,DT_FLOAT]",
            ),
            ("complex", "161002 inputScale is DT_COMPLEX64, which converts to no float."),
            ("shape before value", "161002 shape of selfOrResult: not that of gradOutput"),
            (
                "negative",
                "161002 alpha must not be negative where isResult is true, but is -1.000000.",
            ),
            ("negative beside x", &right("-1.000000 1.000000 2.000000 false", "", "DT_FLOAT")),
        ],
    );
}

#[test]
fn swish_backward() {
    let right = |beta| {
        format!(
            "0 Contiguous gradOutput DT_FLOAT[2,3]; Contiguous self DT_FLOAT[2,3]; \
             Launch SwishGrad gradOutput[2,3] self[2,3] self[2,3] [2,3] {beta}; \
             ViewCopy gradInput DT_FLOAT[2,3]"
        )
    };
    let lines = driven("SwishGrad", ALL, "2201", "swish_backward.cpp");
    expect(
        &lines,
        &[
            ("given", &right("1.500000")),
            ("missing", &right("1.000000")),
            ("complex", "161002 betaOptional is DT_COMPLEX64, which converts to no float."),
        ],
    );
}
