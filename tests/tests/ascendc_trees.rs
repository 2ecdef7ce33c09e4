//! Emitted trees, one or two operators per layout, compared with the reviewed copies.
//!
//! A copy has a line with the path of a fragment where its file has the fragment's text.
//! `BLESS=1 cargo test -p op-dsl-tests --test ascendc_trees` rewrites them.
#![allow(missing_docs)]

#[path = "ascendc_trees/languages.rs"]
mod languages;
#[path = "ascendc_trees/marked.rs"]
mod marked;

use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::{Cann, Language, Layout, Options, Tree, emit, emit_all};
use codegen_ascendc::plan::Storage;
use ops_glu_grad::OPERATORS;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// A formula with functions of rows.
#[op_dsl::operators(kernels = false)]
mod rows {
    use op_dsl::prelude::*;

    /// Softmax along the last dimension.
    #[op(name = "RowSoftmax")]
    pub fn row_softmax(x: Elem) -> Elem {
        let e = exp(x - row_max(x));
        e / row_sum(e)
    }

    /// SwiGLU of eight bits, with a scale for each token.
    #[op(name = "RowQuant", outputs(y, scale))]
    pub fn row_quant(
        #[split(along = dim, gate_left = true)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> (Elem<i8>, PerRow<f32>) {
        let y = silu(x.gate) * x.value;
        let scale = row_max(abs(y)) / 127.0;
        (y / scale, scale)
    }
}

/// Emits the tree of operators, whose names are separated by blanks.
fn tree(ops: &str, layout: Layout) -> Tree {
    tree_in(ops, layout, Language::En)
}

fn tree_in(ops: &str, layout: Layout, language: Language) -> Tree {
    let one = vec![Soc::named("ascend910b").expect("a target")];
    tree_on(ops, layout, if layout == Layout::OpsNn { layout.socs() } else { one }, language)
}

fn tree_on(ops: &str, layout: Layout, socs: Vec<&'static Soc>, language: Language) -> Tree {
    let all = || OPERATORS.iter().chain(rows::OPERATORS);
    let named = |name| all().find(|o| o.name() == name).expect("an operator").def();
    let options = Options { language, ..Options::default() };
    emit_all(ops.split(' ').map(named), layout, &socs, &options).expect("a tree").0
}

/// Returns the relative path of every file below a directory.
fn files(root: &Path) -> Vec<String> {
    let (mut found, mut left) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else if let Ok(name) = path.strip_prefix(root) {
                found.push(name.display().to_string());
            }
        }
    }
    found
}

/// Returns the first line that differs.
fn difference(want: &str, got: &str) -> Option<String> {
    let (mut want, mut got) = (want.split('\n'), got.split('\n'));
    for line in 1.. {
        match (want.next(), got.next()) {
            (None, None) => return None,
            (w, g) if w == g => {}
            (w, g) => {
                let shown = |l: Option<&str>| l.unwrap_or("<end of file>").to_string();
                return Some(format!("line {line}\n  was: {}\n  is:  {}", shown(w), shown(g)));
            }
        }
    }
    None
}

/// Files that the emitter copies: paths below `codegen-ascendc/src/emit`, and texts as operators have them without masks, sums,
/// optional inputs and numbers of rows.
static FRAGMENTS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let emit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-ascendc/src/emit");
    let paths = files(&emit).into_iter().filter(|path| !path.ends_with(".rs"));
    let text = |path: &String| fs::read_to_string(emit.join(path)).expect("a fragment");
    let all = paths.map(|path| (path.clone(), plain(&text(&path))));
    all.filter(|(_, fragment)| !fragment.trim().is_empty()).collect()
});

/// Leaves out the lines of a fragment that only some operators have: from `@masks@` and the like to `@else@` or `@end@`.
fn plain(fragment: &str) -> String {
    let (mut kept, mut blocks) = (String::new(), Vec::new());
    for line in fragment.lines() {
        match line.trim() {
            "@optional@" | "@masks@" | "@sums@" | "@along@" | "@own@" => blocks.push(false),
            "@perrow@" | "@given@" | "@returned@" | "@begins@" | "@integers@" => blocks.push(false),
            "@elements@" => blocks.push(true),
            "@else@" => blocks.last_mut().into_iter().for_each(|is_kept| *is_kept = !*is_kept),
            "@end@" => drop(blocks.pop()),
            _ if blocks.iter().all(|is_kept| *is_kept) => kept += &format!("{line}\n"),
            _ => {}
        }
    }
    kept
}

