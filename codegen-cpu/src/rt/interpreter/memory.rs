//! Transfers between streams and the interpreter's columns.

use super::columns::Lanes;
use super::run::Run;
use crate::rt::abi::{Interleave, Streams};
use crate::rt::convert::{load_as, store_as, store_own};
use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Floats, PAIR};
use fearless_simd::prelude::*;
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
    let (unit, outputs) = (PAIR * S::f32s::LEN, &run.program.outputs);
    let first = usize::from(run.program.inputs);
    s.vectorize(
        #[inline(always)]
        move || {
            let mut output = 0;
            while output < outputs.len() {
                let stream = first + output;
                let (to, start, turn) = (io.stored[stream], io.start(stream), io.turns[stream]);
                // Other types than those that kernels compute in are results of the program.
                let number = to.number().unwrap_or(E::DTYPE);
                let of = run.argument(outputs[output]);
                let two = turn != Interleave::Alone;
                let next = if two { run.argument(outputs[output + 1]) } else { of };
                // Start of the interleaved pair: its first stream in memory order.
                let start = if turn == Interleave::Second { io.start(stream + 1) } else { start };
                for k in 0..run.units {
                    let at = at + k * unit;
                    // SAFETY: the caller vouches for the elements; the program has computed the values.
                    unsafe {
                        let value: L = of.unit(s, k);
                        let value = value.round();
                        if two {
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
                                false if run.program.results >> output & 1 == 1 => {
                                    store_own::<S, E, PAIR>(s, to, p, value, nt);
                                }
                                false => store_as::<S, E, PAIR, 1>(s, number, p, [value], nt),
                            }
                        }
                    }
                }
                output += if two { 2 } else { 1 };
            }
        },
    )
}
