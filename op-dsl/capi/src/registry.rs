//! Registries of objects that C refers to by handles.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A handle of an object: an opaque number with the type of a pointer, which is never dereferenced.
pub type Handle = *mut c_void;

/// The live objects of one kind, by the numbers that are their handles.
///
/// Numbers are never reused, and no two kinds share one. Therefore no object is found for a handle that is null,
/// invented, of another kind or destroyed.
pub struct Registry<T>(Mutex<BTreeMap<usize, Arc<T>>>);

/// Number of the next object of any kind. Numbers start low, far from the addresses that a program has.
static NEXT: AtomicUsize = AtomicUsize::new(STEP);
/// Difference between two handles, since programs may expect a pointer to be aligned.
const STEP: usize = 16;

impl<T> Registry<T> {
    /// Returns a registry without objects.
    pub const fn new() -> Registry<T> {
        Registry(Mutex::new(BTreeMap::new()))
    }

    /// Stores an object and returns its handle, which is valid until [`Registry::take`].
    pub fn insert(&self, object: T) -> Handle {
        let number = NEXT.fetch_add(STEP, Ordering::Relaxed);
        self.live().insert(number, Arc::new(object));
        without_provenance_mut(number)
    }

    /// Returns the object of a handle, `None` if there is none.
    ///
    /// The object stays alive for its user even when another thread destroys it.
    pub fn get(&self, handle: Handle) -> Option<Arc<T>> {
        self.live().get(&handle.addr()).cloned()
    }

    /// Removes and returns the object of a handle, which is invalid from then on; `None` if there is none.
    pub fn take(&self, handle: Handle) -> Option<Arc<T>> {
        self.live().remove(&handle.addr())
    }

    /// Applies `change` to the object of a handle and returns the result; `None` if there is no object.
    ///
    /// Users that already have the object keep the old one.
    pub fn update<R>(&self, handle: Handle, change: impl FnOnce(&mut T) -> R) -> Option<R>
    where
        T: Clone,
    {
        self.live().get_mut(&handle.addr()).map(|object| change(Arc::make_mut(object)))
    }

    // A poisoned map is consistent, since no code here panics while it changes the map.
    fn live(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_of_one_kind_and_end() {
        let (words, numbers) = (Registry::new(), Registry::new());
        let (word, number) = (words.insert("a"), numbers.insert(7));
        assert_eq!(words.get(word).as_deref(), Some(&"a"));
        assert_eq!(words.get(number), None);
        assert_eq!(words.get(std::ptr::null_mut()), None);
        assert_eq!(numbers.update(number, |n| *n += 1), Some(()));
        assert_eq!(numbers.take(number).as_deref(), Some(&8));
        assert_eq!(numbers.take(number), None);
        assert_ne!(numbers.insert(9), number);
    }
}
