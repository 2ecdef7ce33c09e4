//! Names of element types in packages, one row per type.

use op_dsl_ir::DType;

/// Names of an element type.
#[derive(Debug)]
pub struct Names {
    /// Type in AscendC.
    pub cpp: &'static str,
    /// Word of the tiling key's macros.
    pub key: &'static str,
    /// Constant of the tiling.
    pub constant: &'static str,
    /// Name in CANN's documents.
    pub document: &'static str,
    /// Name in the descriptions of system tests.
    pub test: &'static str,
    /// Constant of PyTorch.
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
