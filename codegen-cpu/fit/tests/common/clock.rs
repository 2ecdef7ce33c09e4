//! Processor time, which other processes do not lengthen.

use std::time::Duration;

/// Processor time used by this thread; `None` where the system does not report it.
pub fn used() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Returns a call's result and the time that it took.
pub fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let (start, wall) = (used(), std::time::Instant::now());
    let result = call();
    let time = match (start, used()) {
        (Some(start), Some(end)) => end - start,
        _ => wall.elapsed(),
    };
    (result, time)
}
