use super::*;
use tempfile::{TempDir, tempdir};

/// Checkout of ops-nn in a temporary directory, under version control.
///
/// One of its operators has every kind of file that a directory may have.
struct Place(TempDir);

const DEFINITION: &str = r#"
constexpr uint32_t TWO = 2;
class Op : public OpDef {
    explicit Op(const char* name) : OpDef(name)
    {
        this->Input("x").DataType({ge::DT_FLOAT, ge::DT_INT32}); // not "y": this->Input("no")
        this->Output("y").DataType({ge::DT_FLOAT});
        this->Attr("more").Version(TWO).Int(0);
        this->AICore().AddConfig("soc1");
    }
};
"#;

impl Place {
    fn new() -> Place {
        let place = Place(tempdir().unwrap());
        place.write("cmake/func.cmake", "");
        for (path, text) in [
            ("op_host/op_def.cpp", DEFINITION),
            ("op_host/arch35/op_tiling.h", "old"),
            ("op_host/config/soc1/op_binary.json", "{}"),
            ("op_kernel/op.cpp", "old"),
            (
                "op_api/aclnn_op.h",
                "aclnnStatus aclnnOpGetWorkspaceSize(\n// aclnnNoGetWorkspaceSize(\naclnnInplaceOpGetWorkspaceSize(",
            ),
            ("op_graph/op_proto.h", "REG_OP(Op).INPUT(x, T).ATTR(more, Int, 0)"),
            ("op_graph/fusion_pass/pass.cpp", "pass"),
            ("framework/op_plugin.cpp", "plugin"),
            ("op_kernel_aicpu/op_aicpu.cpp", "aicpu"),
            ("torch_extension/op.py", "torch"),
            ("tests/st/case.json", "st"),
            ("tests/ut/op_host/test_op.cpp", "old"),
            ("README.md", "theirs"),
            (
                "CMakeLists.txt",
                "add_modules_sources(OPTYPE op ACLNNTYPE aclnn_exclude DEPENDENCIES other)",
            ),
        ] {
            place.write(&format!("activation/op/{path}"), text);
        }
        place.write(
            "activation/user/op_host/user.cpp",
            "#include \"../../op/op_host/arch35/op_tiling.h\"\n",
        );
        place.git(&["init", "-q"]);
        place.commit();
        place
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str]) {
        let mut git = std::process::Command::new("git");
        let config = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let out = git.arg("-C").arg(self.0.path()).args(config).args(args).output().unwrap();
        assert!(out.status.success(), "{out:?}");
    }

    fn commit(&self) {
        self.git(&["add", "-A", "-f"]);
        self.git(&["commit", "-q", "-m", "all"]);
    }

    fn change(&self, keep_interface: bool) -> Change {
        let checkout = Checkout::open(self.0.path()).unwrap();
        checkout.changes(&tree(), keep_interface).unwrap().remove(0)
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.0.path().join("activation/op").join(path)).ok()
    }
}

fn tree() -> Tree {
    let mut tree = Tree::default();
    tree.mark("op", ["Op"].into_iter());
    tree.add("op/CMakeLists.txt", "add_all_modules_sources(\n    ACLNNTYPE aclnn_exclude\n)\n");
    let definition = "class Op : public OpDef { Input(\"x\") Output(\"y\") {ge::DT_FLOAT}; AddConfig(\"soc2\") };";
    tree.add("op/op_host/op_def.cpp", definition);
    tree.add("op/op_kernel/op.cpp", "new");
    tree.add("op/op_api/aclnn_op.h", "aclnnOpGetWorkspaceSize(");
    tree.add("op/op_graph/op_proto.h", "REG_OP(Op).INPUT(x, T)");
    tree.add("op/README.md", "ours");
    tree
}

#[test]
fn old_implementations_go_and_all_else_stays() {
    let place = Place::new();
    let change = place.change(false);
    let of = |fate: Fate| -> Vec<&str> {
        change.files.iter().filter(|(_, f)| **f == fate).map(|(p, _)| &**p).collect()
    };
    assert_eq!(change.directory, "activation/op");
    assert_eq!(
        of(Fate::Kept),
        [
            "framework/op_plugin.cpp",
            "op_graph/fusion_pass/pass.cpp",
            "op_kernel_aicpu/op_aicpu.cpp",
            "tests/st/case.json",
            "torch_extension/op.py",
        ]
    );
    assert_eq!(
        of(Fate::Removed),
        [
            "op_host/arch35/op_tiling.h",
            "op_host/config/soc1/op_binary.json",
            "tests/ut/op_host/test_op.cpp",
        ]
    );
    assert_eq!(of(Fate::New), [""; 0]);
    change.apply().unwrap();
    for path in of(Fate::Kept) {
        assert!(place.read(path).is_some(), "{path}");
    }
    assert_eq!(place.read("op_host/arch35/op_tiling.h"), None);
    assert_eq!(place.read("op_kernel/op.cpp").as_deref(), Some("new"));
    assert_eq!(place.read(MARKER), None, "nothing replaces this directory whole");
    let beside = directories(&place.0.path().join("activation")).unwrap();
    assert_eq!(beside.len(), 2, "{beside:?}");
    // Once committed, nothing changes any more.
    place.commit();
    let again = place.change(false);
    assert_eq!(again.lost, [""; 0]);
    assert!(again.files.values().all(|f| matches!(f, Fate::Same | Fate::Kept)), "{again:?}");
}

