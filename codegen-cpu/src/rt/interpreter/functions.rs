//! One function per instruction, in f32 and in f64, equivalent to the code that a compiled body contains.

use super::columns::{Argument, Function, Lanes, each};
use crate::rt::elem::El;
use crate::rt::math;
use crate::rt::simd::Isa;
use crate::rt::step::{Floats, PAIR};
use crate::rt::wide::{self, Column, Wide};
use core::mem::MaybeUninit;
use fearless_simd::prelude::*;
use op_dsl_ir::Prim;
use op_dsl_ir::program::Op;

/// Defines the function that executes an instruction, by an expression of the instruction's arguments.
macro_rules! function {
    ($Lanes:ident, [$($x:ident),*] => $f:expr) => {
        function!($Lanes, S, _s, [$($x),*] => $f)
    };
    ($Lanes:ident, $S:ident, $s:ident, [$($x:ident),*] => $f:expr) => {{
        unsafe fn function<$S: Isa>(units: usize, to: *mut u8, args: &[Argument; 3]) {
            // SAFETY: passed on from the caller.
            unsafe {
                each(
                    units,
                    to,
                    args,
                    #[inline(always)]
                    |$s: $S, [$($x),*]: [$Lanes<$S>; _]| $f,
                )
            }
        }
        function::<S>
    }};
}

/// Defines the function that executes an instruction, by the name of a vector function in f32 or f64.
macro_rules! by_name {
    (Floats, $name:ident [$($x:ident),*]) => {
        function!(Floats, S, s, [$($x),*] => math::$name::<S, f32, PAIR>(s, $($x),*))
    };
    (Wide, $name:ident [$($x:ident),*]) => {
        function!(Wide, S, s, [$($x),*] => wide::$name::<S, PAIR>(s, $($x),*))
    };
}

/// Defines the function of an instruction that, in f64, is one out-of-line call per column.
///
/// The callee belongs to the SIMD level and computes all vectors of the column. In f32 the function is inlined instead.
macro_rules! out_of_line {
    (Floats, $name:ident $x:tt) => {
        by_name!(Floats, $name $x)
    };
    (Wide, $name:ident [$x:ident $(, $y:ident)?]) => {{
        unsafe fn function<S: Isa>(units: usize, to: *mut u8, args: &[Argument; 3]) {
            // SAFETY: passed on from the caller.
            unsafe {
                let s = S::assume();
                let [$x $(, $y)?, ..] = *args;
                let mut numbers = [const { MaybeUninit::uninit() }; _];
                let [$x $(, $y)?] = columns(s, [$x $(, $y)?], &mut numbers);
                s.$name(2 * PAIR * units, to.cast(), $x $(, $y)?)
            }
        }
        function::<S>
    }};
}