/// Replaces each fragment in an emitted file, or in a class of it, by a line with the fragment's path.
///
/// The line also has the texts that the emitter has put in place of the fragment's marks.
fn with_references(text: &str) -> String {
    let mut text = text.to_string();
    for (path, fragment) in FRAGMENTS.iter() {
        for indent in ["", "    "] {
            let indented = |line: &str| match line.is_empty() || line.starts_with('#') {
                true => line.to_string(),
                false => format!("{indent}{line}"),
            };
            let fragment: Vec<String> = fragment.trim().lines().map(indented).collect();
            if fragment.iter().any(|line| line.contains('@')) {
                text = marked::with_reference(
                    &text,
                    &fragment,
                    &format!("{indent}{{{{fragment: {path}"),
                );
                continue;
            }
            let fragment = fragment.join("\n");
            let reference = format!("\n{indent}{{{{fragment: {path}}}}}\n");
            text = text.replace(&format!("\n{fragment}\n"), &reference);
        }
    }
    text
}

/// Compares a tree with its copy: all files in English, and only the pages in other languages.
fn compare(op: &str, layout: Layout) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    compare_with(&golden.join(layout.name()), op, layout, tree(op, layout));
    let mut pages = tree_in(op, layout, Language::Zh);
    pages.files.retain(|f| f.path.ends_with(".md"));
    compare_with(&golden.join("zh").join(layout.name()), op, layout, pages);
}

fn compare_with(golden: &Path, op: &str, layout: Layout, mut tree: Tree) {
    tree.files.iter_mut().for_each(|file| file.text = with_references(&file.text));
    if std::env::var_os("BLESS").is_some() {
        let _ = fs::remove_dir_all(golden);
        for file in &tree.files {
            let path = golden.join(&file.path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, &file.text).expect("a file");
        }
        return;
    }
    let emitted: BTreeSet<String> = tree.files.iter().map(|f| f.path.clone()).collect();
    let kept: BTreeSet<String> = files(golden).into_iter().collect();
    let mut wrong: Vec<String> =
        emitted.difference(&kept).map(|p| format!("{p}: is new")).collect();
    wrong.extend(kept.difference(&emitted).map(|p| format!("{p}: is gone")));
    for file in tree.files.iter().filter(|f| kept.contains(&f.path)) {
        let want = fs::read_to_string(golden.join(&file.path)).expect("a file");
        wrong.extend(difference(&want, &file.text).map(|d| format!("{}: {d}", file.path)));
    }
    assert!(
        wrong.is_empty(),
        "{op} as {}:\n{}\nIf that is as it should be: BLESS=1",
        layout.name(),
        wrong.join("\n")
    );
}

#[test]
fn ops_nn() {
    compare("GeGluGradV2", Layout::OpsNn);
}

#[test]
fn custom_tree_equals_its_reviewed_copy() {
    compare("SwiGluGrad", Layout::Custom);
}

#[test]
fn direct_tree_equals_its_reviewed_copy() {
    compare("GeluGradV2", Layout::Direct);
}

#[test]
fn torch_tree_equals_its_reviewed_copy() {
    compare("SwiGlu SwiGluGrad", Layout::Torch);
}

/// Interleaved gate and value, in registers.
#[test]
fn in_turns() {
    let (op, soc) = ("ClippedSwigluGrad", Soc::named("ascend950").expect("a target"));
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join("in-turns");
    compare_with(&golden, op, Layout::Direct, tree_on(op, Layout::Direct, vec![soc], Language::En));
}

/// Whole rows: stages, reductions, and a golden file that computes along the last dimension.
#[test]
fn functions_of_rows() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join("rows");
    compare_with(&golden, "RowSoftmax", Layout::OpsNn, tree("RowSoftmax", Layout::OpsNn));
}

/// Results of eight bits and one number per row, and the layouts that do not have them.
#[test]
fn numbers_of_rows() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join("per-row");
    compare_with(&golden, "RowQuant", Layout::Custom, tree("RowQuant", Layout::Custom));
    let op = rows::OPERATORS.iter().find(|op| op.name() == "RowQuant").expect("an operator");
    for layout in [Layout::Direct, Layout::Torch] {
        let soc = [Soc::named("ascend910b").expect("a target")];
        let refused = emit(op.def(), layout, &soc, &Options::default()).expect_err("a refusal");
        let why = "`scale` of RowQuant has one number per row, which --layout";
        assert!(refused.to_string().starts_with(why), "{refused}");
    }
}

