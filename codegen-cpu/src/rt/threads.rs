//! Number of threads for a call, and the fork and join that runs them.

use super::fp_env::DefaultMode;
use std::sync::atomic::{AtomicU32, Ordering};

/// Number of bytes, read and written, that amortise waking one more thread.
const PER_THREAD: usize = 1 << 20;
/// Maximum number of threads that a call may request.
const MOST_THREADS: usize = 1024;

/// Returns the number of threads for a call that moves `bytes` bytes; `wanted` 0 chooses by the bytes.
pub(super) fn number(wanted: usize, bytes: usize) -> usize {
    match wanted {
        0 if bytes < 2 * PER_THREAD => 1,
        1 => 1,
        _ if !pool_is_here() => 1,
        0 => pool_size().min(bytes / PER_THREAD),
        n => n.min(MOST_THREADS),
    }
}

fn pool_size() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// Returns whether this process may wait for the threads of the thread pool.
///
/// These threads do not exist in a forked process, where a wait for them would never end.
fn pool_is_here() -> bool {
    /// Id of the process in which a call first used the thread pool; 0 if no call has.
    static PROCESS: AtomicU32 = AtomicU32::new(0);
    let this = std::process::id();
    match PROCESS.compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(first) => first == this,
    }
}

/// Runs `work` on each of `threads` threads, in the default floating-point mode, without allocation.
pub(super) fn on_each(threads: usize, work: &(impl Fn() + Sync)) {
    if threads == 1 {
        let _mode = DefaultMode::enter();
        return work();
    }
    let half = threads / 2;
    both(|| on_each(threads - half, work), || on_each(half, work));
}

/// Runs both functions, in parallel if there is a thread pool.
fn both(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    #[cfg(feature = "parallel")]
    rayon::join(first, second);
    #[cfg(not(feature = "parallel"))]
    {
        first();
        second();
    }
}
