//! Tests of the commands on a hand-made operator: `dx = dy * x`, the same for both parts of `x`.

mod verify;

use super::array::{Array, Data};
use super::npy;
use codegen_cpu::rt::call::{Operator, Oracle};
use codegen_cpu::rt::floor::floor_kernels;
use op_dsl_ir::op::{Attr, AttrKind, Gate, Kind, OpDef, Pattern, Spec, Split, Tensor, Value};
use op_dsl_ir::{Builder, DType, Stored};
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::LazyLock;
use tempfile::TempDir;

fn tensor(name: &'static str, kind: Kind) -> Tensor {
    Tensor { name: name.into(), kind, own: None, used: true }
}

/// Builds an operator whose kernels compute `dy * gate` and `dy * value`.
///
/// The formula as written, the graph and the author's function each have a factor on the first result, so that a test
/// can make one of them wrong.
fn operator(name: &'static str, written: f64, graph: f64, author: Oracle) -> Operator {
    let with = |factor: f64| {
        let mut b = Builder::new();
        let [dy, gate, value] = [0, 1, 2].map(|i| b.stream(i));
        let skewed = if factor == 1.0 { gate } else { b.scaled(factor, gate) };
        let outputs = [b.product(dy, skewed), b.product(dy, value)];
        b.finish(&outputs)
    };
    let spec = Spec { traced: with(written), ..Spec::of(with(graph)) };
    let attr =
        |name: &'static str, kind, default| Attr { name: name.into(), kind, default, any: false };
    let def = OpDef {
        name: name.into(),
        doc: " Scales.".into(),
        source: "by_hand::scale".into(),
        formula: "dy * x".into(),
        inputs: vec![tensor("dy", Kind::Whole), tensor("x", Kind::Gated)].into(),
        outputs: vec![tensor("dx", Kind::Gated)].into(),
        attrs: vec![
            attr("dim", AttrKind::Dim, Value::Int(-1)),
            attr("left", AttrKind::Bool, Value::Bool(false)),
        ]
        .into(),
        split: Some(Split { dim: 0, gate: Gate::LeftIf(1), pattern: Pattern::Halves }),
        dtypes: DType::ALL.to_vec().into(),
        empty: true,
        specs: vec![spec].into(),
        ..OpDef::default()
    };
    let kernels = floor_kernels(3, 2).expect("the driver has a floor for three in, two out");
    Operator::new(def, std::slice::from_ref(kernels), Some(author))
}

fn right(x: &[f64], _: &[Value]) -> Vec<f64> {
    vec![x[0] * x[1], x[0] * x[2]]
}

fn skewed(x: &[f64], _: &[Value]) -> Vec<f64> {
    vec![SKEW * x[0] * x[1], x[0] * x[2]]
}

const SKEW: f64 = 1.001;

pub static SCALE: LazyLock<Operator> = LazyLock::new(|| operator("Scale", 1.0, 1.0, right));
pub static WRONG_KERNEL: LazyLock<Operator> =
    LazyLock::new(|| operator("Wrong", SKEW, SKEW, skewed));
static WRONG_GRAPH: LazyLock<Operator> = LazyLock::new(|| operator("Wrong", 1.0, SKEW, right));
static OTHER_AUTHOR: LazyLock<Operator> = LazyLock::new(|| operator("Wrong", 1.0, 1.0, skewed));

/// Runs a command line on the test operators; returns exit code and standard output.
fn cli(line: &[&str]) -> (ExitCode, String) {
    of(&SCALE, line)
}

fn of(op: &'static Operator, line: &[&str]) -> (ExitCode, String) {
    let words = std::iter::once("scale").chain(line.iter().copied()).map(OsString::from);
    let mut out = Vec::new();
    let code = super::run(&[op], "an example", words, &mut out);
    (code, String::from_utf8(out).expect("output is text"))
}

