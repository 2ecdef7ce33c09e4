//! Interpreter: runs a program over columns, one loop per instruction over elements that stay in L1 cache.
//!
//! ```text
//! columns    elements of a column, and the loop of an instruction
//! doubles    block kernel of calls on f64
//! functions  one function per instruction, in f32 and in f64
//! memory     streams -> columns -> streams
//! run        state of a running program
//! ```
//!
//! The interpreter computes with the same vector functions, in the same order, as a compiled body of the same graph, so that both
//! give the same bits at the same level. There is one instance per level and element type, whatever the number of operators.

mod columns;
pub(super) mod doubles;
mod functions;
mod memory;
mod run;

use super::abi::Streams;
use super::elem::El;
use super::simd::Isa;
use super::step::{Bits, Floats, PAIR};
use super::wide::Wide;
use columns::{Function, Lanes};
use core::mem::MaybeUninit;
use core::ptr;
use fearless_simd::prelude::*;
use functions::Instructions;
use memory::{load, store};
use op_dsl_ir::program::{Op, Program};
use op_dsl_ir::rounding::Arithmetic;
use run::Run;

/// Bytes that all columns of a program should fit in: two thirds of the smallest L1 data cache.
///
/// A program with many columns exceeds it, because each column has at least one unit.
const CACHE: usize = 24 << 10;
/// Maximum number of elements in a column.
const ELEMENTS: usize = 512;
/// Memory of one unit of a column at the widest level: 32 numbers in f64.
///
/// A unit has as many numbers as two `f32` vectors have.
#[repr(align(64))]
struct Unit {
    _bytes: [u8; 256],
}

/// Memory of a program run: columns (one value per element) and uniform values (one for all elements).
///
/// It has room for `SLOTS` columns of one unit, or for fewer and longer ones, and for `UNIFORM` uniform values.
struct Memory<const SLOTS: usize, const UNIFORM: usize> {
    columns: MaybeUninit<[Unit; SLOTS]>,
    uniform: MaybeUninit<[f64; UNIFORM]>,
}

/// Memory large enough to run any program of the interpreter.
type Large = Memory<{ Program::MAX_SLOTS }, { Program::MAX_UNIFORM }>;
const _: () = assert!(CACHE <= Program::MAX_SLOTS * size_of::<Unit>());

impl<const SLOTS: usize, const UNIFORM: usize> Memory<SLOTS, UNIFORM> {
    const fn new() -> Self {
        Memory { columns: MaybeUninit::uninit(), uniform: MaybeUninit::uninit() }
    }
}

/// Block kernel of interpreted operators: runs the program in `io` over `steps` steps of `W` vectors.
///
/// # Safety
/// As [`BlockFn`](super::abi::BlockFn).
pub(super) unsafe fn block<S: Isa, E: El, const W: usize>(io: &Streams, steps: usize, nt: bool) {
    // Always present, because the driver uses this kernel only for calls with a program.
    if let Some(program) = io.program {
        // SAFETY: passed on from the caller.
        unsafe { run::<S, E>(program, io, steps * (W / PAIR), nt) }
    }
}

/// Runs a program over `units` pairs of `f32` vectors of each stream in `io`.
///
/// # Safety
/// As [`BlockFn`](super::abi::BlockFn).
#[cold]
#[inline(never)]
pub(super) unsafe fn run<S: Isa, E: El>(program: &Program, io: &Streams, units: usize, nt: bool) {
    for io in io.each_row() {
        // SAFETY: passed on from the caller.
        unsafe {
            match program.arithmetic {
                Arithmetic::F32 => evaluate_in::<S, E, Floats<S>>(program, &io, units, nt),
                Arithmetic::F64 => evaluate_in::<S, E, Wide<S>>(program, &io, units, nt),
            }
        }
    }
}

/// Runs a program over `units` pairs of `f32` vectors of each stream, with numbers of type `L` rounded to type `E`.
///
/// # Safety
/// As [`block`], for `units` pairs of vectors.
unsafe fn evaluate_in<S: Isa, E: El, L: Instructions<S>>(
    program: &Program,
    io: &Streams,
    units: usize,
    nt: bool,
) {
    let table = if program.is_mixed { L::table::<f32>() } else { L::table::<E>() };
    // SAFETY: passed on from the caller.
    unsafe {
        evaluate::<S, L>(
            program,
            table,
            io.scalar.into_iter().map(f64::from),
            units,
            |_, _| ptr::null_mut(),
            |stream, at, units, to| load::<S, E, L>(program, io, stream, at, units, to),
            |run, at| store::<S, E, L>(run, io, at, nt),
        )
    }
}

