//! Memory that the system has not given pages yet.

use crate::place::Place;
use op_dsl::ir::Stored;
use op_dsl::ir::bind::elements;

/// Bytes of a large page, and from how many on it is worth asking for some: as numpy does of its own arrays.
const LARGE: usize = 2 << 20;
const WORTH: usize = 4 << 20;

/// Asks the system for large pages for a dense tensor that nothing was written to: it clears and maps them one by one when they
/// are first touched, and of small ones there are so many that this takes longer than what is computed.
pub fn ask_for_large(place: &Place, stored: Stored) {
    let Some(bytes) = elements(&place.1).and_then(|n| n.checked_mul(stored.size())) else { return };
    let first = place.0.next_multiple_of(LARGE);
    let end = (place.0 + bytes) / LARGE * LARGE;
    if bytes >= WORTH && first < end {
        #[cfg(target_os = "linux")]
        // SAFETY: whole pages within the tensor; a wish that changes no byte, and what is said to it does not matter.
        unsafe {
            let at = std::ptr::with_exposed_provenance_mut(first);
            libc::madvise(at, end - first, libc::MADV_HUGEPAGE);
        }
    }
}