fn good(line: &[&str]) -> String {
    let (code, text) = cli(line);
    assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::SUCCESS), "{line:?}: {text}");
    text
}

fn refused(line: &[&str]) {
    let (code, text) = cli(line);
    assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(2)), "{line:?}: {text}");
    assert_eq!(text, "", "{line:?}");
}

/// Creates a temporary directory for one test, removed on drop.
fn directory() -> TempDir {
    TempDir::new().expect("a directory for temporary files")
}

fn save(path: &std::path::Path, values: &[f32], shape: &[usize]) {
    let array = Array::dense(Data::F32(values.to_vec()), shape.to_vec());
    let pending = npy::write_beside(path, &array).expect("a file beside");
    pending.place(path).expect("a file in its place");
}

#[test]
fn nothing_to_do_shows_what_there_is() {
    let text = good(&[]);
    assert!(text.contains("verify") && text.contains("an example") && text.contains("Scale"));
}

#[test]
fn list_as_table_and_json() {
    assert!(good(&["list"]).contains("Scale     dy, x*  dx*      dim=-1, left=false"));
    let json = good(&["list", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let [scale] = &json.as_array().expect("a list")[..] else { panic!("{json}") };
    assert_eq!(scale["attributes"][0]["default"], -1);
    assert_eq!(
        scale["inputs"][1],
        serde_json::json!({"name": "x", "gated": true, "mask": false, "rows": false, "optional": false, "used": true})
    );
    // Readers of the JSON may rely on the order of its keys.
    let keys: Vec<&String> = scale.as_object().expect("an object").keys().collect();
    let first = ["name", "doc", "source", "grad_of", "inputs", "outputs", "attributes", "dtypes"];
    assert_eq!(keys[..8], first);
}

#[test]
fn files_hold_every_type() {
    let (place, values) = (directory(), [0.0f32, 1.0, 7.0, 300.0, -3.5, -1e9]);
    for (name, stored) in Stored::CONVERTED {
        let mut next = values.iter().copied().cycle();
        let array = Array::filled(stored, &[6], || next.next().unwrap_or(0.0)).expect("memory");
        let path = place.path().join(name);
        let pending = npy::write_beside(&path, &array).expect("a file beside");
        pending.place(&path).expect("a file in its place");
        let of = Tensor { own: Some(stored), ..tensor("x", Kind::Whole) };
        let read = npy::read(&path, &of, None).expect("what was written");
        for (i, v) in values.iter().enumerate() {
            let want = stored.nearest(f64::from(*v));
            let got = [read.get(i), array.get(i)];
            assert!(got == [want; 2] || got[0].is_nan() && want.is_nan(), "{name}: {got:?}");
        }
        assert!(
            npy::read(&path, &Tensor { own: Some(Stored::Int16), ..of }, None).is_err()
                || stored == Stored::Int16
        );
    }
}

#[test]
fn run_reads_both_orders_and_writes_whole_files() {
    let place = directory();
    let dir = place.path();
    let path = |name: &str| dir.join(name).to_str().expect("a path of text").to_string();
    save(&dir.join("dy.npy"), &[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    save(&dir.join("x.npy"), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[2, 4]);
    let (dy, x) = (format!("dy={}", path("dy.npy")), format!("x={}", path("x.npy")));
    let out = format!("dx={}", path("dx.npy"));
    good(&["run", "Scale", "--in", &dy, "--in", &x, "--out", &out, "--threads", "2"]);
    let dx = npy::read(&dir.join("dx.npy"), &tensor("dx", Kind::Gated), None).expect("the result");
    assert_eq!(dx.shape, [2, 4]);
    let want = [1.0, 4.0, 3.0, 8.0, 15.0, 24.0, 21.0, 32.0];
    assert_eq!((0..8).map(|i| dx.get(i)).collect::<Vec<_>>(), want);

    // The same matrix in column-major order.
    let mut bytes = std::fs::read(path("x.npy")).expect("the file just written");
    let at = bytes.windows(5).position(|w| w == b"False").expect("C order");
    bytes.splice(at..at + 5, *b"True ");
    let data = bytes.len() - 32;
    for (i, v) in [1.0f32, 5.0, 2.0, 6.0, 3.0, 7.0, 4.0, 8.0].iter().enumerate() {
        bytes[data + 4 * i..][..4].copy_from_slice(&v.to_le_bytes());
    }
    std::fs::write(path("x.npy"), &bytes).expect("a writable file");
    good(&["run", "Scale", "--in", &dy, "--in", &x, "--out", &out]);
    let dx = npy::read(&dir.join("dx.npy"), &tensor("dx", Kind::Gated), None).expect("the result");
    assert_eq!((0..8).map(|i| dx.get(i)).collect::<Vec<_>>(), want);

    // A file that is one element short is refused, and the old result stays.
    std::fs::write(path("x.npy"), &bytes[..bytes.len() - 1]).expect("a writable file");
    refused(&["run", "Scale", "--in", &dy, "--in", &x, "--out", &out]);
    let names = std::fs::read_dir(dir).expect("the directory").count();
    assert_eq!(names, 3, "no stray files");
}

const BENCH: [&str; 5] = ["bench", "Scale", "--shape", "4x64", "--runs=3"];

#[test]
fn bench_prints_the_columns_asked_for() {
    let line = [&BENCH[..], &["--dtype", "f32,bf16,f16", "--threads", "1,2"]].concat();
    let text = good(&[&line[..], &["--format", "csv"]].concat());
    let (notes, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|l| l.starts_with("# "));
    assert!(
        notes[0].starts_with("# op-dsl bench ") && notes[1].starts_with("# processor "),
        "{text}"
    );
    let columns = "system,op,mode,dtype,size,threads,ns_per_elem,gbps,x_floor,least_ns,setting";
    assert_eq!((lines[0], lines.len()), (columns, 1 + 2 * 6));
    assert!(lines[1].starts_with("ops-glu-grad,Scale,formula,f32,4x32,1,"), "{text}");
    assert!(lines[2].starts_with("floor,Scale,plain,f32,4x32,1,"), "{text}");
    for (k, line) in lines[1..].iter().enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let [median, least] = [6, 9].map(|c| cells[c].parse::<f64>().expect("a number"));
        assert!(least <= median, "{line}");
        let floor: f64 =
            lines[1 + (k | 1)].split(',').nth(6).expect("its floor").parse().expect("a number");
        match k % 2 {
            0 => assert!(
                (cells[8].parse::<f64>().expect("a ratio") * floor / median - 1.0).abs() < 0.05,
                "{line}"
            ),
            _ => assert_eq!(cells[8], ""),
        }
    }
    let table = good(&line);
    assert!(table.starts_with("processor  ") && table.contains("x_floor"), "{table}");
    refused(&["bench", "Scale", "--shape", "4x63"]);
    refused(&["bench", "Scale", "--shape", "4294967296x4294967296x4294967296"]);
}

#[test]
fn bench_tells_settings_apart() {
    let more = ["--level", "baseline", "--data", "tail", "--attr", "dim=0", "--format", "csv"];
    let text = good(&[&BENCH[..], &more].concat());
    let rows = text.lines().filter(|l| !l.starts_with('#')).skip(1);
    for row in rows {
        assert!(row.ends_with(",baseline tail dim=0"), "{row}");
    }
}

#[test]
fn bench_compares_with_an_earlier_run() {
    let place = directory();
    let path = |name: &str| place.path().join(name).to_str().expect("a path of text").to_string();
    let csv = |more: &[&str]| good(&[&BENCH[..], &["--format", "csv"], more].concat());
    let save = |name: &str, text: &str| std::fs::write(path(name), text).expect("a writable file");
    save("old.csv", &csv(&["--dtype", "f32,f16"]));
    let old = path("old.csv");
    let text = good(&[&BENCH[..], &["--dtype", "f32,bf16", "--compare", &old]].concat());
    let compared: Vec<&str> =
        text.lines().skip_while(|l| !l.starts_with("Compared with ")).collect();
    assert!(compared[0].contains(&old) && !text.contains("another"), "{text}");
    let of = |dtype: &str| compared.iter().find(|l| l.contains(dtype) && !l.starts_with("floor"));
    assert!(of(" f32 ").is_some_and(|l| l.split_whitespace().count() == 12), "{text}");
    assert!(of(" bf16 ").is_some_and(|l| l.contains("only now")), "{text}");
    assert!(of(" f16 ").is_some_and(|l| l.contains("only before")), "{text}");
    // The output of a comparison can itself be compared with.
    save("new.csv", &csv(&["--compare", &old]));
    good(&[&BENCH[..], &["--compare", &path("new.csv")]].concat());

    save("none.csv", "a,b\n1,2\n");
    save("old.csv", &csv(&[]).replacen("# op-dsl bench 2", "# op-dsl bench 99", 1));
    std::fs::write(path("bytes.csv"), [0xff, 0xfe]).expect("a writable file");
    for file in ["none.csv", "old.csv", "bytes.csv", "missing.csv", "."] {
        refused(&[&BENCH[..], &["--compare", &path(file)]].concat());
    }
}

#[test]
fn bench_explains_every_column() {
    let help = good(&["bench", "--help"]);
    let csv = good(&[&BENCH[..], &["--format", "csv"]].concat());
    let headings = csv.lines().find(|l| l.starts_with("system,")).expect("headings");
    let known = ["dtype", "threads"]; // words of the command line
    for heading in headings.split(',').filter(|h| !known.contains(h)) {
        assert!(help.contains(heading), "{heading}");
    }
}

/// Kernel, graph and author's code are compared in pairs, so that a fault in any one of them is found.
#[test]
fn what_disagrees_is_found_and_not_timed() {
    for (op, missed) in [
        (&WRONG_KERNEL, "MISSED: ulp at dy="),
        (&WRONG_GRAPH, "MISSED: author"),
        (&OTHER_AUTHOR, "MISSED: author"),
    ] {
        let (code, text) = of(op, &["verify", "--all"]);
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::FAILURE));
        let f32s: Vec<&str> = text.lines().filter(|l| l.contains(" f32 ")).collect();
        assert!(!f32s.is_empty() && f32s.iter().all(|l| l.contains(missed)), "{text}");
    }
    for op in [&WRONG_KERNEL, &WRONG_GRAPH] {
        let (code, text) = of(op, &["bench", "Wrong", "--shape", "4x64"]);
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(2)), "{text}");
    }
}

