//! Segment index of a number, by the arithmetic of the evaluator.
//!
//! The ends of a table are found by the same arithmetic because the evaluator rounds: with a rounded product `z m`, the last
//! float below the nominal end may already count as beyond it.

/// How vector code finds the segment of the variable `z` on a grid of `m` segments per unit.
///
/// `k0` is the number of the first segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// The low bits of `z m + 1.5 * 2^23 - k0`, rounded down by one FMA (embedded rounding of AVX-512).
    ///
    /// `m` is the number of segments per unit of `z`, and `k0` the number of the first segment. Segments start at integer
    /// multiples of `1/m`, so that a breakpoint may lie between two segments.
    Down,
    /// The low bits of `z m + 1.5 * 2^23 - k0`, rounded to nearest.
    ///
    /// `m` is the number of segments per unit of `z`, and `k0` the number of the first segment. Zero is the middle of a
    /// segment.
    Nearest,
    /// The integer part of the rounded product `z m`, minus `k0` (AVX2 and NEON).
    ///
    /// `m` is the number of segments per unit of `z`, and `k0` the number of the first segment.
    Product,
}

/// A grid of segments of equal width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// How vector code finds the segment of a number.
    pub index: Index,
    /// Number of segments per unit of the table's variable `z`.
    pub scale: f32,
    /// Number of the first segment, which starts at `first / scale`.
    ///
    /// With [`Index::Nearest`] it starts half a segment before.
    pub first: i32,
    /// Number of segments of the grid.
    pub entries: usize,
}

impl Grid {
    /// Returns the index of the segment that contains `z`.
    ///
    /// The index is negative or at least `entries` if `z` is outside the table.
    #[inline]
    pub fn segment(&self, z: f32) -> i64 {
        // The product of two floats is exact in f64.
        let scaled = z as f64 * self.scale as f64;
        let cell = match self.index {
            Index::Down => floor(scaled),
            Index::Product => floor((z * self.scale) as f64),
            Index::Nearest => {
                let below = floor(scaled);
                let rest = scaled - below as f64;
                // The sum that the evaluator rounds is even where `below - first` is, so that ties go there.
                let up = rest > 0.5 || (rest == 0.5 && (below - self.first as i64) & 1 != 0);
                below + up as i64
            }
        };
        cell - self.first as i64
    }

    /// Returns true if `z` is in the table.
    #[inline]
    pub fn holds(&self, z: f32) -> bool {
        (0..self.entries as i64).contains(&self.segment(z))
    }

    /// Returns the lower border of segment `i`.
    pub fn start(&self, i: usize) -> f64 {
        let shift = if self.index == Index::Nearest { 0.5 } else { 0.0 };
        (self.first as f64 + i as f64 - shift) / self.scale as f64
    }

    /// Returns the least float inside the table and the least float above it.
    ///
    /// If `symmetric`, the table is for `z >= 0` only and begins at 0.
    pub fn ends(&self, symmetric: bool) -> (f32, f32) {
        let mut low = if symmetric { 0.0 } else { self.start(0) as f32 };
        while !symmetric && self.holds(low.next_down()) {
            low = low.next_down();
        }
        while !self.holds(low) {
            low = low.next_up();
        }
        let mut high = self.start(self.entries) as f32;
        while self.holds(high) {
            high = high.next_up();
        }
        while !self.holds(high.next_down()) {
            high = high.next_down();
        }
        // The least number beyond a table of negative numbers is -0, which does not compare less than 0, so that it becomes 0.
        (low, if high == 0.0 { 0.0 } else { high })
    }
}

/// Returns the greatest integer that is at most `z`; large numbers saturate.
#[inline]
fn floor(z: f64) -> i64 {
    let cut = z as i64;
    cut - (cut as f64 > z) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_where_the_index_leaves_the_table() {
        for index in [Index::Down, Index::Nearest, Index::Product] {
            for (first, symmetric) in [(0, true), (-8, false), (-16, false)] {
                for step in 0..400 {
                    let scale = 0.7 + step as f32 * 0.0137;
                    let grid = Grid { index, scale, first, entries: 16 };
                    let (low, high) = grid.ends(symmetric);
                    assert!(grid.holds(low) && grid.holds(high.next_down()), "{grid:?}");
                    assert!(!grid.holds(high) || high == 0.0, "{grid:?}");
                    assert!(symmetric || !grid.holds(low.next_down()), "{grid:?}");
                }
            }
        }
    }

    /// Tests that the index of a segment is rounded as in the evaluator.
    ///
    /// Otherwise the last float of a table would be looked up in its first segment.
    #[test]
    fn a_rounded_product_may_leave_the_table_early() {
        let mut early = 0;
        for step in 0..400 {
            let scale = 0.7 + step as f32 * 0.0137;
            let grid = Grid { index: Index::Product, scale, first: 0, entries: 8 };
            let (_, high) = grid.ends(true);
            assert!(high.next_down() * scale < 8.0 && high * scale >= 8.0);
            early += ((high as f64) * (scale as f64) < 8.0) as usize;
            let exact = Grid { index: Index::Down, ..grid };
            let (_, high) = exact.ends(true);
            assert!((high.next_down() as f64) * (scale as f64) < 8.0);
            assert!(high as f64 * scale as f64 >= 8.0);
        }
        assert!(early > 20, "{early}");
    }
}
