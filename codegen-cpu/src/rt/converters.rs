//! One element type -> another, as elements come to scratch memory: by kernels that copy.

use super::block::{BlockFn, Body, Input, Kernels};
use super::elem::El;
use super::simd::{Isa, Level};
use super::step::{Floats, Load};
use super::truth::{Widen, widen};
use op_dsl_ir::DType;

/// Copies elements; to another type if its output is of another.
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

/// What brings inputs to the kernel's type, at one level.
#[derive(Debug)]
pub(super) struct Converters {
    /// The kernels that convert elements of each type, in the order of [`DType`].
    pub numbers: [BlockFn; DType::COUNT],
    /// What makes numbers of each type, in the same order, of truth values.
    pub truths: [Widen; DType::COUNT],
}

/// None if this build lacks the level.
pub(super) fn converters(level: Level) -> Option<&'static Converters> {
    static LEVELS: [Option<Converters>; Level::COUNT] = {
        let mut all = [const { None }; Level::COUNT];
        let mut k = 0;
        while k < Level::COUNT {
            all[k] = at(Level::ALL[k]);
            k += 1;
        }
        all
    };
    LEVELS[level as usize].as_ref()
}

const fn at(level: Level) -> Option<Converters> {
    const COPY: &Kernels = &Kernels::of::<Copy, 1, 0, 1>();
    let of =
        [COPY.get(DType::F16, level), COPY.get(DType::BF16, level), COPY.get(DType::F32, level)];
    match (of, widen(level)) {
        ([Some(f16), Some(bf16), Some(f32)], Some(truths)) => {
            Some(Converters { numbers: [f16, bf16, f32], truths })
        }
        _ => None,
    }
}