/// Defines the function of a comparison, whose result is 1 where the comparison is true, else 0.
macro_rules! comparison {
    ($Lanes:ident, $name:ident) => {
        function!($Lanes, S, s, [x, y] => {
            let [one, zero] = [1.0, 0.0].map(#[inline(always)] |v| $Lanes::splat(s, v));
            x.$name(y).select(one, zero)
        })
    };
}

/// Defines the function of an exponential of few digits. In f32 no program has one.
macro_rules! to_f32 {
    (Floats) => {
        nothing as Function
    };
    (Wide) => {
        by_name!(Wide, exp_to_f32[x])
    };
}

/// Builds the table with the function of every instruction, from one source for f32 and f64.
macro_rules! table {
    ($Lanes:ident) => {{
        let mut table = [nothing as Function; Op::COUNT];
        table[Op::Load.index()] = function!($Lanes, [x] => x);
        table[Op::AtMost.index()] = by_name!($Lanes, at_most[x, bound]);
        table[Op::AtLeast.index()] = by_name!($Lanes, at_least[x, bound]);
        table[Op::ExpToF32.index()] = to_f32!($Lanes);
        table[Prim::Neg as usize] = function!($Lanes, [x] => -x);
        table[Prim::Add as usize] = function!($Lanes, [x, y] => x + y);
        table[Prim::Sub as usize] = function!($Lanes, [x, y] => x - y);
        table[Prim::Mul as usize] = function!($Lanes, [x, y] => x * y);
        table[Prim::Div as usize] = function!($Lanes, [x, y] => x / y);
        table[Prim::Mul3 as usize] = by_name!($Lanes, mul3[x, y, z]);
        table[Prim::Min as usize] = by_name!($Lanes, min[x, y]);
        table[Prim::Max as usize] = by_name!($Lanes, max[x, y]);
        table[Prim::Pow as usize] = out_of_line!($Lanes, powf[x, y]);
        table[Prim::Rem as usize] = out_of_line!($Lanes, rem[x, y]);
        table[Prim::Lt as usize] = comparison!($Lanes, simd_lt);
        table[Prim::Le as usize] = comparison!($Lanes, simd_le);
        table[Prim::Eq as usize] = comparison!($Lanes, simd_eq);
        table[Prim::Select as usize] = function!($Lanes, S, s, [condition, yes, no] => {
            condition.simd_eq($Lanes::splat(s, 0.0)).select(no, yes)
        });
        table[Prim::Abs as usize] = function!($Lanes, [x] => x.abs());
        table[Prim::Round as usize] = by_name!($Lanes, round[x]);
        table[Prim::Sqrt as usize] = function!($Lanes, [x] => x.sqrt());
        table[Prim::Exp as usize] = out_of_line!($Lanes, exp[x]);
        table[Prim::Expm1 as usize] = out_of_line!($Lanes, expm1[x]);
        table[Prim::Ln as usize] = out_of_line!($Lanes, ln[x]);
        table[Prim::Log1p as usize] = out_of_line!($Lanes, log1p[x]);
        table[Prim::Tanh as usize] = out_of_line!($Lanes, tanh[x]);
        table[Prim::Sin as usize] = out_of_line!($Lanes, sin[x]);
        table[Prim::Cos as usize] = out_of_line!($Lanes, cos[x]);
        table[Prim::Atan as usize] = out_of_line!($Lanes, atan[x]);
        table[Prim::Sigmoid as usize] = out_of_line!($Lanes, sigmoid[x]);
        table[Prim::Erf as usize] = out_of_line!($Lanes, erf[x]);
        table[Prim::Erfc as usize] = out_of_line!($Lanes, erfc[x]);
        table[Prim::Erfinv as usize] = out_of_line!($Lanes, erfinv[x]);
        table[Prim::NormalCdf as usize] = out_of_line!($Lanes, normal_cdf[x]);
        table[Prim::Softplus as usize] = out_of_line!($Lanes, softplus[x]);
        table[Prim::Gelu as usize] = out_of_line!($Lanes, gelu[x]);
        table[Prim::GeluTanh as usize] = out_of_line!($Lanes, gelu_tanh[x]);
        table[Prim::Silu as usize] = out_of_line!($Lanes, silu[x]);
        table[Prim::GeluGrad as usize] = out_of_line!($Lanes, gelu_grad[x]);
        table[Prim::GeluTanhGrad as usize] = out_of_line!($Lanes, gelu_tanh_grad[x]);
        table[Prim::SiluGrad as usize] = out_of_line!($Lanes, silu_grad[x]);
        table[Prim::Lgamma as usize] = out_of_line!($Lanes, lgamma[x]);
        table[Prim::Digamma as usize] = out_of_line!($Lanes, digamma[x]);
        table[Prim::Trigamma as usize] = out_of_line!($Lanes, trigamma[x]);
        table
    }};
}

/// Converts arguments to columns of f64 vectors; uniform numbers are splatted into `numbers`.
///
/// # Safety
/// As [`Function`], in f64.
#[inline(always)]
unsafe fn columns<S: Isa, const N: usize>(
    s: S,
    args: [Argument; N],
    numbers: &mut [MaybeUninit<S::f64s>; N],
) -> [Column<S::f64s>; N] {
    let mut all = args.map(
        #[inline(always)]
        |argument| Column { at: argument.at.cast::<S::f64s>(), pace: 1 },
    );
    for k in 0..N {
        if args[k].is_uniform {
            // SAFETY: the caller vouches for the argument.
            let number = unsafe { args[k].at.cast::<f64>().read() };
            let splat = s.vectorize(
                #[inline(always)]
                || S::f64s::splat(s, number),
            );
            all[k] = Column { at: numbers[k].write(splat), pace: 0 };
        }
    }
    all
}

/// Placeholder for instructions that occur in no program.
unsafe fn nothing(_: usize, _: *mut u8, _: &[Argument; 3]) {}

/// Executes the instruction `Mul3` in f32: a product of three factors, as type `E` needs it.
unsafe fn mul3<S: Isa, E: El>(units: usize, to: *mut u8, args: &[Argument; 3]) {
    // SAFETY: passed on from the caller.
    unsafe {
        each(
            units,
            to,
            args,
            #[inline(always)]
            |s: S, [x, y, z]: [Floats<S>; _]| math::mul3::<S, E, PAIR>(s, x, y, z),
        )
    }
}

/// Units of columns, in f32 or f64, that have a function for every instruction of the interpreter.
pub(super) trait Instructions<S: Isa>: Lanes<S> {
    /// Returns the functions that execute the instructions of the interpreter, indexed by `Op::index`.
    ///
    /// The function of a load is a copy.
    fn table<E: El>() -> &'static [Function; Op::COUNT];
}

impl<S: Isa> Instructions<S> for Floats<S> {
    fn table<E: El>() -> &'static [Function; Op::COUNT] {
        const { &in_f32::<S, E>() }
    }
}