/// Kernels have barriers between dependent vector calls, unless the build declares an ordering compiler.
///
/// In ops-nn nothing outside of the directory is needed, and nothing in it depends on the repository's settings.
#[test]
fn barriers_are_left_out_only_where_the_compiler_has_them() {
    const MACRO: &str = "-DCOMPILER_ORDERS_VECTOR_CALLS";
    let tree_of = |layout| tree("GeGluGradV2", layout);
    let ops_nn = tree_of(Layout::OpsNn);
    let kernel = ops_nn.get("ge_glu_grad_v2/op_kernel/ge_glu_grad_v2_compute.h").expect("a kernel");
    assert!(kernel.contains("    PipeBarrier<PIPE_V>();\n#endif\n"), "{kernel}");
    assert!(kernel.matches("VectorBarrier();\n").count() > 50, "{kernel}");
    let cmake = ops_nn.get("ge_glu_grad_v2/CMakeLists.txt").expect("a build file");
    assert!(!cmake.contains("AUTO_SYNC") && !cmake.contains(MACRO), "{cmake}");
    assert!(!ops_nn.files.iter().any(|f| f.path.contains("ascendc_config")));
    let direct = tree_of(Layout::Direct);
    let cmake = direct.get("ge_glu_grad_v2/CMakeLists.txt").expect("a build file");
    let both = format!(
        "    $<$<COMPILE_LANGUAGE:ASC>:--cce-auto-sync=on>\n    $<$<COMPILE_LANGUAGE:ASC>:{MACRO}>\n"
    );
    assert!(cmake.contains(&both), "{cmake}");
    let custom = tree_of(Layout::Custom);
    let cmake = custom.get("op_kernel/CMakeLists.txt").expect("a build file");
    assert!(cmake.contains(&format!("ALL OPTIONS -O3 {MACRO})\n")), "{cmake}");
}

/// Where an architecture has registers, kernels compute there.
///
/// In memory, the compiler is asked to fuse the calls of these kernels, and of no others.
#[test]
fn registers_or_memory() {
    const FUSION: &str = "--cce-simd-vf-fusion=true";
    let op = OPERATORS.iter().find(|o| o.name() == "GeGluGradV2").expect("an operator");
    let socs = |names: &[&str]| -> Vec<&'static Soc> {
        names.iter().map(|n| Soc::named(n).expect("a target")).collect()
    };
    let newest = socs(&["ascend950"]);
    let cases = [
        (Layout::OpsNn, Layout::OpsNn.socs(), Cann::V9),
        (Layout::Custom, newest.clone(), Cann::V9),
        (Layout::Custom, newest.clone(), Cann::V8),
        (Layout::Direct, newest, Cann::V9),
    ];
    for (layout, socs, cann) in cases {
        for storage in [Storage::Registers, Storage::Memory] {
            let options = Options { storage, cann, ..Options::default() };
            let tree = emit(op.def(), layout, &socs, &options).expect("a tree");
            let has = |what: &str| tree.files.iter().any(|f| f.text.contains(what));
            let in_registers = storage == Storage::Registers;
            assert_eq!(has("__VEC_SCOPE__"), in_registers, "{layout:?} {storage:?}");
            assert_eq!(has(FUSION), !in_registers, "{layout:?} {storage:?}");
        }
    }
    let options = Options { storage: Storage::Memory, ..Options::default() };
    let older = socs(&["ascend910b", "ascend310p"]);
    let tree = emit(op.def(), Layout::OpsNn, &older, &options).expect("a tree");
    assert!(tree.files.iter().all(|f| !f.text.contains(FUSION)));
}

/// The comment at the head of a file has three lines: its purpose, the operator's formula, and the origin of both.
///
/// The author's formula is repeated where it is computed and where it is described.
#[test]
fn heads_are_three_lines() {
    for layout in Layout::ALL {
        let tree = tree("GeGluGradV2", layout);
        let formula = "let gelu = gelu_by(x.gate, approximate);";
        for file in tree.files.iter().filter(|f| !f.path.ends_with(".json")) {
            let tells = file.path.ends_with("_compute.h") || file.path.ends_with("README.md");
            assert_eq!(file.text.contains(formula), tells, "{}", file.path);
            let comment = |l: &&str| l.starts_with("//") || l.starts_with("# ");
            let mut head = file.text.lines().take_while(comment).count();
            if let Some(html) = file.text.strip_prefix("<!--\n") {
                head = html.lines().take_while(|l| !l.starts_with("-->")).count();
            }
            assert!(head <= 3, "{}: {head} lines", file.path);
        }
    }
}

