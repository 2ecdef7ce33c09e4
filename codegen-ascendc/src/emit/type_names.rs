//! Names of element types in packages, one row per type.

use op_dsl_ir::DType;

/// Names of an element type: in AscendC, in macros of the tiling key, of the tiling's constant, in CANN's documents, in the
/// descriptions of system tests, and in PyTorch.
#[derive(Debug)]
pub struct Names {
    pub cpp: &'static str,
    pub key: &'static str,
    pub constant: &'static str,
    pub document: &'static str,
    pub test: &'static str,
    pub torch: &'static str,
}

/// One row per element type, in the order of [`DType`].
#[rustfmt::skip]
const ROWS: [Names; DType::COUNT] = [
    Names { cpp: "half",       key: "HALF",     constant: "TYPE_HALF",  document: "FLOAT16",  test: "fp16", torch: "at::kHalf" },
    Names { cpp: "bfloat16_t", key: "BFLOAT16", constant: "TYPE_BF16",  document: "BFLOAT16", test: "bf16", torch: "at::kBFloat16" },
    Names { cpp: "float",      key: "FLOAT",    constant: "TYPE_FLOAT", document: "FLOAT",    test: "fp32", torch: "at::kFloat" },
];

/// Returns the names of an element type.
pub fn type_names(dtype: DType) -> &'static Names {
    &ROWS[dtype as usize]
}