#[test]
fn new_writes_a_crate_whole_or_not_at_all() {
    let place = directory();
    let path = |name: &str| place.path().join(name).to_str().expect("a path of text").to_string();
    let names = || {
        let all = std::fs::read_dir(place.path()).expect("the directory");
        all.map(|e| e.expect("an entry").file_name()).collect::<Vec<_>>()
    };
    let gates = path("my-gates");
    let text = good(&["new", &gates]);
    assert!(text.contains("MyGates and MyGatesGrad, 8 files\nnext: cd "), "{text}");
    let read = |file: &str| std::fs::read_to_string(path(file)).expect(file);
    for (file, part) in [
        ("Cargo.toml", "\nname = \"my-gates\"\n"),
        ("Cargo.toml", "\n[workspace]\n"),
        ("build.rs", "op_dsl::build::ascendc"),
        ("src/family.rs", "#[op(name = \"MyGates\", grad(name = \"MyGatesGrad\", wrt(x)))]\n"),
        ("src/main.rs", "op_dsl::cli::main(my_gates::OPERATORS, "),
        ("tests/check.rs", "op_dsl::cli::check(my_gates::OPERATORS)"),
    ] {
        let text = read(&format!("my-gates/{file}"));
        let templates =
            ["{name}", "{crate}", "{source}", "{body}", "{doc}", "{build_dependencies}"];
        assert!(text.contains(part) && !templates.iter().any(|t| text.contains(t)), "{text}");
    }

    refused(&["new", &gates]);
    for wrong in ["2gates", "fn", "op-dsl", "nowhere/gates"] {
        refused(&["new", &path(wrong)]);
    }
    for wrong in ["x *", "x * sigmod(x)", "2.0"] {
        refused(&["new", &path("other"), "--from", wrong]);
    }
    refused(&["new", &path("other"), "--op-dsl", &gates]);
    assert_eq!(names(), ["my-gates"], "nothing else was written");

    // A formula that NPUs cannot run has no build script, because it would fail.
    let text = good(&["new", &path("pole"), "--from", "x * atan(x)"]);
    assert_eq!(
        text.contains("without a build script"),
        !place.path().join("pole/build.rs").exists()
    );
    assert!(
        read("pole/src/family.rs")
            .contains("    pub fn pole(x: Elem) -> Elem {\n        x * atan(x)\n    }")
    );
}

