//! Registries of objects that C refers to by handles.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A handle: it has the type of a pointer, but is the object's number.
pub type Handle = *mut c_void;

/// The live objects of one kind.
///
/// Numbers are never reused and are shared by all kinds, so that a handle that is null, invented, of another kind or
/// destroyed finds nothing.
pub struct Registry<T>(Mutex<BTreeMap<usize, Arc<T>>>);

/// Number of the next object. Numbers start low, far from the addresses that a program has.
static NEXT: AtomicUsize = AtomicUsize::new(STEP);
/// Step between numbers, which preserves the alignment that programs may expect of a pointer.
const STEP: usize = 16;

impl<T> Registry<T> {
    /// Returns a registry without objects.
    pub const fn new() -> Registry<T> {
        Registry(Mutex::new(BTreeMap::new()))
    }

    /// Stores an object until it is taken.
    pub fn insert(&self, object: T) -> Handle {
        let number = NEXT.fetch_add(STEP, Ordering::Relaxed);
        self.live().insert(number, Arc::new(object));
        without_provenance_mut(number)
    }

    /// Returns the object, which stays alive for its user even when another thread destroys it.
    pub fn get(&self, handle: Handle) -> Option<Arc<T>> {
        self.live().get(&handle.addr()).cloned()
    }

    /// Removes the object, after which the handle is invalid.
    pub fn take(&self, handle: Handle) -> Option<Arc<T>> {
        self.live().remove(&handle.addr())
    }

    /// Changes the object for later users; those that already have it keep the old one.
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
