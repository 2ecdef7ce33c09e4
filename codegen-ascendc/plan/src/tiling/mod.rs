//! Assigns the elements of a shape to the cores and tiles of an NPU.
//!
//! This is pure integer maths: the number of cores and the size of their memory are arguments ([`Machine`]). The emitted
//! host code is this file in C++ (`emit/host/fragments/tile.h`).
//!
//! A part of a gated tensor is a matrix of `rows` x `columns`: dimensions outside the split dimension form the rows,
//! and whatever lies inside one half is contiguous. The tensor itself has rows of `2 * columns`. Work is counted in
//! *units* (some rows, or a 512-byte piece of one row). Every core owns `n` or `n + 1` neighbouring units and walks
//! them in tiles, which are either whole rows or a segment of one row:
//!
//! ```text
//! rows      tile_rows x columns per tile, each row padded to 32 bytes in UB
//! columns   one row at a time, tile_columns of it
//! small     rows so narrow that padding would waste UB and bandwidth: whole rows of the tensor
//!           are loaded without gaps and their halves separated inside UB: gathered, or transposed where
//!           copies move whole blocks, if a tile holds 16 lanes of rows that end on blocks
//! ```

use op_dsl_ir::bind::Bound;

mod walk;
pub use walk::{Burst, Side, Tile};

/// Alignment of addresses in the unified buffer (UB), and smallest transfer of a copy, in bytes.
pub const BLOCK: u64 = 32;
/// Preferred size of transfers, and of the pieces into which rows are cut, in bytes.
///
/// A core is given no smaller piece of a row, except the last of a row, because shorter transfers use less of the bandwidth of GM.
pub const UNIT: u64 = 512;
/// Size in bytes of a line of the data cache that scalar code reads and writes through.
///
/// Places that two cores write to are lines apart, because a core writes whole lines back.
pub const LINE: u64 = 64;
/// Number of lanes that one transposition takes together, one word of each.
///
/// A lane is a run of whole rows that ends where a 32-byte block ends.
pub const LANES: u64 = 16;
/// Number of bytes that one repeat of a vector instruction works on.
pub const REPEAT: u64 = 256;
/// Maximum number of bursts (contiguous runs) that one copy instruction moves.
pub const MAX_BLOCK_COUNT: u64 = 4095;
/// Maximum length of a burst (contiguous run) of a copy instruction, in bytes.
pub const MAX_BLOCK_LEN: u64 = 2_097_151;
/// Smallest share of a core, in elements, that is worth a second tile.
///
/// One tile is copied in, computed and copied out in turn, which takes `I + C + O` cycles. With two tiles the copies of
/// one overlap with the arithmetic of the other: `(I + C + O + max(I, C, O)) / 2`, and another tile has to be started.
/// Per element, the gradient of a gated unit in f32 on ascend910b has `I = 12 / 18`, `O = 8 / 18` (bytes by bytes per
/// cycle) and `C = 25 / 64`, so that 0.42 cycles are saved, in f16 0.28. Starting a tile takes 300 to 400 cycles: some
/// 20 vector calls and barriers, and five copies of about 100 cycles, which overlap. That is 700 to 1400 elements.
pub const LEAST_SHARE_OF_TWO: u64 = 1024;

/// The iteration domain of the formula, as a matrix of rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Number of rows: the product of the dimensions outside the split one.
    pub rows: u64,
    /// Number of columns: contiguous elements of one part (gate or value) in a row.
    pub columns: u64,
    /// Whether the domain is split, so that rows of gated tensors consist of two parts.
    pub split: bool,
}

impl Extent {
    /// Returns the extent of a call; without gated tensors the whole domain is one row.
    ///
    /// Interleaved parts are treated as halves of shorter rows, which contain only the dimensions inside the split
    /// dimension. For example, the domain `[5, 6, 7]` split along dimension 1 has 5 rows of 42 columns if the parts are
    /// halves, and 30 rows of 7 columns if they are interleaved.
    pub fn new(bound: &Bound) -> Extent {
        // An empty tensor may have dimensions whose product overflows.
        let product = |dims: &[usize]| dims.iter().fold(1, |n: u64, &d| n.saturating_mul(d as u64));
        let Some(split) = bound.split else {
            return Extent { rows: 1, columns: product(&bound.domain), split: false };
        };
        let (outer, inner) = bound.domain.split_at(split.outer());
        Extent { rows: product(outer), columns: product(inner), split: true }
    }

    /// Returns the number of elements of the domain, which each part of a gated tensor has.
    pub fn elements(&self) -> u64 {
        self.rows * self.columns
    }
}

/// Unified buffer (UB) memory of a kernel: a fixed number of bytes, and bits per element of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes of the buffers whose size does not depend on the tile.
    pub fixed: u64,
    /// Bits per element of a tile, all buffers together.
    pub bits: u64,
}

