//! Masks: those of a tile are contiguous, in GM and in UB, and have a queue of their own.
//!
//! Bits need no conversion, because `Select` takes them as they are.

use super::super::branch::in_kernel;
use super::super::package::Package;
use super::super::text::Text;
use super::names::{Input, if_constexpr, inputs, slot};
use crate::arch::Arch;
use op_dsl_ir::Stored;
use op_dsl_ir::names::cpp_name;

/// Lists the input streams that are masks and that some plan reads.
pub fn streams(package: &Package<'_>) -> Vec<Input> {
    inputs(package).into_iter().filter(|i| i.truths).collect()
}

/// Returns a C++ statement, guarded so that only specialisations that read a mask execute it.
///
/// `None` if the package has no masks.
fn if_any(package: &Package<'_>, statement: &str) -> Option<String> {
    let streams = streams(package);
    if streams.iter().any(|i| i.always) {
        return Some(statement.into());
    }
    (!streams.is_empty()).then(|| if_constexpr("Formula::TRUTHS > 0", statement))
}

/// Writes the C++ initialisation of the queue for inputs that are masks.
pub fn init(package: &Package<'_>, text: &mut Text) {
    let bytes = match package.def.masks() {
        Stored::Bit => "(capacity_ / 8 + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES",
        _ => "(capacity_ + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES",
    };
    let queue = "pipe.InitBuffer(truthQue_, DEPTH, Formula::TRUTHS * truthBytes_);";
    if let Some(queue) = if_any(package, queue) {
        text.line(format!("truthBytes_ = {bytes};")).lines(queue);
    }
}

/// Writes the C++ class members for mask inputs: the queue, and the bytes of a tile's mask.
pub fn members(package: &Package<'_>, text: &mut Text) {
    if !streams(package).is_empty() {
        text.line("// Bytes of UB for the truth values of a stream.\nuint32_t truthBytes_ = 0;");
        text.line("TQue<TPosition::VECIN, 1> truthQue_;");
    }
}

/// Returns C++ statements that load a tile's masks into the queue; `None` if there are no masks.
pub fn copy_in(package: &Package<'_>) -> Option<String> {
    let mut text = Text::new();
    text.line("LocalTensor<uint8_t> truths = truthQue_.AllocTensor<uint8_t>();");
    for i in streams(package) {
        let load = format!("LoadTruths({}, {}Gm_, tile);", place(&i.name), cpp_name(&i.name));
        text.lines(i.guarded(load));
    }
    text.line("truthQue_.EnQue(truths);");
    if_any(package, text.finish().trim_end())
}

/// Returns the C++ expression of a mask in UB, given the name of its stream.
pub fn place(name: &str) -> String {
    format!("truths[Formula::{} * truthBytes_]", slot(name))
}

/// Returns C++ statements that take a tile's masks from the queue; `None` if there are no masks.
pub fn take(package: &Package<'_>) -> Option<String> {
    let declared = "LocalTensor<uint8_t> truths;";
    if_any(package, "truths = truthQue_.DeQue<uint8_t>();")
        .map(|take| format!("{declared}\n{take}"))
}

/// Returns the C++ statement that gives the buffer of a tile's masks back to the queue.
///
/// `None` if there are no masks.
pub fn free(package: &Package<'_>) -> Option<String> {
    if_any(package, "truthQue_.FreeTensor(truths);")
}

const LOAD: &str = include_str!("load_truths.h");

/// C++ statements for the template `LOAD` that copy a mask of any length from GM to UB.
const COPY: &str = "    const DataCopyExtParams copy{1, bytes, 0, 0, 0};
    DataCopyPad(to, from[first], copy, DataCopyPadExtParams<uint8_t>());
";

/// C++ statements for the template `LOAD` that copy a mask from GM to UB in whole blocks of 32 bytes.
const COPY_OF_BLOCKS: &str =
    "    const uint64_t all = (tiling_.rows * tiling_.columns + PER_BYTE - 1) / PER_BYTE;
    const uint32_t blocks = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    if (first + blocks <= all) {
        DataCopy(to, from[first], blocks);
    } else {
        LoadEnd(to, from[first], bytes);
    }
";

/// Writes the C++ member function `LoadTruths`, which loads a mask for a tile, if there are masks.
pub fn load(package: &Package<'_>, text: &mut Text) {
    if streams(package).is_empty() {
        return;
    }
    let per = if package.def.masks() == Stored::Bit { "8" } else { "1" };
    let of = |arch: &Arch| {
        let copy = if arch.pads { COPY } else { COPY_OF_BLOCKS };
        LOAD.replace("@per@", per).replace("@copy@", copy)
    };
    text.lines(in_kernel(package, of)).line("");
}
