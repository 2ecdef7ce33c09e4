//! Interpreter: runs a program over columns, one loop per instruction over elements that stay in L1 cache.
//!
//! ```text
//! columns    elements of a column, and the loop of an instruction
//! functions  one function per instruction, in f32 and in f64
//! memory     streams -> columns -> streams
//! ```
//!
//! The interpreter computes with the same vector functions, in the same order, as a compiled body of the same graph, so that both
//! give the same bits at the same level. There is one instance per level and element type, whatever the number of operators.

mod columns;
mod functions;
mod memory;

use super::block::{MAX_SCALARS, Streams};
use super::elem::El;
use super::simd::Isa;
use super::step::{Bits, Floats, PAIR};
use super::wide::Wide;
use columns::{Argument, Function, Lanes};
use core::mem::MaybeUninit;
use fearless_simd::prelude::*;
use memory::{load, store};
use op_dsl_ir::Prim;
use op_dsl_ir::program::{Instruction, Op, Operand, Program};
use op_dsl_ir::rounding::Arithmetic;

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
/// As [`BlockFn`](super::block::BlockFn).
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
/// As [`BlockFn`](super::block::BlockFn).
#[cold]
#[inline(never)]
pub(super) unsafe fn run<S: Isa, E: El>(program: &Program, io: &Streams, units: usize, nt: bool) {
    // SAFETY: passed on from the caller.
    unsafe {
        match program.arithmetic {
            Arithmetic::F32 => evaluate::<S, E, Floats<S>>(program, io, units, nt),
            Arithmetic::F64 => evaluate::<S, E, Wide<S>>(program, io, units, nt),
        }
    }
}

/// Runs a program over `units` pairs of `f32` vectors of each stream, with numbers of type `L`.
///
/// # Safety
/// As [`block`], for `units` pairs of vectors.
unsafe fn evaluate<S: Isa, E: El, L: Lanes<S>>(
    program: &Program,
    io: &Streams,
    units: usize,
    nt: bool,
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
            L::table::<E>(),
            &io.scalar,
            memory.columns.as_mut_ptr().cast(),
            memory.uniform.as_mut_ptr().cast(),
        );
        run.pitch = most * size_of::<L>();
        let mut done = 0;
        while done < units {
            run.units = most.min(units - done);
            let (at, units) = (done * unit, run.units);
            run.execute(|stream, to| load::<S, E, L>(program, io, stream, at, units, to));
            store::<S, E, L>(&run, io, at, nt);
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
    let mut scalars = [0.0; MAX_SCALARS];
    for (scalar, a) in scalars.iter_mut().zip(a) {
        *scalar = a.floats().0[0][0];
    }
    // SAFETY: the token proves the SIMD level. The memory has room for one unit in each slot, and for the uniform values.
    unsafe {
        let mut run = Run::<S, Wide<S>>::new(
            program,
            Wide::<S>::table::<f32>(),
            &scalars,
            memory.columns.as_mut_ptr().cast(),
            memory.uniform.as_mut_ptr().cast(),
        );
        run.pitch = size_of::<Wide<S>>();
        run.execute(|stream, to| {
            let x = x[stream];
            s.vectorize(
                #[inline(always)]
                || x.floats().wide().write(to),
            )
        });
        for (y, output) in y.iter_mut().zip(&*program.outputs) {
            let output = run.argument(*output);
            *y = s.vectorize(
                #[inline(always)]
                || output.unit::<S, Wide<S>>(s, 0).narrow(),
            );
        }
    }
}

/// State of a running program: its columns (one value per element), uniform values and guards.
struct Run<'a, S: Isa, L: Lanes<S>> {
    program: &'a Program,
    table: &'static [Function; Op::COUNT],
    columns: *mut L,
    uniform: *mut L::Number,
    /// Bit `k` is set if guard `k`, a condition of instructions, is true. Guard 0 is always true.
    guards: u64,
    /// Bytes from the start of one column to the start of the next.
    pitch: usize,
    /// Number of pairs of `f32` vectors that each instruction computes.
    units: usize,
    _level: core::marker::PhantomData<S>,
}

