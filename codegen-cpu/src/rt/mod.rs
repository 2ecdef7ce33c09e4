//! What expanded operators call at run time.
//!
//! ```text
//! view      tensors as the caller has them: dtype, shape, strides; arrays: from and to ndarray
//! options   how to run a call: threads, level, stores
//! call      operator + attributes + views -> a call that is checked   (once per call)
//! stream    where the elements of an input or output are
//! streams   views -> streams over the domain; dense: the short way for dense tensors
//! overlap   which streams, or elements of one tensor, share memory
//! job       streams -> few dimensions                                 (once per call)
//! rows      those of a call that an input leaves out
//! boxes     the domain, cut; what passes through scratch memory       (once per call)
//! driver    boxes -> rows                                             (once per box)
//! threads   who works on them; mode: with which rounding
//! line      rows -> steps, tails, streaming stores                    (once per row); ahead: which of them ask for inputs
//! scratch   what is not a row, made one                               (once per box)
//! convert   what is not of the kernel's type: inputs in boxes, outputs as they are stored; truth: bits of masks
//! kernels   what a body has for each element type and SIMD level: a block kernel, or the interpreter
//! block     one body x one element type x one SIMD level              (the hot loop)
//! interpreter  programs instead of bodies: one for all operators, at levels without tables
//! floor     bodies with next to no arithmetic, to measure against
//! tabled    bodies by tables of polynomials, and by f64 where those end
//! step      two or four vectors side by side, which bodies compute with
//! math      exp, erfc, gelu', ... on vectors                           (inlined into bodies)
//! wide      the same in f64, where f32 is not accurate enough    (inlined into bodies)
//! elem      f32, f16, bf16 in memory <-> f32 vectors                   (inlined into blocks)
//! simd      the levels, and what fearless_simd lacks there: tables, f16, streaming stores
//! ```

mod ahead;
#[cfg(feature = "ndarray")]
mod arrays;
pub mod block;
mod boxes;
pub mod call;
mod convert;
mod converters;
mod dense;
mod driver;
pub mod elem;
pub mod error;
pub mod floor;
mod interpreter;
mod job;
mod kernels;
mod line;
pub mod math;
mod mode;
mod options;
mod overlap;
pub mod ranged;
mod rows;
mod scratch;
pub mod simd;
pub mod step;
mod stream;
mod streams;
pub mod tabled;
mod threads;
mod truth;
pub mod view;
pub mod wide;
