//! Where the code of a formula takes a step of an input from: registers or memory.

use super::converted::Converted;
use super::simd::Isa;
use super::step::Floats;

/// A step, or a location in memory that a step can be loaded from.
pub trait Load<S: Isa, const W: usize>: Copy {
    /// Loads the step.
    fn load(self) -> Floats<S, W>;
    /// Loads the step of a mask: 1 for true, else 0.
    fn truth(self) -> Floats<S, W>;
    /// Loads the step of an input of type `T`.
    fn own<T: Converted>(self) -> Floats<S, W>;
}

impl<S: Isa, const W: usize> Load<S, W> for Floats<S, W> {
    #[inline(always)]
    fn load(self) -> Floats<S, W> {
        self
    }
    #[inline(always)]
    fn truth(self) -> Floats<S, W> {
        self
    }
    #[inline(always)]
    fn own<T: Converted>(self) -> Floats<S, W> {
        self
    }
}
