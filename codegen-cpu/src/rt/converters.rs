//! Copy kernels that convert between element types, for elements on their way to scratch memory.

use super::abi::BlockFn;
use super::block::{Body, Input, Kernels};
use super::elem::El;
use super::load::Load;
use super::simd::{Isa, Level};
use super::step::Floats;
use op_dsl_ir::DType;

/// A body that copies elements; its kernels convert them if the output has another type.
struct Copy;

impl Body<1, 0, 1> for Copy {
    #[inline(always)]
    fn eval<S: Isa, E: El, const W: usize>(
        _: S,
        [x]: [Input<'_, S, E, W>; 1],
        _: [Floats<S, W>; 0],
    ) -> [Floats<S, W>; 1] {
        [x.load()]
    }
}

/// Conversion kernels, one per element type that they convert from, in the order of [`DType`].
pub(super) type Converters = [BlockFn; DType::COUNT];

/// Returns the conversion kernels, or `None` if this build lacks the SIMD level.
pub(super) fn converters(level: Level) -> Option<Converters> {
    const COPY: &Kernels = &Kernels::of::<Copy, 1, 0, 1>();
    let any = COPY.get(DType::F32, level)?;
    Some(DType::ALL.map(|from| COPY.get(from, level).unwrap_or(any)))
}