#[test]
fn report_is_one_page_whole_or_not_at_all() {
    let place = directory();
    let path = |name: &str| place.path().join(name).to_str().expect("a path of text").to_string();
    let (page, csv) = (path("a.html"), path("a.csv"));
    let timed = good(&[&BENCH[..], &["--format", "csv"]].concat());
    std::fs::write(&csv, &timed).expect("a writable file");
    assert!(good(&["report", "--out", &page, "--bench", &csv]).contains("a.html: 1 operators, "));
    let text = std::fs::read_to_string(&page).expect("the page");
    let count = |part: &str| text.matches(part).count();
    assert_eq!((count("<section "), count("<math "), count("<polyline ")), (1, 2, 3));
    for part in
        ["<h3>Speed</h3>", "<td>floor</td>", "<td>ascend910b</td>", "aria-label=\"Tiles of Scale, "]
    {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("by hand"));
    let by_hand = path("hand.csv");
    let figures = "# op-dsl by hand 1\n# a book\noperator,form,npu,dtype,calls,cycles,lines,source\n\
        Scale,,,,,,90210,page 1\nScale,formula,ascend910b,f16,70,7.5,,page 2\n";
    std::fs::write(&by_hand, figures).expect("a writable file");
    let beside = path("beside.html");
    good(&["report", "--out", &beside, "--compare", &by_hand]);
    let text_beside = std::fs::read_to_string(&beside).expect("the page");
    for part in [
        "<td>90210</td>",
        "<td>– / 70 / –</td>",
        "<td>– / 7.5 / –</td>",
        "by hand it has 90210 lines (page 1).",
        "<p class=\"legend\">page 2</p>",
        "By hand: a book.",
    ] {
        assert!(text_beside.contains(part), "{part}");
    }
    std::fs::remove_file(&beside).expect("the page");
    // The page loads nothing from elsewhere.
    assert_eq!(count("http"), count("xmlns=\"http://www.w3.org/2000/svg\""));
    refused(&["report", "--out", &path("nowhere/a.html")]);
    refused(&["report", "--out", &path(".")]);
    refused(&["report", "--out", &path("b.html"), "--bench", &page]);
    refused(&["report", "--out", &path("b.html"), "--bench", &path("none.csv")]);
    refused(&["report", "--out", &path("b.html"), "--compare", &csv]);
    refused(&["report", "--out", &path("b.html"), "--compare", &path("none.csv")]);
    std::fs::write(&by_hand, "").expect("a writable file");
    refused(&["report", "--out", &path("b.html"), "--compare", &by_hand]);
    std::fs::remove_file(&by_hand).expect("the file");
    refused(&["report", "Scael"]);
    let mut names: Vec<_> = std::fs::read_dir(place.path())
        .expect("the directory")
        .map(|e| e.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["a.csv", "a.html"], "nothing else was written");
}

