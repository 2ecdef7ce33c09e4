//! Streams of a kernel with functions of rows: the part of a tensor that they are, and whether they are converted.

use super::super::super::package::Package;
use op_dsl_ir::op::{Part, Stream};

/// Returns two C++ arguments for a stream: whether its tensor is gated, and the index of its part (gate or value).
pub fn side(stream: Stream) -> String {
    let part = match stream.part {
        Part::Whole => "0",
        Part::Gate => "gate_",
        Part::Value => "1 - gate_",
    };
    format!("{}, {part}", stream.part != Part::Whole)
}

/// Returns whether some kernel of the package has tensors of 16 bits, which are converted to `float`.
pub fn converts(package: &Package<'_>) -> bool {
    package.dtypes().iter().any(|dtype| dtype.is_narrow())
}
