//! Transfers between streams and the interpreter's columns.

use super::columns::{Argument, Lanes};
use super::run::Run;
use crate::rt::abi::{Interleave, Streams};
use crate::rt::convert::{load_as, store_as, store_own};
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Floats, PAIR};
use fearless_simd::prelude::*;
use op_dsl_ir::Stored;
use op_dsl_ir::program::Program;

/// Loads `units` pairs of `f32` vectors of input `stream`, from element `at` on, into the column `to`.
///
/// # Safety
/// As [`BlockFn`](crate::rt::abi::BlockFn). The column must have room for the units.
#[inline(never)]
pub(super) unsafe fn load<S: Isa, E: El, L: Lanes<S>>(
    program: &Program,
    io: &Streams,
    stream: usize,
    at: usize,
    units: usize,
    to: *mut L,
) {
    // SAFETY: the caller vouches for the SIMD level.
    let s = unsafe { S::assume() };
    let (unit, turn, stored) = (PAIR * S::f32s::LEN, io.turns[stream], io.stored[stream]);
    let is_of_rows = io.of_rows >> stream & 1 == 1;
    s.vectorize(
        #[inline(always)]
        move || {
            let start = io.start(stream).cast_const();
            for k in 0..units {
                let at = at + k * unit;
                // SAFETY: the caller vouches for the elements, and for the column.
                unsafe {
                    let step = match turn {
                        _ if is_of_rows => Floats::splat(s, start.cast::<f32>().read()),
                        _ if program.masks >> stream & 1 == 1 => E::truths(s, start.add(at)),
                        Interleave::Alone if stored == E::DTYPE => {
                            E::load(s, start.cast::<E>().add(at))
                        }
                        Interleave::Alone => load_as::<S, E, PAIR>(s, stored, start, at),
                        Interleave::First => E::load_turns(s, start.cast::<E>().add(2 * at))[0],
                        Interleave::Second => {
                            E::load_turns(s, start.cast::<E>().sub(1).add(2 * at))[1]
                        }
                    };
                    L::promote(step).write(to.add(k));
                }
            }
        },
    )
}

/// An output of a program or an interleaved pair of them: its values, and where they go.
pub(super) struct Output {
    /// Number of the output, or of the first of the pair.
    pub index: usize,
    pub stored: Stored,
    pub turn: Interleave,
    /// Start of the stream; of a pair, that of the stream which is first in memory.
    pub start: *mut u8,
    pub value: Argument,
    /// Values of the second output of a pair.
    pub next: Option<Argument>,
}

/// Returns the outputs of a program run, interleaved ones in pairs.
pub(super) fn outputs<S: Isa, L: Lanes<S>>(
    run: &Run<'_, S, L>,
    io: &Streams,
) -> impl Iterator<Item = Output> {
    let (first, outputs) = (usize::from(run.program.inputs), &run.program.outputs);
    let mut at = 0;
    core::iter::from_fn(move || {
        let (index, stream) = (at, first + at);
        let value = run.argument(*outputs.get(index)?);
        let turn = io.turns[stream];
        let second = outputs.get(index + 1).filter(|_| turn != Interleave::Alone);
        let next = second.map(|output| run.argument(*output));
        let start = io.start(stream + usize::from(turn == Interleave::Second));
        at += 1 + usize::from(next.is_some());
        Some(Output { index, stored: io.stored[stream], turn, start, value, next })
    })
}

/// Stores the results of a program run to the output streams in `io`, from element `at` on.
///
/// # Safety
/// As [`BlockFn`](crate::rt::abi::BlockFn), after a program has run.
#[inline(never)]
pub(super) unsafe fn store<S: Isa, E: El, L: Lanes<S>>(
    run: &Run<'_, S, L>,
    io: &Streams,
    at: usize,
    nt: bool,
) {
    // SAFETY: the caller vouches for the SIMD level.
    let s = unsafe { S::assume() };
    let unit = PAIR * S::f32s::LEN;
    s.vectorize(
        #[inline(always)]
        move || {
            for Output { index, stored: to, turn, start, value, next } in outputs(run, io) {
                // Other types than those that kernels compute in are results of the program.
                let number = to.number().unwrap_or(E::DTYPE);
                for k in 0..run.units {
                    let at = at + k * unit;
                    // SAFETY: the caller vouches for the elements; the program has computed the values.
                    unsafe {
                        let value: L = value.unit(s, k);
                        let value = value.round();
                        if let Some(next) = &next {
                            let next: L = next.unit(s, k);
                            let pair = turn.order([value, next.round()]);
                            let p = start.add(2 * at * to.size());
                            match to == E::DTYPE {
                                true => E::store_turns(s, p.cast(), pair, nt),
                                false => store_as::<S, E, PAIR, 2>(s, number, p, pair, nt),
                            }
                        } else {
                            let p = start.add(at * to.size());
                            match to == E::DTYPE {
                                true => E::store(s, p.cast(), value, nt),
                                false if run.program.results >> index & 1 == 1 => {
                                    store_own::<S, E, PAIR>(s, to, p, value, nt);
                                }
                                false => store_as::<S, E, PAIR, 1>(s, number, p, [value], nt),
                            }
                        }
                    }
                }
            }
        },
    )
}
