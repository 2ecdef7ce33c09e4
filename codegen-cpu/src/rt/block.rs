//! Block kernels: the only instances of an operator's body.
//!
//! A body is written once, generic over the SIMD level and the element type. [`Kernels::of`] lists one function pointer per
//! (element type, level). The driver calls through it, so that neither the driver nor the body is compiled more often than it
//! must be.

use super::abi::{ALIGN, Interleave, Streams};
use super::convert::{load_converted, store_as, store_converted, store_own};
use super::converted::Converted;
use super::elem::El;
use super::flags::{any, any_own};
use super::interpreter;
pub use super::kernels::Kernels;
use super::load::Load;
use super::reduce::Sums;
use super::simd::Isa;
use super::step::{Floats, PAIR};
use crate::with_stored;
use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use fearless_simd::prelude::*;
use op_dsl_ir::program::Program;
use op_dsl_ir::{DType, Stored};

/// An elementwise formula: maps one step of each of `I` inputs to one step of each of `O` outputs.
///
/// A step is `W` vectors, two or four. `A` is the number of run-time scalars (values of numeric attributes).
pub trait Body<const I: usize, const A: usize, const O: usize>: 'static {
    /// For each input, true if the formula reads it.
    ///
    /// An input that is not read may be at any address, and the driver may pass another input in its place.
    const READS: [bool; I] = [true; I];

    /// For each input, true if it is a mask: one byte per element, which [`Load::truth`] loads.
    const MASKS: [bool; I] = [false; I];

    /// For each input, the type that it always has, which [`Load::own`] converts; `None` for the type of the kernel, and for masks.
    const OWN: [Option<Stored>; I] = [None; I];

    /// For each input, true if a run has one number of it, of f32, for all elements.
    const OF_ROWS: [bool; I] = [false; I];

    /// Whether the one output, of f32, is terms of a row function that the kernel adds if [`Streams::sums`] asks for it.
    const SUMS: bool = false;

    /// For each output, the type that it always has; `None` for the type of the kernel.
    const RESULTS: [Option<Stored>; O] = [None; O];

    /// Whether the kernel can store an output as any type, whatever [`Body::RESULTS`] says. Only the bodies of `floor.rs` can.
    ///
    /// Other kernels lack the conversions: with them in the cold path, those with two outputs took a fifth longer.
    const CONVERTS: bool = false;

    /// For each input, true if it may be interleaved in memory with the next input: `[a b a b ..]`.
    const INPUT_TURNS: [bool; I] = [false; I];

    /// For each output, true if it may be interleaved in memory with the next output: `[a b a b ..]`.
    const OUTPUT_TURNS: [bool; O] = [false; O];

    /// For each element type, true if the formula is evaluated in f64, not by piecewise polynomials.
    const IN_F64: [bool; DType::COUNT] = [false; DType::COUNT];

    /// Whether the formula looks functions up in tables, whose long dependency chains are worth interleaving.
    const LOOKS_UP: bool = false;

    /// For each element type, true if there is a kernel for it.
    const DTYPES: [bool; DType::COUNT] = [true; DType::COUNT];

    /// Number of scalars, the last ones, that are computed from the others by [`Body::uniform`].
    const UNIFORM: usize = 0;

    /// Programs that the interpreter can run in place of the formula, one per element type.
    ///
    /// `None` if the formula must be compiled at every SIMD level.
    const PROGRAMS: Option<[&'static Program; DType::COUNT]> = None;

    /// Whether the interpreter runs [`Body::PROGRAMS`] at every SIMD level, as it does in crates with debug assertions.
    ///
    /// They are slow by any means, and this way nothing is fitted or compiled per operator. The author's crate decides, not this
    /// one, because the macro that leaves out the tables sees only how the author's crate is compiled.
    const INTERPRETED: bool = false;

    /// Program that the interpreter runs in calls on f64; `None` if there are no such calls.
    const ON_F64: Option<&'static Program> = None;

    /// Returns the program that the interpreter runs instead of [`Body::eval`], if one is needed.
    ///
    /// It is needed where the formula's tables do not support the SIMD level, the element type or the values of the attributes.
    /// `None` means that [`Body::eval`] computes the results.
    #[inline(always)]
    fn without_tables<S: Isa, E: El, const W: usize>(
        _: S,
        _: [Floats<S, W>; A],
    ) -> Option<&'static Program> {
        None
    }

    /// Computes the last [`Body::UNIFORM`] scalars, functions of attributes, from those before them.
    fn uniform(_: &mut [f32; A]) {}

    /// Evaluates the formula on one step of the inputs `x`, with each scalar of `a` in all lanes.
    ///
    /// The formula is strictly elementwise: no lane may read another lane.
    fn eval<S: Isa, E: El, const W: usize>(
        s: S,
        x: [Input<'_, S, E, W>; I],
        a: [Floats<S, W>; A],
    ) -> [Floats<S, W>; O];
}

