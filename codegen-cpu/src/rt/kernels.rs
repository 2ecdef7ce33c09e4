//! The kernels of an operator's body: one function per element type and SIMD level.

use super::abi::{BlockFn, MAX_SCALARS, MAX_STREAMS};
use super::block::{Body, Kernel};
use super::flags::in_twos;
use super::interpreter::{self, doubles};
use super::simd::{Level, levels};
use super::step::{PAIR, width};
use crate::elements;
use op_dsl_ir::program::{Op, Program};
use op_dsl_ir::{DType, Stored};

/// Decides whether the interpreter is the kernel of a program at a SIMD level.
///
/// Kernels are compiled for tables, for f32 at levels of wide vectors, and in f64 where they are more than 1.5 times as fast as
/// the interpreter. Functions such as `exp` take as long in a compiled kernel as in the interpreter. An arithmetic instruction
/// takes 0.08 to 0.09 ns longer in the interpreter, where a function takes 1.0 ns with AVX-512 and 1.8 ns with AVX2 (Zen 4).
/// A body that [`Body::INTERPRETED`] marks is compiled at no level.
const fn is_interpreted(program: &Program, level: Level, in_f64: bool) -> bool {
    let (functions, arithmetic) = (program.functions as usize, program.arithmetic());
    match level {
        Level::Fallback => true,
        Level::Baseline => functions > 0,
        Level::Avx2 | Level::Neon => in_f64 && arithmetic < 18 * functions,
        Level::Avx512 => in_f64 && arithmetic < 7 * functions,
    }
}

/// Decides whether a kernel computes two vectors at a time, although a step of the level has more.
///
/// AVX2 has longer steps only because they suit look-ups.
const fn computes_pairs(level: Level, looks_up: bool) -> bool {
    matches!(level, Level::Avx2) && !looks_up
}

