//! State of a running program, and the execution of its instructions.

use super::columns::{Argument, Function, Lanes};
use crate::rt::simd::Isa;
use core::mem::MaybeUninit;
use core::ptr;
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
    /// Bit `k` is set while the column in slot `k` is memory of a stream, at `places[k]`, which no load needs to copy.
    direct: u64,
    places: [MaybeUninit<*const L>; u64::BITS as usize],
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
        let places = [const { MaybeUninit::uninit() }; _];
        let (guards, direct, pitch, units) = (1, 0, 0, 1);
        let mut run =
            Run { program, table, columns, uniform, guards, direct, places, pitch, units, _level };
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
            true => {
                let (slot, own) = (operand.index(), self.column(operand).cast_const());
                let is_direct = slot < self.places.len() && self.direct >> slot & 1 == 1;
                // SAFETY: the place is written before its bit is set.
                let at = if is_direct { unsafe { self.places[slot].assume_init() } } else { own };
                Argument { at: at.cast(), is_uniform: false }
            }
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
    /// `place(k)` is the address of the units of stream `k` if columns may be there, else null. Returns whether the results are in
    /// the memory of their stream, so that nothing is left to store.
    ///
    /// # Safety
    /// There must be room for the columns. `load(k, to)` must write `self.units` units of input `k` to `to`. The memory that is
    /// returned must be valid for reads of the units, and that of outputs for writes.
    #[inline]
    pub unsafe fn execute(
        &mut self,
        place: impl Fn(usize) -> *mut L,
        load: impl Fn(usize, *mut L),
    ) -> bool {
        let Program { code, outputs, inputs, .. } = self.program;
        let runs = |instruction: &Instruction| self.guards >> instruction.guard & 1 == 1;
        // Only the last instruction may write results, because an input that another one reads may be in the same memory.
        let last = code.iter().rposition(runs).filter(|last| {
            outputs.len() == 1 && code[*last].to == outputs[0] && code[*last].op != Op::Load
        });
        let result = if last.is_some() { place(usize::from(*inputs)) } else { ptr::null_mut() };
        self.direct = 0;
        for (at, instruction) in code.iter().enumerate() {
            if self.guards >> instruction.guard & 1 == 0 {
                continue;
            }
            let (to, slot) = (instruction.to, instruction.to.index());
            if instruction.op == Op::Load {
                let stream = instruction.args[0].index();
                // Results are stored one after the other, perhaps to the memory of an input, so that those that are inputs are copied.
                let is_direct = slot < self.places.len() && !outputs.contains(&to);
                let at = if is_direct { place(stream) } else { ptr::null_mut() };
                if !at.is_null() {
                    self.places[slot].write(at);
                    self.direct |= 1 << slot;
                    continue;
                }
                load(stream, self.column(to));
            } else {
                let is_result = last == Some(at) && !result.is_null();
                let to = if is_result { result } else { self.column(to) };
                // SAFETY: instructions follow those of their arguments.
                unsafe { self.call(instruction, to) }
            }
            if slot < self.places.len() {
                self.direct &= !(1 << slot);
            }
        }
        !result.is_null()
    }
}
