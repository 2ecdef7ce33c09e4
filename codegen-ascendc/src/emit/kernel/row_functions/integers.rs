//! Results whose tensors hold integers of 8 bits: members of the class that round them.
//!
//! The formula computes such a result in a buffer of `float` of its own, and makes it an integer of the type there. Casts to `half`
//! and to the type are exact then, whatever their modes.

use super::super::super::branch::in_kernel;
use super::super::super::package::Package;
use super::super::super::text::Text;
use super::super::barrier;
use super::super::names::slot;
use super::streams::{integer, results};
use op_dsl_ir::op::Stream;

/// C++ function that writes zeros between rows.
const CLEAR_GAPS: &str = "\
// Writes zeros to what copies leave out between rows, which start at blocks of bytes and are computed with these gaps.
__aicore__ inline void ClearGaps(const LocalTensor<T>& in, const RowTile& tile)
{
    const uint32_t used = (tile.columns * sizeof(T) + BLOCK_BYTES - 1) / BLOCK_BYTES;
    const uint32_t step = tile.pitch * sizeof(T) / BLOCK_BYTES;
    if (used == step) {
        return;
    }
    const bool isLong = step > MOST_REPEATS;
    const uint32_t most = isLong ? 1 : MOST_REPEATS;
    const uint8_t stride = static_cast<uint8_t>(isLong ? 1 : step);
    const uint64_t lanes = (step - used) * ROW_BLOCK;
    for (uint32_t k = 0; k < Formula::INPUTS; ++k) {
        const LocalTensor<float> stream = in[k * capacity_].template ReinterpretCast<float>();
        for (uint32_t row = 0; row < tile.rows; row += most) {
            const uint8_t repeats = static_cast<uint8_t>(Least(tile.rows - row, most));
            Duplicate(stream[(row * step + used) * ROW_BLOCK], 0.0f, lanes, repeats, 1, stride);
        }
    }
}";

/// Returns the results that hold integers, each with its index among them, its C++ type and its name.
fn all(package: &Package<'_>) -> Vec<(usize, &'static str, String)> {
    let typed = results(package).into_iter();
    let typed = typed.filter_map(|(stream, name)| Some((integer(package, stream)?, name)));
    typed.enumerate().map(|(k, (ty, name))| (k, ty, name)).collect()
}

/// Returns whether some result holds integers.
pub fn has(package: &Package<'_>) -> bool {
    !all(package).is_empty()
}

/// Returns the C++ expression of the buffer in which the formula computes a result of this name; `None` if it holds floats.
pub fn place(package: &Package<'_>, name: &str) -> Option<String> {
    let found = all(package).into_iter().find(|(_, _, own)| own == name)?;
    Some(format!("Integers({})", found.0))
}

/// Writes the C++ statement that gives the buffers their size.
pub fn init(package: &Package<'_>, text: &mut Text) {
    let count = all(package).len();
    if count > 0 {
        let size = format!("{} * capacity_ * sizeof(float)", count + 1);
        text.line(format!("pipe.InitBuffer(integers_, {size});"));
    }
}

/// Writes the C++ functions.
pub fn functions(package: &Package<'_>, text: &mut Text) {
    let all = all(package);
    if all.is_empty() {
        return;
    }
    let barrier = barrier::statement(package);
    text.lines(CLEAR_GAPS).line("");
    text.line("// Results that are rounded to integers, in `float`; the last one while another is rounded.");
    text.line("__aicore__ inline LocalTensor<float> Integers(uint32_t k) { return integers_.Get<float>()[k * capacity_]; }\n");
    text.line(
        "// Rounds results of a tile to integers, and puts them into a buffer of the output queue.",
    );
    let head =
        "__aicore__ inline void RoundToIntegers(const LocalTensor<T>& out, const RowTile& tile)";
    text.function(head, |text| {
        let rounded = format!("Integers({})", all.len());
        for (k, ty, name) in &all {
            let narrow = format!("Integers({k}).template ReinterpretCast<half>()");
            let to = format!("out[{} * capacity_].template ReinterpretCast<{ty}>()", slot(name));
            text.lines(barrier);
            text.line(format!("formula_.Round{k}(Integers({k}), {rounded}, tile.count);"));
            text.lines(barrier);
            text.line(format!("Cast({narrow}, {rounded}, RoundMode::CAST_NONE, tile.count);"));
            text.lines(barrier);
            text.lines(in_kernel(package, |arch| {
                let mode = arch.to_half.name();
                format!("Cast({to}, {narrow}, RoundMode::{mode}, tile.count);")
            }));
        }
    });
    text.line("");
}

/// Writes the C++ statement that clears gaps between the rows of a tile, if results are integers.
pub fn clear_gaps(package: &Package<'_>, text: &mut Text) {
    if has(package) {
        text.line("ClearGaps(in, tile);");
    }
}

/// Writes the C++ statement that rounds the results of a tile, if some are integers.
pub fn round(package: &Package<'_>, text: &mut Text) {
    if has(package) {
        text.line("RoundToIntegers(out, tile);");
    }
}

/// Returns the C++ expression of a result in a buffer of the output queue, as its tensor has it.
pub fn stored(package: &Package<'_>, stream: Stream, name: &str) -> String {
    let at = format!("out[{} * capacity_]", slot(name));
    match integer(package, stream) {
        Some(ty) => format!("{at}.template ReinterpretCast<{ty}>()"),
        None => at,
    }
}

/// Writes the C++ member.
pub fn fields(package: &Package<'_>, text: &mut Text) {
    if has(package) {
        text.line("TBuf<TPosition::VECCALC> integers_;");
    }
}
