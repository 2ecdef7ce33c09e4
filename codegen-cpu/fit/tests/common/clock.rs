//! Time on the processor, which others' work does not lengthen.

use std::time::Duration;

/// What this thread has used; nothing where the system does not say.
pub fn used() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// A call's result and its time.
pub fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let (start, wall) = (used(), std::time::Instant::now());
    let result = call();
    let time = match (start, used()) {
        (Some(start), Some(end)) => end - start,
        _ => wall.elapsed(),
    };
    (result, time)
}
