//! The binary as users run it: its output, its refusals, and the files it writes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A temporary directory for one test, with the checked-in data where the example expects it.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let dir = TempDir::new().unwrap();
        let data = dir.path().join("ops-glu-grad/data");
        fs::create_dir_all(&data).unwrap();
        for file in ["x.npy", "dy.npy"] {
            fs::copy(
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(file),
                data.join(file),
            )
            .unwrap();
        }
        Place(dir)
    }

    fn run(&self, line: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_ops-glu-grad"))
            .args(line.split_whitespace())
            .current_dir(&self.0)
            .output()
            .unwrap()
    }

    fn good(&self, line: &str) -> String {
        let out = self.run(line);
        let error = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(0), "{line}: {error}");
        String::from_utf8(out.stdout).unwrap()
    }

    /// Checks for exit code 2, no standard output, and one line with `part` on standard error.
    fn refused(&self, line: &str, part: &str) {
        let out = self.run(line);
        let error = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{line}: {error}");
        assert!(out.stdout.is_empty(), "{line}");
        assert_eq!(error.matches('\n').count(), 1, "{line}: {error}");
        assert!(error.starts_with("error: ") && error.contains(part), "{line}: {error}");
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }

    fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            names.map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Returns the bytes of an `.npy` file.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn u16s(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Returns the data of a file of `count` elements of `size` bytes.
fn data(path: &Path, count: usize, size: usize) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    bytes[bytes.len() - count * size..].to_vec()
}

#[test]
fn the_example_works_as_pasted() {
    let place = Place::new();
    let text = place.good("");
    let lines: Vec<&str> = text.lines().filter(|l| l.starts_with("cargo run")).collect();
    assert_eq!(lines.len(), 2, "{text}");
    for line in lines {
        place.good(line.strip_prefix("cargo run --release -q --").unwrap());
    }
    let dx = data(&place.0.path().join("dx.npy"), 64, 4);
    let at = |i: usize| f32::from_le_bytes(dx[4 * i..][..4].try_into().unwrap());
    // The first row: dy = 1, values 1, gates -10, -5, -3, -1, -0.75, 0, 1, 3; gelu's tanh form.
    assert_eq!(at(8 + 5), 0.5);
    assert!((at(8 + 6) - 1.082964).abs() < 1e-5);
    assert!(at(8) < 0.0 && at(8) > -1e-30);
    assert!((at(6) - 0.841192).abs() < 1e-5, "dy * gelu(1)");
}

#[test]
fn sixteen_bit_files() {
    let place = Place::new();
    // 0, 1 and -1 as f16 and as bf16; gelu' of 0 is 0.5.
    place.write("h.npy", &npy("<f2", "(3,)", &u16s(&[0, 0x3c00, 0xbc00])));
    place.write("b.npy", &npy("<u2", "(3,)", &u16s(&[0, 0x3f80, 0xbf80])));
    place.good("run GeluGradV2 --in dy=h.npy --in x=h.npy --out z=z.npy");
    assert_eq!(data(&place.0.path().join("z.npy"), 3, 2)[..2], [0, 0]);
    place.good("run GeluGradV2 --dtype bf16 --in dy=b.npy --in x=b.npy --out z=z.npy");
    let z = data(&place.0.path().join("z.npy"), 3, 2);
    // gelu'(1) = 1.08332 and -gelu'(-1) = 0.08332 in bf16.
    assert_eq!(z, u16s(&[0, 0x3f8b, 0x3dab]));
    let header = fs::read(place.0.path().join("z.npy")).unwrap();
    assert!(header.windows(3).any(|w| w == b"<u2"));
    let (ones, dy) = (f32s(&[1.0; 3]), "--in dy=ones.npy --in x=b.npy --out z=z.npy");
    place.write("ones.npy", &npy("<f4", "(3,)", &ones));
    place.refused(&format!("run GeluGradV2 --dtype bf16 {dy}"), "holds float32");
    // Promotion: f16 and f32 give f32.
    place.good("run GeluGradV2 --in dy=ones.npy --in x=h.npy --out z=z.npy");
    assert_eq!(data(&place.0.path().join("z.npy"), 3, 4)[..4], 0.5f32.to_le_bytes());
}