/// One step of an input, normally still in memory.
///
/// A body loads the step at its first use, because registers are few.
#[derive(Clone, Copy)]
pub struct Input<'a, S: Isa, E: El, const W: usize> {
    s: S,
    start: *const E,
    /// Prefetch distance in bytes for loads of this input, see [`Streams::ahead`].
    ahead: usize,
    /// The step, if it has been loaded already.
    loaded: Option<&'a Floats<S, W>>,
    /// The number of a row, if the input has one for each row.
    ///
    /// By value, because behind a reference all that is computed from it alone would be computed again in every step.
    number: Option<f32>,
    _step: PhantomData<&'a [Cell<E>]>,
}

impl<S: Isa, E: El, const W: usize> Load<S, W> for Input<'_, S, E, W> {
    #[inline(always)]
    fn load(self) -> Floats<S, W> {
        if let Some(number) = self.number {
            return Floats::splat(self.s, number);
        }
        if let Some(step) = self.loaded {
            return *step;
        }
        ask_ahead::<S, E, W>(self.s, self.start, self.ahead);
        // SAFETY: made by `block` only, whose caller vouches for the step; the lifetime keeps a body from storing it.
        unsafe { E::load(self.s, self.start) }
    }
    /// Loads the step of a mask, which is one byte per element: 1 for true, else 0.
    #[inline(always)]
    fn truth(self) -> Floats<S, W> {
        let start = self.start.cast::<u8>();
        if self.ahead != 0 {
            self.s.prefetch(start.wrapping_add(self.ahead));
        }
        // SAFETY: as in `load`.
        unsafe { E::truths(self.s, start) }
    }
    #[inline(always)]
    fn own<T: Converted>(self) -> Floats<S, W> {
        let start = self.start.cast::<T>();
        if self.ahead != 0 {
            for line in 0..(W * S::f32s::LEN * size_of::<T>()).div_ceil(ALIGN) {
                self.s.prefetch(start.cast::<u8>().wrapping_add(self.ahead + line * ALIGN));
            }
        }
        // SAFETY: as in `load`.
        unsafe { load_converted::<S, E, T, W>(self.s, start) }
    }
}

/// Two vectors of a step that is still in memory: vectors `from` and `from + 1`.
#[derive(Clone, Copy)]
pub(super) struct Part<'a, S: Isa, E: El, const W: usize> {
    pub of: Input<'a, S, E, W>,
    pub from: usize,
}

impl<S: Isa, E: El, const W: usize> Load<S, PAIR> for Part<'_, S, E, W> {
    #[inline(always)]
    fn load(self) -> Floats<S, PAIR> {
        if let Some(number) = self.of.number {
            return Floats::splat(self.of.s, number);
        }
        if let Some(step) = self.of.loaded {
            return step.pair(self.from);
        }
        // SAFETY: a part of the step of `Input::load`.
        unsafe { E::load(self.of.s, self.of.start.add(self.from * S::f32s::LEN)) }
    }
    #[inline(always)]
    fn truth(self) -> Floats<S, PAIR> {
        // SAFETY: as in `load`.
        unsafe { E::truths(self.of.s, self.of.start.cast::<u8>().add(self.from * S::f32s::LEN)) }
    }
    #[inline(always)]
    fn own<T: Converted>(self) -> Floats<S, PAIR> {
        let start = self.of.start.cast::<T>();
        // SAFETY: as in `load`.
        unsafe { load_converted::<S, E, T, PAIR>(self.of.s, start.add(self.from * S::f32s::LEN)) }
    }
}

