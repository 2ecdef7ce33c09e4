//! Questions about the flags of streams, which kernels ask while they are compiled.

use op_dsl_ir::Stored;

/// A `const` version of `all.contains(&true)`.
pub(super) const fn any(all: &[bool]) -> bool {
    let mut k = 0;
    while k < all.len() && !all[k] {
        k += 1;
    }
    k < all.len()
}

/// Returns whether some stream has a type of its own.
pub(super) const fn any_own(all: &[Option<Stored>]) -> bool {
    let mut k = 0;
    while k < all.len() && all[k].is_none() {
        k += 1;
    }
    k < all.len()
}

/// Returns whether every `true` is followed by a `false`.
///
/// A `true` at index `k` marks streams `k` and `k + 1` as a pair that may be interleaved, and no stream may be in two pairs.
pub(super) const fn in_twos(all: &[bool]) -> bool {
    let mut k = 0;
    while k < all.len() && !(all[k] && (k + 1 == all.len() || all[k + 1])) {
        k += 1;
    }
    k == all.len()
}