#[test]
fn counts_of_rows() {
    let place = Place::new();
    let i64s = |v: &[i64]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    place.write("x.npy", &npy("<f4", "(3, 2)", &f32s(&[1.0; 6])));
    let call = "run ClippedSwiglu --in x=x.npy --out y=y.npy --in group_index=";
    let y = || data(&place.0.path().join("y.npy"), 3, 4);
    for (counts, rows) in [(vec![1, 1], 2), (vec![0], 0), (vec![2, 5], 3)] {
        place.write("n.npy", &npy("<i8", &format!("({},)", counts.len()), &i64s(&counts)));
        place.good(&format!("{call}n.npy"));
        for (i, y) in y().chunks_exact(4).enumerate() {
            assert_eq!(y != [0; 4], i < rows, "row {i} of {counts:?}");
        }
    }
    let refused = |descr, shape, bytes: &[u8], part| {
        place.write("n.npy", &npy(descr, shape, bytes));
        place.refused(&format!("{call}n.npy"), part);
    };
    refused("<i4", "(1,)", &[1, 0, 0, 0], "holds <i4; allowed for counts of rows: int64");
    refused(
        "<i8",
        "(2,)",
        &i64s(&[1, -2]),
        "`group_index`: entry 1 is -2; a number of rows is 0 or more",
    );
    refused("<i8", "(1, 1)", &i64s(&[1]), "`group_index` has shape [1, 1]; allowed: one dimension");
    let json = place.good("list --format json");
    assert!(json.contains("\"rows\": true"));
    let list = place.good("list");
    assert!(list.contains("grad_y, x*, [group_index#]"), "{list}");
    assert!(
        place.good("explain ClippedSwiglu").contains("group_index (counts of rows) (optional)")
    );
}

#[test]
fn wrong_words() {
    let place = Place::new();
    let io = "--in x=ops-glu-grad/data/x.npy --out y=y.npy";
    for (line, part) in [
        ("nonsense".to_string(), "unrecognized subcommand"),
        ("--nonsense".to_string(), "unexpected argument"),
        ("run".to_string(), "<OP>"),
        (format!("run GeGluV3 {io}"), "did you mean `GeGluV2`?"),
        (format!("run transpose {io}"), "allowed: GeGluV2, GeGluGradV2"),
        ("run GeGluV2".to_string(), "--out y=FILE.npy is missing"),
        ("run GeGluV2 --out y=y.npy".to_string(), "--in x=FILE.npy is missing"),
        (format!("run GeGluV2 {io} --in dy=a.npy"), "has no input `dy`; allowed: x"),
        (format!("run GeGluV2 {io} --out z=a.npy"), "has no output `z`; allowed: y, gelu"),
        (format!("run GeGluV2 {io} --in x=a.npy"), "--in x is given twice"),
        (format!("run GeGluV2 {io} --in x"), "NAME=FILE.npy"),
        (format!("run GeGluV2 {io} --attr approx=tanh"), "has no attribute `approx`"),
        (format!("run GeGluV2 {io} --attr approximate=erf"), "allowed: none (0), tanh (1)"),
        (format!("run GeGluV2 {io} --attr activate_left=maybe"), "true, false"),
        (format!("run GeGluV2 {io} --attr dim=2"), "dim"),
        (format!("run GeGluV2 {io} --attr dim=1.5"), "integers"),
        (format!("run GeGluV2 {io} --attr dim=-1 --attr dim=1"), "--attr dim is given twice"),
        (format!("run Elu {io} --attr alpha=nan"), "Elu: attribute `alpha` cannot be `nan`"),
        (format!("run Elu {io} --attr scale=-inf"), "Elu: attribute `scale` cannot be `-inf`"),
        (format!("run Elu {io} --attr input_scale=4e38"), "Elu: attribute `input_scale`"),
        (format!("run GeGluV2 {io} --dtype f64"), "allowed: f16, bf16, f32"),
        (format!("run GeGluV2 {io} --threads 0"), "1 to 1024"),
        (format!("run GeGluV2 {io} --threads many"), "1 to 1024"),
        (format!("run GeGluV2 {io} --out gelu=./y.npy"), "are the same file"),
        ("list --format xml".to_string(), "json"),
        ("bench GeGluGradV2".to_string(), "--shape"),
        ("bench GeGluGradV2 --shape 8by8".to_string(), "8192x8192"),
        ("bench GeGluGradV2 --shape 8x7".to_string(), "must be even"),
        ("bench GeGluGradV2 --shape 1x1x1x1x1x1x1x1x2".to_string(), "rank 9"),
        ("bench GeGluGradV2 --shape 8x8 --level sse9".to_string(), "baseline"),
        ("bench GeGluGradV2 --shape 8x8 --data tall".to_string(), "tail"),
        ("bench GeGluGradV2 --shape 8x8 --compare no.csv".to_string(), "--compare no.csv: "),
        (
            "bench GeGluGradV2 --shape 8x8 --compare ops-glu-grad/data/x.npy".to_string(),
            "`bench --format csv` makes",
        ),
        ("verify Nothing".to_string(), "no operator `Nothing`"),
        ("explain GeGluGradV2 --attr approximate=2".to_string(), "none (0), tanh (1)"),
        ("explain".to_string(), "<OP>"),
    ] {
        place.refused(&line, part);
    }
    assert_eq!(place.files(), ["ops-glu-grad"], "nothing was written");
}

