//! The SIMD level of all calls, which benchmarks and tests may choose.

use op_dsl::Level;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Index into [`Level::ALL`] of the level that was chosen; any other number stands for the best of this CPU.
static CHOSEN: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Returns the level that was chosen, if any.
pub fn chosen() -> Option<Level> {
    Level::ALL.get(CHOSEN.load(Ordering::Relaxed)).copied()
}

/// Chooses the level of all later calls of the process by its name; `None` chooses the best of this CPU.
pub fn choose(name: Option<&str>) -> PyResult<()> {
    let available = || Level::ALL.into_iter().enumerate().filter(|(_, level)| level.is_available());
    let index = match name {
        None => usize::MAX,
        Some(name) => match available().find(|(_, level)| level.name() == name) {
            Some((index, _)) => index,
            None => {
                let allowed: Vec<_> = available().map(|(_, level)| level.name()).collect();
                let allowed = allowed.join(", ");
                return Err(PyValueError::new_err(format!(
                    "SIMD level `{name}` is unknown or not of this CPU; allowed: {allowed}"
                )));
            }
        },
    };
    CHOSEN.store(index, Ordering::Relaxed);
    Ok(())
}