impl<S: Isa> Instructions<S> for Wide<S> {
    fn table<E: El>() -> &'static [Function; Op::COUNT] {
        const { &in_f64::<S>() }
    }
}

/// Functions of instructions whose results stay in f64.
pub(super) struct Exact;

impl Exact {
    /// Returns the functions that execute the instructions of calls on f64, indexed by `Op::index`.
    pub fn table<S: Isa>() -> &'static [Function; Op::COUNT] {
        const { &exact::<S>() }
    }
}

/// Returns the table with the f32 function of every instruction.
const fn in_f32<S: Isa, E: El>() -> [Function; Op::COUNT] {
    let mut table = table!(Floats);
    table[Prim::Mul3 as usize] = mul3::<S, E>;
    table
}

/// Returns the table with the f64 function of every instruction.
const fn in_f64<S: Isa>() -> [Function; Op::COUNT] {
    table!(Wide)
}

/// Returns the table with the function of every instruction whose result stays in f64.
const fn exact<S: Isa>() -> [Function; Op::COUNT] {
    let mut table = table!(Wide);
    table[Prim::Pow as usize] = out_of_line!(Wide, powf_f64[x, y]);
    table[Prim::Tanh as usize] = out_of_line!(Wide, tanh_f64[x]);
    table[Prim::Sin as usize] = out_of_line!(Wide, sin_f64[x]);
    table[Prim::Cos as usize] = out_of_line!(Wide, cos_f64[x]);
    table[Prim::Atan as usize] = out_of_line!(Wide, atan_f64[x]);
    table[Prim::Sigmoid as usize] = out_of_line!(Wide, sigmoid_f64[x]);
    table[Prim::Erf as usize] = out_of_line!(Wide, erf_f64[x]);
    table[Prim::Erfc as usize] = out_of_line!(Wide, erfc_f64[x]);
    table[Prim::Erfinv as usize] = out_of_line!(Wide, erfinv_f64[x]);
    table[Prim::NormalCdf as usize] = out_of_line!(Wide, normal_cdf_f64[x]);
    table[Prim::Softplus as usize] = out_of_line!(Wide, softplus_f64[x]);
    table[Prim::Gelu as usize] = out_of_line!(Wide, gelu_f64[x]);
    table[Prim::GeluTanh as usize] = out_of_line!(Wide, gelu_tanh_f64[x]);
    table[Prim::Silu as usize] = out_of_line!(Wide, silu_f64[x]);
    table[Prim::GeluGrad as usize] = out_of_line!(Wide, gelu_grad_f64[x]);
    table[Prim::GeluTanhGrad as usize] = out_of_line!(Wide, gelu_tanh_grad_f64[x]);
    table[Prim::SiluGrad as usize] = out_of_line!(Wide, silu_grad_f64[x]);
    table
}
