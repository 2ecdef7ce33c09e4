//! The tiles of a core: `crate::tiling::Tiling::tiles` in C++.
//!
//! Where copies move whole blocks only, no tile may be shorter than a block. A shorter remainder at an end therefore goes to the
//! tile, or to the core, before it.

use super::super::branch::in_kernel;
use super::super::package::Package;
use super::super::tree::File;
use super::names::{header_file, namespace};
use crate::arch::Arch;

const WALK: &str = include_str!("walk.h");

/// Replacements of marks in `walk.h`.
///
/// Each has the mark, the text where copies can have any length, and the text where copies move whole blocks.
const MARKS: [(&str, &str, &str); 4] = [
    ("@least@\n", "", "// No tile has less: the elements of a block of 32 bytes.\nconstexpr uint32_t LEAST = 16;\n\n"),
    (
        "@point@\n",
        "        return {row < tiling_.rows ? row : tiling_.rows, unit % tiling_.pieces * tiling_.unitColumns};\n",
        "        Point point = {row < tiling_.rows ? row : tiling_.rows, unit % tiling_.pieces * tiling_.unitColumns};
        if (point.column > 0 && tiling_.columns - point.column < LEAST) {
            point = {point.row + 1, 0};
        }
        if (point.row > 0 && point.column == 0 && (tiling_.rows - point.row) * tiling_.columns < LEAST) {
            point.row = tiling_.rows;
        }
        return point;\n",
    ),
    (
        "@rows@\n",
        "",
        "            const uint64_t moreRows = end_.row - at_.row - tile.rows;
            if (moreRows > 0 && moreRows * tiling_.columns < LEAST) {
                tile.rows -= static_cast<uint32_t>((LEAST + tiling_.columns - 1) / tiling_.columns);
            }\n",
    ),
    (
        "@columns@\n",
        "",
        "        const uint64_t more = limit - at_.column - tile.columns;
        if (more > 0 && more < LEAST) {
            tile.columns -= LEAST;
        }\n",
    ),
];

/// Returns the file `<op>_walk.h`, which has the C++ class that iterates over the tiles of a core.
pub fn file(package: &Package<'_>) -> File {
    let marked = MARKS.iter().fold(WALK.to_string(), |text, (mark, any, blocks)| {
        let of = |arch: &Arch| if arch.pads { any } else { blocks };
        text.replace(mark, &in_kernel(package, |arch| of(arch).to_string()))
    });
    let body = marked
        .replace("@snake@", &package.snake())
        .replace("@namespace@", &namespace(package))
        .replace("@Op@", &package.def.name);
    header_file(package, "_walk", "the tiles of a core", |text| _ = text.lines(body))
}