/// Fills the table of kernels `$table`; the macro `$kernel` produces each entry.
macro_rules! fill {
    (@ $table:ident $kernel:ident $level:ident $token:ident $($E:ty => $dtype:ident),*) => {$(
        if Level::$level.is_built() {
            $table[DType::$dtype as usize][Level::$level as usize] =
                $kernel!($level $token $dtype $E);
        }
    )*};
    ($table:ident $kernel:ident $($(#[$when:meta])* $level:ident($token:ident);)*) => {$(
        $(#[$when])*
        {
            elements!((fill) @ $table $kernel $level $token);
        }
    )*};
}

/// Block kernels of one body (an operator's formula), with the body's numbers of streams.
///
/// The numbers are private, because the pointers of a call are counted by them:
///
/// ```compile_fail,E0616
/// fn lie(kernels: &mut codegen_cpu::rt::block::Kernels) {
///     kernels.inputs = 1;
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    inputs: usize,
    scalars: usize,
    /// Number of scalars that are values of attributes; the others follow them.
    attributes: usize,
    /// Computes the scalars that are no attributes.
    uniform: fn(&mut [f32; MAX_SCALARS]),
    outputs: usize,
    reads: [bool; MAX_STREAMS],
    masks: [bool; MAX_STREAMS],
    /// For each input, whether a run has one number of it for all elements.
    of_rows: [bool; MAX_STREAMS],
    /// For each element type and SIMD level, whether the kernel can add its terms.
    sums: [[bool; Level::COUNT]; DType::COUNT],
    /// For each stream, the type that the body expects, if it is not the kernel's.
    own: [Option<Stored>; MAX_STREAMS],
    /// For each stream, inputs before outputs, true if it may be interleaved with the next stream.
    turns: [bool; MAX_STREAMS],
    /// Programs for the interpreter, in the order of `DType`; `None` if the body has no programs.
    programs: Option<[&'static Program; DType::COUNT]>,
    /// Program of calls on f64; `None` if there are no such calls.
    on_f64: Option<&'static Program>,
    /// Kernels: rows in the order of `DType`, columns in the order of `Level`.
    ///
    /// An entry is `None` if this build lacks the level, or the body has no kernel for the element type.
    table: [[Option<BlockFn>; Level::COUNT]; DType::COUNT],
}

/// Computes the scalars of the body `B` that are functions of attributes.
fn uniform<B, const I: usize, const A: usize, const O: usize>(scalars: &mut [f32; MAX_SCALARS])
where
    B: Body<I, A, O>,
{
    if let Some(all) = scalars.first_chunk_mut() {
        B::uniform(all);
    }
}

impl Kernels {
    /// Builds the kernels of the body `B` for every element type and SIMD level.
    pub const fn of<B, const I: usize, const A: usize, const O: usize>() -> Kernels
    where
        B: Body<I, A, O>,
    {
        const {
            assert!(I + O <= MAX_STREAMS && A <= MAX_SCALARS);
            assert!(in_twos(&B::INPUT_TURNS) && in_twos(&B::OUTPUT_TURNS));
        }
        let [mut reads, mut masks, mut of_rows, mut turns] = [[false; MAX_STREAMS]; 4];
        let (mut own, mut k) = ([None; MAX_STREAMS], 0);
        while k < I {
            (own[k], of_rows[k]) = (B::OWN[k], B::OF_ROWS[k]);
            (reads[k], masks[k], turns[k]) = (B::READS[k], B::MASKS[k], B::INPUT_TURNS[k]);
            k += 1;
        }
        while k < I + O {
            (turns[k], own[k]) = (B::OUTPUT_TURNS[k - I], B::RESULTS[k - I]);
            k += 1;
        }
        let mut table = [[None; Level::COUNT]; DType::COUNT];
        let mut sums = [[B::SUMS && !B::LOOKS_UP; Level::COUNT]; DType::COUNT];
        macro_rules! kernel {
            ($level:ident $token:ident $dtype:ident $E:ty) => {{
                const W: usize = width(DType::$dtype, Level::$level);
                const ROW: usize = DType::$dtype as usize;
                match B::PROGRAMS {
                    _ if !B::DTYPES[ROW] => None,
                    Some(programs)
                        if B::INTERPRETED
                            || is_interpreted(programs[ROW], Level::$level, B::IN_F64[ROW]) =>
                    {
                        sums[ROW][Level::$level as usize] = false;
                        Some(interpreter::block::<fearless_simd::$token, $E, W> as BlockFn)
                    }
                    _ if W > PAIR && computes_pairs(Level::$level, B::LOOKS_UP) => {
                        Some(<B as Kernel<I, A, O>>::block_of_pairs::<fearless_simd::$token, $E, W>)
                    }
                    _ => Some(<B as Kernel<I, A, O>>::block::<fearless_simd::$token, $E, W>),
                }
            }};
        }
        levels!(fill table kernel);
        Kernels {
            inputs: I,
            scalars: A,
            attributes: A - B::UNIFORM,
            uniform: uniform::<B, I, A, O>,
            outputs: O,
            reads,
            masks,
            of_rows,
            sums,
            own,
            turns,
            programs: B::PROGRAMS,
            on_f64: B::ON_F64,
            table,
        }
    }

    /// Returns the kernels of a call on f64, whose input streams have the types `stored`; `None` if there are no such calls.
    ///
    /// For the driver they are kernels of f32, all streams of which have a type of their own.
    pub fn on_f64(&self, stored: impl Iterator<Item = Stored>) -> Option<Kernels> {
        let program = self.on_f64?;
        let mut all = Kernels { scalars: self.attributes, ..*self };
        (all.reads, all.masks, all.own) = ([false; MAX_STREAMS], [false; MAX_STREAMS], [None; _]);
        for load in program.code.iter().filter(|instruction| instruction.op == Op::Load) {
            all.reads[load.args[0].index()] = true;
        }
        for (k, stored) in stored.enumerate().take(self.inputs) {
            all.masks[k] = program.masks >> k & 1 == 1;
            all.own[k] = Some(stored).filter(|_| !all.masks[k]);
            all.turns[k] &= stored == Stored::Float64;
        }
        all.programs = Some([program; DType::COUNT]);
        all.table = [[None; Level::COUNT]; DType::COUNT];
        all.sums = [[false; Level::COUNT]; DType::COUNT];
        for level in Level::ALL.into_iter().filter(|level| level.is_built()) {
            all.table[DType::F32 as usize][level as usize] = doubles::kernel(level);
        }
        Some(all)
    }

    /// Adds programs for the interpreter, in the order of `DType`: see [`Body::PROGRAMS`].
    pub const fn with_programs(self, programs: [&'static Program; DType::COUNT]) -> Kernels {
        Kernels { programs: Some(programs), ..self }
    }

    /// Returns kernels that use the interpreter at every level, or `None` if the body has no programs.
    ///
    /// Tests compare compiled kernels with them, as a second implementation.
    pub fn interpreted(&self) -> Option<Kernels> {
        self.programs?;
        let mut table = [[None; Level::COUNT]; DType::COUNT];
        macro_rules! kernel {
            ($level:ident $token:ident $dtype:ident $E:ty) => {{
                const W: usize = width(DType::$dtype, Level::$level);
                Some(interpreter::block::<fearless_simd::$token, $E, W> as BlockFn)
            }};
        }
        levels!(fill table kernel);
        Some(Kernels { table, sums: [[false; Level::COUNT]; DType::COUNT], ..*self })
    }

    /// Returns the number of input streams.
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the number of run-time scalars: numeric attributes, and functions of attributes.
    pub const fn scalars(&self) -> usize {
        self.scalars
    }

    /// Returns the number of run-time scalars that are numeric attributes.
    pub const fn attributes(&self) -> usize {
        self.attributes
    }

    /// Computes the scalars that follow those of attributes.
    pub fn complete(&self, scalars: &mut [f32; MAX_SCALARS]) {
        if self.attributes < self.scalars {
            (self.uniform)(scalars);
        }
    }

    /// Returns the number of output streams.
    pub const fn outputs(&self) -> usize {
        self.outputs
    }

    /// Returns, for each input stream, whether the body reads it.
    pub fn reads(&self) -> &[bool] {
        &self.reads[..self.inputs]
    }

    /// Returns, for each input stream, whether it is a mask.
    pub fn masks(&self) -> &[bool] {
        &self.masks[..self.inputs]
    }

    /// Returns, for each input stream, whether a run has one number of it, of f32, for all elements.
    pub fn of_rows(&self) -> &[bool] {
        &self.of_rows[..self.inputs]
    }

    /// Returns, for each stream, inputs before outputs, the type that the body expects, if it is not the kernel's.
    pub fn own(&self) -> &[Option<Stored>] {
        &self.own[..self.inputs + self.outputs]
    }

    /// Returns, for each stream, inputs before outputs, whether it may be interleaved with the next.
    pub fn turns(&self) -> &[bool] {
        &self.turns[..self.inputs + self.outputs]
    }

    /// Marks the inputs that the kernels `other` read as read here, too, with the same kind: a mask, or a type of their own.
    pub fn reading_with(mut self, other: &Kernels) -> Kernels {
        for k in 0..self.inputs {
            self.reads[k] |= other.reads[k];
            self.masks[k] |= other.masks[k];
            self.own[k] = self.own[k].or(other.own[k]);
        }
        self
    }

    /// Marks those inputs as not read that the kernels `other` do not read, or read in another type.
    ///
    /// Streams get the types `own`.
    pub fn reading_as(
        mut self,
        other: &Kernels,
        own: impl Iterator<Item = Option<Stored>>,
    ) -> Kernels {
        for (k, reads) in self.reads.iter_mut().enumerate() {
            *reads &= other.reads[k] && !other.masks[k] && other.own[k].is_none();
        }
        self.own.iter_mut().zip(own).for_each(|(to, own)| *to = own);
        self
    }

    /// Returns the kernel for one element type and level.
    ///
    /// Returns `None` if this build lacks the level, or the operator the element type.
    pub const fn get(&self, dtype: DType, level: Level) -> Option<BlockFn> {
        self.table[dtype as usize][level as usize]
    }

    /// Returns whether the kernel for one element type and level can add its terms: see [`Body::SUMS`].
    pub const fn adds(&self, dtype: DType, level: Level) -> bool {
        self.sums[dtype as usize][level as usize]
    }

    /// Returns the interpreter's program for an element type, or `None` if there are no programs.
    ///
    /// A kernel receives it in `abi::Streams`.
    pub const fn program(&self, dtype: DType) -> Option<&'static Program> {
        match self.programs {
            Some(programs) => Some(programs[dtype as usize]),
            None => None,
        }
    }

    /// Returns the number of elements that a kernel computes per step.
    pub const fn step(dtype: DType, level: Level) -> usize {
        width(dtype, level) * level.lanes()
    }
}
