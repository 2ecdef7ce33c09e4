//! The tiles of a tiling in the order that cores walk them, and the bursts that move them.

use super::{BLOCK, Path, Tiling};

/// Neighbouring elements that are computed together: whole rows, or a segment of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Index of the first row that the tile covers.
    pub row: u64,
    /// Number of rows that the tile covers.
    pub rows: u64,
    /// Index of the first column that the tile covers.
    pub column: u64,
    /// Number of columns that the tile covers.
    pub columns: u64,
}

/// A contiguous piece of a tensor in global memory (GM).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Offset of the burst's first byte from the start of the tensor.
    pub offset: u64,
    /// Length of the burst in bytes.
    pub len: u64,
}

/// The elements of a tensor that a tile moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// All elements of a tensor that is not gated.
    Whole,
    /// The first part of a gated tensor.
    First,
    /// The second part of a gated tensor.
    Second,
}

/// A position in the matrix in row-major order: the boundary before an element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    row: u64,
    column: u64,
}

impl Tiling {
    /// Returns the first unit of work of a core, and the number of units that the core has.
    pub fn units(&self, core: u32) -> (u64, u64) {
        let (core, big) = (core as u64, self.big as u64);
        (core * self.share + core.min(big), self.share + (core < big) as u64)
    }

    fn place(&self, unit: u64) -> Place {
        let row = (unit / self.pieces).saturating_mul(self.unit_rows as u64).min(self.rows);
        Place { row, column: unit % self.pieces * self.unit_columns as u64 }
    }

    /// Iterates over the tiles that a core computes, in order.
    pub fn tiles(&self, core: u32) -> impl Iterator<Item = Tile> + '_ {
        let (first, count) = self.units(core);
        let (mut at, end) = (self.place(first), self.place(first + count));
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let whole_rows = end.row - at.row;
            if at.column == 0 && whole_rows > 0 && self.tile_rows > 0 {
                let rows = whole_rows.min(self.tile_rows as u64);
                let tile = Tile { row: at.row, rows, column: 0, columns: self.columns };
                at.row += rows;
                return Some(tile);
            }
            let limit = if at.row == end.row { end.column } else { self.columns };
            let columns = (limit - at.column).min(self.tile_columns as u64);
            let tile = Tile { row: at.row, rows: 1, column: at.column, columns };
            at.column += columns;
            if at.column == self.columns {
                at = Place { row: at.row + 1, column: 0 };
            }
            Some(tile)
        })
    }

    /// Returns the number of elements of the iteration domain that a core computes.
    pub fn load(&self, core: u32) -> u64 {
        let (first, count) = self.units(core);
        let linear = |p: Place| p.row * self.columns + p.column;
        linear(self.place(first + count)) - linear(self.place(first))
    }

    /// Returns the elements of the busiest core, divided by the mean of all `cores` of the machine.
    pub fn balance(&self, cores: u32) -> f64 {
        let busiest = (0..self.cores).map(|c| self.load(c)).max().unwrap_or(0);
        let mean = (self.rows * self.columns) as f64 / cores as f64;
        if busiest == 0 { 1.0 } else { busiest as f64 / mean }
    }

    /// Returns the number of UB elements that a tile takes in each buffer.
    pub fn occupied(&self, tile: &Tile) -> u64 {
        match self.path {
            Path::Rows if tile.columns == self.columns => tile.rows * self.pitch as u64,
            _ => tile.rows * tile.columns,
        }
    }

    /// Iterates over the bursts that move one stream of a tile between GM and UB.
    ///
    /// On [`Path::Small`] the one burst of [`Side::First`] contains both parts, and [`Side::Second`] has no burst.
    /// `size` is the number of bytes of an element.
    pub fn bursts(&self, tile: Tile, side: Side, size: u64) -> impl Iterator<Item = Burst> {
        let (width, shift) = match side {
            Side::Whole => (self.columns, 0),
            Side::First => (2 * self.columns, 0),
            Side::Second => (2 * self.columns, self.columns),
        };
        let start = move |row: u64| (row * width + shift + tile.column) * size;
        let (count, len) = match (self.path, side) {
            (Path::Small, Side::Second) => (0, 0),
            (Path::Small, _) => (1, tile.rows * width * size),
            _ => (tile.rows, tile.columns * size),
        };
        (0..count).map(move |k| Burst { offset: start(tile.row + k), len })
    }
}

impl Burst {
    /// Returns the number of 32-byte sectors of global memory that the burst touches.
    pub fn sectors(&self) -> u64 {
        (self.offset + self.len).div_ceil(BLOCK) - self.offset / BLOCK
    }
}