/// Prefetches one step, `ahead` bytes after `start`. A distance of 0 disables the prefetch.
#[inline(always)]
fn ask_ahead<S: Isa, E: El, const W: usize>(s: S, start: *const E, ahead: usize) {
    if ahead != 0 {
        for line in 0..W * S::f32s::LEN * size_of::<E>() / ALIGN {
            s.prefetch(start.cast::<u8>().wrapping_add(ahead + line * ALIGN));
        }
    }
}

/// Returns how many vectors are stored to one output before the kernel switches to the next output.
///
/// They fill two cache lines. With four lines at a time, streaming kernels of several outputs took 12 % longer on Zen 4
/// (Granite Rapids: 0 to 2 %).
const fn run<E: El, const W: usize>() -> usize {
    if size_of::<E>() == size_of::<f32>() { PAIR } else { W }
}

/// Loads one step of each of two inputs; `turn` says whether and how they are interleaved in memory.
///
/// `turn` is the layout of the first input.
///
/// # Safety
/// As [`BlockFn`](super::abi::BlockFn), for the step `at` elements from `start`.
#[inline(always)]
unsafe fn load_two<S: Isa, E: El, const W: usize>(
    s: S,
    start: [*const E; 2],
    turn: Interleave,
    at: usize,
    ahead: usize,
) -> [Floats<S, W>; 2] {
    let [p, q] = turn.order(start);
    // SAFETY: passed on from the caller.
    unsafe {
        if turn == Interleave::Alone {
            let (p, q) = (p.add(at), q.add(at));
            ask_ahead::<S, E, W>(s, p, ahead);
            ask_ahead::<S, E, W>(s, q, ahead);
            return [E::load(s, p), E::load(s, q)];
        }
        let p = p.add(2 * at);
        ask_ahead::<S, E, W>(s, p, ahead);
        ask_ahead::<S, E, W>(s, p.add(W * S::f32s::LEN), ahead);
        turn.order(E::load_turns(s, p))
    }
}

/// Returns the start of the interleaved outputs `k` and `k + 1`, and their values in memory order.
///
/// `turn` is the layout of output `k`, `output` are the addresses of all outputs, and `y` their values.
#[inline(always)]
fn in_turn<T: Copy, const O: usize>(
    turn: Interleave,
    output: &[*mut u8; O],
    y: &[T; O],
    k: usize,
) -> (*mut u8, [T; 2]) {
    (turn.order([output[k], output[k + 1]])[0], turn.order([y[k], y[k + 1]]))
}

/// The kernels of a body (an operator's formula), as associated functions of the body's type.
///
/// They are associated functions to keep incremental builds short. rustc compiles a module again if anything in it has changed.
/// It places functions of types, such as these, in the module of the type, and other generic instances in the module that
/// defines the function. An operator, which is a module, is therefore compiled again only if its own formula has changed.
pub trait Kernel<const I: usize, const A: usize, const O: usize>: Body<I, A, O> + Sized {
    /// Runs the body over `steps` steps of `W` vectors, two vectors at a time.
    ///
    /// It is the block kernel of bodies that gain nothing by longer steps, because these take longer to compile.
    ///
    /// # Safety
    /// As [`BlockFn`](super::abi::BlockFn).
    unsafe fn block_of_pairs<S: Isa, E: El, const W: usize>(io: &Streams, steps: usize, nt: bool) {
        // SAFETY: passed on from the caller, because the number of elements is the same.
        unsafe { Self::block::<S, E, PAIR>(io, steps * (W / PAIR), nt) }
    }

