//! Fits Gaussian tails of univariate functions, in plain f64.
//!
//! ```text
//! detect   detects which side of 0 has a tail, and what the other side is, by evaluation
//! sample_points  the samples of a fit, and the weight of an error at each
//! bell     fits s, N and D of e^(-s a^2) N(a)/D(a), near minimax
//! least_squares  weighted least squares
//! ```
//!
//! A fit is no proof, so its calls are computed in `float` before it is used (`plan/accept.rs`). Only `+ - * /`, square roots and
//! `libm` are used, so that coefficients are the same wherever they are fitted.

mod bell;
mod detect;
mod least_squares;
mod sample_points;

use super::form::{built, cycles};
use super::forms::tail::Tail;
use crate::arch::Arch;
use bell::{Bell, Shape};
use detect::{Seen, look};
use op_dsl_ir::DType;
use sample_points::{gone, places};
use std::borrow::Cow;

/// Allowed error of a fit for a narrow type, in units in the last place.
///
/// Rounding adds half a unit, and coefficients in `float` a little.
const MOST_16: f64 = 0.6;
/// Allowed error of a fit in f32, as a multiple of the tolerance at each sample.
///
/// That tolerance is the part of the error budget that rounding of the vector calls leaves.
const MOST_32: f64 = 1.0;

/// Returns fits of the Gaussian tail of function `f`, the cheapest first; none if it has no tail.
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
    let degrees = if dtype.is_narrow() { 1..=3 } else { 2..=5 };
    let least = usize::from(seen.has_zero);
    let all = degrees.clone().flat_map(|n| degrees.clone().map(move |d| Shape { least, n, d }));
    let cost = |shape: Shape| {
        // The cost does not depend on the coefficients, if only the last of `D` becomes 1 when normalised.
        let (n, d) = (vec![2.0; shape.n + 1], vec![3.0; shape.d + 1]);
        let mut bell = Bell { scale: seen.scale, n, d };
        bell.n[..least].fill(0.0);
        let tail = joined(seen, &bell, gone(dtype));
        let (s, _, y) = built(arch, |s, x| tail.build(s, x, &[]));
        cycles(&s, y, arch)
    };
    let mut all: Vec<(f64, Shape)> = all.map(|shape| (cost(shape), shape)).collect();
    all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    all.into_iter().map(|(_, shape)| shape).collect()
}

fn fitted(seen: &Seen, places: &[bell::Place], shape: Shape, dtype: DType) -> Option<Tail> {
    let most = if dtype.is_narrow() { MOST_16 } else { MOST_32 };
    let held = |scale: f64| (gone(dtype) / scale).sqrt();
    let fit = |scale: f64, is_free: bool| {
        Bell::fitted(places, shape, scale, is_free, held(scale), most).map(|(_, bell)| bell)
    };
    let bell = match dtype {
        // The measured `s` is as good as a fitted one, and a power of two makes products exact.
        DType::F32 => fit(short(seen.scale), false)?,
        _ => fit(seen.scale, true)?,
    };
    Some(joined(seen, &bell, gone(dtype)))
}

/// Returns the power of two that `scale` is close to; otherwise `scale` rounded to `float`.
fn short(scale: f64) -> f64 {
    let near = libm::exp2(libm::round(libm::log2(scale)));
    if (scale / near - 1.0).abs() < 1e-5 { near } else { f64::from(scale as f32) }
}

/// Joins a fitted Gaussian tail `e^(-s a^2) N(a) / D(a)` to the function on the other side of 0.
///
/// `D` is normalised so that its last coefficient is 1, which saves a call. `gone` is the `s a^2` at which the tail has vanished.
fn joined(seen: &Seen, bell: &Bell, gone: f64) -> Tail {
    let last = bell.d.last().copied().unwrap_or(1.0);
    let over = |c: &[f64]| -> Cow<'static, [f64]> {
        c.iter().map(|c| f64::from((c / last) as f32)).collect()
    };
    // Rounded up to a quarter, which is exact in every type.
    let held = (4.0 * (gone / bell.scale).sqrt()).ceil() / 4.0;
    Tail {
        scale: f64::from(bell.scale as f32),
        held,
        n: over(&bell.n),
        d: over(&bell.d),
        side: seen.side,
    }
}
