//! Names of element types in packages, one row per type.

use op_dsl_ir::{DType, Stored};

/// Names of an element type: in AscendC, in macros of the tiling key, of the tiling's constant, in CANN's documents, in the
/// descriptions of system tests, in PyTorch, and in numpy.
#[derive(Debug)]
pub struct Names {
    pub cpp: &'static str,
    pub key: &'static str,
    pub constant: &'static str,
    pub document: &'static str,
    pub test: &'static str,
    pub torch: &'static str,
    pub numpy: &'static str,
}

/// One row per element type, in the order of [`DType`].
#[rustfmt::skip]
const ROWS: [Names; DType::COUNT] = [
    Names { cpp: "half",       key: "HALF",     constant: "TYPE_HALF",  document: "FLOAT16",  test: "fp16", torch: "at::kHalf",     numpy: "np.float16" },
    Names { cpp: "bfloat16_t", key: "BFLOAT16", constant: "TYPE_BF16",  document: "BFLOAT16", test: "bf16", torch: "at::kBFloat16", numpy: "np.dtype(\"bfloat16\")" },
    Names { cpp: "float",      key: "FLOAT",    constant: "TYPE_FLOAT", document: "FLOAT",    test: "fp32", torch: "at::kFloat",    numpy: "np.float32" },
];

/// Returns the names of an element type.
pub fn type_names(dtype: DType) -> &'static Names {
    &ROWS[dtype as usize]
}

/// Returns the end of CANN's name of a type that a tensor has of its own, for example `FLOAT` in `DT_FLOAT`.
pub fn ge_name(stored: Stored) -> &'static str {
    match stored {
        Stored::Number(dtype) => dtype.row().ge,
        Stored::Byte => "BOOL",
        Stored::Bit => "UINT1",
        Stored::Int8 => "INT8",
        Stored::Uint8 => "UINT8",
        Stored::Int16 => "INT16",
        Stored::Int32 => "INT32",
        Stored::Int64 => "INT64",
        Stored::Float64 => "DOUBLE",
        Stored::E4m3fn => "FLOAT8_E4M3FN",
        Stored::E5m2 => "FLOAT8_E5M2",
        Stored::Nothing => "UNDEFINED",
    }
}
