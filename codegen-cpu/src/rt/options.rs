//! How to run a call.

use super::simd::Level;

/// How to run a call. No choice changes a bit of the result, except the level between those with
/// and without a fused multiply-add.
///
/// Kernels run in the default floating-point mode on every thread (to nearest, denormals kept, nothing
/// trapped), whatever the caller's is; the caller has its own back afterwards.
///
/// Threads are those of rayon's current pool (feature `parallel`). Calls on cells stay on the calling thread, since cells are no other's to
/// touch, and so do calls in a process that was forked from one whose pool had been started by a call: of such a
/// pool nothing is left but its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How many threads share the work; 0 asks for as many as pay, 1 for the calling thread only.
    pub threads: usize,
    /// The SIMD level; `None` is the best this CPU has.
    pub level: Option<Level>,
    /// Whether stores go past the caches; `None` lets the size of the outputs decide.
    pub streaming: Option<bool>,
    /// Whether outputs may have any element type: each result is rounded to the type that the inputs promote
    /// to, and then to the nearest of the output's. Else an output of another type is an error.
    pub cast: bool,
}