impl Footprint {
    /// Returns the largest tile, in elements of `size` bytes, that fits into `ub` bytes.
    ///
    /// The tile consists of whole repeats of [`REPEAT`] bytes, or of whole blocks of [`BLOCK`] bytes if not even one
    /// repeat fits. It is 0 if no block fits.
    pub fn capacity(&self, ub: u64, size: u64) -> u64 {
        let fits = ub.saturating_sub(self.fixed).saturating_mul(8) / self.bits.max(1);
        let fits = fits.min(MAX_BLOCK_LEN / (2 * size));
        let (repeat, block) = (REPEAT / size, BLOCK / size);
        let step = if fits >= repeat { repeat } else { block };
        fits / step * step
    }
}

/// Requirements of a kernel on its tiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// Bytes of an element in global memory (GM).
    pub size: u64,
    /// UB footprint of a tile when gate and value are loaded separately.
    pub dense: Footprint,
    /// UB footprint of a tile when rows are loaded whole and their halves separated inside UB.
    ///
    /// `None` if the operator has no gated tensors. With functions of rows it is that of a tile with one buffer in each queue, where
    /// `dense` has two.
    pub small: Option<Footprint>,
    /// UB footprint of a tile of rows of two elements, a gate and a value, loaded whole.
    ///
    /// Some kernels compute on such pairs without separating them, which needs fewer buffers.
    pub pairs: Option<Footprint>,
    /// Number of elements of which the row length must be a multiple, so that rows share a tile.
    ///
    /// With such a length no tensor has gaps between rows in UB. The number is 1 if each tensor may have its own gaps.
    pub even: u64,
    /// True if halves of rows of any length can be gathered, false if they are only transposed.
    pub gathers: bool,
    /// Requirements of the tiles of long and of short rows; `None` without functions of rows.
    pub rows: Option<RowNeed>,
}

/// Requirements of a kernel of row functions on tiles that are not some whole rows on blocks of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowNeed {
    /// UB footprint of a chunk of a row that does not fit UB.
    pub chunk: Footprint,
    /// Number of streams that several walks along such a row read, of which UB holds as many elements as fit.
    pub held: u64,
    /// UB footprint of a tile of short rows, which are copied without gaps and turned in UB; `None` if the kernel turns none.
    pub turned: Option<Footprint>,
}

impl Need {
    /// Returns the UB footprint of a tile on a path, where parts have rows of `columns` elements.
    ///
    /// `None` if the kernel cannot take that path.
    pub fn of(&self, path: Path, columns: u64) -> Option<Footprint> {
        match (path, columns) {
            (Path::Small, 1) => self.pairs,
            (Path::Small, _) => self.small,
            _ => Some(self.dense),
        }
    }
}

/// Properties of the NPU, as the platform interface reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Bytes of unified buffer (UB) of one core.
    pub ub: u64,
    /// Number of vector cores.
    pub cores: u32,
    /// True if copies can have any length in bytes, false if only multiples of 32.
    pub pads: bool,
}

/// The error that UB cannot hold one block of every stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("UB of {have} bytes is too small: one 32-byte block of each stream needs {need} bytes")]
pub struct UbTooSmall {
    /// Bytes needed for one 32-byte block of each stream.
    pub need: u64,
    /// Bytes of UB that one core has.
    pub have: u64,
}

/// Way in which the iteration domain, seen as a matrix, is cut into tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Path {
    /// Several rows per tile, loaded with a stride.
    #[default]
    Rows = 0,
    /// A segment of one row per tile.
    Columns = 1,
    /// Several narrow rows per tile, loaded without gaps.
    Small = 2,
}

impl Path {
    /// Returns the name for printing.
    pub const fn name(self) -> &'static str {
        match self {
            Path::Rows => "rows per tile",
            Path::Columns => "columns per tile",
            Path::Small => "small rows",
        }
    }
}

/// The tiling data that the host passes to the kernel.
///
/// Fields are ordered by falling alignment, and the size is a multiple of 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Tiling {
    /// Number of rows of the iteration domain, seen as a matrix.
    pub rows: u64,
    /// Number of columns of one part (gate or value); gated tensors have rows of twice as many elements.
    pub columns: u64,
    /// Number of units of work that one row is cut into; 1 if a unit is whole rows.
    pub pieces: u64,
    /// Number of units of work of every core; the first `big` cores have one more.
    pub share: u64,
    /// Number of rows of a unit of work; 1 if rows are cut.
    pub unit_rows: u32,
    /// Number of columns of a unit of work if rows are cut; the last piece of a row may be shorter.
    pub unit_columns: u32,
    /// Maximum number of rows of a tile; 0 if tiles are segments of a row.
    pub tile_rows: u32,
    /// Maximum number of columns of a tile that is a segment.
    pub tile_columns: u32,
    /// Distance between the starts of a tile's rows in the unified buffer (UB), in elements.
    pub pitch: u32,
    /// Number of cores that have work.
    pub cores: u32,
    /// Number of cores that have one unit of work more than `share`.
    pub big: u32,
    /// Kind of the tiles: several rows, a segment of a row, or several narrow rows without gaps.
    pub path: Path,
}