/// Runs a program over `units` pairs of `f32` vectors of each stream, with numbers of type `L`.
///
/// `load` and `store` transfer elements from an index on between streams and columns. `place` returns the address of a stream's
/// elements from an index on if columns may be there, else null.
///
/// # Safety
/// As [`block`], for `units` pairs of vectors. `load` must write the units that it is asked for. Addresses must be valid.
unsafe fn evaluate<S: Isa, L: Lanes<S>>(
    program: &Program,
    table: &'static [Function; Op::COUNT],
    scalars: impl Iterator<Item = f64>,
    units: usize,
    place: impl Fn(usize, usize) -> *mut L,
    load: impl Fn(usize, usize, usize, *mut L),
    store: impl Fn(&Run<'_, S, L>, usize),
) {
    let mut memory = Large::new();
    let slots = usize::from(program.slots).max(1);
    let unit = PAIR * S::f32s::LEN;
    let most = (CACHE / (slots * size_of::<L>())).clamp(1, ELEMENTS / unit);
    // SAFETY: the memory has room for `most` units in each slot: if that is more than one, they are fewer bytes than `CACHE`.
    // The caller vouches for the streams.
    unsafe {
        let mut run = Run::<S, L>::new(
            program,
            table,
            scalars,
            memory.columns.as_mut_ptr().cast(),
            memory.uniform.as_mut_ptr().cast(),
        );
        run.pitch = most * size_of::<L>();
        let mut done = 0;
        while done < units {
            run.units = most.min(units - done);
            let (at, units) = (done * unit, run.units);
            if !run.execute(|stream| place(stream, at), |stream, to| load(stream, at, units, to)) {
                store(&run, at);
            }
            done += run.units;
        }
    }
}

/// Runs a program in f64 on one pair of vectors, from inputs `x` and attributes `a` to outputs `y`.
#[cold]
pub(super) fn pair<S: Isa>(
    s: S,
    program: &Program,
    x: &[Bits<S>],
    a: &[Bits<S>],
    y: &mut [Floats<S>],
) {
    // Programs that fit use a smaller memory, because touching each page of the large one takes as long as some instructions.
    const SLOTS: usize = 16;
    const UNIFORM: usize = 64;
    if usize::from(program.slots) <= SLOTS && program.uniform_values() <= UNIFORM {
        pair_in::<S, SLOTS, UNIFORM>(s, program, x, a, y)
    } else {
        pair_in::<S, { Program::MAX_SLOTS }, { Program::MAX_UNIFORM }>(s, program, x, a, y)
    }
}

/// As [`pair`], for a program of at most `SLOTS` columns and `UNIFORM` uniform values.
#[inline(never)]
fn pair_in<S: Isa, const SLOTS: usize, const UNIFORM: usize>(
    s: S,
    program: &Program,
    x: &[Bits<S>],
    a: &[Bits<S>],
    y: &mut [Floats<S>],
) {
    let mut memory = Memory::<SLOTS, UNIFORM>::new();
    let scalars = a.iter().map(|a| f64::from(a.floats().0[0][0]));
    // SAFETY: the token proves the SIMD level. The memory has room for one unit in each slot, and for the uniform values.
    unsafe {
        let mut run = Run::<S, Wide<S>>::new(
            program,
            Wide::<S>::table::<f32>(),
            scalars,
            memory.columns.as_mut_ptr().cast(),
            memory.uniform.as_mut_ptr().cast(),
        );
        run.pitch = size_of::<Wide<S>>();
        run.execute(
            |_| ptr::null_mut(),
            |stream, to| {
                let x = x[stream];
                s.vectorize(
                    #[inline(always)]
                    || x.floats().wide().write(to),
                )
            },
        );
        for (y, output) in y.iter_mut().zip(&*program.outputs) {
            let output = run.argument(*output);
            *y = s.vectorize(
                #[inline(always)]
                || output.unit::<S, Wide<S>>(s, 0).narrow(),
            );
        }
    }
}