/// A comparison with a number has the name of the toolkit's generation.
#[test]
fn comparisons_have_the_names_of_their_toolkit() {
    let op = OPERATORS.iter().find(|o| o.name() == "EluGradV2").expect("an operator");
    let soc = Soc::named("ascend910b").expect("a target");
    for (cann, name) in [(Cann::V8, "CompareScalar("), (Cann::V9, "Compares(")] {
        let options = Options { cann, ..Options::default() };
        let tree = emit(op.def(), Layout::Custom, &[soc], &options).expect("a tree");
        let has = |name: &str| tree.files.iter().any(|f| f.text.contains(name));
        let names = ["CompareScalar(", "Compares("].map(|n| (n == name, has(n)));
        assert!(names.iter().all(|(wanted, found)| wanted == found), "{cann:?}: {names:?}");
    }
}

/// Emitted templates for projects of an older toolkit are JSON once they are filled in.
#[test]
fn what_is_called_json_is_json() {
    let op = OPERATORS.iter().find(|o| o.name() == "SwiGluGrad").expect("an operator");
    let soc = Soc::named("ascend910").expect("a target");
    let old = Options { cann: Cann::V8, ..Options::default() };
    let old = emit(op.def(), Layout::Custom, &[soc], &old).expect("a tree");
    let mut read = Vec::new();
    for file in &old.files {
        if file.path.ends_with(".json") {
            let parsed = serde_json::from_str::<serde_json::Value>(&file.text);
            parsed.unwrap_or_else(|e| panic!("{}: {e}\n{}", file.path, file.text));
            read.push(file.path.as_str());
        }
    }
    let want = ["CMakePresets.json", "msopgen.json"];
    assert!(want.iter().all(|w| read.iter().any(|r| r.ends_with(w))), "{read:?}");
}

/// A new operator has cases for the framework that tests the repository on devices.
///
/// Their inputs are those of the aclnn function, and both files name the same reference.
#[test]
fn new_operators_have_system_tests() {
    let names = |op: &str| -> Vec<String> {
        let files = tree(op, Layout::OpsNn).files;
        files.into_iter().map(|f| f.path).filter(|p| p.contains("/tests/st/")).collect()
    };
    assert_eq!(names("GeGluGradV2"), [""; 0], "the repository has its own");
    let place = "re_glu_grad/tests/st/aclnnReGluGrad";
    let tree = tree("ReGluGrad", Layout::OpsNn);
    let text = |name: &str| tree.get(&format!("{place}/{name}")).expect("a file");
    let cases: serde_json::Value =
        serde_json::from_str(text("atk_aclnnReGluGrad.json")).expect("cases");
    let cases = cases.as_array().expect("a list");
    assert_eq!(cases.len(), 9, "three element types, three shapes");
    let python = text("executor_aclnnReGluGrad.py");
    for case in cases {
        let api = case["api_type"].as_str().expect("a name");
        assert!(python.contains(&format!("@register(\"{api}\")")), "{python}");
        let inputs = case["inputs"].as_array().expect("inputs");
        let shape = |i: usize| inputs[i]["shape"].as_array().expect("a shape");
        let last = |i: usize| shape(i).last().and_then(|d| d.as_u64()).expect("a dimension");
        assert_eq!(2 * last(0), last(1), "x has both parts");
        for input in inputs {
            let name = input["name"].as_str().expect("a name");
            assert!(python.contains(&format!("\"{name}\"")), "{python}");
        }
    }
    assert!(python.contains("from golden import re_glu_grad_golden"), "{python}");
}

/// An operator without an aclnn function in the repository has none here.
///
/// Otherwise two operators of the repository would have one function.
#[test]
fn functions_of_others_are_not_emitted() {
    let has = |op: &str| {
        let files = tree(op, Layout::OpsNn).files;
        files
            .iter()
            .any(|f| f.path.ends_with(".h") && f.text.contains("aclnnSoftplusGetWorkspaceSize"))
    };
    assert_eq!((has("SoftplusV2"), has("Softplus")), (true, false));
}
