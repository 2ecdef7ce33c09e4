//! Block kernel of calls on f64: the interpreter, with transfers of f64 between streams and columns.
//!
//! Streams of other types are those that have a type of their own, masks, and inputs that the call promotes. No number is rounded
//! to f32 on its way.

use super::columns::Lanes;
use super::evaluate;
use super::functions::Exact;
use super::memory::{Output, outputs};
use super::run::Run;
use crate::rt::abi::{BlockFn, Interleave, MAX_SCALARS, Streams};
use crate::rt::convert::{load_as, store_own};
use crate::rt::elem::El;
use crate::rt::simd::{Isa, Level, levels};
use crate::rt::step::PAIR;
use crate::rt::wide::Wide;
use fearless_simd::prelude::*;
use op_dsl_ir::Stored;
use op_dsl_ir::program::Program;

/// Returns the block kernel of calls on f64, whose step is a pair of `f32` vectors; `None` if this build lacks the level.
pub(in crate::rt) const fn kernel(level: Level) -> Option<BlockFn> {
    macro_rules! at {
        ($($(#[$when:meta])* $level:ident($token:ident);)*) => {
            match level {
                $($(#[$when])* Level::$level => Some(block::<fearless_simd::$token> as BlockFn),)*
                #[allow(unreachable_patterns)]
                _ => None,
            }
        };
    }
    levels!(at)
}

/// Runs the program in `io` over `steps` pairs of `f32` vectors of each stream.
///
/// # Safety
/// As [`BlockFn`]. The attributes must be in `io.doubles`.
unsafe fn block<S: Isa>(io: &Streams, steps: usize, nt: bool) {
    // Both are always present in a call on f64.
    let Some(program) = io.program.filter(|_| !io.doubles.is_null()) else { return };
    for io in io.each_row() {
        // SAFETY: passed on from the caller.
        unsafe {
            let scalars = io.doubles.cast::<[f64; MAX_SCALARS]>().read();
            let table = Exact::table::<S>();
            evaluate::<S, Wide<S>>(
                program,
                table,
                scalars.into_iter(),
                steps,
                |stream, at| place(program, &io, stream, at, nt),
                |stream, at, units, to| load(program, &io, stream, at, units, to),
                |run, at| store(run, &io, at, nt),
            )
        }
    }
}

/// Returns the address of element `at` of a stream of f64 that is not interleaved; null for other streams.
///
/// It is null for an output with non-temporal stores too.
fn place<S: Isa>(
    program: &Program,
    io: &Streams,
    stream: usize,
    at: usize,
    nt: bool,
) -> *mut Wide<S> {
    let is_output = stream >= usize::from(program.inputs);
    let is_mask = !is_output && program.masks >> stream & 1 == 1;
    let is_plain = io.stored[stream] == Stored::Float64 && io.turns[stream] == Interleave::Alone;
    match is_plain && !is_mask && !(is_output && nt) {
        true => io.start(stream).cast::<f64>().wrapping_add(at).cast(),
        false => core::ptr::null_mut(),
    }
}

/// Loads `units` units of input `stream`, from element `at` on, into the column `to`.
///
/// # Safety
/// As [`BlockFn`]. The column must have room for the units.
#[inline(never)]
unsafe fn load<S: Isa>(
    program: &Program,
    io: &Streams,
    stream: usize,
    at: usize,
    units: usize,
    to: *mut Wide<S>,
) {
    // SAFETY: the caller vouches for the SIMD level.
    let s = unsafe { S::assume() };
    let (unit, turn, stored) = (PAIR * S::f32s::LEN, io.turns[stream], io.stored[stream]);
    let is_mask = program.masks >> stream & 1 == 1;
    s.vectorize(
        #[inline(always)]
        move || {
            let start = io.start(stream).cast_const();
            let doubles = start.cast::<f64>();
            for k in 0..units {
                let at = at + k * unit;
                // SAFETY: the caller vouches for the elements, and for the column.
                unsafe {
                    let values = match (turn, stored) {
                        _ if is_mask => <f32 as El>::truths::<S, PAIR>(s, start.add(at)).wide(),
                        (Interleave::Alone, Stored::Float64) => {
                            Wide::read(doubles.add(at).cast::<Wide<S>>())
                        }
                        (Interleave::First, _) => apart(doubles.add(2 * at).cast())[0],
                        (Interleave::Second, _) => apart(doubles.sub(1).add(2 * at).cast())[1],
                        (Interleave::Alone, Stored::Int32) => integers(s, start.cast(), at),
                        _ => load_as::<S, f32, PAIR>(s, stored, start, at).wide(),
                    };
                    values.write(to.add(k));
                }
            }
        },
    )
}

/// Loads two units of interleaved numbers, and returns the unit of each stream.
///
/// # Safety
/// `from` must be valid for reads of two units; it need not be aligned.
#[inline(always)]
unsafe fn apart<S: Isa>(from: *const Wide<S>) -> [Wide<S>; 2] {
    // SAFETY: passed on from the caller.
    let [a, b] = unsafe { [Wide::read(from), Wide::read(from.add(1))] };
    let [[p, q], [r, t]] = [a, b].map(
        #[inline(always)]
        |Wide([[v, w], [x, y]])| [v.deinterleave(w), x.deinterleave(y)],
    );
    [Wide([[p.0, q.0], [r.0, t.0]]), Wide([[p.1, q.1], [r.1, t.1]])]
}

/// Stores two units interleaved, the inverse of [`apart`].
///
/// # Safety
/// As [`put`], for two units.
#[inline(always)]
unsafe fn put_turns<S: Isa>(s: S, to: *mut f64, [a, b]: [Wide<S>; 2], nt: bool) {
    let unit = PAIR * S::f32s::LEN;
    for half in 0..2 {
        let [[v, w], [x, y]] = [[a.0[half][0], b.0[half][0]], [a.0[half][1], b.0[half][1]]];
        let ((p, q), (r, t)) = (v.interleave(w), x.interleave(y));
        // SAFETY: passed on from the caller.
        unsafe { put(s, to.add(half * unit), Wide([[p, q], [r, t]]), nt) }
    }
}

/// Loads a unit of 32-bit integers as f64, because f32 does not represent all of them.
///
/// # Safety
/// `start` must be valid for reads of a unit from element `at` on.
#[inline(always)]
unsafe fn integers<S: Isa>(s: S, start: *const i32, at: usize) -> Wide<S> {
    let vector = |k: usize| {
        let from = at + k * S::f64s::LEN;
        // SAFETY: passed on from the caller.
        S::f64s::from_fn(s, |i| f64::from(unsafe { start.add(from + i).read_unaligned() }))
    };
    Wide([[vector(0), vector(1)], [vector(2), vector(3)]])
}

/// Stores a unit, with non-temporal stores if `nt`.
///
/// # Safety
/// `to` must be valid for writes of a unit, and aligned to a vector when `nt`.
#[inline(always)]
unsafe fn put<S: Isa>(s: S, to: *mut f64, v: Wide<S>, nt: bool) {
    // SAFETY: passed on from the caller.
    unsafe {
        if !nt {
            return v.write(to.cast());
        }
        for (k, vector) in v.0.into_iter().flatten().enumerate() {
            s.stream(to.add(k * S::f64s::LEN).cast(), vector.bitcast());
        }
    }
}

/// Stores a unit of results in an output whose element type is fixed (a type of its own): as the nearest numbers of that type.
///
/// # Safety
/// `start` must be valid for writes of a unit from element `at` on, and aligned to a vector there when `nt`.
#[inline(never)]
unsafe fn put_as<S: Isa>(s: S, stored: Stored, start: *mut u8, at: usize, v: Wide<S>, nt: bool) {
    s.vectorize(
        #[inline(always)]
        || {
            let nearest = |v: S::f64s| S::f64s::from_fn(s, |i| stored.nearest(v[i]));
            let nearest = Wide::<S>(v.0.map(|two| two.map(nearest)));
            // SAFETY: passed on from the caller.
            unsafe {
                if stored == Stored::Int32 {
                    let to = start.cast::<i32>().add(at);
                    for (k, v) in nearest.0.into_iter().flatten().enumerate() {
                        for i in 0..S::f64s::LEN {
                            to.add(k * S::f64s::LEN + i).write_unaligned(v[i] as i32);
                        }
                    }
                    return;
                }
                // Numbers of all other types are numbers of f32 too.
                let p = start.add(at * stored.size());
                store_own::<S, f32, PAIR>(s, stored, p, nearest.narrow(), nt);
            }
        },
    )
}

/// Stores the results of a program run to the output streams in `io`, from element `at` on.
///
/// # Safety
/// As [`BlockFn`], after a program has run.
#[inline(never)]
unsafe fn store<S: Isa>(run: &Run<'_, S, Wide<S>>, io: &Streams, at: usize, nt: bool) {
    // SAFETY: the caller vouches for the SIMD level.
    let s = unsafe { S::assume() };
    let unit = PAIR * S::f32s::LEN;
    s.vectorize(
        #[inline(always)]
        move || {
            for Output { stored, turn, start, value, next, .. } in outputs(run, io) {
                for k in 0..run.units {
                    let at = at + k * unit;
                    // SAFETY: the caller vouches for the elements; the program has computed the values.
                    unsafe {
                        let value: Wide<S> = value.unit(s, k);
                        match (stored, &next) {
                            (Stored::Float64, Some(next)) => {
                                let pair = turn.order([value, next.unit(s, k)]);
                                put_turns(s, start.cast::<f64>().add(2 * at), pair, nt);
                            }
                            (Stored::Float64, None) => {
                                put(s, start.cast::<f64>().add(at), value, nt)
                            }
                            _ => put_as(s, stored, start, at, value, nt),
                        }
                    }
                }
            }
        },
    )
}

/// The program that writes zeros to one output.
pub(in crate::rt) static ZEROS: Program = {
    use op_dsl_ir::program::Operand;
    use op_dsl_ir::rounding::Arithmetic;
    use std::borrow::Cow::Borrowed;
    Program {
        arithmetic: Arithmetic::F64,
        numbers: Borrowed(&[0.0]),
        scalars: 0,
        uniform: Borrowed(&[]),
        guards: Borrowed(&[]),
        code: Borrowed(&[]),
        functions: 0,
        slots: 0,
        inputs: 0,
        masks: 0,
        results: 0,
        is_mixed: false,
        outputs: Borrowed(&[Operand(0)]),
    }
};