    /// Runs the body over `steps` steps of the streams in `io`: the loop of every block kernel.
    ///
    /// # Safety
    /// As [`BlockFn`](super::abi::BlockFn).
    #[allow(clippy::needless_range_loop)] // iterators are functions too: with them kernels compiled a tenth longer
    unsafe fn block<S: Isa, E: El, const W: usize>(io: &Streams, steps: usize, nt: bool) {
        // SAFETY: passed on from the caller, who picked this level's kernel only after asking the CPU.
        let s = unsafe { S::assume() };
        // By value, because behind a reference the pointers would be loaded again after each store.
        let (mut input, mut output) =
            ([core::ptr::null::<E>(); I], [core::ptr::null_mut::<u8>(); O]);
        let (mut to, mut own, mut scalar) = ([E::DTYPE; O], true, [0.0; A]);
        for k in 0..I {
            input[k] = io.start(k).cast();
        }
        for k in 0..O {
            output[k] = io.start(I + k);
            to[k] = io.stored[I + k].number().unwrap_or(E::DTYPE);
            own &= io.stored[I + k] == E::DTYPE || Self::RESULTS[k].is_some();
        }
        scalar.copy_from_slice(&io.scalar[..A]);
        let (turns, ahead, pitch) = (io.turns, io.ahead, &io.pitch);
        // Rows end with elements of a step that overlaps the step before.
        let (mut sums, sums_only) = (io.sums, io.sums_only);
        let (mut steps, mut rest) = (steps, 0);
        if const { Self::SUMS } && !sums.is_null() {
            // The steps of the driver may be longer than those of this kernel.
            let elements = steps * W * S::f32s::LEN + io.rest;
            (steps, rest) = (elements / (W * S::f32s::LEN), elements % (W * S::f32s::LEN));
        }
        let mut distances = [ahead; I];
        if const { any(&Self::OF_ROWS) || Self::SUMS } && !io.next_chunk.is_null() {
            for k in 0..I {
                // SAFETY: there is a distance for each stream.
                distances[k] = unsafe { io.next_chunk.add(k).read() }.cast_unsigned();
            }
        }
        s.vectorize_for::<Self, _>(
            #[inline(always)]
            move || {
                let zero = Floats::<S, W>::splat(s, 0.0);
                let mut a = [zero; A];
                for k in 0..A {
                    a[k] = Floats::splat(s, scalar[k]);
                }
                if let Some(program) = Self::without_tables::<S, E, W>(s, a) {
                    // SAFETY: passed on from the caller.
                    return unsafe {
                        interpreter::run::<S, E>(program, io, steps * (W / PAIR), nt)
                    };
                }
                let mut left =
                    if const { any(&Self::OF_ROWS) || Self::SUMS } { io.rows } else { 1 };
                while left > 0 {
                    let mut of_rows = [None; I];
                    if const { any(&Self::OF_ROWS) } {
                        for k in 0..I {
                            if Self::OF_ROWS[k] && Self::READS[k] {
                                // SAFETY: the caller vouches for the number.
                                of_rows[k] = Some(unsafe { input[k].cast::<f32>().read() });
                            }
                        }
                    }
                    let mut added = MaybeUninit::<Sums<S>>::uninit();
                    if const { Self::SUMS } {
                        added.write(Sums::new(s));
                    }
                    for i in 0..steps + usize::from(const { Self::SUMS } && rest > 0) {
                        let mut at = i * W * S::f32s::LEN;
                        if const { Self::SUMS } && i == steps {
                            at = at + rest - W * S::f32s::LEN;
                        }
                        // SAFETY: the caller vouches for `steps` steps of every stream.
                        unsafe {
                            let start = core::ptr::null();
                            let (loaded, number) = (None, None);
                            let mut x =
                                [Input { s, start, ahead, loaded, number, _step: PhantomData }; I];
                            for k in 0..I {
                                // The constant comes first, so that other kernels are compiled as if the rest were not here.
                                if const { any(&Self::OF_ROWS) } && Self::OF_ROWS[k] {
                                    x[k].number = of_rows[k];
                                    continue;
                                }
                                if const { any(&Self::OF_ROWS) || Self::SUMS } {
                                    x[k].ahead = distances[k];
                                }
                                x[k].start = match (Self::MASKS[k], Self::OWN[k]) {
                                    (true, _) => input[k].cast::<u8>().add(at).cast(),
                                    (false, None) => input[k].add(at),
                                    (false, Some(own)) => {
                                        input[k].cast::<u8>().add(at * own.size()).cast()
                                    }
                                };
                            }
                            let mut loaded = [const { MaybeUninit::uninit() }; I];
                            if const { any(&Self::INPUT_TURNS) } {
                                for k in 0..I {
                                    if Self::INPUT_TURNS[k] {
                                        let both = [input[k], input[k + 1]];
                                        let [a, b] =
                                            load_two::<S, E, W>(s, both, turns[k], at, ahead);
                                        loaded[k].write(a);
                                        loaded[k + 1].write(b);
                                    }
                                }
                                for k in 0..I {
                                    if Self::INPUT_TURNS[k] || k > 0 && Self::INPUT_TURNS[k - 1] {
                                        x[k].loaded = Some(loaded[k].assume_init_ref());
                                    }
                                }
                            }
                            let y = Self::eval::<S, E, W>(s, x, a);
                            if const { Self::SUMS } && !sums.is_null() {
                                let added = added.assume_init_mut();
                                if i < steps {
                                    added.add_step(i, y[0]);
                                } else {
                                    added.add_rest::<E, W>(s, steps, y[0], rest);
                                }
                                if sums_only {
                                    continue;
                                }
                            }
                            if const { any_own(&Self::RESULTS) } {
                                for k in 0..O {
                                    let Some(own) = Self::RESULTS[k] else { continue };
                                    let p = output[k].add(at * own.size());
                                    with_stored!(own, T => {
                                        store_converted::<S, E, T, W>(s, p.cast(), y[k], nt)
                                    });
                                }
                            }
                            // One test for all other outputs, because with one test per output kernels were up to a tenth slower.
                            if own {
                                let mut v = 0;
                                while v < W {
                                    for k in 0..O {
                                        if Self::RESULTS[k].is_some() {
                                            continue;
                                        }
                                        if const { any(&Self::OUTPUT_TURNS) }
                                            && turns[I + k] != Interleave::Alone
                                        {
                                            if Self::OUTPUT_TURNS[k] && v == 0 {
                                                let (p, both) =
                                                    in_turn(turns[I + k], &output, &y, k);
                                                E::store_turns(
                                                    s,
                                                    p.cast::<E>().add(2 * at),
                                                    both,
                                                    nt,
                                                );
                                            }
                                            continue;
                                        }
                                        let p = output[k].cast::<E>().add(at + v * S::f32s::LEN);
                                        if const { run::<E, W>() < W } {
                                            E::store(s, p, y[k].pair(v), nt);
                                        } else {
                                            E::store(s, p, y[k], nt);
                                        }
                                    }
                                    v += const { run::<E, W>() };
                                }
                            } else {
                                core::hint::cold_path();
                                for k in 0..O {
                                    if Self::RESULTS[k].is_some() {
                                        continue;
                                    }
                                    if const { any(&Self::OUTPUT_TURNS) }
                                        && turns[I + k] != Interleave::Alone
                                    {
                                        if Self::OUTPUT_TURNS[k] {
                                            let (p, both) = in_turn(turns[I + k], &output, &y, k);
                                            let p = p.add(2 * at * to[k].size());
                                            store_as::<S, E, W, 2>(s, to[k], p, both, nt);
                                        }
                                        continue;
                                    }
                                    let stored = io.stored[I + k];
                                    if const { Self::CONVERTS } && stored.number().is_none() {
                                        let p = output[k].add(at * stored.size());
                                        store_own::<S, E, W>(s, stored, p, y[k], nt);
                                        continue;
                                    }
                                    let p = output[k].add(at * to[k].size());
                                    store_as::<S, E, W, 1>(s, to[k], p, [y[k]], nt);
                                }
                            }
                        }
                    }
                    left -= 1;
                    if const { Self::SUMS } && !sums.is_null() {
                        // SAFETY: the caller vouches for a number for each row; the sums were set before its first step.
                        unsafe {
                            let added = added.assume_init_read().in_memory_order::<E>();
                            sums.write(sums.read() + added.total([]));
                        }
                        sums = sums.wrapping_add(1);
                    }
                    if const { any(&Self::OF_ROWS) || Self::SUMS } && left > 0 {
                        for k in 0..I {
                            input[k] = input[k].wrapping_byte_offset(pitch[k]);
                        }
                        for k in 0..O {
                            output[k] = output[k].wrapping_offset(pitch[I + k]);
                        }
                    }
                }
            },
        )
    }
}

impl<B, const I: usize, const A: usize, const O: usize> Kernel<I, A, O> for B where B: Body<I, A, O> {}