#[test]
fn wrong_files() {
    let place = Place::new();
    let four = f32s(&[1.0, 2.0, 3.0, 4.0]);
    let good = npy("<f4", "(4,)", &four);
    let deep = npy("<f4", &"(".repeat(5000), &four);
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("short.npy", good[..good.len() - 1].to_vec(), "truncated: 3 of 4 elements"),
        ("head.npy", good[..20].to_vec(), "ends within its header"),
        ("empty.npy", Vec::new(), "is not an .npy file"),
        ("text.npy", b"1,2,3,4\n5,6,7,8\n".to_vec(), "is not an .npy file"),
        ("long.npy", [&good[..], &[0]].concat(), "more data than its header says"),
        ("f8.npy", npy("<f8", "(1,)", &[0; 8]), "astype(numpy.float32)"),
        ("big.npy", npy(">f4", "(4,)", &four), "big-endian"),
        ("int.npy", npy("<i4", "(4,)", &four), "holds <i4"),
        ("u2.npy", npy("<u2", "(8,)", &four), "add --dtype bf16"),
        ("raw.npy", npy("|V2", "(8,)", &four), "numpy.uint16"),
        ("huge.npy", npy("<f4", "(4294967296, 4294967296)", &four), "plain array"),
        ("large.npy", npy("<f4", "(1099511627776,)", &four), "truncated"),
        ("minus.npy", npy("<f4", "(-4,)", &four), "plain array"),
        ("deep.npy", deep, "plain array"),
        ("words.npy", npy("<f4", "four", &four), "damaged header"),
        ("rank.npy", npy("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 4)", &four), "rank 9"),
        ("odd.npy", npy("<f4", "(2, 2)", &four), ""),
    ];
    for (name, bytes, part) in cases {
        place.write(name, bytes);
        let line = format!("run GeluV2 --in x={name} --out y=y.npy");
        if part.is_empty() {
            place.good(&line);
            fs::remove_file(place.0.path().join("y.npy")).unwrap();
            continue;
        }
        place.refused(&line, part);
        place.refused(&line, &format!("--in x={name}: "));
    }
    place.refused("run GeluV2 --in x=none.npy --out y=y.npy", "--in x=none.npy: no such file");
    place.refused("run GeluV2 --in x=ops-glu-grad --out y=y.npy", "is a directory");
    assert!(!place.has("y.npy"));
    assert_eq!(place.files().len(), cases.len() + 1, "nothing else was written");
}

#[test]
fn wrong_shapes() {
    let place = Place::new();
    let zeros = |n: usize| f32s(&vec![0.0; n]);
    place.write("r2.npy", &npy("<f4", "(2, 4)", &zeros(8)));
    place.write("r3.npy", &npy("<f4", "(2, 3)", &zeros(6)));
    place.write("none.npy", &npy("<f4", "(0, 4)", &[]));
    place.write("half.npy", &npy("<f4", "(0, 2)", &[]));
    place.write("scalar.npy", &npy("<f4", "()", &zeros(1)));
    place.write("h.npy", &npy("<f2", "(2, 4)", &[0; 16]));
    let run = "run SwiGluGrad --out x_grad=o.npy --in";
    place.refused(&format!("{run} y_grad=r2.npy --in x=r3.npy"), "must be even");
    place.refused(&format!("{run} y_grad=r2.npy --in x=r2.npy"), "`y_grad` has shape [2, 4]");
    place.refused(&format!("{run} y_grad=h.npy --in x=r2.npy"), "dtype");
    place.refused(&format!("{run} y_grad=half.npy --in x=none.npy"), "empty");
    place.refused("run SwiGlu --in x=scalar.npy --out y=o.npy", "rank 0");
    place.refused("run GeluGradV2 --in dy=r2.npy --in x=r3.npy --out z=o.npy", "broadcast");
    assert!(!place.has("o.npy"));
    place.good("run GeGluV2 --in x=none.npy --out y=o.npy");
    assert!(place.has("o.npy"), "an empty result is a result");
}

