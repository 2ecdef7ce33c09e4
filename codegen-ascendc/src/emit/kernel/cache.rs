//! The data cache through which scalar code writes to GM.

use crate::arch::Arch;

/// Returns the C++ statement that writes the cache back, after scalar code has written elements of a type to a tensor `to`.
pub fn flush(arch: &Arch, element: &str) -> String {
    match arch.flushes {
        true => format!("DataCacheCleanAndInvalid<{element}, CacheLine::ENTIRE_DATA_CACHE>(to);"),
        false => "// The compiler has the cache written back at the end of a kernel.".into(),
    }
}
