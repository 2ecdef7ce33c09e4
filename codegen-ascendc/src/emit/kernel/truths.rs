//! Masks: truth values of a tile lie side by side, in GM and in UB, and have a queue of their own. Stored as bits
//! they are what choices take.

use super::super::branch::in_kernel;
use super::super::package::Package;
use super::super::text::Text;
use super::names::{Input, inputs, slot};
use crate::arch::Arch;
use op_dsl_ir::Stored;
use op_dsl_ir::names::cpp_name;

/// Streams of truth values that some plan reads.
pub fn streams(package: &Package<'_>) -> Vec<Input> {
    inputs(package).into_iter().filter(|i| i.truths).collect()
}

/// A statement for forms that read truth values.
fn if_any(package: &Package<'_>, statement: &str) -> Option<String> {
    let streams = streams(package);
    if streams.iter().any(|i| i.always) {
        return Some(statement.into());
    }
    let mut text = Text::new();
    text.block("if constexpr (Formula::TRUTHS > 0)", "}", |text| {
        text.line(statement);
    });
    (!streams.is_empty()).then(|| text.finish())
}

/// The queue.
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

/// Members of the class.
pub fn members(package: &Package<'_>, text: &mut Text) {
    if !streams(package).is_empty() {
        text.line("// Bytes of UB for the truth values of a stream.\nuint32_t truthBytes_ = 0;");
        text.line("TQue<TPosition::VECIN, 1> truthQue_;");
    }
}

/// Statements that load them.
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

/// Where a stream's are.
pub fn place(name: &str) -> String {
    format!("truths[Formula::{} * truthBytes_]", slot(name))
}

/// Statements that take them from the queue.
pub fn take(package: &Package<'_>) -> Option<String> {
    let declared = "LocalTensor<uint8_t> truths;";
    if_any(package, "truths = truthQue_.DeQue<uint8_t>();")
        .map(|take| format!("{declared}\n{take}"))
}

/// Statements that give their buffer back.
pub fn free(package: &Package<'_>) -> Option<String> {
    if_any(package, "truthQue_.FreeTensor(truths);")
}

const LOAD: &str = "\
// The truth values of a tile. Tiles of several rows have no gaps between them.
__aicore__ inline void LoadTruths(const LocalTensor<uint8_t>& to, const GlobalTensor<uint8_t>& from,
                                  const Tile& tile) const
{
    constexpr uint32_t PER_BYTE = @per@;
    const uint64_t first = (tile.row * tiling_.columns + tile.column) / PER_BYTE;
    const uint32_t bytes = (tile.rows * tile.columns + PER_BYTE - 1) / PER_BYTE;
@copy@}
";

/// Of any length.
const COPY: &str = "    const DataCopyExtParams copy{1, bytes, 0, 0, 0};
    DataCopyPad(to, from[first], copy, DataCopyPadExtParams<uint8_t>());
";

/// Of whole blocks.
const COPY_OF_BLOCKS: &str =
    "    const uint64_t all = (tiling_.rows * tiling_.columns + PER_BYTE - 1) / PER_BYTE;
    const uint32_t blocks = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    if (first + blocks <= all) {
        DataCopy(to, from[first], blocks);
    } else {
        LoadEnd(to, from[first], bytes);
    }
";

/// The function that loads those of a tile.
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
