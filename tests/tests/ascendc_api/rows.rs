//! Emitted oracles in Python of tensors with one number per row, beside numbers by hand.

use super::compile::scratch;
use super::{emitted, operator, package};
use std::process::Command;

/// Calls two oracles: integers of eight bits with the scale of each row, NaN among them, and a divergence of each row.
const ASKED: &str = "\
import numpy as np
from golden_row_quant import row_quant_golden
from golden_row_divergence import row_divergence_golden
x = np.array([[1.0, -2.5, 0.5], [4.0, 2.0, -1.0]], np.float16)
y, scale = row_quant_golden(x)
print(y.dtype, scale.dtype, scale.shape, y.tolist(), (scale * 127.0).tolist())
y, _ = row_quant_golden(np.array([[np.nan, 1.0]], np.float32))
print(y.tolist())
p = np.array([[0.25, 0.75], [0.5, 0.5]], np.float32)
kl, = row_divergence_golden(p, p[::-1])
print(kl.dtype, kl.shape, np.round(kl.astype(float), 4).tolist())
";

#[test]
fn oracles_have_one_number_per_row() {
    if !super::tools::has_python_module("numpy", "emitted oracles of rows") {
        return;
    }
    let dir = scratch("golden_rows");
    for name in ["RowQuant", "RowDivergence"] {
        let package = package(operator(name), "ascend910b");
        let golden = emitted(&package).into_iter().find(|f| f.path.ends_with("golden.py"));
        let file = dir.join(format!("golden_{}.py", package.snake()));
        std::fs::write(file, golden.expect("an oracle").text).expect("a file");
    }
    std::fs::write(dir.join("ask.py"), ASKED).expect("a file");
    let out = Command::new("python3").arg("ask.py").current_dir(&*dir).output();
    let out = out.expect("python3 runs");
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    // 0.25 ln(1/2) + 0.75 ln(3/2) and 0.5 ln(2) + 0.5 ln(2/3)
    let want = "int8 float32 (2, 1) [[51, -127, 25], [127, 64, -32]] [[2.5], [4.0]]\n\
                [[0, 0]]\n\
                float32 (2, 1) [[0.1308], [0.1438]]\n";
    assert_eq!(said, want);
}