/// Returns a copy of an operator for bf16 alone, which only two NPU architectures have.
///
/// Few architectures save time, because compiling kernels for the host model takes most of it.
fn single(op: &'static Operator) -> &'static Operator {
    Box::leak(Box::new(op.redefined(|def| def.dtypes = vec![DType::BF16].into())))
}

#[test]
fn check_says_all_in_one_go() {
    let text = super::check(&[single(&SCALE)]).unwrap_or_else(|e| panic!("{e}"));
    let lines: Vec<&str> = text.lines().collect();
    for (line, start) in lines.iter().zip([
        "Scale  accuracy    ok      bf16 ulp 0.500, bf16 right 100.000%, limits ok, NaN ok, factors ok",
        "Scale  packages    ok      ",
        "Scale  host model  ok      9 calls on ascend910b, ascend950, ascend950 in memory, at most 0.",
        "",
        "operator  form     NPU           types  calls  cycles  waits for",
        "Scale     formula  ascend910b    bf16       7    ",
    ]) {
        assert!(line.starts_with(start), "{text}");
    }
}

#[test]
fn check_finds_what_verify_finds() {
    let (code, text) = of(single(&WRONG_GRAPH), &["check", "Wrong"]);
    assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::FAILURE), "{text}");
    assert!(text.starts_with("Wrong  accuracy    MISSED  bf16 ulp "), "{text}");
    assert!(text.lines().next().is_some_and(|l| l.ends_with("MISSED: author")), "{text}");
    refused(&["check", "Scael"]);
}

