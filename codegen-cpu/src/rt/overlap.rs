//! Overlap tests: whether two streams share memory, and whether two indices of a tensor share an element.

use super::stream::{Extent, Stream};
use arrayvec::ArrayVec;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::MAX_RANK;

/// Returns whether two streams have the same elements at the same indices.
pub(super) fn identical(a: &Stream, b: &Stream) -> bool {
    a.ptr == b.ptr && a.dtype == b.dtype && a.strides == b.strides
}

/// Returns whether two streams over a domain of these sizes may share a byte.
///
/// The test is conservative: never wrongly `false`. It is exact when strides nest as those of slices of one contiguous tensor do,
/// and neither stream is packed bits. The extents are the address ranges of the streams.
#[inline]
pub(super) fn may_overlap(
    (a, a_extent): (&Stream, Extent),
    (b, b_extent): (&Stream, Extent),
    sizes: &[usize],
) -> bool {
    let apart = a_extent.1 <= b_extent.0 || b_extent.1 <= a_extent.0;
    let bits = a.dtype == Stored::Bit || b.dtype == Stored::Bit;
    !apart && (bits || Distances::between(a, b, sizes).may_be_zero(BUDGET))
}

/// Returns whether no two indices of a tensor share an element.
///
/// The test is conservative: never wrongly `true`. It is exact for two dimensions, and when strides nest as those of permutations
/// and slices of a contiguous tensor do.
pub(super) fn is_injective(shape: &[usize], strides: &[isize]) -> bool {
    let mut dims: ArrayVec<(usize, usize), MAX_RANK> = ArrayVec::new();
    for (&n, &s) in shape.iter().zip(strides).filter(|(n, _)| **n != 1) {
        if n == 0 {
            return true;
        }
        let at = dims.iter().position(|d| d.0 > s.unsigned_abs()).unwrap_or(dims.len());
        dims.insert(at, (s.unsigned_abs(), n));
    }
    let mut reach = 0usize;
    for (k, &(stride, n)) in dims.iter().enumerate() {
        // Tests two indices that differ along `k`, and otherwise only along dimensions of shorter strides.
        let alike = stride <= reach && {
            let mut d = Distances { start: stride as i128, terms: ArrayVec::new() };
            d.add(stride as i128, 0, n as i128 - 2);
            for &(stride, n) in &dims[..k] {
                d.add(stride as i128, 1 - n as i128, n as i128 - 1);
            }
            d.may_be_zero(BUDGET)
        };
        if alike {
            return false;
        }
        reach = reach.saturating_add((n - 1).saturating_mul(stride));
    }
    true
}

/// Maximum number of steps of [`search`], after which an overlap is assumed.
///
/// It is enough for nested strides, where each stride has one or two possible multipliers.
const BUDGET: u32 = 1000;

/// All multiples of a stride by factors from `min` to `max`.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// The stride, which is positive.
    stride: i128,
    /// Least factor of the stride.
    min: i128,
    /// Greatest factor of the stride.
    max: i128,
}

/// The set of distances between two elements: `start` plus a bounded multiple of each stride.
struct Distances {
    start: i128,
    /// Bounded multiples of strides, the longest stride first.
    terms: ArrayVec<Term, { 2 * MAX_RANK + 2 }>,
}

impl Distances {
    /// Returns the set of distances from a byte of stream `a` to a byte of stream `b`.
    fn between(a: &Stream, b: &Stream, sizes: &[usize]) -> Distances {
        let start = b.ptr.addr() as i128 - a.ptr.addr() as i128;
        let mut d = Distances { start, terms: ArrayVec::new() };
        for (k, &n) in sizes.iter().enumerate() {
            d.add(-(a.strides[k] as i128), 0, n as i128 - 1);
            d.add(b.strides[k] as i128, 0, n as i128 - 1);
        }
        d.add(-1, 0, a.dtype.size() as i128 - 1);
        d.add(1, 0, b.dtype.size() as i128 - 1);
        d
    }

    /// Adds to every distance of the set a multiple of `stride`, by any factor in `min..=max`.
    fn add(&mut self, stride: i128, min: i128, max: i128) {
        if stride == 0 || min == max {
            return self.start += stride * min;
        }
        let (min, max) = if stride > 0 { (min, max) } else { (-max, -min) };
        let stride = stride.abs();
        let at = self.terms.iter().position(|t| t.stride <= stride).unwrap_or(self.terms.len());
        match self.terms.get_mut(at) {
            Some(t) if t.stride == stride => (t.min, t.max) = (t.min + min, t.max + max),
            _ => self.terms.insert(at, Term { stride, min, max }),
        }
    }

    /// Returns whether some distance of the set is 0, or true if `budget` steps do not decide it.
    fn may_be_zero(&self, mut budget: u32) -> bool {
        search(self.start, &self.terms, &mut budget)
    }
}

