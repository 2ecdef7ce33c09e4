//! Gaussian tails of functions of one value, fitted in plain f64.
//!
//! ```text
//! look     which side of 0 has a tail, and what it is joined to: by values
//! places   where it is fitted, and how much an error counts there
//! bell     s, N and D of e^(-s a^2) N(a)/D(a), near minimax
//! squares  weighted least squares
//! ```
//!
//! A fit is no proof: what calls in `float` make of it is computed before it is used (`plan/accept.rs`).
//! Arithmetic is `+ - * /` and square roots, all else is of `libm`, so that coefficients are the same
//! wherever they are fitted.

mod bell;
mod look;
mod places;
mod squares;

use super::form::cycles;
use super::forms::tail::Tail;
use super::{F32, Seq, Source};
use crate::arch::Arch;
use bell::{Bell, Shape};
use look::{Seen, look};
use op_dsl_ir::DType;
use places::{gone, places};
use std::borrow::Cow;

/// What a fit may be off, in units of 16 bits: rounding adds half a unit, and coefficients in `float` a little.
const MOST_16: f64 = 0.6;
/// The same in f32, in what rounding of calls leaves.
const MOST_32: f64 = 1.0;

/// The tails that a function may have, those with the fewest cycles first. None if it has no Gaussian tail.
pub fn tails(
    f: &dyn Fn(f64) -> f64,
    dtype: DType,
    arch: &'static Arch,
) -> impl Iterator<Item = Tail> + use<> {
    let seen = look(f);
    let shapes = seen.map_or_else(Vec::new, |seen| shapes(&seen, dtype, arch));
    let places = seen.map_or_else(Vec::new, |seen| places(f, &seen, dtype));
    let of_shape = move |shape: Shape| fitted(&seen?, &places, shape, dtype);
    shapes.into_iter().filter_map(of_shape)
}

fn shapes(seen: &Seen, dtype: DType, arch: &'static Arch) -> Vec<Shape> {
    let degrees = if dtype == DType::F32 { 2..=5 } else { 1..=3 };
    let least = usize::from(seen.has_zero);
    let all = degrees.clone().flat_map(|n| degrees.clone().map(move |d| Shape { least, n, d }));
    let cost = |shape: Shape| {
        // Which numbers they are is all the same, if no other than the last of `D` becomes 1.
        let (n, d) = (vec![2.0; shape.n + 1], vec![3.0; shape.d + 1]);
        let mut bell = Bell { scale: seen.scale, n, d };
        bell.n[..least].fill(0.0);
        let mut s = Seq::on(arch);
        let x = s.push(Source::Load(0), &[], None, F32);
        let y = joined(seen, &bell, gone(dtype)).build(&mut s, x, &[]);
        cycles(&s, y, arch)
    };
    let mut all: Vec<(f64, Shape)> = all.map(|shape| (cost(shape), shape)).collect();
    all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    all.into_iter().map(|(_, shape)| shape).collect()
}

fn fitted(seen: &Seen, places: &[bell::Place], shape: Shape, dtype: DType) -> Option<Tail> {
    let most = if dtype == DType::F32 { MOST_32 } else { MOST_16 };
    let held = |scale: f64| (gone(dtype) / scale).sqrt();
    let fit = |scale: f64, is_free: bool| {
        Bell::fitted(places, shape, scale, is_free, held(scale), most).map(|(_, bell)| bell)
    };
    let bell = match dtype {
        // What is seen of `s` is as good as what would be fitted, and products with powers of two round nothing.
        DType::F32 => fit(short(seen.scale), false)?,
        _ => fit(seen.scale, true)?,
    };
    Some(joined(seen, &bell, gone(dtype)))
}

/// The power of two that a number nearly is, else what it is in `float`.
fn short(scale: f64) -> f64 {
    let near = libm::exp2(libm::round(libm::log2(scale)));
    if (scale / near - 1.0).abs() < 1e-5 { near } else { f64::from(scale as f32) }
}

/// With what stands on the other side; `D` ends with 1, which spares a call.
fn joined(seen: &Seen, bell: &Bell, gone: f64) -> Tail {
    let last = bell.d.last().copied().unwrap_or(1.0);
    let over = |c: &[f64]| -> Cow<'static, [f64]> {
        c.iter().map(|c| f64::from((c / last) as f32)).collect()
    };
    // A quarter is exact in every type.
    let held = (4.0 * (gone / bell.scale).sqrt()).ceil() / 4.0;
    Tail {
        scale: f64::from(bell.scale as f32),
        held,
        n: over(&bell.n),
        d: over(&bell.d),
        side: seen.side,
    }
}
