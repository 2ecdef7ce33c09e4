//! Parallel map over a slice.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Applies `f` to each item, on as many threads as the CPU runs at a time.
///
/// Results have the order of the items.
pub fn each<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let taken = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let taken = taken.map_while(|at| Some((at, items.get(at)?)));
        taken.map(|(at, item)| (at, f(item))).collect::<Vec<_>>()
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let mut made = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        let theirs = others.into_iter().map(|t| t.join().unwrap_or_else(|e| resume_unwind(e)));
        own.into_iter().chain(theirs.flatten()).collect::<Vec<_>>()
    });
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(each(&items, |i| 2 * i), items.iter().map(|i| 2 * i).collect::<Vec<_>>());
        assert!(each(&[], |i: &u32| *i).is_empty());
    }
}