/// Returns whether the terms, each with a multiplier in its bounds, can sum to `-rest`.
fn search(rest: i128, terms: &[Term], budget: &mut u32) -> bool {
    let Some((&Term { stride, min, max }, later)) = terms.split_first() else { return rest == 0 };
    if *budget == 0 {
        return true;
    }
    *budget -= 1;
    // Bounds on `m`: the later terms must be able to cancel `rest + m * stride` ...
    let lo: i128 = later.iter().map(|t| t.stride * t.min).sum();
    let hi: i128 = later.iter().map(|t| t.stride * t.max).sum();
    let least = min.max(-(rest + hi).div_euclid(stride));
    let greatest = max.min((-rest - lo).div_euclid(stride));
    // ... which must also be a multiple of the gcd of their strides. Every `period`th `m` satisfies that.
    let unit = later.iter().fold(0, |unit, t| bezout(t.stride, unit).0);
    let (common, inverse) = bezout(stride, unit);
    if rest % common != 0 {
        return false;
    }
    let period = (unit / common).max(1);
    let any = (-rest / common).rem_euclid(period) * inverse.rem_euclid(period);
    let mut m = least + (any - least).rem_euclid(period);
    while m <= greatest {
        if search(rest + m * stride, later, budget) {
            return true;
        }
        m += period;
    }
    false
}

/// Extended Euclid: returns the gcd `g` of two numbers, and `x` such that `b` divides `a * x - g`.
fn bezout(a: i128, b: i128) -> (i128, i128) {
    let (mut g, mut x) = ((a, b), (1, 0));
    while g.1 != 0 {
        let q = g.0 / g.1;
        g = (g.1, g.0 - q * g.1);
        x = (x.1, x.0 - q * x.1);
    }
    (g.0, x.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt::stream::extent;
    use op_dsl_ir::DType;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// Returns the offset of every index, in elements.
    fn offsets(shape: &[usize], strides: &[isize]) -> Vec<isize> {
        shape.iter().zip(strides).fold(vec![0], |all, (&n, &s)| {
            all.iter().flat_map(|at| (0..n as isize).map(move |i| at + i * s)).collect()
        })
    }

    fn stream(at: usize, strides: &[isize]) -> Stream {
        let mut all = [0; MAX_RANK];
        all.iter_mut().zip(strides).for_each(|(to, s)| *to = 2 * s);
        let ptr = core::ptr::without_provenance_mut(1000 + 2 * at);
        Stream { ptr, origin: ptr, dtype: DType::F16.into(), strides: all }
    }

    fn dims(most: usize) -> impl Strategy<Value = Vec<(usize, isize, isize)>> {
        prop::collection::vec((1..=most, -12isize..=12, -12isize..=12), 1..=4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn injective_is_what_gives_every_place_its_own_element(dims in dims(5)) {
            let shape: Vec<usize> = dims.iter().map(|d| d.0).collect();
            let strides: Vec<isize> = dims.iter().map(|d| d.1).collect();
            let all = offsets(&shape, &strides);
            let own = all.iter().collect::<HashSet<_>>().len() == all.len();
            prop_assert_eq!(is_injective(&shape, &strides), own);
        }

        #[test]
        fn streams_overlap_if_an_element_is_in_both(dims in dims(4), at in 0usize..60) {
            let sizes: Vec<usize> = dims.iter().map(|d| d.0).collect();
            let [a, b] = [0, 1].map(|k| -> Vec<isize> {
                dims.iter().map(|d| if k == 0 { d.1 } else { d.2 }).collect()
            });
            let first: HashSet<isize> = offsets(&sizes, &a).into_iter().collect();
            let meet = offsets(&sizes, &b).iter().any(|o| first.contains(&(o + at as isize)));
            let (a, b) = (stream(0, &a), stream(at, &b));
            let of = |s| (s, extent(s, &sizes));
            prop_assert_eq!(may_overlap(of(&a), of(&b), &sizes), meet);
        }
    }

    #[test]
    fn two_long_dimensions_are_decided_at_once() {
        assert!(is_injective(&[3, 2], &[2, 3]));
        assert!(is_injective(&[1 << 30, 1 << 30], &[(1 << 30) + 1, 1 << 30]));
        assert!(!is_injective(&[(1 << 30) + 2, (1 << 30) + 1], &[1 << 30, (1 << 30) + 1]));
    }

    /// Checks that a search that runs out of budget does not report streams as disjoint.
    #[test]
    fn what_is_not_known_may_overlap() {
        let sizes = [3, 4, 5];
        let (a, b) = (stream(0, &[7, 11, 13]), stream(20, &[5, -3, 2]));
        let d = Distances::between(&a, &b, &sizes);
        assert!((0..=BUDGET).all(|budget| d.may_be_zero(budget)));
        let apart = Distances::between(&stream(0, &[70, 20, 4]), &stream(1, &[70, 20, 4]), &sizes);
        assert!(!apart.may_be_zero(BUDGET) && apart.may_be_zero(1));
    }
}