#[test]
fn every_kind_of_loss_is_named() {
    let place = Place::new();
    place.write("activation/op/op_kernel/op.cpp", "changed");
    place.write("activation/op/op_kernel/mine.h", "untracked");
    place.write("activation/twin/op_api/aclnn_op.h", "aclnnStatus aclnnOpGetWorkspaceSize(");
    let lost = place.change(false).lost;
    let want = [
        "aclnnInplaceOp",
        "attr of the definition: more",
        "element type: INT32",
        "product: soc1",
        "ATTR of the prototype: more",
        "op_kernel/mine.h, which is not committed",
        "op_kernel/op.cpp, which is not committed",
        "aclnnOp of activation/twin/op_api/aclnn_op.h, which would be there twice",
        "activation/op/op_host/arch35/op_tiling.h, which activation/user/op_host/user.cpp includes",
    ];
    assert_eq!(lost, want);
    // Without version control no file counts as committed.
    fs::remove_dir_all(place.0.path().join(".git")).unwrap();
    let lost = place.change(false).lost;
    assert!(lost.iter().any(|l| l.contains("not under version control")), "{lost:?}");
}

#[test]
fn generated_interfaces_have_a_function_for_each_version() {
    let place = Place::new();
    fs::remove_dir_all(place.0.path().join("activation/op/op_api")).unwrap();
    place.write("activation/op/CMakeLists.txt", "add_modules_sources(OPTYPE op ACLNNTYPE aclnn)");
    place.commit();
    assert_eq!(place.change(false).lost[0], "aclnnOpV2");
}

#[test]
fn an_interface_can_stay() {
    let place = Place::new();
    let change = place.change(true);
    assert!(!change.lost.iter().any(|l| l.contains("aclnn")), "{:?}", change.lost);
    change.apply().unwrap();
    assert!(place.read("op_api/aclnn_op.h").unwrap().contains("aclnnInplaceOp"));
    assert_eq!(place.read("README.md").as_deref(), Some("theirs"));
    let build = place.read("CMakeLists.txt").unwrap();
    assert!(build.contains("    ACLNNTYPE aclnn_exclude\n    DEPENDENCIES other\n"), "{build}");
}

#[test]
fn other_directories_are_refused() {
    let place = Place::new();
    let none = Checkout::open(&place.0.path().join("activation")).unwrap_err().to_string();
    assert!(none.contains("no checkout of ops-nn"), "{none}");
    fs::rename(place.0.path().join("activation/op"), place.0.path().join("activation/o_p"))
        .unwrap();
    let checkout = Checkout::open(place.0.path()).unwrap();
    let told = checkout.changes(&tree(), false).unwrap_err().to_string();
    assert!(told.contains("activation/o_p: has Op"), "{told}");
    fs::remove_dir_all(place.0.path().join("activation/o_p")).unwrap();
    let new = checkout.changes(&tree(), false).unwrap().remove(0);
    assert!(new.files.values().all(|f| *f == Fate::New) && new.lost.is_empty(), "{new:?}");
    new.apply().unwrap();
    assert_eq!(place.read("op_kernel/op.cpp").as_deref(), Some("new"));
}

/// Checks that a file that cannot be written leaves the operator's directory as it was.
#[test]
fn an_error_changes_nothing() {
    let place = Place::new();
    let mut change = place.change(false);
    change.texts.push(File { path: "README.md/no".into(), text: String::new() });
    assert!(change.apply().is_err());
    assert_eq!(place.read("README.md").as_deref(), Some("theirs"));
    assert_eq!(directories(&place.0.path().join("activation")).unwrap().len(), 2);
}

#[test]
fn rows_are_for_lists_that_lack_them() {
    let place = Place::new();
    let checkout = Checkout::open(place.0.path()).unwrap();
    let def = crate::emit::tests::gelu_grad();
    let missing = || {
        let rows = checkout.missing(&def, "activation/gelu_grad_v2");
        rows.into_iter().map(|row| row.list).collect::<Vec<_>>()
    };
    place.write("docs/zh/op_api_list.md", "| [aclnnGeluGradV20](x) |");
    assert_eq!(missing(), ["docs/zh/op_list.md", "docs/zh/op_api_list.md"]);
    place.write("docs/zh/op_api_list.md", "| [aclnnGeluGradV2&aclnnMore](x) |");
    place.write("docs/zh/op_list.md", "<a href=\"../../activation/gelu_grad_v2/README.md\">");
    assert_eq!(missing(), [""; 0]);
}