#[test]
fn all_outputs_or_none() {
    let place = Place::new();
    let run = "run GeGluV2 --in x=ops-glu-grad/data/x.npy --out y=y.npy --out";
    place.refused(&format!("{run} gelu=nowhere/gelu.npy"), "--out gelu=nowhere/gelu.npy");
    place.refused(&format!("{run} gelu=ops-glu-grad"), "is a directory");
    place.refused(&format!("{run} gelu=.."), "is a directory");
    #[cfg(unix)]
    place.refused(&format!("{run} gelu=/dev/null"), "is not a regular file");
    assert_eq!(place.files(), ["ops-glu-grad"]);
    // An existing result file is replaced as a whole, also through a link.
    place.write("old.npy", b"old");
    #[cfg(unix)]
    std::os::unix::fs::symlink("old.npy", place.0.path().join("gelu.npy")).unwrap();
    place.good(&format!("{run} gelu=gelu.npy"));
    #[cfg(unix)]
    assert_ne!(fs::read(place.0.path().join("old.npy")).unwrap(), b"old");
    assert!(place.files().iter().all(|f| !f.ends_with(".part")));
}

#[test]
fn list_names_attributes_and_gradients() {
    let place = Place::new();
    let table = place.good("list");
    assert!(table.contains("approximate=tanh {none, tanh}") && table.contains("GeLUBackward"));
    let json = place.good("list --format json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let operators = json.as_array().unwrap();
    assert_eq!(operators[0]["attributes"][1]["allowed"], serde_json::json!(["none", "tanh"]));
    let gradients = ops_glu_grad::OPERATORS.iter().filter(|op| op.def().forward().is_some());
    assert_eq!(operators.iter().filter(|op| op["grad_of"].is_string()).count(), gradients.count());
}

#[test]
fn explain_shows_only_the_chosen_attribute() {
    let place = Place::new();
    insta::assert_snapshot!("explain_ge_glu_grad_v2", place.good("explain GeGluGradV2"));
    let one = place.good("explain GeGluGradV2 --attr approximate=tanh --dtype bf16");
    assert!(one.contains("=== approximate = tanh ===") && !one.contains("= none ==="));
    assert!(one.contains("On ascend910b in bf16: "));
}

/// Every figure in the data file of handwritten implementations belongs to an operator of the table.
/// The dependency of a new crate is a path while the source that the program was built from still exists.
#[test]
fn new_crates_depend_on_the_checkout() {
    let place = Place::new();
    place.good("new my-gates");
    let manifest = fs::read_to_string(place.0.path().join("my-gates/Cargo.toml")).unwrap();
    assert!(manifest.contains("op-dsl = { path = '"), "{manifest}");
}

#[test]
fn report_beside_hand_written_operators() {
    let place = Place::new();
    for (op, parts) in [
        ("SigmoidGrad", ["<td>3641</td>", "<td>4 / 7 / 7</td>"]),
        ("ReGlu", ["line of formula", "<td>–</td>"]),
    ] {
        place.good(&format!("report {op} --out page.html"));
        let page = fs::read_to_string(place.0.path().join("page.html")).unwrap();
        parts.iter().for_each(|part| assert!(page.contains(part), "{op}: {part}"));
    }
    place.refused("report Relu --compare ops-glu-grad/data/x.npy", "--compare ops-glu-grad");
}

#[test]
fn verify_all_prints_a_row_per_type() {
    let place = Place::new();
    let out = place.run("verify SoftplusGrad --level baseline");
    let text = String::from_utf8(out.stdout).unwrap();
    let rows = |text: &str| text.lines().filter(|l| l.starts_with("SoftplusGrad")).count();
    assert_eq!(rows(&text), 1, "{text}");
    assert_eq!(out.status.code(), Some(0), "{text}");
    assert_eq!(rows(&place.good("verify SoftplusGrad --level baseline --dtype f16,bf16 --all")), 2);
}

#[test]
fn bench_prints_csv_and_compares_runs() {
    let place = Place::new();
    let line = "bench GeGluGradV2 --shape 4x64 --dtype f32,bf16 --runs 3 --format csv";
    let text = place.good(line);
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
    assert!(lines[0].starts_with("system,op,mode,dtype,size,threads,ns_per_elem,gbps,x_floor,"));
    assert_eq!(lines.len(), 5);
    place.write("old.csv", text.replace("tanh", "none").as_bytes());
    let compared = place.good(&format!("{line} --compare old.csv"));
    assert!(compared.contains("only before") && compared.contains("only now"), "{compared}");
    assert!(lines[1].starts_with("ops-glu-grad,GeGluGradV2,tanh,f32,4x32,1,"));
    assert!(lines[2].starts_with("floor,GeGluGradV2,plain,f32,4x32,1,"));
}