impl<'a, S: Isa, L: Lanes<S>> Run<'a, S, L> {
    /// Creates the state, and computes all uniform values (one for all elements) and guards (conditions).
    ///
    /// # Safety
    /// The CPU must support the SIMD level. The memory must have room for the program's uniform values. Later executions require
    /// room for their columns.
    #[inline]
    unsafe fn new(
        program: &'a Program,
        table: &'static [Function; Op::COUNT],
        scalars: &[f32; MAX_SCALARS],
        columns: *mut L,
        uniform: *mut L::Number,
    ) -> Self {
        let _level = core::marker::PhantomData;
        let mut run =
            Run { program, table, columns, uniform, guards: 1, pitch: 0, units: 1, _level };
        let scalars = scalars[..usize::from(program.scalars)].iter().map(|v| f64::from(*v));
        // SAFETY: passed on from the caller.
        unsafe {
            for (k, v) in program.numbers.iter().copied().chain(scalars).enumerate() {
                uniform.add(k).write(L::number(v));
            }
            for instruction in &*program.uniform {
                let mut value = MaybeUninit::<L>::uninit();
                run.call(instruction, value.as_mut_ptr());
                let first = value.as_ptr().cast::<L::Number>().read();
                uniform.add(instruction.to.index()).write(first);
            }
            for (k, guard) in program.guards.iter().enumerate() {
                let outer = run.guards >> guard.outer & 1 == 1;
                let holds = run.holds(guard.condition) == guard.holds;
                run.guards |= u64::from(outer && holds) << (k + 1);
            }
        }
        run
    }

    /// Returns whether a uniform condition (one value for all elements) is true.
    ///
    /// # Safety
    /// The condition must have been computed.
    unsafe fn holds(&self, condition: Operand) -> bool {
        // SAFETY: passed on from the caller.
        L::is_true(unsafe { self.uniform.add(condition.index()).read() })
    }

    /// Returns the address of an operand's column (one value per element) or of its uniform number.
    #[inline]
    fn argument(&self, operand: Operand) -> Argument {
        match operand.is_column() {
            true => Argument { at: self.column(operand).cast(), is_uniform: false },
            false => Argument {
                at: self.uniform.wrapping_add(operand.index()).cast_const().cast(),
                is_uniform: true,
            },
        }
    }

    #[inline]
    fn column(&self, operand: Operand) -> *mut L {
        self.columns.wrapping_byte_add(operand.index() * self.pitch)
    }

    /// Executes one instruction, and writes its results to `to`.
    ///
    /// # Safety
    /// The arguments must have been computed, and `to` must have room for the result.
    #[inline]
    unsafe fn call(&self, instruction: &Instruction, to: *mut L) {
        let Instruction { op, args, .. } = *instruction;
        let mut function = self.table[op.index()];
        let mut args = args.map(|operand| self.argument(operand));
        // SAFETY: passed on from the caller.
        unsafe {
            if op == Op::Call(Prim::Select) && args[0].is_uniform {
                // Selects here, because the untaken branch may not have been computed.
                let taken = if self.holds(instruction.args[0]) { args[1] } else { args[2] };
                (function, args[0]) = (self.table[Op::Load.index()], taken);
            }
            function(self.units, to.cast(), &args)
        }
    }

    /// Runs the program's instructions whose guards (conditions) are true, which computes all columns.
    ///
    /// # Safety
    /// There must be room for the columns. `load(k, to)` must write `self.units` units of input `k` to `to`.
    #[inline]
    unsafe fn execute(&self, load: impl Fn(usize, *mut L)) {
        for instruction in &*self.program.code {
            if self.guards >> instruction.guard & 1 == 0 {
                continue;
            }
            let to = self.column(instruction.to);
            match instruction.op {
                Op::Load => load(instruction.args[0].index(), to),
                // SAFETY: instructions follow those of their arguments.
                _ => unsafe { self.call(instruction, to) },
            }
        }
    }
}