/// Way to cut the iteration domain into units of work, the smallest parts that cores are given.
#[derive(Clone, Copy)]
struct Cut {
    unit_rows: u64,
    unit_columns: u64,
    pieces: u64,
}

impl Cut {
    fn rows(extent: &Extent, unit_rows: u64) -> Cut {
        Cut { unit_rows: unit_rows.clamp(1, extent.rows), unit_columns: 0, pieces: 1 }
    }

    fn pieces(extent: &Extent, size: u64) -> Cut {
        let unit_columns = UNIT / size;
        Cut { unit_rows: 1, unit_columns, pieces: extent.columns.div_ceil(unit_columns) }
    }

    fn units(&self, extent: &Extent) -> u64 {
        extent.rows.div_ceil(self.unit_rows) * self.pieces
    }

    /// Returns an upper bound for the number of elements that the busiest of `cores` cores computes.
    fn busiest(&self, extent: &Extent, cores: u64) -> u64 {
        let share = self.units(extent).div_ceil(cores);
        let segment = (share % self.pieces * self.unit_columns).min(extent.columns);
        share / self.pieces * self.unit_rows * extent.columns + segment
    }
}

/// Computes the tiling of a call.
///
/// # Errors
/// UB cannot hold one block of every stream.
pub fn tile(extent: &Extent, need: &Need, machine: &Machine) -> Result<Tiling, UbTooSmall> {
    let size = need.size;
    let dense = need.dense.capacity(machine.ub, size);
    if dense == 0 {
        let need = need.dense.fixed + (need.dense.bits * (BLOCK / size)).div_ceil(8);
        return Err(UbTooSmall { need, have: machine.ub });
    }
    if extent.elements() == 0 || machine.cores == 0 {
        let Extent { rows, columns, .. } = *extent;
        return Ok(Tiling { rows, columns, pieces: 1, ..Tiling::default() });
    }
    let small = small_capacity(extent, need, machine);
    let cut = cut(extent, size, machine, small.is_some(), dense);
    Ok(assemble(extent, need, machine, cut, small, dense))
}

/// Returns the maximum number of elements of a tile on [`Path::Small`] (several narrow rows).
///
/// `None` if the kernel has no such path, or if rows of this length are better copied one by one or do not fit.
fn small_capacity(extent: &Extent, need: &Need, machine: &Machine) -> Option<u64> {
    let footprint = need.of(Path::Small, extent.columns).filter(|_| extent.split)?;
    let row = extent.columns.checked_mul(need.size)?;
    let capacity = footprint.capacity(machine.ub, need.size);
    let least = match (machine.pads, need.gathers) {
        (true, _) => 1,
        (false, true) => aligned_rows(row),
        (false, false) => LANES * aligned_rows(row),
    };
    let fits = extent.columns.checked_mul(least)? <= capacity;
    (wasteful(row, machine.pads) && fits).then_some(capacity)
}

/// Returns whether copying rows of `row` bytes one by one moves too many bytes that no row needs.
///
/// If `pads` is true (copies of any length), too many are over a quarter of the row; otherwise any are. Padding in UB takes less.
fn wasteful(row: u64, pads: bool) -> bool {
    let beyond = BLOCK - gcd(row, BLOCK);
    if pads { beyond > row / 4 } else { beyond > 0 }
}

/// Returns the least number of rows of `row` bytes that together end where a block ends.
///
/// For example, rows of 12 bytes do so every 8 rows, since 96 is a multiple of 32.
fn aligned_rows(row: u64) -> u64 {
    BLOCK / gcd(row, BLOCK)
}

/// Returns the greatest common divisor of `a` and a power of two.
fn gcd(a: u64, power: u64) -> u64 {
    (1 << a.trailing_zeros().min(power.trailing_zeros())) as u64
}

