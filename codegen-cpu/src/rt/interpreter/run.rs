//! State of a running program, and the execution of its instructions.

use super::columns::{Argument, Function, Lanes};
use crate::rt::simd::Isa;
use core::mem::MaybeUninit;
use op_dsl_ir::Prim;
use op_dsl_ir::program::{Instruction, Op, Operand, Program};

/// State of a running program: its columns (one value per element), uniform values and guards.
pub(super) struct Run<'a, S: Isa, L: Lanes<S>> {
    pub program: &'a Program,
    table: &'static [Function; Op::COUNT],
    columns: *mut L,
    uniform: *mut L::Number,
    /// Bit `k` is set if guard `k`, a condition of instructions, is true. Guard 0 is always true.
    guards: u64,
    /// Bytes from the start of one column to the start of the next.
    pub pitch: usize,
    /// Number of pairs of `f32` vectors that each instruction computes.
    pub units: usize,
    _level: core::marker::PhantomData<S>,
}

impl<'a, S: Isa, L: Lanes<S>> Run<'a, S, L> {
    /// Creates the state, and computes all uniform values (one for all elements) and guards (conditions).
    ///
    /// # Safety
    /// The CPU must support the SIMD level. The memory must have room for the program's uniform values. Later executions require
    /// room for their columns.
    #[inline]
    pub unsafe fn new(
        program: &'a Program,
        table: &'static [Function; Op::COUNT],
        scalars: impl Iterator<Item = f64>,
        columns: *mut L,
        uniform: *mut L::Number,
    ) -> Self {
        let _level = core::marker::PhantomData;
        let mut run =
            Run { program, table, columns, uniform, guards: 1, pitch: 0, units: 1, _level };
        let scalars = scalars.take(usize::from(program.scalars));
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
    pub fn argument(&self, operand: Operand) -> Argument {
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
    pub unsafe fn execute(&self, load: impl Fn(usize, *mut L)) {
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
