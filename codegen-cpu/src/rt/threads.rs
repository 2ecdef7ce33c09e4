//! Which threads share the work of a call.

use super::mode::DefaultMode;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes read and written that pay for waking one more thread.
const PER_THREAD: usize = 1 << 20;
/// Threads that a call may ask for.
const MOST_THREADS: usize = 1024;

/// How many threads work on so many bytes, if the caller wants so many (0: as many as pay).
pub(super) fn number(wanted: usize, bytes: usize) -> usize {
    match wanted {
        0 if bytes < 2 * PER_THREAD => 1,
        1 => 1,
        _ if !pool_is_here() => 1,
        0 => pool_size().min(bytes / PER_THREAD),
        n => n.min(MOST_THREADS),
    }
}

/// How many threads there are to share work.
fn pool_size() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// Whether this process may wait for the pool's threads: they do not follow into a process that is forked
/// off, and who waits for them there waits forever.
fn pool_is_here() -> bool {
    /// The process in which a call first used the pool; 0 is none.
    static PROCESS: AtomicU32 = AtomicU32::new(0);
    let this = std::process::id();
    match PROCESS.compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(first) => first == this,
    }
}

/// Does the work on each of so many threads, in the default floating-point mode; without allocating.
pub(super) fn on_each(threads: usize, work: &(impl Fn() + Sync)) {
    if threads == 1 {
        let _mode = DefaultMode::enter();
        return work();
    }
    let half = threads / 2;
    both(|| on_each(threads - half, work), || on_each(half, work));
}

/// Both of them, at once where there are threads.
fn both(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    #[cfg(feature = "parallel")]
    rayon::join(first, second);
    #[cfg(not(feature = "parallel"))]
    {
        first();
        second();
    }
}
