//! The tables that are kept for the functions of the family, made again.

use op_dsl_lower::known;
use std::path::Path;

/// `BLESS=1` writes the file.
#[test]
fn are_what_would_be_fitted() {
    let family = ops_glu_grad::OPERATORS.iter().map(|op| op.def());
    let file = known::file(&known::questions(family));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-cpu/lower/src/known.bin");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &file).expect("written");
    }
    let kept = std::fs::read(&path).expect("kept");
    assert!(
        kept == file,
        "{}: not what would be fitted; write it again by BLESS=1",
        path.display()
    );
}
