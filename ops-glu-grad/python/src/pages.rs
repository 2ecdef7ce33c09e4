//! Huge pages for new memory that the system has not mapped yet.

use crate::place::Place;
use op_dsl::ir::Stored;
use op_dsl::ir::bind::elements;

/// Size of a huge page in bytes.
///
/// Tensors of [`WORTH`] bytes (4 MiB) or more request huge pages, as numpy does for its arrays.
const LARGE: usize = 2 << 20;
const WORTH: usize = 4 << 20;

/// Requests huge pages for the memory of a contiguous tensor that was not written yet.
///
/// The system clears and maps pages one by one on first touch. Small pages are so many that this takes longer than
/// the kernel.
pub fn ask_for_large(place: &Place, stored: Stored) {
    let Some(bytes) = elements(&place.1).and_then(|n| n.checked_mul(stored.size())) else { return };
    let first = place.0.next_multiple_of(LARGE);
    let end = (place.0 + bytes) / LARGE * LARGE;
    if bytes >= WORTH && first < end {
        #[cfg(target_os = "linux")]
        // SAFETY: the range is whole pages within the tensor. The call is a hint that changes no byte, so its result
        // is ignored.
        unsafe {
            let at = std::ptr::with_exposed_provenance_mut(first);
            libc::madvise(at, end - first, libc::MADV_HUGEPAGE);
        }
    }
}