/// Chooses units of work as large as balance between the cores allows.
///
/// Candidates are rows that begin on a block, then any rows, then pieces of rows. `small` is true on [`Path::Small`], and `dense`
/// is the maximum number of elements of a tile on other paths.
fn cut(extent: &Extent, size: u64, machine: &Machine, small: bool, dense: u64) -> Cut {
    let row = extent.columns * size;
    let least = UNIT.div_ceil(row);
    let whole = |step: u64| Cut::rows(extent, least.div_ceil(step) * step);
    let aligned = whole(aligned_rows(row));
    if !machine.pads && small {
        return aligned; // otherwise a core could end inside a block
    }
    if !machine.pads && row < BLOCK {
        return whole(LINE / gcd(row, LINE)); // nor inside a cache line, since scalar code writes it
    }
    let rows = Cut::rows(extent, UNIT / row);
    let pieces = Cut::pieces(extent, size);
    if extent.columns > dense {
        return pieces;
    }
    let cores = machine.cores as u64;
    let mean = extent.elements() / cores;
    let balanced = |c: &Cut| c.busiest(extent, cores).saturating_sub(mean) <= mean / 32;
    let candidates = [aligned, rows, pieces];
    let tried = if small || pieces.pieces == 1 { &candidates[..2] } else { &candidates[..] };
    let least_busy = || tried.iter().min_by_key(|c| c.busiest(extent, cores));
    let found = tried.iter().find(|c| balanced(c)).or_else(least_busy);
    found.copied().unwrap_or(aligned)
}

/// Returns the maximum number of rows of a tile of `capacity` elements on [`Path::Small`].
///
/// Transposed rows fill a whole number of lanes, even if the tensor has fewer rows; then some lanes are empty.
fn small_rows(extent: &Extent, size: u64, machine: &Machine, capacity: u64) -> u64 {
    let (rows, aligned) = (capacity / extent.columns, aligned_rows(extent.columns * size));
    let lanes = if machine.pads { aligned } else { LANES * aligned };
    let step = [lanes, aligned, 1].into_iter().find(|step| *step <= rows).unwrap_or(1);
    let most = if machine.pads { extent.rows } else { extent.rows.next_multiple_of(step) };
    (rows / step * step).min(most)
}

/// Returns the number of which the row count of a tile has to be a multiple.
///
/// On [`Path::Small`] rows end on a block, and fill a whole number of lanes if they are transposed.
fn row_step(extent: &Extent, size: u64, machine: &Machine, path: Path, tile_rows: u64) -> u64 {
    let aligned = aligned_rows(extent.columns * size);
    match path {
        Path::Small if !machine.pads && tile_rows.is_multiple_of(LANES * aligned) => {
            LANES * aligned
        }
        Path::Small => aligned,
        _ => 1,
    }
}

fn assemble(
    extent: &Extent,
    need: &Need,
    machine: &Machine,
    cut: Cut,
    small: Option<u64>,
    dense: u64,
) -> Tiling {
    let size = need.size;
    let block = BLOCK / size;
    let units = cut.units(extent);
    let cores = units.min(machine.cores as u64);
    let (mut path, mut pitch, mut tile_rows) = match small {
        Some(capacity) => {
            (Path::Small, extent.columns, small_rows(extent, size, machine, capacity))
        }
        None if extent.columns > dense => (Path::Columns, 0, 0),
        None => {
            let pitch = extent.columns.div_ceil(block) * block;
            let together = extent.columns.is_multiple_of(need.even);
            let most = if together { MAX_BLOCK_COUNT } else { 1 };
            (Path::Rows, pitch, (dense / pitch).min(most).min(extent.rows))
        }
    };
    let unit = UNIT / size;
    let mut tile_columns = if dense >= unit { dense / unit * unit } else { dense };
    // A busiest share that fits one tile is cut in two, so that copies of one overlap with the arithmetic of the
    // other.
    let share = units.div_ceil(cores);
    if cut.pieces == 1 {
        let rows = (share * cut.unit_rows).min(extent.rows);
        if rows <= tile_rows && rows * extent.columns >= LEAST_SHARE_OF_TWO {
            if rows > 1 {
                let step = row_step(extent, size, machine, path, tile_rows);
                tile_rows = rows.div_ceil(2).next_multiple_of(step).min(tile_rows);
            } else if path == Path::Rows {
                (path, pitch, tile_rows) = (Path::Columns, 0, 0);
                tile_columns = tile_columns.min(extent.columns.div_ceil(2 * unit) * unit);
            }
        }
    } else if share < cut.pieces {
        let columns = share * cut.unit_columns;
        if (LEAST_SHARE_OF_TWO..=tile_columns).contains(&columns) {
            tile_columns = share.div_ceil(2) * cut.unit_columns;
        }
    }
    // Each number fits: tiles are bounded by UB, the others by the rows or pieces of one tile.
    let fits = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Tiling {
        rows: extent.rows,
        columns: extent.columns,
        pieces: cut.pieces,
        share: units / cores,
        unit_rows: fits(cut.unit_rows),
        unit_columns: fits(cut.unit_columns),
        tile_rows: fits(tile_rows),
        tile_columns: fits(tile_columns),
        pitch: fits(pitch),
        cores: fits(cores),
        big: fits(units % cores),
        path,
    }
}

#[cfg(test)]
mod tests;
