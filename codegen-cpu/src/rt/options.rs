//! Options of a call: threads, SIMD level, non-temporal stores, casts.

use super::simd::Level;

/// Options of a call.
///
/// No option changes a bit of the result, except the choice between levels with and without a fused multiply-add.
///
/// Kernels run in the default floating-point environment on every thread (to nearest, denormals kept, no traps), whatever the
/// caller's is. The caller's environment is restored afterwards.
///
/// Threads are those of rayon's current pool (feature `parallel`). Two kinds of call stay on the calling thread: calls on
/// cells, because cells are not shared between threads, and calls in a process forked from one in which a call had started the
/// pool, because the pool's threads do not exist in the fork.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Number of threads that share the work: 0 chooses by the amount of work, 1 is the calling thread.
    pub threads: usize,
    /// SIMD level of the kernels; `None` is the best that this CPU has.
    pub level: Option<Level>,
    /// Whether to use non-temporal stores; `None` decides by the size of the outputs.
    pub streaming: Option<bool>,
    /// Whether outputs may have any element type.
    ///
    /// Each result is rounded to the type that the inputs promote to, and then to the output's type. If false, an output of
    /// another type is an error.
    pub cast: bool,
}