#[test]
fn explain_shows_both_columns() {
    let text = good(&["explain", "Scale", "--dtype", "f16"]);
    assert!(text.contains("dx.gate = dy * x.gate"), "{text}");
    assert!(text.contains("instruction"), "{text}");
    assert!(text.contains("On ascend910b in f16: 2 vector calls per tile"), "{text}");
}

#[test]
fn explain_plans_for_a_target() {
    let text = good(&["explain", "Scale", "--soc", "ascend910b", "--dtype", "bf16"]);
    for part in ["architecture 2201", "Cast", "largest tile", "of each input: dy, x.gate"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    refused(&["explain", "Scale", "--soc", "ascend310p", "--dtype", "bf16"]);
}

#[test]
fn tile_shows_and_draws() {
    let dir = directory();
    let file = dir.path().join("x.svg");
    let svg = file.to_str().expect("a path of text");
    let line = ["tile", "Scale", "--shape", "23x12x2048", "--soc", "ascend910b"];
    let text = good(&[&line[..], &["--svg", svg, "--cores", "40"]].concat());
    for part in ["276 rows of 2 x 1024", "of 40,", "busiest", "GM bytes   1.000"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(std::fs::read_to_string(&file).expect("the picture").contains("</svg>"));
    assert!(good(&["tile", "Scale", "--shape", "0x4", "--soc", "ascend310p"]).contains("nothing"));
    refused(&[&line[..], &["--ub", "100"]].concat());
    refused(&["tile", "Scale", "--shape", "4x5", "--soc", "ascend910b"]);
    refused(&[&line[..], &["--svg", "/nowhere/at/all.svg"]].concat());
}

#[test]
fn wrong_command_lines_exit_with_2() {
    refused(&["run", "Scael"]);
    refused(&["run", "Scale"]);
    refused(&["run", "Scale", "--out", "dx=x.npy"]);
    refused(&["run", "Scale", "--in", "y=a.npy", "--out", "dx=b.npy"]);
    refused(&["explain", "Scale", "--attr", "lift=true"]);
    refused(&["explain", "Scale", "--attr", "left=maybe"]);
    refused(&["verify", "Scale", "--level", "neon", "--level", "avx2"]);
    refused(&["frobnicate"]);
}
