//! Bodies with next to no arithmetic, to measure the cost of memory and driver alone.

use super::block::{Body, Input, Kernels};
use super::elem::El;
use super::load::Load;
use super::simd::Isa;
use super::step::Floats;

/// A body that reads every input and writes every output, at one or two products each.
///
/// Output `k > 0` is `x[0] * x[I - k]`; output 0 is the product of the remaining inputs. For example, for the GeGLU gradient
/// `(dy, gate, value, gelu)` the outputs are `dy * gate * value` and `dy * gelu`.
///
/// With `CONVERTS`, outputs may have types of their own.
struct Floor<const CONVERTS: bool>;

impl<const CONVERTS: bool, const I: usize, const O: usize> Body<I, 0, O> for Floor<CONVERTS> {
    const CONVERTS: bool = CONVERTS;

    #[inline(always)]
    fn eval<S: Isa, E: El, const W: usize>(
        _: S,
        x: [Input<'_, S, E, W>; I],
        _: [Floats<S, W>; 0],
    ) -> [Floats<S, W>; O] {
        let first = x[0].load();
        let mut out = [first; O];
        for (k, out) in out.iter_mut().enumerate().skip(1) {
            *out = first * x[I.saturating_sub(k)].load();
        }
        for v in x.iter().take((I + 1).saturating_sub(O)).skip(1) {
            out[0] = out[0] * v.load();
        }
        out
    }
}

/// Expands to a `match` over the numbers of inputs and outputs, which returns the kernels of [`Floor`] for these numbers.
macro_rules! floors {
    ($inputs:ident $outputs:ident $converts:literal: $($i:literal)*) => {
        match ($inputs, $outputs) {
            $(
                ($i, 1) => Some(const { &Kernels::of::<Floor<$converts>, $i, 0, 1>() }),
                ($i, 2) => Some(const { &Kernels::of::<Floor<$converts>, $i, 0, 2>() }),
                ($i, 3) => Some(const { &Kernels::of::<Floor<$converts>, $i, 0, 3>() }),
            )*
            _ => None,
        }
    };
}

/// Returns kernels that read up to six inputs and write up to three outputs, with next to no arithmetic.
///
/// They measure the time that memory and driver take alone.
pub fn floor_kernels(inputs: usize, outputs: usize) -> Option<&'static Kernels> {
    floors!(inputs outputs false: 1 2 3 4 5 6)
}

/// Returns floor kernels whose outputs may have types of their own, for up to three inputs and outputs.
pub(super) fn converting_floor_kernels(inputs: usize, outputs: usize) -> Option<&'static Kernels> {
    floors!(inputs outputs true: 1 2 3)
}
