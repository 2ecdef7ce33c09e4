//! Run-time support that expanded operators call, from vector maths to the driver.
//!
//! ```text
//! view      tensors as the caller has them; memory: their dtype, shape, strides, checked; arrays: from and to ndarray
//! options   how to run a call: threads, SIMD level, non-temporal stores
//! call      operator + attributes + views -> a checked call             (once per call)
//! stream    start and strides of an input or output in memory
//! streams   views -> streams over the domain; contiguous: fast path for contiguous tensors
//! overlap   which streams, or elements of one tensor, share memory
//! job       streams of a call; dims: its domain in few dimensions       (once per call)
//! rows      stages of row functions, on chunks of whole rows; reduce: terms of a row -> its value
//! chunks    parts of a domain; passes: jobs on chunks, prepared once for all of a shape
//! row_count rows that an input excludes from a call; sums: outputs that are sums over broadcast dimensions
//! blocking  tiles of the iteration space, and streams staged in scratch (once per call)
//! driver    boxes -> rows                                               (once per box)
//! threads   number of threads, fork and join; fp_env: floating-point environment
//! row_loop  rows -> steps, tails, non-temporal stores                   (once per row); prefetch: its distance
//! scratch   gathers and scatters boxes that are not rows                (once per box)
//! convert   element type conversion: inputs in boxes, outputs as they are stored; mask_bits: packed mask bits -> bytes
//! kernels   the kernel of a body per element type and SIMD level: a block kernel, or the interpreter
//! abi       what a block kernel is called with
//! block     one body x one element type x one SIMD level                (the hot loop); flags: what constants say of streams
//! interpreter  runs programs instead of bodies: one kernel for all operators, at levels without tables
//! floor     bodies with next to no arithmetic, as a memory-bound baseline
//! tabled    bodies that evaluate piecewise polynomials, with the f64 slow path outside of the tables
//! step      two or four vectors side by side, which bodies compute with; load: from memory
//! math      exp, erfc, gelu', ... on f32 vectors                        (inlined into bodies)
//! wide      the same in f64, where f32 is not accurate enough           (inlined into bodies)
//! elem      f32, f16, bf16 in memory <-> f32 vectors                    (inlined into blocks)
//! converted integers, truth values and floats of 8 bits in memory <-> f32 vectors; float8: these floats as Rust types
//! simd      the SIMD levels, and what fearless_simd lacks there: permute look-ups, f16, non-temporal stores
//! ```

pub mod abi;
#[cfg(feature = "ndarray")]
mod arrays;
pub mod block;
mod blocking;
pub mod call;
mod chunks;
mod contiguous;
mod convert;
pub mod converted;
mod converters;
mod dims;
mod driver;
pub mod elem;
pub mod error;
mod flags;
mod float8;
pub mod floor;
mod fp_env;
mod interpreter;
mod job;
mod kernels;
pub mod load;
mod mask_bits;
pub mod math;
mod memory;
mod options;
mod overlap;
mod passes;
mod prefetch;
pub mod ranged;
mod reduce;
mod row_count;
mod row_loop;
mod rows;
mod scratch;
pub mod simd;
pub mod step;
mod stream;
mod streams;
mod sums;
pub mod tabled;
mod threads;
pub mod view;
pub mod wide;
