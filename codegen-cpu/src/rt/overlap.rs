//! Whether streams share memory.

use super::plan::Stream;

/// Whether two streams are the same elements in the same places.
pub(super) fn identical(a: &Stream, b: &Stream) -> bool {
    a.ptr == b.ptr && a.dtype == b.dtype && a.strides == b.strides
}

/// Whether two streams over a domain of these sizes share a byte, given their extents. Never
/// wrongly `false`; exact when strides nest as those of slices of one dense tensor do.
#[inline]
pub(super) fn may_overlap(
    (a, a_extent): (&Stream, Extent),
    (b, b_extent): (&Stream, Extent),
    sizes: &[usize],
) -> bool {
    let apart = a_extent.1 <= b_extent.0 || b_extent.1 <= a_extent.0;
    !apart && Distances::between(a, b, sizes).may_be_zero()
}

/// First byte and one past the last.
pub(super) type Extent = (usize, usize);

/// Where a stream over a domain of these sizes starts and ends.
#[inline]
pub(super) fn extent(s: &Stream, sizes: &[usize]) -> Extent {
    let (mut lo, mut hi) = (s.ptr.addr(), s.ptr.addr() + s.dtype.size());
    for (&n, &stride) in sizes.iter().zip(&s.strides) {
        // Within the span that the view checked.
        let reach = (n - 1).wrapping_mul(stride.unsigned_abs());
        if stride < 0 {
            lo = lo.saturating_sub(reach);
        } else {
            hi = hi.saturating_add(reach);
        }
    }
    (lo, hi)
}

/// All distances from a byte of one stream to a byte of the other: `start` plus multiples of each
/// stride, the multiplier within a range.
struct Distances {
    start: i128,
    /// `(stride > 0, least, greatest multiplier)`, longest stride first.
    terms: [(i128, i128, i128); 18],
    count: usize,
}

impl Distances {
    fn between(a: &Stream, b: &Stream, sizes: &[usize]) -> Distances {
        let start = b.ptr.addr() as i128 - a.ptr.addr() as i128;
        let mut d = Distances { start, terms: [(1, 0, 0); 18], count: 0 };
        for (k, &n) in sizes.iter().enumerate() {
            d.add(-(a.strides[k] as i128), n as i128 - 1);
            d.add(b.strides[k] as i128, n as i128 - 1);
        }
        d.add(-1, a.dtype.size() as i128 - 1);
        d.add(1, b.dtype.size() as i128 - 1);
        d
    }

    /// Adds `0..=max` times a stride.
    fn add(&mut self, stride: i128, max: i128) {
        if stride == 0 || max == 0 {
            return;
        }
        let length = stride.abs();
        let (lo, hi) = if stride > 0 { (0, max) } else { (-max, 0) };
        let mut at = 0;
        while at < self.count && self.terms[at].0 > length {
            at += 1;
        }
        if at < self.count && self.terms[at].0 == length {
            self.terms[at].1 += lo;
            self.terms[at].2 += hi;
            return;
        }
        self.terms.copy_within(at..self.count, at + 1);
        self.terms[at] = (length, lo, hi);
        self.count += 1;
    }

    fn may_be_zero(&self) -> bool {
        // Enough for nested strides, where each has one or two possible multipliers.
        let mut budget = 1000;
        self.search(self.start, 0, &mut budget)
    }

    /// Whether the terms from `first` on can bring `rest` to zero.
    fn search(&self, rest: i128, first: usize, budget: &mut u32) -> bool {
        let terms = &self.terms[first..self.count];
        let Some(&(stride, min, max)) = terms.first() else { return rest == 0 };
        if *budget == 0 {
            return true;
        }
        *budget -= 1;
        let lo: i128 = terms[1..].iter().map(|t| t.0 * t.1).sum();
        let hi: i128 = terms[1..].iter().map(|t| t.0 * t.2).sum();
        // rest + m * stride + [lo, hi] must hold zero.
        let least = min.max(-(rest + hi).div_euclid(stride));
        let greatest = max.min((-rest - lo).div_euclid(stride));
        (least..=greatest).any(|m| self.search(rest + m * stride, first + 1, budget))
    }
}
